#include "application/use_cases/studio_chat.h"
#include "application/runs/run_session.h"
#include "application/studio/studio_prompt.h"
#include "application/use_cases/stored_conversation.h"
#include "application/use_cases/user_text.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include <string.h>

struct studio_chat {
    struct services *services;
    json_t *session_approvals;
    json_t *unsaved; /* the conversation of --no-session; NULL before its first turn */
};

struct studio_chat *studio_chat_create(struct services *services)
{
    struct studio_chat *chat = calloc(1, sizeof *chat);
    if (!chat)
        abort();
    chat->services = services;
    chat->session_approvals = json_object();
    return chat;
}

void studio_chat_destroy(struct studio_chat *chat)
{
    if (!chat)
        return;
    json_decref(chat->session_approvals);
    json_decref(chat->unsaved);
    free(chat);
}

static enum err_code check_message(const struct services *services, const char *message,
                                   struct err *err)
{
    if (message[strspn(message, " \t\r\n")] == '\0')
        return err_hint(err, err_set(err, ERR_INVALID, 0, "the message is empty"),
                        "say what the image shows, for example: a cat in a hat");
    return user_text_check(message, "message", services->settings->studio_max_message_bytes, err);
}

static enum err_code load(struct studio_chat *chat, struct scope *scope, struct arena *arena,
                          const struct studio_request *request, struct stored_conversation *out,
                          struct err *err)
{
    const struct session_choice choice = { .id = request->session_id,
                                           .recent =
                                               settings_recent_messages(chat->services->settings),
                                           .no_session = request->no_session };
    if (!request->no_session || !chat->unsaved)
        return stored_conversation_load(chat->services, scope, arena, &choice, out, err);
    struct stored_conversation stored = { 0 };
    enum err_code r = conversation_from_json(arena, chat->unsaved, &stored.conversation, err);
    if (!r)
        *out = stored;
    return r;
}

/* Without a session only what a later turn can see is kept, so that it does not grow for ever. */
static void keep_unsaved(struct studio_chat *chat, struct arena *arena,
                         const struct conversation *conversation)
{
    struct studio_history seen = studio_history_of(arena, chat->services->settings, conversation);
    struct studio_state state = studio_state_of(arena, conversation);
    struct conversation *kept =
        conversation_create(arena, conversation->id, conversation->created_at_ms);
    for (size_t i = 0; i < seen.n; i++)
        conversation_add(arena, kept, seen.messages[i]->role, seen.messages[i]->content,
                         json_share(seen.messages[i]->metadata), seen.messages[i]->timestamp_ms);
    studio_state_store(kept, &state);
    json_decref(chat->unsaved);
    chat->unsaved = conversation_to_json(kept);
}

/* A prompt that the person edited while the model was answering is their newest word. Of two turns
 * that changed the prompt otherwise the second is told, since its prompt does not have what the
 * first changed. */
static enum err_code merge_studio(const struct stored_conversation *ours,
                                  struct conversation *theirs, struct err *err)
{
    const json_t *before = json_object_get(ours->context, STUDIO_CONTEXT_KEY);
    const json_t *now = json_object_get(theirs->context, STUDIO_CONTEXT_KEY);
    json_t *mine = json_object_get(ours->conversation->context, STUDIO_CONTEXT_KEY);
    bool they_changed = now && !json_equal(now, before), we_changed = !json_equal(mine, before);
    bool they_edited = json_get_bool(now, "edited", false);
    bool we_edited = json_get_bool(mine, "edited", false);
    if (they_changed && we_changed && !they_edited && !we_edited) {
        err_set(err, ERR_FAILED, 0, "its prompt was changed meanwhile");
        return err_hint(err, ERR_FAILED, "mistro sessions show %s tells what it did", theirs->id);
    }
    if (mine && (!they_changed || (we_changed && we_edited)))
        json_object_set(theirs->context, STUDIO_CONTEXT_KEY, mine);
    int64_t cleared = json_get_int(ours->context, CONVERSATION_CLEARED_KEY, 0);
    if (json_get_int(ours->conversation->context, CONVERSATION_CLEARED_KEY, 0) != cleared)
        conversation_start_fresh(theirs);
    return ERR_NONE;
}

