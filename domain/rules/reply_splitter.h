/* Splits a reply that streams in into the text to show and the metadata behind the line "---"
 * (D4, S4-13 … S4-22). Whatever the chunks, the same bytes give the same text and metadata.
 *
 * A line that could still become the delimiter is held back, and then the blanks behind it, until
 * the next visible character decides: an opening brace, a code fence or the end make it the
 * delimiter, anything else releases what was held, because "---" is also a rule and part of a
 * table. "---{" within a line is the delimiter only if the object it opens ends the reply. An
 * object that opens a line without a delimiter is held as well, so that nobody sees JSON flash by:
 * text behind it releases it, the end makes it metadata of a reply that forgot its delimiter. */
#ifndef DOMAIN_RULES_REPLY_SPLITTER_H
#define DOMAIN_RULES_REPLY_SPLITTER_H

#include "domain/base/buf.h"
#include <stdbool.h>
#include <stddef.h>

#define REPLY_SPLITTER_MAX_HELD_BYTES (64 * 1024) /* longer is text */

/* What the end of the reply says about its form. */
enum reply_form {
    REPLY_DELIMITED,   /* text, delimiter, metadata (which may be empty) */
    REPLY_BARE_OBJECT, /* an object without a delimiter; X16 accepts it after a compaction */
    REPLY_TEXT_ONLY,
};

/* Text to be shown; never a part of the delimiter. Borrowed for the time of the call. */
typedef void reply_text_fn(void *context, const char *text, size_t length);

struct reply_splitter {
    reply_text_fn *on_text;
    void *context;
    struct buf held;     /* may become delimiter and metadata, or text */
    struct buf metadata; /* behind the delimiter */
    int state;           /* enum of the implementation */
    size_t object_at;    /* where the object in `held` begins */
    unsigned depth;      /* of its brackets */
    unsigned marks;      /* dashes or backticks of the mark being read */
    bool in_string, escaped;
    bool has_mark;  /* the object stands behind "---" within a line */
    bool is_fenced; /* … behind the line of a code fence */
};

/* max_metadata_bytes bounds what is kept behind the delimiter. */
void reply_splitter_init(struct reply_splitter *splitter, size_t max_metadata_bytes,
                         reply_text_fn *on_text, void *context);
void reply_splitter_finish(struct reply_splitter *splitter); /* frees */
/* False when the metadata is longer than its bound. */
MUST_CHECK
bool reply_splitter_feed(struct reply_splitter *splitter, const char *bytes, size_t length);
/* The reply is over: what is still held is decided. */
enum reply_form reply_splitter_end(struct reply_splitter *splitter);
/* After the end; "" when there is none. Borrowed. */
const char *reply_splitter_metadata(const struct reply_splitter *splitter);

#endif
