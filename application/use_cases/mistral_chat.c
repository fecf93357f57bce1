#include "application/use_cases/mistral_chat.h"
#include "application/orchestrators/pending_questions.h"
#include "application/orchestrators/turn.h"
#include "application/runs/kept_plan.h"
#include "application/runs/run_session.h"
#include "application/use_cases/recover_log.h"
#include "application/use_cases/stored_conversation.h"
#include "application/use_cases/turn_state.h"
#include "application/use_cases/user_text.h"
#include "domain/base/json.h"
#include <string.h>

struct mistral_chat {
    struct services *services;
    json_t *session_approvals;
};

struct mistral_chat *mistral_chat_create(struct services *services)
{
    struct mistral_chat *chat = calloc(1, sizeof *chat);
    if (!chat)
        abort();
    chat->services = services;
    chat->session_approvals = json_object();
    return chat;
}

void mistral_chat_destroy(struct mistral_chat *chat)
{
    if (!chat)
        return;
    json_decref(chat->session_approvals);
    free(chat);
}

struct services *mistral_chat_services(const struct mistral_chat *chat)
{
    return chat->services;
}

static bool is_blank(const char *text)
{
    return !text || text[strspn(text, " \t\r\n")] == '\0';
}

/* What the turn is about: the message and what was attached. *out is NULL when there are only
 * answers. */
static enum err_code whole_message(const struct services *services, struct arena *arena,
                                   const struct turn_request *request, const char **out,
                                   struct err *err)
{
    bool has_message = !is_blank(request->message), has_attached = !is_blank(request->attached);
    *out = has_message ? request->message : has_attached ? request->attached : NULL;
    if (!*out && request->n_answers == 0)
        return err_hint(err, err_set(err, ERR_INVALID, 0, "the request is empty"),
                        "try: mistro ask \"list the files here\"");
    if (has_message && has_attached)
        *out = arena_printf(arena, "%s\n\n%s", request->message, request->attached);
    int64_t max_bytes = services->settings->limits_request_bytes;
    return *out ? user_text_check(*out, "request", max_bytes, err) : ERR_NONE;
}

/* Both may be NULL. */
static bool is_same_question(const json_t *left, const json_t *right)
{
    return left == right || json_equal(left, right);
}

/* A session has room for one question. The turn that asked or answered it first keeps its change;
 * another turn that did so meanwhile is told, since a question that is not stored can never be
 * answered, and one that was answered must not be answered again. */
static enum err_code merge_clarification(const struct stored_conversation *ours,
                                         struct conversation *theirs, struct err *err)
{
    const json_t *before = json_object_get(ours->context, PENDING_CONTEXT_KEY);
    const json_t *stored = json_object_get(theirs->context, PENDING_CONTEXT_KEY);
    json_t *after = json_object_get(ours->conversation->context, PENDING_CONTEXT_KEY);
    json_t *results = json_object_get(ours->conversation->context, CONVERSATION_RESULTS_KEY);
    if (results)
        json_object_set(theirs->context, CONVERSATION_RESULTS_KEY, results);
    if (is_same_question(after, before))
        return ERR_NONE;
    if (!is_same_question(stored, before)) {
        err_set(err, ERR_FAILED, 0, "%s meanwhile",
                before ? "its question was answered or cleared"
                       : "another question was asked in it");
        return err_hint(err, ERR_FAILED, "mistro sessions show %s tells what it did", theirs->id);
    }
    if (after)
        json_object_set(theirs->context, PENDING_CONTEXT_KEY, after);
    else
        json_object_del(theirs->context, PENDING_CONTEXT_KEY);
    return ERR_NONE;
}

/* One turn on its way. */
struct chat_turn {
    struct mistral_chat *chat;
    struct turn_request request; /* its message includes what was attached */
    struct stored_conversation stored;
    const struct resumption *resumed; /* NULL: the turn is a new one */
    struct turn_result result;
};

/* The request is on disk before anything is done for it. */
static enum err_code prepare(struct run_session *session, struct chat_turn *turn, struct err *err)
{
    enum err_code r = ERR_NONE;
    session->session_approvals = turn->chat->session_approvals;
    if (turn->resumed && turn->resumed->request) {
        recover_log(session);
        r = stored_conversation_resume(session->services, session->arena,
                                       turn_state_conversation(turn->resumed->job.request),
                                       session->journal.run_id, &turn->stored, err);
    } else if (turn->resumed) {
        session->set_back_ms =
            runtime_local_ms(session->services->runtime) - turn->resumed->job.local_ms;
    } else if (!turn->request.plan_only && !turn->request.dry_run) {
        session->opens_ahead = true;
        r = turn_state_begin(session, &turn->request, &turn->stored, err);
    }
    if (!r)
        r = run_session_start_tools(session, err);
    if (!r && turn->resumed && turn->resumed->request)
        r = turn_state_settle(session, turn->resumed, &turn->result.intent, err);
    return r;
}