static enum err_code save(struct studio_chat *chat, struct scope *scope, struct arena *arena,
                          const struct stored_conversation *stored, struct err *err)
{
    if (stored->repository)
        return stored_conversation_save(stored, scope, arena, merge_studio, err);
    keep_unsaved(chat, arena, stored->conversation);
    return ERR_NONE;
}

/* One turn, or one edit of the prompt, on its way. */
struct studio_task {
    struct studio_chat *chat;
    const char *message;
    struct stored_conversation stored;
    struct studio_result result;
};

static enum err_code find_model(struct run_session *session, struct run_model *out, struct err *err)
{
    enum err_code r = run_session_model(session, out, err);
    if (r || out->engine.model)
        return r;
    r = err_set(err, ERR_UNAVAILABLE, 0, "a studio needs a model, and there is none");
    return err_hint(err, r, "start one with: ollama serve, and get it with: ollama pull %.60s",
                    "mistral:7b");
}

static enum err_code talk(struct run_session *session, struct studio_task *task, struct err *err)
{
    struct run_model model;
    enum err_code r = find_model(session, &model, err);
    if (!r && *session->services->settings->studio_image_tool)
        r = run_session_open_tools(session, task->chat->session_approvals, err);
    if (r)
        return r;
    struct studio studio = { .session = session, .engine = &model.engine };
    return studio_turn(&studio, task->stored.conversation, task->message, &task->result, err);
}

static enum run_status status_of(const struct studio_result *result)
{
    if (result->end == STUDIO_RESET)
        return RUN_FAILED;
    const struct err *why = result->err.code ? &result->err : &result->not_saved;
    return why->code ? run_status_of(why->code) : RUN_COMPLETED;
}

static void emit_error(struct run_session *session, const struct err *why)
{
    journal_emit(&session->journal, EVENT_ERROR,
                 json_pack("{s:o, s:s}", "error", err_to_json(why), "text", why->message));
}

/* What was said is saved even when the turn was cancelled while its image was made. */
static enum err_code run_turn(struct run_session *session, void *context, struct err *err)
{
    struct studio_task *task = context;
    struct studio_result *result = &task->result;
    struct runtime *runtime = session->services->runtime;
    struct err why = { 0 };
    enum err_code r = run_session_code(session, talk(session, task, err), err);
    if (r) {
        emit_error(session, err);
        return r;
    }
    struct scope closing = scope_child(NULL, runtime_now_ms(runtime) + RUN_SESSION_CLOSE_MS);
    result->err.code = run_session_code(session, result->err.code, &result->err);
    if (result->end != STUDIO_FAILED &&
        save(task->chat, &closing, session->arena, &task->stored, &why)) {
        result->not_saved = why;
        emit_error(session, &why);
    }
    session->status = status_of(result);
    session->why = result->err.code ? result->err : result->not_saved;
    return ERR_NONE;
}

static enum err_code do_turn(struct studio_task *task, struct scope *scope, struct arena *arena,
                             const struct resumption *resumed, struct job_end *end, struct err *err)
{
    struct job job = { .kind = RUN_KIND_OF_STUDIO,
                       .asks_model = true,
                       .resumed = resumed,
                       .work = run_turn,
                       .context = task,
                       .end = end };
    if (!resumed)
        job.request = json_pack("{s:s, s:o}", "message", task->message, "stored",
                                stored_conversation_to_json(&task->stored));
    return job_do(task->chat->services, scope, arena, &job, stored_conversation_id(&task->stored),
                  task->message, err);
}

