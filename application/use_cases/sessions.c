#include "application/use_cases/sessions.h"
#include "application/orchestrators/pending_questions.h"
#include "application/use_cases/stored_conversation.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

enum err_code list_sessions(struct services *services, struct scope *scope, struct arena *arena,
                            struct conversation_summary **out, size_t *out_n, struct err *err)
{
    struct conversation_repository *conversations = NULL;
    enum err_code r = services_conversations(services, &conversations, err);
    return r ? r : conversation_repository_get_all(conversations, scope, arena, out, out_n, err);
}

static enum err_code no_such_session(struct arena *arena, const struct conversation_summary *list,
                                     size_t n, const char *id, struct err *err)
{
    const char **ids = arena_array(arena, const char *, n + 1);
    size_t near[1];
    for (size_t i = 0; i < n; i++)
        ids[i] = list[i].id;
    char *shown = text_one_line(arena, id, strlen(id), CONVERSATION_ID_MAX);
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "no session is named \"%s\"", shown);
    err_about(err, r, "session");
    if (text_nearest(id, ids, n, near, 1))
        err_hint(err, r, "did you mean %s?", ids[near[0]]);
    return err_hint(err, r, "mistro sessions lists them");
}

/* ERR_NOT_FOUND without a session of exactly this id; a damaged one is one. */
static enum err_code exists(struct services *services, struct scope *scope, const char *id,
                            struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct conversation_repository *conversations = NULL;
    struct conversation *unused = NULL;
    enum err_code r = services_conversations(services, &conversations, err);
    if (r || !conversation_id_is_valid(id))
        return r ? r : ERR_NOT_FOUND;
    r = conversation_repository_get_recent(conversations, scope, id, 1, &arena, &unused, err);
    return r == ERR_INVALID ? ERR_NONE : r;
}

/* The full id of an id or of a prefix that fits one session only. */
static enum err_code find_id(struct services *services, struct scope *scope, struct arena *arena,
                             const char *id, const char **out, struct err *err)
{
    struct conversation_summary *list = NULL;
    const char **found = NULL;
    size_t n = 0, n_found = 0, capacity = 0;
    enum err_code r = exists(services, scope, id, err);
    *out = id;
    if (r != ERR_NOT_FOUND || (r = list_sessions(services, scope, arena, &list, &n, err)))
        return r;
    for (size_t i = 0; *id && i < n; i++)
        if (text_starts_with(list[i].id, id))
            *arena_push(arena, found, n_found, capacity) = list[i].id;
    if (n_found > 1)
        return err_ambiguous(err, "sessions", id, found, n_found);
    if (!n_found)
        return no_such_session(arena, list, n, id, err);
    *out = found[0];
    return ERR_NONE;
}

enum err_code show_session(struct services *services, struct scope *scope, struct arena *arena,
                           const char *id, struct conversation **out, struct err *err)
{
    struct conversation_repository *conversations = NULL;
    const char *full_id = NULL;
    enum err_code r = find_id(services, scope, arena, id, &full_id, err);
    if (!r)
        r = services_conversations(services, &conversations, err);
    return r ? r
             : conversation_repository_get_by_id(conversations, scope, full_id, arena, out, err);
}

static enum err_code latest_session(struct services *services, struct scope *scope,
                                    struct arena *arena, const char **out_id, struct err *err)
{
    struct conversation_summary *list = NULL;
    size_t n = 0;
    enum err_code r = list_sessions(services, scope, arena, &list, &n, err);
    if (r)
        return r;
    size_t at = 0;
    while (at < n && list[at].damage)
        at++;
    if (at == n) {
        r = err_set(err, ERR_NOT_FOUND, 0, "there is no session to continue");
        return err_about(err, r, "session");
    }
    *out_id = list[at].id;
    return ERR_NONE;
}

