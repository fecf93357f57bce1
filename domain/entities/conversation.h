/* A conversation with what was said in it and the context that a later turn needs, above all the
 * clarification that waits for an answer. A plain value: it lives in an arena that the caller owns,
 * and only the turn that loaded it changes it. Repositories read and write it whole, or only its
 * end, since a turn looks at the last messages however many there are. */
#ifndef DOMAIN_ENTITIES_CONVERSATION_H
#define DOMAIN_ENTITIES_CONVERSATION_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONVERSATION_FORMAT_VERSION 1
#define CONVERSATION_ID_MAX 64
#define CONVERSATION_TITLE_MAX 200
#define CONVERSATION_CLEARED_KEY "cleared_before" /* of the context: how many are history */

#define CONVERSATION_STUDIO_KEY "studio"   /* of the context of a studio's conversation */
#define CONVERSATION_RESULTS_KEY "results" /* of the context: what later turns may use */
#define CONVERSATION_FOLDER_KEY "folder"   /* of the context: where it began; may be missing */

enum message_role { MESSAGE_SYSTEM, MESSAGE_USER, MESSAGE_ASSISTANT, MESSAGE_TOOL };

/* Messages are stored as they were said; what a model sees of them is decided per request. */
struct message {
    enum message_role role;
    const char *content;    /* UTF-8 */
    int64_t timestamp_ms;   /* since 1970, UTC */
    const json_t *metadata; /* object, or NULL */
};

struct conversation {
    const char *id;    /* see conversation_id_is_valid */
    const char *title; /* may be NULL */
    int64_t created_at_ms, updated_at_ms;
    json_t *context; /* object, never NULL; keeps keys it does not know */
    struct message *messages;
    size_t n_messages, capacity;
    size_t n_earlier; /* messages before these, which were not loaded */
};

const char *message_role_name(enum message_role role);
bool message_role_parse(const char *name, enum message_role *out_role);

/* Letters, digits, '-' and '_', 1 to CONVERSATION_ID_MAX: it becomes a file name, so nothing else
 * is let in. */
bool conversation_id_is_valid(const char *id);

struct conversation *conversation_create(struct arena *arena, const char *id, int64_t now_ms);
/* Appends a copy of content; metadata (may be NULL) is stolen. Sets updated_at
 * to now_ms, or to one more than it was where the clock did not move on. */
struct message *conversation_add(struct arena *arena, struct conversation *conversation,
                                 enum message_role role, const char *content, json_t *metadata,
                                 int64_t now_ms);
/* The last n messages; *out_n says how many there are. Borrowed. */
const struct message *conversation_recent(const struct conversation *conversation, size_t n,
                                          size_t *out_n);
/* Leaves the last n messages; those before them count as not loaded. */
void conversation_keep_recent(struct conversation *conversation, size_t n);
/* Puts the messages of a later part behind, and takes its title, context and times. False: they do
 * not follow those that are there. The part's texts are borrowed. */
MUST_CHECK
bool conversation_join(struct arena *arena, struct conversation *conversation,
                       const struct conversation *part);
/* From here on a model sees nothing of what was said so far; it stays stored (`/clear`, and the
 * fresh start of a studio). */
void conversation_start_fresh(struct conversation *conversation);
/* The index of the first loaded message behind the last fresh start. */
size_t conversation_live_start(const struct conversation *conversation);
/* Title, or the start of the first user message, on one line. In the arena. */
const char *conversation_label(struct arena *arena, const struct conversation *conversation);
/* The start of the last user message, on one line; "" without one. In the arena. */
const char *conversation_last_request(struct arena *arena, const struct conversation *conversation);
/* "" where it is not known. Borrowed. */
const char *conversation_folder(const struct conversation *conversation);
/* "chat" or "studio". */
const char *conversation_kind(const struct conversation *conversation);

/* The stored form (docs/DEVELOPMENT.md describes it): owned by the caller. */
json_t *conversation_to_json(const struct conversation *conversation);
/* The same without the messages before the index `from`; "earlier" says how many are missing. */
json_t *conversation_end_to_json(const struct conversation *conversation, size_t from);
json_t *message_to_json(const struct message *message);
/* Takes both forms. ERR_INVALID names the member that does not fit. */
MUST_CHECK
enum err_code conversation_from_json(struct arena *arena, const json_t *value,
                                     struct conversation **out, struct err *err);

#endif
