/* Splits a reply that streams in into the text to show and the metadata behind the line "---".
 * The text and the metadata depend on the bytes alone, not on how they are cut into chunks.
 *
 * What could still become the end of the text is held back: the line break before it, the dashes,
 * the blanks behind them. The next visible character decides: an opening brace, a code fence or
 * the end make a line "---" the delimiter, also where it stands twice; anything else releases what
 * was held, because "---" is also a rule and part of a table. "---{" within a line is the delimiter
 * only if the object it opens ends the reply. An object (fenced or not) that opens a line without a
 * delimiter is held as well, and so is one within a line as far as that line goes, so that no JSON
 * flashes by on the screen: text behind it releases it, the end makes it metadata of a reply that
 * forgot its delimiter, even when the object was cut off. Line breaks and blank lines before the
 * delimiter or such an object belong to neither text nor metadata, and so do one or two dashes on
 * the last line: the delimiter was cut off. */
#ifndef DOMAIN_CONTRACT_REPLY_SPLITTER_H
#define DOMAIN_CONTRACT_REPLY_SPLITTER_H

#include "domain/base/buf.h"
#include <stdbool.h>
#include <stddef.h>

#define REPLY_SPLITTER_MAX_HELD_BYTES (64 * 1024) /* longer is text */

/* What the end of the reply says about its form. */
enum reply_form {
    REPLY_DELIMITED,   /* text, delimiter, metadata (which may be empty) */
    REPLY_BARE_OBJECT, /* an object without a delimiter, which is the metadata; after a
                          compaction it is accepted */
    REPLY_TEXT_ONLY,
};

/* Text to be shown; never a part of the delimiter, and never with a character cut in half unless
 * the reply has it so. Never empty. Borrowed for the time of the call. */
typedef void reply_text_fn(void *context, const char *text, size_t length);

struct reply_splitter {
    reply_text_fn *on_text;
    void *context;
    char partial[4]; /* the beginning of a character that is to be shown */
    size_t n_partial;
    struct buf held;     /* may become delimiter and metadata, or text */
    struct buf metadata; /* behind the delimiter */
    int state;           /* enum of the implementation */
    unsigned run;        /* dashes or backticks in a row */
    unsigned depth;      /* of brackets in the object that is held */
    bool own_line;       /* dashes began a line: they need no object to be the delimiter */
    bool fenced;         /* a code fence is open around the object */
    bool within_line;    /* text stands before the object on its line, and no delimiter */
    bool quoted;         /* the object begins as JSON does, so that it counts even when cut off */
    bool in_string, escaped;
    size_t object_at; /* where fence or object begin in what is held; 0 while there is none */
    size_t break_at;  /* the first line break of the last blanks in what is held */
    bool has_delimiter, has_object, has_break;
};

/* max_metadata_bytes bounds what is kept as metadata; what is longer is cut there. */
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
