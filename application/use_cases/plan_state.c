#include "application/use_cases/plan_state.h"
#include "application/execution/forked_calls.h"
#include "application/runs/kept_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define FACT_PLAN "plan"
#define FACT_PLAN_HASH "plan_sha256"
#define FACT_VARS "vars"
#define FACT_IS_FOREIGN "is_foreign"
#define FACT_FORKED_AS "forked_as"

static void put_json(struct run_state *state, const char *name, const json_t *value)
{
    auto_str text = json_print_sorted(value);
    run_state_put_fact(state, name, text);
}

/* Under the id of the other run, so that the new one can go on without it. */
static void put_forked(struct run_session *session, const struct plan_fork *fork)
{
    for (size_t i = 0; i < fork->kept->n_calls; i++) {
        struct call_record call = fork->kept->calls[i];
        call.path =
            arena_printf(session->arena, "%s%c%s", fork->run_id, FORKED_PATH_SEPARATOR, call.path);
        if (forked_call_counts(&call))
            run_state_put_call(session->state, &call);
    }
}

enum err_code plan_state_begin(struct run_session *session, const struct given_plan *plan,
                               struct err *err)
{
    char hash[DIGEST_HEX_SIZE];
    enum err_code r = run_session_keep_state(session, err);
    if (r || !session->state)
        return r;
    auto_str text = json_print(plan->plan);
    digest_sha256(session->services->digest, text, strlen(text), hash);
    run_state_put_fact(session->state, FACT_PLAN, text);
    run_state_put_fact(session->state, FACT_PLAN_HASH, hash);
    if (plan->vars)
        put_json(session->state, FACT_VARS, plan->vars);
    if (plan->is_foreign)
        run_state_put_fact(session->state, FACT_IS_FOREIGN, "true");
    if (plan->forked)
        put_forked(session, plan->forked);
    return run_state_commit(session->state, &session->scope, true, err);
}

const char *plan_state_fork(const struct run_contents *contents)
{
    const char *fork = run_contents_fact(contents, FACT_FORKED_AS);
    return fork && *fork ? fork : NULL;
}

enum err_code plan_state_note_fork(struct run_session *session, const struct plan_fork *fork,
                                   struct err *err)
{
    const char *before = plan_state_fork(fork->kept);
    if (before)
        journal_warn(&session->journal,
                     "run %.40s was forked as %.40s already, whose calls this fork makes again",
                     fork->run_id, before);
    run_state_put_fact(fork->state, FACT_FORKED_AS, session->journal.run_id);
    enum err_code r = run_state_commit(fork->state, &session->scope, true, err);
    return r ? err_prefix(err, r, "state of run %.40s", fork->run_id) : ERR_NONE;
}

void plan_state_drop_fork(const struct plan_fork *fork)
{
    const char *before = plan_state_fork(fork->kept);
    run_state_put_fact(fork->state, FACT_FORKED_AS, before ? before : "");
}

static enum err_code read_json(struct arena *arena, const struct run_contents *contents,
                               const char *name, const json_t **out, struct err *err)
{
    const char *text = run_contents_fact(contents, name);
    json_t *value = NULL;
    if (!text)
        return ERR_NONE;
    enum err_code r = json_parse(text, strlen(text), JSON_OURS, &value, err);
    if (r)
        return err_prefix(err, ERR_UNAVAILABLE, "state of the run: %s", name);
    *out = arena_keep_json(arena, value);
    return ERR_NONE;
}

static const json_t *read_approvals(struct arena *arena, const struct run_contents *contents)
{
    json_t *approvals = json_object();
    for (size_t i = 0; i < contents->n_facts; i++) {
        const struct run_fact *fact = &contents->facts[i];
        if (text_starts_with(fact->name, FACT_APPROVED))
            json_object_set_new(
                approvals,
                arena_printf(arena, APPROVE_KEY "%s", fact->name + strlen(FACT_APPROVED)),
                json_string(fact->text));
    }
    return arena_keep_json(arena, approvals);
}

bool plan_state_is_own(const struct run_contents *contents)
{
    return run_contents_fact(contents, FACT_PLAN) && !run_contents_fact(contents, FACT_IS_FOREIGN);
}

enum err_code plan_state_read(struct arena *arena, struct digest *digest,
                              const struct run_contents *contents, struct given_plan *out,
                              struct err *err)
{
    char hash[DIGEST_HEX_SIZE];
    const char *text = run_contents_fact(contents, FACT_PLAN);
    *out = (struct given_plan){ .is_foreign = run_contents_fact(contents, FACT_IS_FOREIGN),
                                .was_checked = kept_plan_has_tools(contents),
                                .approvals = read_approvals(arena, contents) };
    if (!text)
        return err_set(err, ERR_NOT_FOUND, 0, "the run ended before its request was kept");
    if (!text_equal(digest_sha256(digest, text, strlen(text), hash),
                    run_contents_fact(contents, FACT_PLAN_HASH)))
        return err_set(err, ERR_UNAVAILABLE, 0,
                       "state of the run: its plan is not what its hash says");
    enum err_code r = read_json(arena, contents, FACT_PLAN, &out->plan, err);
    return r ? r : read_json(arena, contents, FACT_VARS, &out->vars, err);
}