enum err_code choose_session(struct services *services, struct scope *scope, struct arena *arena,
                             const char *word, bool latest, const char **out_id, struct err *err)
{
    enum err_code r;
    *out_id = NULL;
    if (!word)
        return latest ? latest_session(services, scope, arena, out_id, err) : ERR_NONE;
    if (text_starts_with(word, SESSION_NEW)) {
        *out_id = word + strlen(SESSION_NEW);
        r = exists(services, scope, *out_id, err);
        if (r)
            return r == ERR_NOT_FOUND ? ERR_NONE : r;
        r = err_set(err, ERR_INVALID, 0, "session %s exists already", *out_id);
        return err_hint(err, r, "without " SESSION_NEW " it is gone on with");
    }
    r = find_id(services, scope, arena, word, out_id, err);
    if (r == ERR_NOT_FOUND && err) {
        size_t used = strlen(err->hint);
        snprintf(err->hint + used, sizeof err->hint - used, " (" SESSION_NEW "NAME begins one)");
    }
    return r;
}

static enum err_code read_exported(struct arena *arena, const char *text, size_t length,
                                   struct conversation **out, struct err *err)
{
    json_t *value = NULL;
    enum err_code r = json_parse(text, length, JSON_OURS, &value, err);
    if (!r)
        r = conversation_from_json(arena, arena_keep_json(arena, value), out, err);
    if (!r && (*out)->n_earlier)
        r = err_set(err, ERR_INVALID, 0, "its first %zu messages are missing", (*out)->n_earlier);
    if (!r)
        return ERR_NONE;
    err_prefix(err, ERR_INVALID, "not a conversation");
    return err_hint(err, ERR_INVALID, "mistro sessions export ID prints one");
}

enum err_code import_session(struct services *services, struct scope *scope, struct arena *arena,
                             const char *text, size_t length, const char **out_id, struct err *err)
{
    struct conversation_repository *conversations = NULL;
    struct conversation *conversation = NULL;
    enum err_code r = read_exported(arena, text, length, &conversation, err);
    if (!r)
        r = services_conversations(services, &conversations, err);
    if (r)
        return r;
    r = exists(services, scope, conversation->id, err);
    if (r && r != ERR_NOT_FOUND)
        return r;
    if (r)
        r = conversation_repository_save(conversations, scope, conversation, 0, err);
    else
        r = ERR_MISMATCH;
    *out_id = conversation->id;
    if (r != ERR_MISMATCH)
        return r;
    err_set(err, ERR_INVALID, 0, "session %s exists already", conversation->id);
    return err_hint(err, ERR_INVALID, "mistro sessions delete %s removes it", conversation->id);
}

enum err_code delete_session(struct services *services, struct scope *scope, const char *id,
                             struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct conversation_repository *conversations = NULL;
    const char *full_id = NULL;
    enum err_code r = find_id(services, scope, &arena, id, &full_id, err);
    if (!r)
        r = services_conversations(services, &conversations, err);
    return r ? r : conversation_repository_remove(conversations, scope, full_id, err);
}

/* Loads, changes, saves; once more from the start when another process saved in between. */
static enum err_code change(struct services *services, struct scope *scope, const char *id,
                            void (*apply)(struct conversation *conversation, const char *text),
                            const char *text, struct err *err)
{
    enum err_code r = ERR_MISMATCH;
    for (int attempt = 0; attempt < STORED_CONVERSATION_SAVES && r == ERR_MISMATCH; attempt++) {
        AUTO(arena) arena = { 0 };
        struct conversation_repository *conversations = NULL;
        struct conversation *conversation = NULL;
        r = show_session(services, scope, &arena, id, &conversation, err);
        if (!r)
            r = services_conversations(services, &conversations, err);
        if (r)
            return r;
        int64_t version_ms = conversation->updated_at_ms;
        int64_t now_ms = runtime_wall_ms(services->runtime);
        apply(conversation, text);
        conversation->updated_at_ms = now_ms > version_ms ? now_ms : version_ms + 1;
        r = conversation_repository_save(conversations, scope, conversation, version_ms, err);
    }
    return r;
}

