#include "application/structured/stream_watch.h"

static void tell_text(void *context, const char *text, size_t length)
{
    struct stream_watch *watch = context;
    bool fits = buf_append(&watch->text, text, length);
    if (fits && !watch->is_bare)
        journal_emit(
            watch->journal, EVENT_TOKEN,
            json_pack("{s:i, s:s%}", "attempt", (int)watch->attempt, "text", text, length));
}

void stream_watch_init(struct stream_watch *watch, struct journal *journal, const char *purpose,
                       enum contract_shape shape, size_t max_bytes)
{
    *watch = (struct stream_watch){ .journal = journal, .purpose = purpose, .shape = shape };
    buf_init(&watch->text, max_bytes);
    reply_splitter_init(&watch->splitter, max_bytes, tell_text, watch);
}

void stream_watch_finish(struct stream_watch *watch)
{
    reply_splitter_finish(&watch->splitter);
    buf_finish(&watch->text);
}

/* Whether what comes now stands between the values of an object, where long gaps mean nothing
 * good. Within a string they may be the table or the number somebody wants. */
static bool is_strict(const struct stream_watch *watch)
{
    if (watch->closing.in_string)
        return false;
    return watch->shape == CONTRACT_OBJECT || watch->is_bare || watch->splitter.metadata.length;
}

static bool runs_away(struct stream_watch *watch, const char *text, size_t length)
{
    bool strict = is_strict(watch);
    unsigned max_blanks = strict ? STREAM_MAX_BLANKS : STREAM_MAX_TEXT_BLANKS;
    for (size_t i = 0; i < length; i++) {
        bool blank = text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r';
        bool digit = text[i] >= '0' && text[i] <= '9';
        watch->blanks = blank ? watch->blanks + 1 : 0;
        watch->digits = digit ? watch->digits + 1 : 0;
        if (watch->blanks >= max_blanks || (strict && watch->digits >= STREAM_MAX_DIGITS))
            return true;
    }
    return false;
}

static void tell(struct stream_watch *watch, enum event_kind kind, const char *text, size_t length)
{
    journal_emit(watch->journal, kind,
                 json_pack("{s:s, s:s%}", "purpose", watch->purpose, "text", text, length));
}

/* Where the object alone was asked for, it may stand anywhere; else it stands behind the
 * delimiter, and what looks like one in the text is text. */
static bool object_ended(struct stream_watch *watch, const char *text, size_t length)
{
    if (watch->is_bare)
        return closing_feed(&watch->closing, text, length);
    const struct buf *metadata = &watch->splitter.metadata;
    size_t from = watch->n_metadata;
    watch->n_metadata = metadata->length;
    return metadata->length > from &&
           closing_feed(&watch->closing, metadata->bytes + from, metadata->length - from);
}

/* False when the object is complete, or longer than anything sensible. */
static bool split(struct stream_watch *watch, const char *text, size_t length)
{
    return reply_splitter_feed(&watch->splitter, text, length) &&
           !object_ended(watch, text, length);
}

static bool stop_word_came(struct stream_watch *watch, const char *text, size_t length)
{
    size_t from = watch->text.length;
    return !buf_append(&watch->text, text, length) ||
           stop_words_find(watch->stops, buf_string(&watch->text), from) != STOP_WORDS_NONE;
}

static bool wants_more(struct stream_watch *watch, const char *text, size_t length)
{
    switch (watch->shape) {
    case CONTRACT_OBJECT:
        tell(watch, EVENT_MODEL_TOKEN, text, length);
        return !closing_feed(&watch->closing, text, length);
    case CONTRACT_TEXT:
        tell(watch, watch->stops ? EVENT_MODEL_TOKEN : EVENT_ANSWER_TOKEN, text, length);
        return !watch->stops || !stop_word_came(watch, text, length);
    case CONTRACT_TEXT_AND_OBJECT:
        break;
    }
    return split(watch, text, length);
}

bool stream_watch_token(void *context, const char *text, size_t length)
{
    struct stream_watch *watch = context;
    watch->bytes += length;
    if (!wants_more(watch, text, length))
        return false;
    watch->ran_away = runs_away(watch, text, length);
    return !watch->ran_away;
}

bool stream_watch_is_complete(void *context)
{
    const struct stream_watch *watch = context;
    return watch->closing.state == CLOSING_CLOSED;
}

struct heard stream_watch_end(struct stream_watch *watch, struct arena *arena)
{
    struct heard heard = { .ran_away = watch->ran_away };
    if (watch->shape != CONTRACT_TEXT_AND_OBJECT)
        return heard;
    heard.form = reply_splitter_end(&watch->splitter);
    heard.metadata = arena_strdup(arena, reply_splitter_metadata(&watch->splitter));
    heard.text = arena_strdup(arena, buf_string(&watch->text));
    return heard;
}
