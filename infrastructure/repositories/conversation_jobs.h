/* The conversation repository over a store that blocks: everything an adapter does with files or
 * databases runs as one job of a worker, and what goes in and comes out is text. The loop thread
 * prints and parses, the job reads and writes; no arena of the caller and no json_t crosses. So
 * an adapter (json_conversation_repository.c, sqlite_conversation_repository.c,
 * postgres_conversations.c) is the blocking operations below and nothing else. */
#ifndef INFRASTRUCTURE_REPOSITORIES_CONVERSATION_JOBS_H
#define INFRASTRUCTURE_REPOSITORIES_CONVERSATION_JOBS_H

#include "domain/base/buf.h"
#include "domain/repositories/conversation_repository.h"

#define CONVERSATIONS_MAX_LISTED 1000 /* the newest; older ones are found by their id */

struct conversation_store;
struct uv_runtime;
struct worker;

/* A conversation as it is kept: a text, and lines (conversation_end_to_json) that follow it, of
 * which those that the text has already are passed over. Where only its end was asked for, the text
 * may be empty. */
struct stored_text {
    struct buf text, lines;
};

void stored_text_init(struct stored_text *stored, size_t max_bytes);
void stored_text_finish(struct stored_text *stored);

/* The lines are folded into the text when they are twice as long, and this much. */
#define CONVERSATION_LINES_SLACK ((size_t)256 * 1024)
#define CONVERSATION_LINES_MAX(max_bytes) (4 * (max_bytes) + CONVERSATION_LINES_SLACK)

#define CONVERSATION_WHOLE SIZE_MAX /* messages to be loaded */

struct conversation_store_ops {
    /* All mandatory; called on a thread of the pool, one at a time. Texts are conversations in
     * their stored form (conversation_to_json), at most max_bytes long. */
    enum err_code (*save)(struct conversation_store *s, const char *id, const char *text,
                          size_t length, int64_t loaded_version_ms, struct err *err);
    /* The text is one line: the end of a conversation, from the first message on that is new. */
    enum err_code (*append)(struct conversation_store *s, const char *id, const char *text,
                            size_t length, int64_t loaded_version_ms, struct err *err);
    /* At least the last n messages; ERR_INVALID: damaged. */
    enum err_code (*load)(struct conversation_store *s, const char *id, size_t n,
                          struct stored_text *out, struct err *err);
    /* In any order, in an arena of the job. */
    enum err_code (*list)(struct conversation_store *s, struct arena *arena,
                          struct conversation_summary **out, size_t *out_n, struct err *err);
    enum err_code (*remove)(struct conversation_store *s, const char *id, struct err *err);
    void (*destroy)(struct conversation_store *s); /* on the loop's thread */
};

struct conversation_store {
    const struct conversation_store_ops *ops;
    const char *place; /* the folder or file where conversations are, for people */
    size_t max_bytes;  /* of one conversation in its stored form */
};

/* Steals the store. Its operations run on the worker, which is borrowed; NULL: on one of its own.
 */
struct conversation_repository *conversation_jobs_create(struct uv_runtime *runtime,
                                                         struct worker *worker,
                                                         struct conversation_store *store);

/* For the stores. Prints into out, whose maximum is the bound: ERR_LIMIT above it. */
MUST_CHECK
enum err_code conversation_print(const struct conversation *conversation, struct buf *out,
                                 struct err *err);
MUST_CHECK
enum err_code conversation_parse(struct arena *arena, const char *text, size_t length,
                                 struct conversation **out, struct err *err);
/* On one line, from the message on. */
MUST_CHECK
enum err_code conversation_print_end(const struct conversation *conversation, size_t from,
                                     struct buf *out, struct err *err);
MUST_CHECK
enum err_code conversation_parse_stored(struct arena *arena, const struct stored_text *stored,
                                        struct conversation **out, struct err *err);
/* Sets ERR_LIMIT. */
enum err_code conversation_is_too_large(const char *id, size_t bytes, size_t max_bytes,
                                        struct err *err);
/* Decides whether a save or an addition may go on. stored_version_ms is -1 when nothing is stored.
 */
MUST_CHECK
enum err_code conversation_check_version(const char *id, int64_t stored_version_ms,
                                         int64_t loaded_version_ms, struct err *err);
struct conversation_summary conversation_summarise(struct arena *arena,
                                                   const struct conversation *conversation);

/* What a database tells of a conversation for a listing. */
struct conversation_row {
    const char *id, *title; /* title may be NULL */
    int64_t created_at_ms, updated_at_ms;
    size_t n_messages;
    const char *first_request, *last_request; /* NULL: none */
    const char *context;                      /* JSON text */
};

/* place: the store's, to say where what is damaged is. */
struct conversation_summary conversation_summarise_row(struct arena *arena,
                                                       const struct conversation_row *row,
                                                       const char *place);
/* A column of JSON text; NULL for null. ERR_INVALID for what is not JSON. */
MUST_CHECK
enum err_code conversation_parse_column(struct arena *arena, const char *text, json_t **out,
                                        struct err *err);

#endif