enum err_code studio_chat_turn(struct studio_chat *chat, struct scope *scope, struct arena *arena,
                               const struct studio_request *request, const char **out_session_id,
                               struct studio_result *out, struct err *err)
{
    struct studio_task task = { .chat = chat, .message = request->message };
    struct job_end end;
    enum err_code r = check_message(chat->services, request->message, err);
    if (!r)
        r = load(chat, scope, arena, request, &task.stored, err);
    if (!r)
        r = do_turn(&task, scope, arena, /* resumed */ NULL, &end, err);
    if (r)
        return r;
    *out = task.result;
    *out_session_id = stored_conversation_id(&task.stored);
    return ERR_NONE;
}

enum err_code studio_chat_resume(struct studio_chat *chat, struct scope *scope, struct arena *arena,
                                 const struct resumption *resumed, struct studio_resumed *out,
                                 struct err *err)
{
    const json_t *request = resumed->job.request;
    struct studio_task task = { .chat = chat, .message = json_get_string(request, "message") };
    *out = (struct studio_resumed){ .end.run_id = "" };
    enum err_code r =
        stored_conversation_resume(chat->services, arena, json_object_get(request, "stored"),
                                   resumed->run.run->id, &task.stored, err);
    if (!r)
        r = do_turn(&task, scope, arena, resumed, &out->end, err);
    out->session_id = r ? NULL : stored_conversation_id(&task.stored);
    if (!r)
        out->result = task.result;
    return r;
}

static enum err_code save_edit(struct run_session *session, void *context, struct err *err)
{
    struct studio_task *task = context;
    enum err_code r = save(task->chat, &session->scope, session->arena, &task->stored, err);
    if (r)
        emit_error(session, err);
    else
        journal_emit(&session->journal, EVENT_PROMPT_UPDATE,
                     json_pack("{s:s, s:s}", "prompt", task->message, "by", "user"));
    return r;
}

enum err_code studio_chat_edit_prompt(struct studio_chat *chat, struct scope *scope,
                                      struct arena *arena, const struct studio_request *request,
                                      const char **out_session_id, struct studio_state *out,
                                      struct err *err)
{
    struct studio_task task = { .chat = chat, .message = request->message };
    enum err_code r = user_text_check(request->message, "prompt", IMAGE_PROMPT_MAX_BYTES, err);
    if (!r)
        r = load(chat, scope, arena, request, &task.stored, err);
    if (r)
        return r;
    studio_edit_prompt(arena, task.stored.conversation, request->message,
                       runtime_wall_ms(chat->services->runtime));
    const struct run_options options = { .kind = RUN_KIND_OF_STUDIO,
                                         .session_id = stored_conversation_id(&task.stored),
                                         .title = task.message };
    r = run_session_do(chat->services, scope, arena, &options, save_edit, &task, err);
    if (r)
        return r;
    *out = studio_state_of(arena, task.stored.conversation);
    *out_session_id = stored_conversation_id(&task.stored);
    return ERR_NONE;
}

enum err_code studio_chat_state(struct studio_chat *chat, struct scope *scope, struct arena *arena,
                                const char *session_id, struct studio_state *out, struct err *err)
{
    const struct studio_request request = { .session_id = session_id, .no_session = !session_id };
    struct stored_conversation stored = { 0 };
    enum err_code r = load(chat, scope, arena, &request, &stored, err);
    if (!r)
        *out = studio_state_of(arena, stored.conversation);
    return r;
}

void studio_chat_forget(struct studio_chat *chat)
{
    json_decref(chat->unsaved);
    chat->unsaved = NULL;
}

void studio_chat_warm(struct studio_chat *chat, struct scope *scope)
{
    AUTO(arena) arena = { 0 };
    struct services *services = chat->services;
    enum model_choice choice = MODEL_CHOICE_NAMED;
    struct model *model = NULL;
    const char *system = NULL, *origin = NULL;
    if (!services->settings->model_warm_up ||
        services_model(services, scope, &model, &choice, NULL) || !model ||
        assets_get(services->assets, STUDIO_SYSTEM_PATH, &arena, &system, &origin, NULL))
        return;
    struct err unheard;
    if (model_warm(model, scope, system, &unheard))
        return;
}
