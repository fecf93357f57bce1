/* Sees the tokens of one model call as they come: reports them as events, takes apart text and
 * metadata where the contract has both, and ends the stream when nothing more is to be expected of
 * it: the object is complete, a stop word came, or blanks or digits run away. Runs on the loop's
 * stack and never waits. */
#ifndef APPLICATION_STRUCTURED_STREAM_WATCH_H
#define APPLICATION_STRUCTURED_STREAM_WATCH_H

#include "application/journal.h"
#include "domain/contract/contract.h"
#include "domain/contract/reply_splitter.h"

/* A constrained model that has nothing to say may repeat blanks or digits until its budget ends;
 * the stream is closed after so many in a row. */
#define STREAM_MAX_BLANKS 64
#define STREAM_MAX_DIGITS 200
/* Text for people may have wide tables. */
#define STREAM_MAX_TEXT_BLANKS 1024

/* Notices, byte by byte, that the object a reply is about has ended, so that the chatter some
 * models add behind it need not be waited for. The object is the first one that opens a line; the
 * brackets of prose, of lists and of tool calls in their own notations ("[TOOL_CALLS] [{…}]") are
 * not it. Only what follows ends the stream, not the last brace itself: a server that ends by
 * itself then still tells how many tokens it took. */
enum object_end_state {
    OBJECT_END_OUTSIDE,
    OBJECT_END_OPENED, /* a bracket; the next visible character says whether a value begins */
    OBJECT_END_INSIDE,
    OBJECT_END_CLOSED, /* the object is complete */
    OBJECT_END_NEVER,  /* a tool call, or a second object: there may be more of them */
};

/* A zeroed one is ready. */
struct object_end {
    enum object_end_state state;
    unsigned depth;
    bool in_string, escaped, in_comment;
    bool is_root;         /* the value that is open is the object in question */
    bool is_within_line;  /* something visible stands before this on its line */
    char bracket, before; /* the one that opened; the visible character before it */
    char last;            /* byte inside of the value */
};

/* True once something visible follows the object (the end of a code fence does not count). */
bool object_end_feed(struct object_end *object_end, const char *bytes, size_t length);

/* Words that end a text for the caller: the text is what stands before the first of them. */
struct stop_words {
    const char *const *list; /* none is empty */
    size_t n;
};

#define STOP_WORDS_NONE ((size_t)-1)

/* Where the first of them begins in the text; a word that begins before `from` is found only when
 * it ends behind it. STOP_WORDS_NONE when there is none. */
size_t stop_words_find(const struct stop_words *words, const char *text, size_t from);

/* What came of a stream, in the arena of the caller. */
struct heard {
    bool ran_away;
    size_t shown; /* bytes that CONTRACT_TEXT has reported of the answer */
    /* of CONTRACT_TEXT_AND_OBJECT only */
    const char *text, *metadata;
    enum reply_form form;
};

struct stream_watch {
    struct journal *journal;
    const char *purpose;
    enum contract_shape shape;
    unsigned attempt; /* for the event token */
    /* Of CONTRACT_TEXT only: NULL where the text is for the person; else it is for a server, and
     * ends before one of these. */
    const struct stop_words *stops;
    bool is_bare;            /* an object alone is expected whatever the shape: no text is shown */
    size_t bytes;            /* seen so far */
    bool ran_away;           /* the stream was ended because of it */
    unsigned blanks, digits; /* in a row */
    struct object_end object_end;
    struct reply_splitter splitter;
    size_t n_metadata;           /* bytes of it that object_end has seen */
    struct buf text;             /* shown so far; of CONTRACT_TEXT all that came, */
    size_t shown_from, shown_to; /* and what was shown of it to the person */
};

/* max_bytes bounds what is kept of a reply. The watch must not move afterwards. */
void stream_watch_init(struct stream_watch *watch, struct journal *journal, const char *purpose,
                       enum contract_shape shape, size_t max_bytes);
void stream_watch_finish(struct stream_watch *watch);
/* model_request.on_token, with the watch as its context. */
bool stream_watch_token(void *context, const char *text, size_t length);
/* model_request.is_complete: the object has ended. */
bool stream_watch_is_complete(void *context);
struct heard stream_watch_end(struct stream_watch *watch, struct arena *arena);

#endif
