#include "application/runs/kept_plan.h"
#include "application/tools/consent.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define FACT_TOOLS "tools"
#define FACT_PLAN "turn_plan"

static const char *fact_of(struct arena *arena, const char *name, unsigned number)
{
    return number > 1 ? arena_printf(arena, "%s.%u", name, number) : name;
}

const char *kept_plan_path(struct arena *arena, unsigned number, const char *address)
{
    return number > 1 ? arena_printf(arena, "p%u.%s", number, address) : address;
}

const char *kept_plan_step(const char *path)
{
    size_t digits = *path == 'p' ? strspn(path + 1, "0123456789") : 0;
    return digits && path[1 + digits] == '.' ? path + digits + 2 : path;
}

int kept_plan_find(const struct kept_plan *kept, const char *path)
{
    AUTO(arena) scratch = { 0 };
    const char *prefix = kept_plan_path(&scratch, kept->number, "");
    return text_starts_with(path, prefix) ? plan_step_at(kept->plan, path + strlen(prefix)) : -1;
}

static const struct call_record *call_of(struct arena *arena, const struct run_contents *contents,
                                         const struct kept_plan *kept, const struct step *step)
{
    return run_contents_call(contents, kept_plan_path(arena, kept->number, step->id));
}

bool kept_plan_is_over(struct arena *arena, const struct run_contents *contents,
                       const struct kept_plan *kept, const struct step *step)
{
    const struct call_record *call = call_of(arena, contents, kept, step);
    return call && (call->state == CALL_DONE || call->state == CALL_FAILED);
}

bool kept_plan_has_tools(const struct run_contents *contents)
{
    return run_contents_fact(contents, FACT_TOOLS);
}

/* They are kept by their full names: the check of a plan puts these in the place of those without a
 * server, and a plan that is gone on with is not checked again.
 *
 * A tool as it is now: what it is called in full, and hashes of its definition and its server. */
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

static void put_json(struct run_session *session, const char *name, unsigned number,
                     const json_t *value)
{
    auto_str text = json_print_sorted(value);
    run_state_put_fact(session->state, fact_of(session->arena, name, number), text);
}

void kept_plan_put_tools(struct run_session *session, const struct kept_plan *kept)
{
    const struct plan *plan = kept->plan;
    json_auto_t *tools = json_object();
    for (size_t i = 0; session->state && i < plan->n_steps; i++) {
        const char *name = plan->steps[i].tool;
        const struct tool *tool = NULL;
        struct tool_server *server = NULL;
        if (plan->steps[i].kind == STEP_TOOL &&
            !toolbox_find(session->toolbox, &session->scope, name, &tool, &server, NULL) &&
            !json_object_get(tools, tool->full_name))
            json_object_set_new(tools, tool->full_name, tool_now(session, tool, server));
    }
    if (session->state)
        put_json(session, FACT_TOOLS, kept->number, tools);
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
    const json_t *before = json_object_get(tools, tool->full_name);
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
    json_object_set(tools, tool->full_name, now);
    return ERR_NONE;
}

static enum err_code read_fact(struct arena *arena, const struct run_contents *contents,
                               const char *name, json_t **out, struct err *err)
{
    const char *text = run_contents_fact(contents, name);
    if (!text)
        return ERR_NONE;
    enum err_code r = json_parse(text, strlen(text), JSON_OURS, out, err);
    if (r)
        return err_prefix(err, ERR_UNAVAILABLE, "state of the run: %s", name);
    arena_keep_json(arena, *out);
    return ERR_NONE;
}

enum err_code kept_plan_compare_tools(struct run_session *session, const struct kept_plan *kept,
                                      bool accepts, bool with_failed, struct err *err)
{
    const struct plan *plan = kept->plan;
    struct arena *arena = session->arena;
    json_t *before = NULL;
    enum err_code r =
        read_fact(arena, session->kept, fact_of(arena, FACT_TOOLS, kept->number), &before, err);
    json_auto_t *tools = before ? json_deep_copy(before) : json_object();
    for (size_t i = 0; !r && i < plan->n_steps; i++) {
        const struct call_record *call = call_of(arena, session->kept, kept, &plan->steps[i]);
        bool is_over =
            call && (call->state == CALL_DONE || (call->state == CALL_FAILED && !with_failed));
        if (!is_over && plan->steps[i].kind == STEP_TOOL)
            r = compare_one(session, plan->steps[i].tool, tools, accepts, err);
    }
    if (!r && accepts)
        put_json(session, FACT_TOOLS, kept->number, tools);
    return r;
}

/* Whether anything may have been sent for the plan that is kept under this number, or for a later
 * one. */
static bool has_sent(struct arena *arena, const struct run_contents *contents, unsigned number)
{
    const char *prefix = kept_plan_path(arena, number, "");
    for (size_t i = 0; contents && i < contents->n_calls; i++)
        if (contents->calls[i].state != CALL_PENDING &&
            text_starts_with(contents->calls[i].path, prefix))
            return true;
    return false;
}

static enum err_code refuse_other_plan(struct run_session *session, struct err *err)
{
    err_set(err, ERR_MISMATCH, 0,
            "the turn comes to another plan than before, and calls of that one were made");
    return err_hint(err, ERR_MISMATCH, "mistro runs show %s tells what was done",
                    session->journal.run_id);
}

enum err_code kept_plan_enter(struct run_session *session, const struct kept_plan *kept,
                              struct err *err)
{
    if (!session->state)
        return ERR_NONE;
    json_auto_t *document = plan_to_json(kept->plan);
    auto_str text = json_print_sorted(document);
    const char *name = fact_of(session->arena, FACT_PLAN, kept->number);
    if (session->kept && text_equal(run_contents_fact(session->kept, name), text))
        return ERR_NONE;
    if (has_sent(session->arena, session->kept, kept->number))
        return refuse_other_plan(session, err);
    run_state_put_fact(session->state, name, text);
    kept_plan_put_tools(session, kept);
    return ERR_NONE;
}

enum err_code kept_plan_check_end(struct run_session *session, struct err *err)
{
    bool is_without_plan = !session->n_plans && has_sent(session->arena, session->kept, 1);
    return is_without_plan ? refuse_other_plan(session, err) : ERR_NONE;
}

enum err_code kept_plans_read(struct arena *arena, const struct run_contents *contents,
                              struct kept_plan **out, size_t *out_n, struct err *err)
{
    struct problems problems = { .arena = arena };
    struct kept_plan *plans = NULL;
    size_t n = 0, capacity = 0;
    for (unsigned number = 1;; number++) {
        struct plan *plan = NULL;
        json_t *document = NULL;
        enum err_code r =
            read_fact(arena, contents, fact_of(arena, FACT_PLAN, number), &document, err);
        if (!r && document && !plan_from_json(arena, document, &plan, &problems))
            r = err_set(err, ERR_UNAVAILABLE, 0, "state of the run: its plan cannot be read");
        if (r)
            return r;
        if (!document)
            break;
        *arena_push(arena, plans, n, capacity) = (struct kept_plan){ plan, number };
    }
    *out = plans;
    *out_n = n;
    return ERR_NONE;
}