static enum err_code handle(struct run_session *session, struct chat_turn *turn, struct err *err)
{
    struct mistral_orchestrator orchestrator = { .session = session };
    size_t n_tools = 0;
    const struct tool *const *tools = toolbox_tools(session->toolbox, &n_tools);
    enum err_code r = services_index(session->services, &orchestrator.index, err);
    if (!r)
        r = tool_index_build(orchestrator.index, tools, n_tools, err);
    if (!r)
        r = mistral_orchestrator_initialize(&orchestrator, err);
    if (!r)
        r = mistral_orchestrator_handle_message(&orchestrator, turn->stored.conversation,
                                                &turn->request, &turn->result, err);
    return r || turn->result.err.code ? r : kept_plan_check_end(session, err);
}

/* The conversation is saved even when the turn was cancelled. */
static void save(struct run_session *session, struct chat_turn *turn)
{
    struct turn_result *result = &turn->result;
    struct runtime *runtime = session->services->runtime;
    struct err why = { 0 };
    if (run_session_code(session, result->err.code, &result->err) == ERR_LIMIT)
        result->status = RUN_LIMIT;
    struct scope closing = scope_child(NULL, runtime_now_ms(runtime) + RUN_SESSION_CLOSE_MS);
    if (stored_conversation_save(&turn->stored, &closing, session->arena, merge_clarification,
                                 &why))
        turn_result_not_saved(result, &why);
    result->usage.overhead_ms =
        run_session_overhead_ms(session, result->usage.model_ms + result->usage.tool_ms);
}

static enum err_code run_turn(struct run_session *session, void *context, struct err *err)
{
    struct chat_turn *turn = context;
    struct turn_result *result = &turn->result;
    struct err unheard, *why = err ? err : &unheard;
    enum err_code r = prepare(session, turn, why);
    bool begins = !r && !result->intent; /* else it has to be known first what became of calls */
    if (begins)
        r = handle(session, turn, why);
    if (begins && !r)
        save(session, turn);
    if (!begins && !r)
        result->status = RUN_NEEDS_ANSWER;
    result->session_id = stored_conversation_id(&turn->stored);
    result->run_id = arena_strdup(session->arena, session->journal.run_id);
    if (begins || !turn->resumed)
        session->drops_state =
            !turn_state_is_worth_keeping(session, result, r ? r : result->err.code);
    result->is_resumable = run_session_leaves_state(session, r ? RUN_FAILED : result->status);
    session->result = result;
    session->status = result->status;
    session->why = result->err;
    return r;
}

static enum err_code keep_for_worker(struct run_session *session, void *context, struct err *err)
{
    struct chat_turn *turn = context;
    enum err_code r = turn_state_begin(session, &turn->request, &turn->stored, err);
    turn->result.run_id = arena_strdup(session->arena, session->journal.run_id);
    turn->result.session_id = stored_conversation_id(&turn->stored);
    turn->result.status = session->status = RUN_QUEUED;
    return r ? r : run_session_check_kept(session, err);
}

static enum err_code do_turn(struct chat_turn *turn, struct scope *scope, struct arena *arena,
                             const struct run_options *options, struct turn_result *out,
                             struct err *err)
{
    enum err_code r = run_session_do(turn->chat->services, scope, arena, options,
                                     options->is_queued ? keep_for_worker : run_turn, turn, err);
    *out = turn->result;
    if (r)
        *out = (struct turn_result){ .run_id = turn->result.run_id,
                                     .is_resumable = turn->result.is_resumable };
    return r;
}

static enum err_code begin_turn(struct mistral_chat *chat, struct scope *scope, struct arena *arena,
                                const struct turn_request *request, bool is_queued,
                                struct turn_result *out, struct err *err)
{
    struct services *services = chat->services;
    const struct session_choice choice = { .id = request->session_id,
                                           .recent =
                                               (size_t)services->settings->conversation_memory_size,
                                           .no_session = request->no_session,
                                           .must_exist = request->n_answers > 0 };
    struct chat_turn turn = { .chat = chat, .request = *request };
    *out = (struct turn_result){ 0 };
    enum err_code r = whole_message(services, arena, request, &turn.request.message, err);
    if (!r)
        r = stored_conversation_load(services, scope, arena, &choice, &turn.stored, err);
    if (r)
        return r;
    const struct run_options options = {
        .kind = request->plan_only     ? "plan"
                : request->interactive ? RUN_KIND_OF_CHAT
                                       : RUN_KIND_OF_ASK,
        .session_id = stored_conversation_id(&turn.stored),
        .title = turn.request.message,
        .is_dry = request->dry_run,
        .asks_model = true,
        .is_queued = is_queued,
    };
    return do_turn(&turn, scope, arena, &options, out, err);
}

