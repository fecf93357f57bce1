#include "application/use_cases/plan_state.h"
#include "application/tools/consent.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define FACT_PLAN "plan"
#define FACT_PLAN_HASH "plan_sha256"
#define FACT_VARS "vars"
#define FACT_IS_FOREIGN "is_foreign"
#define FACT_TOOLS "tools"

static void put_json(struct run_state *state, const char *name, const json_t *value)
{
    auto_str text = json_print_sorted(value);
    run_state_put_fact(state, name, text);
}

enum err_code plan_state_begin(struct run_session *session, const struct kept_plan *plan,
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
    return run_state_commit(session->state, &session->scope, true, err);
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

enum err_code plan_state_read(struct arena *arena, struct digest *digest,
                              const struct run_contents *contents, struct kept_plan *out,
                              struct err *err)
{
    char hash[DIGEST_HEX_SIZE];
    const char *text = run_contents_fact(contents, FACT_PLAN);
    *out = (struct kept_plan){ .is_foreign = run_contents_fact(contents, FACT_IS_FOREIGN),
                               .was_checked = run_contents_fact(contents, FACT_TOOLS) };
    if (!text)
        return err_set(err, ERR_NOT_FOUND, 0, "the run ended before its plan was kept");
    if (!text_equal(digest_sha256(digest, text, strlen(text), hash),
                    run_contents_fact(contents, FACT_PLAN_HASH)))
        return err_set(err, ERR_UNAVAILABLE, 0,
                       "state of the run: its plan is not what its hash says");
    enum err_code r = read_json(arena, contents, FACT_PLAN, &out->plan, err);
    return r ? r : read_json(arena, contents, FACT_VARS, &out->vars, err);
}

bool plan_state_is_over(const struct run_contents *contents, const struct step *step)
{
    const struct call_record *call = run_contents_call(contents, step->id);
    return call && (call->state == CALL_DONE || call->state == CALL_FAILED);
}

/* A tool as it is now: what it is called in full, and hashes of its definition and its server. */
static json_t *tool_now(struct run_session *session, const struct tool *tool,
                        struct tool_server *server)
{
    struct digest *digest = session->services->digest;
    struct tool_server_status status = { 0 };
    char definition[DIGEST_HEX_SIZE], identity[DIGEST_HEX_SIZE];
    tool_server_status(server, &status);
    consent_definition_hash(digest, tool, definition);
    digest_sha256(digest, status.identity, strlen(status.identity), identity);
    return json_pack("{s:s, s:s, s:s}", "tool", tool->full_name, "definition", definition, "server",
                     identity);
}

void plan_state_put_tools(struct run_session *session, const struct plan *plan)
{
    json_auto_t *tools = json_object();
    for (size_t i = 0; session->state && i < plan->n_steps; i++) {
        const char *name = plan->steps[i].tool;
        const struct tool *tool = NULL;
        struct tool_server *server = NULL;
        if (!json_object_get(tools, name) &&
            !toolbox_find(session->toolbox, &session->scope, name, &tool, &server, NULL))
            json_object_set_new(tools, name, tool_now(session, tool, server));
    }
    if (session->state)
        put_json(session->state, FACT_TOOLS, tools);
}

static enum err_code compare_one(struct run_session *session, const char *name, json_t *tools,
                                 bool accepts, struct err *err)
{
    const struct tool *tool = NULL;
    struct tool_server *server = NULL;
    enum err_code r = toolbox_find(session->toolbox, &session->scope, name, &tool, &server, err);
    if (r)
        return r;
    json_auto_t *now = tool_now(session, tool, server);
    const json_t *before = json_object_get(tools, name);
    if (json_equal(now, before))
        return ERR_NONE;
    bool is_moved = !text_equal(json_get_string(now, "server"), json_get_string(before, "server"));
    if (!accepts) {
        err_set(err, ERR_MISMATCH, 0, "%.150s: its %s since the run began", name,
                is_moved ? "server was configured otherwise" : "definition changed");
        return err_hint(err, ERR_MISMATCH,
                        "look at it with mistro tool, then resume with --accept-changes");
    }
    journal_emit(&session->journal, EVENT_APPROVAL_GIVEN,
                 json_pack("{s:s, s:s}", "tool", tool->full_name, "answer", "--accept-changes"));
    json_object_set(tools, name, now);
    return ERR_NONE;
}

enum err_code plan_state_compare_tools(struct run_session *session, const struct plan *plan,
                                       const struct run_contents *contents, bool accepts,
                                       struct err *err)
{
    const json_t *before = NULL;
    json_auto_t *tools = NULL;
    enum err_code r = read_json(session->arena, contents, FACT_TOOLS, &before, err);
    tools = before ? json_deep_copy(before) : json_object();
    for (size_t i = 0; !r && i < plan->n_steps; i++)
        if (!plan_state_is_over(contents, &plan->steps[i]))
            r = compare_one(session, plan->steps[i].tool, tools, accepts, err);
    if (!r && accepts)
        put_json(session->state, FACT_TOOLS, tools);
    return r;
}
