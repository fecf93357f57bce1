#include "application/tools/consent.h"
#include "application/tools/lookup.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* The `approval` of a server's configuration, as the first and so the weakest rule. */
static bool server_rule(const struct settings *settings, const char *server,
                        struct policy_rule *out)
{
    const struct server_config *config = lookup_config(settings, server);
    if (!config || config->approval == SERVER_APPROVAL_DEFAULT)
        return false;
    *out = (struct policy_rule){
        .effect = config->approval == SERVER_APPROVAL_ALLOW ? POLICY_ALLOW
                  : config->approval == SERVER_APPROVAL_ASK ? POLICY_ASK
                                                            : POLICY_DENY,
        .server = server,
        .from_project = config->from_project,
    };
    return true;
}

/* The rules lie in the arena. */
static struct policy_input policy_of(struct invoker *invoker, struct arena *arena,
                                     const struct invoke_request *request)
{
    const struct services *services = invoker->services;
    const struct settings *settings = services->settings;
    struct tool_server_status status = { 0 };
    tool_server_status(toolbox_server_of(invoker->toolbox, request->tool), &status);
    struct policy_rule *rules = arena_array(arena, struct policy_rule, settings->n_policy + 1);
    size_t n = server_rule(settings, request->tool->server, rules) ? 1 : 0;
    for (size_t i = 0; i < settings->n_policy; i++)
        rules[n++] = settings->policy[i];
    return (struct policy_input){ .rules = rules,
                                  .n_rules = n,
                                  .project_approved = services->project_approved,
                                  .is_builtin = status.is_builtin,
                                  .named_by_user = request->named_by_user };
}

enum policy_effect consent_policy(struct invoker *invoker, struct arena *arena,
                                  const struct invoke_request *request)
{
    const struct policy_input input = policy_of(invoker, arena, request);
    return policy_decide(&input, request->tool, request->arguments);
}

enum hint consent_repeats(struct invoker *invoker, struct arena *arena,
                          const struct invoke_request *request)
{
    const struct policy_input input = policy_of(invoker, arena, request);
    return policy_repeats(&input, request->tool, request->arguments);
}

enum err_code consent_idempotency_argument(struct invoker *invoker, struct arena *arena,
                                           const struct invoke_request *request,
                                           const char **out_name, struct err *err)
{
    const struct tool *tool = request->tool;
    const struct policy_input input = policy_of(invoker, arena, request);
    bool has_id = (invoker->ledger.state || request->dry_run) && request->path;
    *out_name = has_id ? policy_idempotency_argument(&input, tool, request->arguments) : NULL;
    if (!*out_name || json_object_get(json_object_get(tool->input_schema, "properties"), *out_name))
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0,
                              "policy: %.200s has no argument \"%.80s\" (idempotency_argument)",
                              tool->full_name, *out_name);
    err_about(err, r, "policy");
    return err_hint(err, r, "mistro tool %.150s shows what it takes", tool->full_name);
}

void consent_definition_hash(struct digest *digest, const struct tool *tool, char *out_hash)
{
    auto_str text = tool_definition_text(tool);
    digest_sha256(digest, text, strlen(text), out_hash);
}

/* An approval, and where it is or will be stored. */
struct stored {
    struct approval_repository *in;
    struct approval approval;
};

/* Everything lies in the arena. */
static enum err_code find_stored(struct services *services, struct tool_server *server,
                                 struct arena *arena, const char *kind, const struct tool *tool,
                                 struct stored *out, struct err *err)
{
    struct tool_server_status status = { 0 };
    char server_hash[DIGEST_HEX_SIZE], *hash = arena_alloc(arena, DIGEST_HEX_SIZE);
    enum err_code r = services_approvals(services, &out->in, err);
    if (r)
        return r;
    tool_server_status(server, &status);
    digest_sha256(services->digest, status.identity, strlen(status.identity), server_hash);
    consent_definition_hash(services->digest, tool, hash);
    out->approval = (struct approval){
        .kind = kind,
        .subject = arena_printf(arena, "%s/%s", server_hash, tool->name),
        .hash = hash,
    };
    return ERR_NONE;
}

enum err_code consent_is_stored(struct services *services, struct tool_server *server,
                                struct scope *scope, struct arena *arena, const struct tool *tool,
                                bool *out_approved, struct err *err)
{
    struct stored stored;
    enum err_code r = find_stored(services, server, arena, APPROVAL_OF_TOOL, tool, &stored, err);
    return r ? r : approval_repository_has(stored.in, scope, &stored.approval, out_approved, err);
}

