#include "tests/support/fakes/fake_approval_repository.h"
#include "domain/base/arena.h"
#include <stdlib.h>

static struct fake_approval_repository *fake_of(struct approval_repository *r)
{
    return (struct fake_approval_repository *)r;
}

static const char *key_of(struct arena *arena, const struct approval *approval)
{
    return arena_printf(arena, "%s %s %s", approval->kind, approval->subject, approval->hash);
}

static enum err_code take_refusal(struct fake_approval_repository *f, struct err *err)
{
    enum err_code code = f->next;
    f->next = ERR_NONE;
    return code ? err_set(err, code, 0, "approvals: refused by the test") : ERR_NONE;
}

static enum err_code fake_has(struct approval_repository *r, struct scope *sc,
                              const struct approval *approval, bool *out_has, struct err *err)
{
    (void)sc;
    AUTO(arena) scratch = { 0 };
    enum err_code code = take_refusal(fake_of(r), err);
    if (!code)
        *out_has = json_object_get(fake_of(r)->approved, key_of(&scratch, approval)) != NULL;
    return code;
}

static enum err_code fake_add(struct approval_repository *r, struct scope *sc,
                              const struct approval *approval, struct err *err)
{
    (void)sc;
    AUTO(arena) scratch = { 0 };
    enum err_code code = take_refusal(fake_of(r), err);
    if (!code)
        json_object_set_new(fake_of(r)->approved, key_of(&scratch, approval), json_true());
    return code;
}

static void fake_destroy(struct approval_repository *r)
{
    fake_approval_repository_finish(fake_of(r));
    free(r);
}

static const struct approval_repository_ops fake_ops = {
    .has = fake_has,
    .add = fake_add,
    .destroy = fake_destroy,
};

void fake_approval_repository_init(struct fake_approval_repository *fake)
{
    *fake = (struct fake_approval_repository){ .base = { &fake_ops }, .approved = json_object() };
}

void fake_approval_repository_finish(struct fake_approval_repository *fake)
{
    json_decref(fake->approved);
}

struct approval_repository *fake_approval_repository_create(void)
{
    struct fake_approval_repository *fake = calloc(1, sizeof *fake);
    if (!fake)
        abort();
    fake_approval_repository_init(fake);
    return &fake->base;
}
