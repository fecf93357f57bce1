#include "application/use_cases/studio_chat.h"
#include "application/orchestrators/turn_result.h"
#include "application/structured/model_call.h"
#include "application/studio/studio_prompt.h"
#include "application/use_cases/runs/job.h"
#include "application/use_cases/stored_conversation.h"
#include "application/use_cases/user_text.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include <string.h>

#define RUN_KIND "studio"

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
    if (!request->no_session || !chat->unsaved)
        return stored_conversation_load(chat->services, scope, arena, request->session_id,
                                        request->no_session, false, out, err);
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

/* A prompt that the person edited while the model was answering is their newest word. */
static enum err_code merge_studio(const struct stored_conversation *ours,
                                  struct conversation *theirs, struct err *err)
{
    (void)err;
    const json_t *before = json_object_get(ours->context, STUDIO_CONTEXT_KEY);
    const json_t *now = json_object_get(theirs->context, STUDIO_CONTEXT_KEY);
    json_t *mine = json_object_get(ours->conversation->context, STUDIO_CONTEXT_KEY);
    bool was_edited = json_get_bool(now, "edited", false) && !json_equal(now, before);
    if (mine && (!was_edited || json_get_bool(mine, "edited", false)))
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

static enum err_code find_model(struct studio_chat *chat, struct job *job, struct model **out,
                                struct err *err)
{
    enum model_choice choice = MODEL_CHOICE_NAMED;
    struct model_status status = { 0 };
    struct model *model = NULL;
    enum err_code r = services_model(chat->services, &job->scope, &model, &choice, err);
    if (!r && !model) {
        r = err_set(err, ERR_UNAVAILABLE, 0, "a studio needs a model, and there is none");
        return err_hint(err, r, "start one with: ollama serve, and get it with: ollama pull %.60s",
                        "mistral:7b");
    }
    if (!r)
        r = model_check(model, &job->scope, job->arena, &status, err);
    if (!r)
        *out = model;
    return model_failure(r, err);
}

static enum err_code talk(struct studio_chat *chat, struct job *job, struct conversation *said,
                          const char *message, struct studio_result *out, struct err *err)
{
    struct services *services = chat->services;
    struct engine engine = { .runtime = services->runtime,
                             .settings = services->settings,
                             .journal = &job->journal };
    enum err_code r = find_model(chat, job, &engine.model, err);
    if (!r && *services->settings->studio_image_tool)
        r = job_open_tools(job, chat->session_approvals, err);
    if (r)
        return r;
    struct studio studio = { .engine = &engine,
                             .assets = services->assets,
                             .runtime = services->runtime,
                             .settings = services->settings,
                             .toolbox = job->toolbox,
                             .invoker = &job->invoker };
    return studio_turn(&studio, &job->scope, job->arena, said, message, out, err);
}

static enum run_status status_of(const struct studio_result *result)
{
    if (result->end == STUDIO_RESET)
        return RUN_FAILED;
    const struct err *why = result->err.code ? &result->err : &result->not_saved;
    return why->code ? run_status_of(why->code) : RUN_COMPLETED;
}

static void tell_error(struct job *job, const struct err *why)
{
    journal_emit(&job->journal, EVENT_ERROR,
                 json_pack("{s:o, s:s}", "error", err_to_json(why), "text", why->message));
}

/* What was said is kept even when the turn was cancelled while its image was made. */
static void put_away(struct studio_chat *chat, struct job *job,
                     const struct stored_conversation *stored, struct studio_result *result)
{
    struct scope closing =
        scope_child(NULL, runtime_now_ms(chat->services->runtime) + JOB_CLOSE_MS);
    struct err err = { 0 };
    result->err.code = job_code(job, result->err.code, &result->err);
    if (result->end == STUDIO_FAILED || !save(chat, &closing, job->arena, stored, &err))
        return;
    result->not_saved = err;
    tell_error(job, &err);
}

static enum err_code run_turn(struct studio_chat *chat, struct scope *scope, struct arena *arena,
                              const char *message, const struct stored_conversation *stored,
                              struct studio_result *out, struct err *err)
{
    struct job job;
    struct studio_result result = { 0 };
    struct err why = { 0 };
    enum err_code r = job_begin(&job, chat->services, scope, arena, RUN_KIND,
                                stored_conversation_id(stored), message, err);
    if (r)
        return r;
    r = job_code(&job, talk(chat, &job, stored->conversation, message, &result, &why), &why);
    if (r)
        tell_error(&job, &why);
    else
        put_away(chat, &job, stored, &result);
    if (!r)
        why = result.err.code ? result.err : result.not_saved;
    job_end(&job, r ? run_status_of(r) : status_of(&result), &why);
    if (!r)
        *out = result;
    else if (err)
        *err = why;
    return r;
}

enum err_code studio_chat_turn(struct studio_chat *chat, struct scope *scope, struct arena *arena,
                               const struct studio_request *request, const char **out_session_id,
                               struct studio_result *out, struct err *err)
{
    struct stored_conversation stored = { 0 };
    enum err_code r = check_message(chat->services, request->message, err);
    if (!r)
        r = load(chat, scope, arena, request, &stored, err);
    if (!r)
        r = run_turn(chat, scope, arena, request->message, &stored, out, err);
    if (!r)
        *out_session_id = stored_conversation_id(&stored);
    return r;
}

static enum err_code save_edit(struct studio_chat *chat, struct scope *scope, struct arena *arena,
                               const struct stored_conversation *stored, const char *text,
                               struct err *err)
{
    struct job job;
    struct err why = { 0 };
    enum err_code r = job_begin(&job, chat->services, scope, arena, RUN_KIND,
                                stored_conversation_id(stored), text, err);
    if (r)
        return r;
    r = save(chat, &job.scope, arena, stored, &why);
    if (r)
        tell_error(&job, &why);
    else
        journal_emit(&job.journal, EVENT_PROMPT_UPDATE,
                     json_pack("{s:s, s:s}", "prompt", text, "by", "user"));
    job_end(&job, r ? run_status_of(r) : RUN_COMPLETED, &why);
    if (r && err)
        *err = why;
    return r;
}

enum err_code studio_chat_edit_prompt(struct studio_chat *chat, struct scope *scope,
                                      struct arena *arena, const struct studio_request *request,
                                      const char **out_session_id, struct studio_state *out,
                                      struct err *err)
{
    struct stored_conversation stored = { 0 };
    enum err_code r = user_text_check(request->message, "prompt", IMAGE_PROMPT_MAX_BYTES, err);
    if (!r)
        r = load(chat, scope, arena, request, &stored, err);
    if (r)
        return r;
    studio_edit_prompt(arena, stored.conversation, request->message,
                       runtime_wall_ms(chat->services->runtime));
    r = save_edit(chat, scope, arena, &stored, request->message, err);
    if (r)
        return r;
    *out = studio_state_of(arena, stored.conversation);
    *out_session_id = stored_conversation_id(&stored);
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
