#include "application/structured/stream_watch.h"
#include "application/structured/plain_text.h"
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void step_outside(struct object_end *end, char c)
{
    if (c == '\n')
        end->is_within_line = false;
    if (is_blank(c))
        return;
    if (c == '{' || c == '[') {
        end->state = OBJECT_END_OPENED;
        end->bracket = c;
        end->is_root = c == '{' && !end->is_within_line;
    } else {
        end->before = c;
    }
    end->is_within_line = true;
}

static void step_inside(struct object_end *end, char c)
{
    if (end->in_string) {
        end->in_string = end->escaped || c != '"';
        end->escaped = !end->escaped && c == '\\';
        return;
    }
    bool begins_comment = c == '#' || (c == '/' && end->last == '/');
    end->in_comment = end->in_comment ? c != '\n' : begins_comment;
    end->last = c;
    if (end->in_comment)
        return;
    end->in_string = c == '"';
    if (c == '{' || c == '[')
        end->depth++;
    if ((c == '}' || c == ']') && --end->depth == 0)
        end->state = end->is_root ? OBJECT_END_CLOSED : OBJECT_END_OUTSIDE;
}

static void step_opened(struct object_end *end, char c)
{
    const char *starts = end->bracket == '{' ? "\"}#/" : "]{[\"-0123456789tfn";
    if (is_blank(c))
        return;
    if (end->before == ']' || end->before == '>') {
        end->state = OBJECT_END_NEVER;
    } else if (c && strchr(starts, c)) {
        end->state = OBJECT_END_INSIDE;
        end->depth = 1;
        step_inside(end, c);
    } else {
        end->state = OBJECT_END_OUTSIDE;
        end->before = end->bracket;
        step_outside(end, c);
    }
}

bool object_end_feed(struct object_end *end, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (end->state == OBJECT_END_CLOSED && bytes[i] && strchr("{,", bytes[i]))
            end->state = OBJECT_END_NEVER;
        if (end->state == OBJECT_END_CLOSED && !is_blank(bytes[i]) && bytes[i] != '`')
            return true;
        switch (end->state) {
        case OBJECT_END_OUTSIDE:
            step_outside(end, bytes[i]);
            break;
        case OBJECT_END_OPENED:
            step_opened(end, bytes[i]);
            break;
        case OBJECT_END_INSIDE:
            step_inside(end, bytes[i]);
            break;
        case OBJECT_END_CLOSED:
        case OBJECT_END_NEVER:
            break;
        }
    }
    return false;
}

size_t stop_words_find(const struct stop_words *words, const char *text, size_t from)
{
    size_t first = STOP_WORDS_NONE;
    for (size_t i = 0; i < words->n; i++) {
        size_t before = strlen(words->list[i]) - 1;
        const char *found = strstr(text + (from > before ? from - before : 0), words->list[i]);
        if (found && (size_t)(found - text) < first)
            first = (size_t)(found - text);
    }
    return first;
}

static void emit_text(void *context, const char *text, size_t length)
{
    struct stream_watch *watch = context;
    for (; length && !watch->text.length && is_blank(*text); length--)
        text++; /* nothing is shown before the first word */
    if (!length)
        return;
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
    reply_splitter_init(&watch->splitter, max_bytes, emit_text, watch);
}

void stream_watch_finish(struct stream_watch *watch)
{
    reply_splitter_finish(&watch->splitter);
    buf_finish(&watch->text);
}

static bool runs_away(struct stream_watch *watch, const char *text, size_t length)
{
    /* Long gaps between the values of an object are never meant; within a string they may be the
     * table or the number that is wanted. */
    bool strict =
        !watch->object_end.in_string &&
        (watch->shape == CONTRACT_OBJECT || watch->is_bare || watch->splitter.metadata.length);
    unsigned max_blanks = strict ? STREAM_MAX_BLANKS : STREAM_MAX_TEXT_BLANKS;
    for (size_t i = 0; i < length; i++) {
        bool is_digit = text[i] >= '0' && text[i] <= '9';
        watch->blanks = is_blank(text[i]) ? watch->blanks + 1 : 0;
        watch->digits = is_digit ? watch->digits + 1 : 0;
        if (watch->blanks >= max_blanks || (strict && watch->digits >= STREAM_MAX_DIGITS))
            return true;
    }
    return false;
}

static void emit_token(struct stream_watch *watch, enum event_kind kind, const char *text,
                       size_t length)
{
    journal_emit(watch->journal, kind,
                 json_pack("{s:s, s:s%}", "purpose", watch->purpose, "text", text, length));
}

/* Where the object alone was asked for it may stand anywhere; else it stands behind the delimiter,
 * and what looks like an object in the text is text. */
static bool object_ended(struct stream_watch *watch, const char *text, size_t length)
{
    if (watch->is_bare)
        return object_end_feed(&watch->object_end, text, length);
    const struct buf *metadata = &watch->splitter.metadata;
    size_t from = watch->n_metadata;
    watch->n_metadata = metadata->length;
    return metadata->length > from &&
           object_end_feed(&watch->object_end, metadata->bytes + from, metadata->length - from);
}

static bool stop_word_came(struct stream_watch *watch, const char *text, size_t length)
{
    size_t from = watch->text.length;
    return !buf_append(&watch->text, text, length) ||
           stop_words_find(watch->stops, buf_string(&watch->text), from) != STOP_WORDS_NONE;
}

/* Reports what is certain to be of the answer. */
static bool show_answer(struct stream_watch *watch, const char *text, size_t length)
{
    bool ended = false;
    if (!buf_append(&watch->text, text, length))
        return false;
    const char *all = buf_string(&watch->text);
    if (watch->shown_to == watch->shown_from)
        watch->shown_from = watch->shown_to = plain_text_begin(all);
    size_t end = plain_text_end(all, watch->shown_from, watch->shown_to, &ended);
    if (end > watch->shown_to)
        emit_token(watch, EVENT_ANSWER_TOKEN, all + watch->shown_to, end - watch->shown_to);
    watch->shown_to = end;
    return !ended;
}

static bool wants_more(struct stream_watch *watch, const char *text, size_t length)
{
    switch (watch->shape) {
    case CONTRACT_OBJECT:
        emit_token(watch, EVENT_MODEL_TOKEN, text, length);
        return !object_end_feed(&watch->object_end, text, length);
    case CONTRACT_TEXT:
        if (!watch->stops)
            return show_answer(watch, text, length);
        emit_token(watch, EVENT_MODEL_TOKEN, text, length);
        return !stop_word_came(watch, text, length);
    case CONTRACT_TEXT_AND_OBJECT:
        break;
    }
    return reply_splitter_feed(&watch->splitter, text, length) &&
           !object_ended(watch, text, length);
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
    return watch->object_end.state == OBJECT_END_CLOSED;
}

struct heard stream_watch_end(struct stream_watch *watch, struct arena *arena)
{
    struct heard heard = { .ran_away = watch->ran_away,
                           .shown = watch->shown_to - watch->shown_from };
    if (watch->shape != CONTRACT_TEXT_AND_OBJECT)
        return heard;
    heard.form = reply_splitter_end(&watch->splitter);
    heard.metadata = arena_strdup(arena, reply_splitter_metadata(&watch->splitter));
    heard.text = arena_strdup(arena, buf_string(&watch->text));
    return heard;
}
