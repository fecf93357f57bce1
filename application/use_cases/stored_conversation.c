#include "application/use_cases/stored_conversation.h"
#include "domain/base/json.h"

static struct conversation *new_conversation(struct services *services, struct arena *arena,
                                             const char *id)
{
    char fresh[ID_SIZE];
    if (!id)
        id = ids_fresh(services->ids, fresh);
    return conversation_create(arena, id, runtime_wall_ms(services->runtime));
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

static enum err_code save_behind(const struct stored_conversation *ours, struct scope *scope,
                                 struct arena *arena, merge_context_fn *merge, struct err *err)
{
    struct stored_conversation theirs = { .repository = ours->repository };
    const struct conversation *said = ours->conversation;
    enum err_code r = load_stored(&theirs, scope, arena, said->id, 1, err);
    if (r)
        return r;
    for (size_t i = ours->n_messages; i < said->n_messages; i++) {
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