static void set_title(struct conversation *conversation, const char *title)
{
    conversation->title = title;
}

enum err_code rename_session(struct services *services, struct scope *scope, const char *id,
                             const char *title, struct err *err)
{
    size_t length = strlen(title);
    if (length == 0 || length > CONVERSATION_TITLE_MAX || strpbrk(title, "\r\n") ||
        !text_is_utf8(title, length))
        return err_set(err, ERR_INVALID, 0, "a title is one line of 1 to %d bytes",
                       CONVERSATION_TITLE_MAX);
    return change(services, scope, id, set_title, title, err);
}

static void forget(struct conversation *conversation, const char *unused)
{
    (void)unused;
    json_object_del(conversation->context, PENDING_CONTEXT_KEY);
    conversation_start_fresh(conversation);
}

enum err_code clear_session(struct services *services, struct scope *scope, const char *id,
                            struct err *err)
{
    return change(services, scope, id, forget, NULL, err);
}

enum err_code waiting_questions(struct services *services, struct scope *scope, struct arena *arena,
                                const char *id, const struct intent **out, struct err *err)
{
    struct conversation *conversation = NULL;
    *out = NULL;
    struct conversation_repository *conversations = NULL;
    enum err_code r = services_conversations(services, &conversations, err);
    if (r || !conversation_id_is_valid(id))
        return r;
    r = conversation_repository_get_recent(conversations, scope, id, 1, arena, &conversation, err);
    if (r)
        return r == ERR_NOT_FOUND ? ERR_NONE : r;
    const struct pending *pending = pending_load(arena, conversation);
    if (pending && !pending->is_dropped)
        *out = &pending->intent;
    return ERR_NONE;
}

static void set_dropped(struct conversation *conversation, const char *unused)
{
    AUTO(arena) arena = { 0 };
    (void)unused;
    (void)pending_drop(&arena, conversation, "ask");
}

enum err_code drop_questions(struct services *services, struct scope *scope, struct arena *arena,
                             const char *id, const char **out_text, struct err *err)
{
    struct conversation *conversation = NULL;
    *out_text = NULL;
    enum err_code r = show_session(services, scope, arena, id, &conversation, err);
    if (!r)
        *out_text = pending_drop(arena, conversation, "ask");
    return *out_text ? change(services, scope, id, set_dropped, NULL, err) : r;
}

static bool contains(const char *text, const char *wanted)
{
    size_t length = strlen(wanted);
    for (; *text; text++)
        if (strncasecmp(text, wanted, length) == 0)
            return true;
    return length == 0;
}

static bool is_hit(const struct conversation_summary *summary,
                   const struct conversation *conversation, const char *wanted)
{
    if (contains(summary->label, wanted))
        return true;
    for (size_t i = 0; i < conversation->n_messages; i++)
        if (contains(conversation->messages[i].content, wanted))
            return true;
    return false;
}

enum err_code search_sessions(struct services *services, struct scope *scope, struct arena *arena,
                              const char *text, struct conversation_summary **out, size_t *out_n,
                              struct err *err)
{
    struct conversation_repository *conversations = NULL;
    struct conversation_summary *list = NULL;
    size_t n = 0, hits = 0;
    enum err_code r = list_sessions(services, scope, arena, &list, &n, err);
    if (!r)
        r = services_conversations(services, &conversations, err);
    for (size_t i = 0; !r && i < n; i++) {
        AUTO(arena) one = { 0 };
        struct conversation *conversation = NULL;
        r = conversation_repository_get_by_id(conversations, scope, list[i].id, &one, &conversation,
                                              err);
        if (!r && is_hit(&list[i], conversation, text))
            list[hits++] = list[i];
        if (r == ERR_NOT_FOUND || r == ERR_INVALID) /* removed or broken meanwhile: no hit */
            r = ERR_NONE;
    }
    if (r)
        return r;
    *out = list;
    *out_n = hits;
    return ERR_NONE;
}
