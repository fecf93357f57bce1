#include "tests/support/fakes/fake_candidate_checker.h"
#include "domain/base/text.h"

static enum err_code check(struct candidate_checker *c, struct scope *sc,
                           const struct candidate_trial *trial, struct arena *arena,
                           const char **out_failure, struct err *err)
{
    struct fake_candidate_checker *fake = (struct fake_candidate_checker *)c;
    (void)sc;
    fake->n_checks++;
    fake->examples = trial->examples;
    if (fake->fails)
        return err_set(err, fake->fails, 0, "the fake checker was told to fail");
    bool is_refused = fake->refuses && text_equal(fake->refuses, trial->canonical);
    *out_failure = is_refused ? arena_strdup(arena, fake->failure) : NULL;
    return ERR_NONE;
}

void fake_candidate_checker_init(struct fake_candidate_checker *fake)
{
    static const struct candidate_checker_ops ops = { check };
    *fake = (struct fake_candidate_checker){ .base = { &ops } };
}
