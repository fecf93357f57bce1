/* Sees the tokens of one model call as they come: tells them, takes apart text and metadata where
 * the contract has both, and ends the stream when nothing more is to be expected of it: the object
 * is complete, or blanks or digits run away. Runs on the loop's stack and never waits. */
#ifndef APPLICATION_STRUCTURED_STREAM_WATCH_H
#define APPLICATION_STRUCTURED_STREAM_WATCH_H

#include "application/journal.h"
#include "application/structured/closing.h"
#include "application/structured/stop_words.h"
#include "domain/contract/contract.h"
#include "domain/contract/reply_splitter.h"

/* A constrained model that has nothing to say may repeat blanks or digits until its budget ends;
 * the stream is closed after so many in a row. */
#define STREAM_MAX_BLANKS 64
#define STREAM_MAX_DIGITS 200
/* Text for people may have wide tables. */
#define STREAM_MAX_TEXT_BLANKS 1024

/* What came of a stream, in the arena of whoever asked for it. */
struct heard {
    bool ran_away;
    /* of CONTRACT_TEXT_AND_OBJECT only */
    const char *text, *metadata;
    enum reply_form form;
};

struct stream_watch {
    struct journal *journal;
    const char *purpose;
    enum contract_shape shape;
    unsigned attempt; /* for the event token */
    /* of CONTRACT_TEXT only: NULL where it is for the person; else it is for somebody else, and
     * ends before one of these */
    const struct stop_words *stops;
    bool is_bare;            /* an object alone is expected whatever the shape: no text is told */
    size_t bytes;            /* seen so far */
    bool ran_away;           /* and that is why it was ended */
    unsigned blanks, digits; /* in a row */
    struct closing closing;
    struct reply_splitter splitter;
    size_t n_metadata; /* bytes of it that `closing` has seen */
    struct buf text;   /* shown so far */
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