/* Approvals are only ever added to: one that was found is not looked for again. */
static bool is_stored_for_repeating(struct invoker *invoker, struct scope *scope,
                                    struct arena *arena, const struct tool *tool)
{
    struct stored stored;
    bool is_approved = false;
    if (find_stored(invoker->services, toolbox_server_of(invoker->toolbox, tool), arena,
                    APPROVAL_OF_REPEATING, tool, &stored, NULL))
        return false;
    const char *subject = stored.approval.subject, *hash = stored.approval.hash;
    if (text_equal(json_get_string(invoker->repeated_approvals, subject), hash))
        return true;
    if (approval_repository_has(stored.in, scope, &stored.approval, &is_approved, NULL))
        return false;
    if (is_approved)
        json_object_set_new(invoker->repeated_approvals, subject, json_string(hash));
    return is_approved;
}

bool consent_may_repeat(struct invoker *invoker, struct scope *scope, struct arena *arena,
                        const struct invoke_request *request, const char *sent_in)
{
    const struct tool *tool = request->tool;
    const char *argument = NULL;
    enum hint repeats = consent_repeats(invoker, arena, request);
    if (repeats == HINT_UNSAID && request->is_repeatable && request->named_by_user)
        return true; /* the person who wrote the plan vouches for it, a model does not */
    if (repeats == HINT_UNSAID && sent_in &&
        !consent_idempotency_argument(invoker, arena, request, &argument, NULL) &&
        text_equal(argument, sent_in))
        return true;
    if (repeats != HINT_UNSAID || tool->read_only != HINT_YES)
        return repeats == HINT_YES;
    return is_stored_for_repeating(invoker, scope, arena, tool);
}

enum err_code consent_store_repeat(struct services *services, struct tool_server *server,
                                   struct scope *scope, struct arena *arena,
                                   const struct tool *tool, struct err *err)
{
    struct stored stored;
    enum err_code r =
        find_stored(services, server, arena, APPROVAL_OF_REPEATING, tool, &stored, err);
    return r ? r : approval_repository_add(stored.in, scope, &stored.approval, err);
}

/* An approval for good includes repeating where the question said so. */
static enum err_code store_always(struct invoker *invoker, struct scope *scope, struct arena *arena,
                                  const struct tool *tool, struct err *err)
{
    struct services *services = invoker->services;
    struct tool_server *server = toolbox_server_of(invoker->toolbox, tool);
    struct stored stored;
    enum err_code r = find_stored(services, server, arena, APPROVAL_OF_TOOL, tool, &stored, err);
    if (!r)
        r = approval_repository_add(stored.in, scope, &stored.approval, err);
    if (r || tool->read_only != HINT_YES)
        return r;
    return consent_store_repeat(services, server, scope, arena, tool, err);
}

static bool allowed_this_session(const struct invoker *invoker, const struct tool *tool,
                                 const char *hash)
{
    const char *allowed = json_get_string(invoker->session_approvals, tool->full_name);
    return allowed && strcmp(allowed, hash) == 0;
}

static void emit_given(struct journal *journal, const struct tool *tool, const char *answer)
{
    journal_emit(journal, EVENT_APPROVAL_GIVEN,
                 json_pack("{s:s, s:s}", "tool", tool->full_name, "answer", answer));
}

static enum err_code act_on(struct invoker *invoker, struct scope *scope, struct arena *arena,
                            const struct tool *tool, const char *hash, enum approval_answer answer,
                            struct err *err)
{
    static const char *const names[] = { "no", "once", "session", "always" };
    emit_given(invoker->journal, tool, names[answer]);
    if (answer == APPROVAL_NO)
        return err_set(err, ERR_DENIED, 0, "%.200s: the call was not approved", tool->full_name);
    if (answer == APPROVAL_ONCE)
        return ERR_NONE;
    json_object_set_new(invoker->session_approvals, tool->full_name, json_string(hash));
    return answer == APPROVAL_ALWAYS ? store_always(invoker, scope, arena, tool, err) : ERR_NONE;
}

/* Whether it was approved for good under the identity without the server's folder. */
static bool was_approved(struct services *services, struct scope *scope, struct arena *arena,
                         struct tool_server *server, const struct tool *tool)
{
    struct tool_server_status status = { 0 };
    struct stored stored;
    char former[DIGEST_HEX_SIZE];
    bool is_approved = false;
    tool_server_status(server, &status);
    if (!status.identity_without_folder ||
        find_stored(services, server, arena, APPROVAL_OF_TOOL, tool, &stored, NULL))
        return false;
    digest_sha256(services->digest, status.identity_without_folder,
                  strlen(status.identity_without_folder), former);
    stored.approval.subject = arena_printf(arena, "%s/%s", former, tool->name);
    return !approval_repository_has(stored.in, scope, &stored.approval, &is_approved, NULL) &&
           is_approved;
}

/* Of one call, as a run that goes on makes it again: the tool as it is defined, and what it is
 * given. */
