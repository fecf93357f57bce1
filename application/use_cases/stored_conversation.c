#include "application/use_cases/stored_conversation.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

static struct conversation *new_conversation(struct services *services, struct arena *arena,
                                             const char *id)
{
    char fresh[ID_SIZE];
    if (!id)
        id = ids_fresh(services->ids, fresh);
    struct conversation *begun = conversation_create(arena, id, runtime_wall_ms(services->runtime));
    if (services->folder)
        json_object_set_new(begun->context, CONVERSATION_FOLDER_KEY, json_string(services->folder));
    return begun;
}

static enum err_code load_stored(struct stored_conversation *stored, struct scope *scope,
                                 struct arena *arena, const char *id, size_t recent,
                                 struct err *err)
{
    enum err_code r = conversation_repository_get_recent(stored->repository, scope, id, recent,
                                                         arena, &stored->conversation, err);
    if (r)
        return r;
    stored->version_ms = stored->conversation->updated_at_ms;
    stored->n_messages = stored->conversation->n_messages;
    stored->context = arena_keep_json(arena, json_copy(stored->conversation->context));
    return ERR_NONE;
}

enum err_code stored_conversation_load(struct services *services, struct scope *scope,
                                       struct arena *arena, const struct session_choice *choice,
                                       struct stored_conversation *out, struct err *err)
{
    const char *id = choice->id;
    struct stored_conversation stored = { 0 };
    enum err_code r = ERR_NONE;
    if (id && !conversation_id_is_valid(id))
        return err_set(err, ERR_INVALID, 0,
                       "a session id has letters, digits, '-' and '_', at most %d of them",
                       CONVERSATION_ID_MAX);
    if (!choice->no_session)
        r = services_conversations(services, &stored.repository, err);
    if (!r && stored.repository && id) {
        r = load_stored(&stored, scope, arena, id, choice->recent, err);
        if (r == ERR_NOT_FOUND && !choice->must_exist)
            r = ERR_NONE;
    }
    if (r)
        return r;
    if (!stored.conversation)
        stored.conversation = new_conversation(services, arena, id);
    if (services->spares_sessions)
        stored.repository = NULL;
    *out = stored;
    return ERR_NONE;
}

json_t *stored_conversation_to_json(const struct stored_conversation *stored)
{
    return json_pack("{s:b, s:I, s:o}", "is_kept", stored->repository != NULL, "version_ms",
                     (json_int_t)stored->version_ms, "conversation",
                     conversation_to_json(stored->conversation));
}

enum err_code stored_conversation_resume(struct services *services, struct arena *arena,
                                         const json_t *value, const char *run_id,
                                         struct stored_conversation *out, struct err *err)
{
    struct stored_conversation stored = { .version_ms = json_get_int(value, "version_ms", 0),
                                          .run_id = run_id };
    enum err_code r = conversation_from_json(arena, json_object_get(value, "conversation"),
                                             &stored.conversation, err);
    if (r)
        return err_prefix(err, ERR_UNAVAILABLE, "state of the run: conversation");
    if (json_get_bool(value, "is_kept", false))
        r = services_conversations(services, &stored.repository, err);
    if (r)
        return r;
    stored.n_messages = stored.conversation->n_messages;
    stored.context = arena_keep_json(arena, json_copy(stored.conversation->context));
    *out = stored;
    return ERR_NONE;
}

static enum err_code save_once(const struct stored_conversation *stored, struct scope *scope,
                               struct err *err)
{
    if (!stored->version_ms)
        return conversation_repository_save(stored->repository, scope, stored->conversation, 0,
                                            err);
    return conversation_repository_append(stored->repository, scope, stored->conversation,
                                          stored->n_messages, stored->version_ms, err);
}

/* A turn stores its messages in one write, so they are there from the first on. */
static size_t count_stored(const struct conversation *conversation, const char *run_id)
{
    size_t n = 0;
    for (size_t i = 0; run_id && i < conversation->n_messages; i++)
        n += text_equal(json_get_string(conversation->messages[i].metadata, "run_id"), run_id);
    return n;
}

static enum err_code save_behind(const struct stored_conversation *ours, struct scope *scope,
                                 struct arena *arena, merge_context_fn *merge, struct err *err)
{
    struct stored_conversation theirs = { .repository = ours->repository };
    const struct conversation *said = ours->conversation;
    enum err_code r =
        load_stored(&theirs, scope, arena, said->id, ours->run_id ? SIZE_MAX : 1, err);
    if (r)
        return r;
    size_t first = ours->n_messages + count_stored(theirs.conversation, ours->run_id);
    if (ours->run_id && first >= said->n_messages)
        return ERR_NONE;
    for (size_t i = first; i < said->n_messages; i++) {
        const struct message *message = &said->messages[i];
        conversation_add(arena, theirs.conversation, message->role, message->content,
                         message->metadata ? json_share(message->metadata) : NULL,
                         message->timestamp_ms);
    }
    r = merge(ours, theirs.conversation, err);
    if (r)
        return r;
    if (theirs.conversation->updated_at_ms <= theirs.version_ms)
        theirs.conversation->updated_at_ms = theirs.version_ms + 1;
    return save_once(&theirs, scope, err);
}

enum err_code stored_conversation_save(const struct stored_conversation *stored,
                                       struct scope *scope, struct arena *arena,
                                       merge_context_fn *merge, struct err *err)
{
    if (!stored->repository)
        return ERR_NONE;
    if (stored->conversation->updated_at_ms <= stored->version_ms)
        stored->conversation->updated_at_ms = stored->version_ms + 1;
    enum err_code r = save_once(stored, scope, err);
    for (int attempt = 1; r == ERR_MISMATCH && attempt < STORED_CONVERSATION_SAVES; attempt++)
        r = save_behind(stored, scope, arena, merge, err);
    if (!r)
        return ERR_NONE;
    return err_prefix(err, ERR_UNAVAILABLE, "session %s was not saved", stored->conversation->id);
}
