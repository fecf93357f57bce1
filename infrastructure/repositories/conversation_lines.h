/* The file ID.jsonl beside a conversation's ID.json: what was added since that was written, a line
 * for each turn (conversation_end_to_json), so that a turn costs one short write however long the
 * conversation is. The first line repeats the last messages before it, so that its end is loaded
 * without ID.json. Lines that are not later than ID.json are in it already.
 *
 * A line is whole with its line break. What a crash or a power cut left of one is behind the last
 * line break or has NUL bytes: nobody was told that it is stored, so readers pass over it and the
 * next writer removes it. Any other line that cannot be read is damage.
 *
 * Everything here blocks. Writers hold the lock of the folder; readers read the lines before
 * ID.json, which then has what they miss if it was written meanwhile. */
#ifndef INFRASTRUCTURE_REPOSITORIES_CONVERSATION_LINES_H
#define INFRASTRUCTURE_REPOSITORIES_CONVERSATION_LINES_H

#include "domain/base/attributes.h"
#include "domain/base/buf.h"
#include "domain/base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct conversation_lines {
    int64_t version_ms; /* updated_at of the last line; -1: there is no line */
    size_t end;         /* offset behind the last whole line */
    bool is_enough;     /* what was read has as many messages as asked for, or all */
};

/* Appends the last lines to `text`, which is empty: those with the last n messages, or all lines.
 * The context of all but the last is left out. A file that is not there has no lines. ERR_INVALID:
 * the last line is damaged. */
MUST_CHECK
enum err_code conversation_lines_read(const char *folder, const char *name, size_t n,
                                      struct buf *text, struct conversation_lines *out,
                                      struct err *err);

/* A member of a text that may be cut off behind it. False: it is not there, or no date-time. */
bool conversation_moment_in(const char *text, size_t length, const char *key, int64_t *out_ms);

/* Writes ID.json anew with what was added, a message at a time, so that memory does not grow with
 * the conversation. */
struct conversation_fold {
    const char *folder, *id;
    const char *text_name, *lines_name;
    const char *line; /* the last one, which is not in the file */
    size_t length;
    size_t max_bytes;
    int64_t text_version_ms; /* of ID.json as it is */
};

/* ERR_LIMIT above max_bytes, and then nothing is changed. */
MUST_CHECK
enum err_code conversation_fold(const struct conversation_fold *fold, struct err *err);

#endif