static const char *call_hash(struct invoker *invoker, struct arena *arena,
                             const struct invoke_request *request, const char *definition)
{
    char *hash = arena_alloc(arena, DIGEST_HEX_SIZE);
    json_auto_t *call = json_pack("{s:s, s:o, s:s}", "tool", request->tool->full_name, "args",
                                  json_share(request->arguments), "definition", definition);
    auto_str text = json_print_sorted(call);
    return digest_sha256(invoker->services->digest, text, strlen(text), hash);
}

/* Whether a person said yes to this very call after the run had ended for want of it. */
static bool was_answered(struct invoker *invoker, struct arena *arena,
                         const struct invoke_request *request, const char *definition)
{
    if (!invoker->answers || !request->path)
        return false;
    const char *key = arena_printf(arena, APPROVE_KEY "%s", request->path);
    const char *said = json_get_string(invoker->answers, key);
    return said && strcmp(said, call_hash(invoker, arena, request, definition)) == 0;
}

static void emit_asked(struct invoker *invoker, struct arena *arena,
                       const struct invoke_request *request, const char *definition,
                       const char *reason)
{
    json_t *data = json_pack("{s:s, s:o, s:s}", "tool", request->tool->full_name, "args",
                             json_share(request->arguments), "reason", reason);
    if (request->path) { /* it can be approved when the run goes on */
        const char *hash = call_hash(invoker, arena, request, definition);
        json_object_set_new(data, "path", json_string(request->path));
        json_object_set_new(data, "hash", json_string(hash));
    }
    journal_emit(invoker->journal, EVENT_APPROVAL_ASKED, data);
}

static enum err_code ask_person(struct invoker *invoker, struct scope *scope, struct arena *arena,
                                const struct invoke_request *request, const char *hash,
                                struct err *err)
{
    const struct tool *tool = request->tool;
    struct tool_server *server = toolbox_server_of(invoker->toolbox, tool);
    const char *reason = "the policy asks before this tool is called", *again = "";
    if (was_approved(invoker->services, scope, arena, server, tool))
        again =
            "; it was approved before, but its server's command names what lies in this folder, "
            "so it is approved folder by folder";
    reason = arena_printf(arena, "%s%s", reason, again);
    if (request->flow)
        reason = arena_printf(arena, "%s; %s", reason, request->flow);
    emit_asked(invoker, arena, request, hash, reason);
    if (!user_present(invoker->services->user)) {
        enum err_code r =
            err_set(err, ERR_DENIED, 0, "%.200s needs approval, and no one is there to give it%s",
                    tool->full_name, again);
        err_about(err, r, "approval");
        return err_hint(err, r, "approve what the policy would ask about with --yes");
    }
    enum approval_answer answer = APPROVAL_NO;
    const struct approval_request approval = {
        .tool = tool,
        .arguments = request->arguments,
        .reason = reason,
        .always = tool->read_only == HINT_YES
                      ? "it says that it only reads; with \"always\" mistro "
                        "may repeat it when an answer is lost"
                      : NULL,
    };
    enum err_code r = user_approve(invoker->services->user, scope, &approval, &answer, err);
    return r ? r : act_on(invoker, scope, arena, tool, hash, answer, err);
}

static enum err_code get_asked(struct invoker *invoker, struct scope *scope, struct arena *arena,
                               const struct invoke_request *request, struct err *err)
{
    const struct tool *tool = request->tool;
    if (invoker->services->approve_all) {
        emit_given(invoker->journal, tool, "--yes");
        return ERR_NONE;
    }
    char hash[DIGEST_HEX_SIZE];
    consent_definition_hash(invoker->services->digest, tool, hash);
    if (was_answered(invoker, arena, request, hash)) {
        emit_given(invoker->journal, tool, "--answer");
        return ERR_NONE;
    }
    if (request->is_risky) /* what was approved was the tool, not what it is given now */
        return ask_person(invoker, scope, arena, request, hash, err);
    if (allowed_this_session(invoker, tool, hash))
        return ERR_NONE;
    bool approved = false;
    enum err_code r =
        consent_is_stored(invoker->services, toolbox_server_of(invoker->toolbox, tool), scope,
                          arena, tool, &approved, err);
    if (r || approved)
        return r;
    return ask_person(invoker, scope, arena, request, hash, err);
}

enum err_code consent_get(struct invoker *invoker, struct scope *scope, struct arena *arena,
                          const struct invoke_request *request, struct err *err)
{
    switch (consent_policy(invoker, arena, request)) {
    case POLICY_ALLOW:
        return ERR_NONE;
    case POLICY_ASK:
        return request->dry_run ? ERR_NONE : get_asked(invoker, scope, arena, request, err);
    case POLICY_DENY:
    case POLICY_UNSAID:
        break;
    }
    enum err_code r =
        err_set(err, ERR_DENIED, 0, "%.200s is denied by the settings", request->tool->full_name);
    err_about(err, r, "policy");
    return err_hint(err, r, "a rule under policy, or the approval of its server, says deny");
}