enum err_code mistral_chat_turn(struct mistral_chat *chat, struct scope *scope, struct arena *arena,
                                const struct turn_request *request, struct turn_result *out,
                                struct err *err)
{
    return begin_turn(chat, scope, arena, request, /* is_queued */ false, out, err);
}

enum err_code mistral_chat_queue(struct mistral_chat *chat, struct scope *scope,
                                 struct arena *arena, const struct turn_request *request,
                                 struct turn_result *out, struct err *err)
{
    return begin_turn(chat, scope, arena, request, /* is_queued */ true, out, err);
}

enum err_code mistral_chat_resume(struct mistral_chat *chat, struct scope *scope,
                                  struct arena *arena, const struct resumption *resumed,
                                  struct turn_result *out, struct err *err)
{
    struct chat_turn turn = { .chat = chat,
                              .request = turn_state_request(arena, resumed->job.request),
                              .resumed = resumed };
    struct run_options options = { .kind = turn.request.interactive ? RUN_KIND_OF_CHAT
                                                                    : RUN_KIND_OF_ASK,
                                   .title = turn.request.message,
                                   .asks_model = true,
                                   .resumed = resumed->request ? &resumed->run : NULL };
    if (!resumed->request) {
        enum err_code r = stored_conversation_resume(chat->services, arena,
                                                     turn_state_conversation(resumed->job.request),
                                                     NULL, &turn.stored, err);
        if (r)
            return r;
        options.session_id = stored_conversation_id(&turn.stored);
        turn.stored.repository = NULL;
    }
    return do_turn(&turn, scope, arena, &options, out, err);
}

/* The lines of the tools where a request shows all of them; else "": which it shows depends on its
 * words. */
static const char *lines_of(const struct services *services, struct arena *arena,
                            const struct tool *const *tools, size_t n)
{
    const struct shortlist_request request = {
        .tools = tools,
        .n_tools = n,
        .text = "",
        .max_tokens = services->settings->tools_prompt_tokens,
        .max_lines = (size_t)services->settings->tools_shortlist,
    };
    struct shortlist list = { 0 };
    const char *lines = "";
    if (shortlist_make(arena, /* index */ NULL, services->assets, &request, &list, NULL) ||
        !list.is_complete)
        return "";
    for (size_t i = 0; i < list.n; i++)
        lines = arena_printf(arena, "%s%s", lines, shortlist_line(arena, &list.tools[i]));
    return lines;
}

/* What every request of a turn begins with, while these are the tools. */
static enum err_code opening_of(const struct services *services, struct arena *arena,
                                const struct warm_up_tool *tools, size_t n, const char **out)
{
    struct tool_catalogue **catalogues = arena_array(arena, struct tool_catalogue *, n + 1);
    const struct tool **read = arena_array(arena, const struct tool *, n + 1);
    size_t n_read = 0;
    struct err unheard = { 0 };
    for (size_t i = 0; i < n; i++) {
        json_auto_t *definition = json_share(tools[i].definition);
        catalogues[i] = tool_catalogue_create(tools[i].server);
        if (!shortlist_is_reserved(definition) &&
            !tool_catalogue_add(catalogues[i], definition, &unheard))
            read[n_read++] = catalogues[i]->tools;
    }
    const char *lines = lines_of(services, arena, read, n_read);
    for (size_t i = 0; i < n; i++)
        tool_catalogue_unref(catalogues[i]);
    return turn_opening(arena, services->assets, lines, out, &unheard);
}

void warm_up_chat(struct services *services, struct scope *scope, const struct warm_up_tool *tools,
                  size_t n_tools)
{
    AUTO(arena) arena = { 0 };
    enum model_choice choice = MODEL_CHOICE_NAMED;
    struct model *model = NULL;
    const char *system = NULL;
    struct err unheard = { 0 };
    if (!services->settings->model_warm_up)
        return;
    if (services_model(services, scope, &model, &choice, &unheard) || !model)
        return;
    enum err_code r = opening_of(services, &arena, tools, n_tools, &system);
    if (!r)
        r = model_warm(model, scope, system, &unheard);
    (void)r;
}
