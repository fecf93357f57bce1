#include "domain/rules/reply_splitter.h"
#include <string.h>

/* One byte decides one step, so chunks cannot matter. Only MIDLINE and METADATA, where nearly all
 * bytes are, take whole runs. */
enum state {
    LINE_START,   /* held: blanks */
    MIDLINE,      /* held: nothing */
    DASHES,       /* a line of blanks and up to three dashes */
    DASHES_TAIL,  /* three dashes and blanks */
    MID_DASHES,   /* up to three dashes within a line, then blanks and lines of blanks */
    RULE,         /* more dashes than three: held is nothing */
    AFTER_MARK,   /* a whole line of "---", then blanks and lines of blanks */
    MARK_FENCE,   /* … then backticks */
    FENCE,        /* backticks that open a line */
    FENCE_LINE,   /* … and what stands behind them */
    AFTER_FENCE,  /* the line is over; blanks */
    OBJECT_OPEN,  /* a brace, then blanks */
    OBJECT,       /* it opened an object */
    AFTER_OBJECT, /* it closed; blanks, and the end of its fence */
    METADATA,
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

void reply_splitter_init(struct reply_splitter *splitter, size_t max_metadata_bytes,
                         reply_text_fn *on_text, void *context)
{
    *splitter = (struct reply_splitter){ .on_text = on_text, .context = context };
    buf_init(&splitter->held, REPLY_SPLITTER_MAX_HELD_BYTES);
    buf_init(&splitter->metadata, max_metadata_bytes);
}

void reply_splitter_finish(struct reply_splitter *splitter)
{
    buf_finish(&splitter->held);
    buf_finish(&splitter->metadata);
}

static void show(struct reply_splitter *splitter, const char *bytes, size_t length)
{
    if (length && splitter->on_text)
        splitter->on_text(splitter->context, bytes, length);
}

static void release(struct reply_splitter *splitter)
{
    show(splitter, splitter->held.bytes, splitter->held.length);
    buf_clear(&splitter->held);
}

/* What was held is text after all. The blanks that begin its last line may begin a delimiter
 * again. */
static void release_lines(struct reply_splitter *splitter)
{
    struct buf *held = &splitter->held;
    size_t lines = held->length;
    while (lines && held->bytes[lines - 1] != '\n')
        lines--;
    bool only_blanks = true;
    for (size_t i = lines; i < held->length; i++)
        only_blanks = only_blanks && is_blank(held->bytes[i]);
    splitter->state = lines && only_blanks ? LINE_START : MIDLINE;
    if (splitter->state == MIDLINE) {
        release(splitter);
        return;
    }
    show(splitter, held->bytes, lines);
    buf_consume(held, lines);
}

/* A byte that may belong to the delimiter or to metadata. Too much of that is text. */
static bool hold(struct reply_splitter *splitter, char c, enum state next)
{
    if (!buf_append(&splitter->held, &c, 1)) {
        release_lines(splitter);
        return false;
    }
    splitter->state = next;
    return true;
}

static bool hold_mark(struct reply_splitter *splitter, char c, enum state next)
{
    splitter->marks++;
    return hold(splitter, c, next);
}

static bool open_object(struct reply_splitter *splitter, bool has_mark)
{
    splitter->object_at = splitter->held.length;
    splitter->has_mark = has_mark;
    splitter->depth = 1;
    splitter->in_string = splitter->escaped = false;
    return hold(splitter, '{', OBJECT_OPEN);
}

/* Each step says whether it took the byte; if not, the state has changed and sees it again. */

static bool give_back(struct reply_splitter *splitter)
{
    release_lines(splitter);
    return false;
}

static bool step_line_start(struct reply_splitter *splitter, char c)
{
    splitter->marks = 0;
    splitter->is_fenced = false;
    if (is_blank(c))
        return hold(splitter, c, LINE_START);
    if (c == '-')
        return hold_mark(splitter, c, DASHES);
    if (c == '`')
        return hold_mark(splitter, c, FENCE);
    if (c == '{')
        return open_object(splitter, false);
    release(splitter);
    splitter->state = MIDLINE;
    return false;
}

static bool take_dash(struct reply_splitter *splitter, char c, enum state state)
{
    if (splitter->marks < 3)
        return hold_mark(splitter, c, state);
    release(splitter);
    splitter->state = RULE;
    return false;
}

/* None of the dashes of a rule begins a mark. */
static bool step_rule(struct reply_splitter *splitter, char c)
{
    if (c == '-')
        show(splitter, &c, 1);
    else
        splitter->state = MIDLINE;
    return c == '-';
}

static bool step_dashes(struct reply_splitter *splitter, char c)
{
    bool in_dashes = splitter->state == DASHES;
    if (c == '-' && in_dashes)
        return take_dash(splitter, c, DASHES);
    if (splitter->marks == 3 && is_blank(c))
        return hold(splitter, c, DASHES_TAIL);
    if (splitter->marks == 3 && c == '\n')
        return hold(splitter, c, AFTER_MARK);
    if (splitter->marks == 3 && c == '{')
        return open_object(splitter, true);
    return give_back(splitter);
}

static bool step_mid_dashes(struct reply_splitter *splitter, char c)
{
    bool in_dashes = splitter->held.length == splitter->marks;
    if (c == '-' && in_dashes)
        return take_dash(splitter, c, MID_DASHES);
    if (splitter->marks == 3 && (is_blank(c) || c == '\n'))
        return hold(splitter, c, MID_DASHES);
    if (splitter->marks == 3 && c == '{')
        return open_object(splitter, true);
    return give_back(splitter);
}

/* What comes from now on is metadata, and what was held from `at` on is its beginning. */
static bool begin_metadata(struct reply_splitter *splitter, size_t at)
{
    splitter->state = METADATA;
    bool fits =
        buf_append(&splitter->metadata, splitter->held.bytes + at, splitter->held.length - at);
    buf_clear(&splitter->held);
    return fits;
}

static bool step_after_mark(struct reply_splitter *splitter, char c)
{
    if (is_blank(c) || c == '\n')
        return hold(splitter, c, AFTER_MARK);
    if (c == '{') {
        buf_clear(&splitter->held);
        splitter->state = METADATA;
        return false;
    }
    if (c == '`') {
        splitter->object_at = splitter->held.length;
        splitter->marks = 0;
        return hold_mark(splitter, c, MARK_FENCE);
    }
    return give_back(splitter);
}

static bool step_mark_fence(struct reply_splitter *splitter, char c)
{
    if (c != '`')
        return give_back(splitter);
    if (!hold_mark(splitter, c, MARK_FENCE))
        return false;
    if (splitter->marks == 3)
        (void)begin_metadata(splitter, splitter->object_at);
    return true;
}

static bool step_fence(struct reply_splitter *splitter, char c)
{
    if (c == '`' && splitter->marks < 3)
        return hold_mark(splitter, c, FENCE);
    if (splitter->marks < 3 || c == '`')
        return give_back(splitter);
    splitter->state = FENCE_LINE;
    return false;
}

/* Behind the backticks stands the name of a language, or nothing. */
static bool step_fence_line(struct reply_splitter *splitter, char c)
{
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c == '\n')
        return hold(splitter, c, AFTER_FENCE);
    return is_letter || is_blank(c) ? hold(splitter, c, FENCE_LINE) : give_back(splitter);
}

static bool step_after_fence(struct reply_splitter *splitter, char c)
{
    if (is_blank(c) || c == '\n')
        return hold(splitter, c, AFTER_FENCE);
    if (c != '{')
        return give_back(splitter);
    splitter->is_fenced = true;
    return open_object(splitter, false);
}

static bool step_object_open(struct reply_splitter *splitter, char c)
{
    if (is_blank(c) || c == '\n')
        return hold(splitter, c, OBJECT_OPEN);
    if (c != '"' && c != '}' && c != '\'')
        return give_back(splitter);
    splitter->state = OBJECT;
    return false;
}

static bool step_object(struct reply_splitter *splitter, char c)
{
    bool in_string = splitter->in_string, escaped = splitter->escaped;
    splitter->escaped = in_string && !escaped && c == '\\';
    if (c == '"' && !escaped)
        splitter->in_string = !in_string;
    if (!in_string && (c == '{' || c == '['))
        splitter->depth++;
    if (!in_string && (c == '}' || c == ']') && --splitter->depth == 0) {
        splitter->marks = 0;
        return hold(splitter, c, AFTER_OBJECT);
    }
    return hold(splitter, c, OBJECT);
}

static bool step_after_object(struct reply_splitter *splitter, char c)
{
    if (is_blank(c) || c == '\n')
        return hold(splitter, c, AFTER_OBJECT);
    if (c == '`' && splitter->is_fenced && splitter->marks < 3)
        return hold_mark(splitter, c, AFTER_OBJECT);
    return give_back(splitter);
}

static bool step(struct reply_splitter *splitter, char c)
{
    switch ((enum state)splitter->state) {
    case LINE_START:
        return step_line_start(splitter, c);
    case DASHES:
    case DASHES_TAIL:
        return step_dashes(splitter, c);
    case MID_DASHES:
        return step_mid_dashes(splitter, c);
    case RULE:
        return step_rule(splitter, c);
    case AFTER_MARK:
        return step_after_mark(splitter, c);
    case MARK_FENCE:
        return step_mark_fence(splitter, c);
    case FENCE:
        return step_fence(splitter, c);
    case FENCE_LINE:
        return step_fence_line(splitter, c);
    case AFTER_FENCE:
        return step_after_fence(splitter, c);
    case OBJECT_OPEN:
        return step_object_open(splitter, c);
    case OBJECT:
        return step_object(splitter, c);
    case AFTER_OBJECT:
        return step_after_object(splitter, c);
    case MIDLINE:
    case METADATA:
        break;
    }
    return false;
}

/* Shows text up to the next byte that matters; returns how many bytes it took. */
static size_t take_text(struct reply_splitter *splitter, const char *bytes, size_t length)
{
    size_t n = 0;
    while (n < length && bytes[n] != '\n' && bytes[n] != '-')
        n++;
    if (n < length && bytes[n] == '\n') {
        splitter->state = LINE_START;
        n++;
    }
    show(splitter, bytes, n);
    if (n < length && splitter->state == MIDLINE) {
        splitter->marks = 0;
        (void)hold_mark(splitter, bytes[n], MID_DASHES);
        n++;
    }
    return n;
}

bool reply_splitter_feed(struct reply_splitter *splitter, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        if (splitter->state == METADATA)
            return buf_append(&splitter->metadata, bytes + i, length - i);
        if (splitter->state == MIDLINE)
            i += take_text(splitter, bytes + i, length - i);
        else
            i += step(splitter, bytes[i]);
    }
    return true;
}

enum reply_form reply_splitter_end(struct reply_splitter *splitter)
{
    enum state state = (enum state)splitter->state;
    if (state == METADATA)
        return REPLY_DELIMITED;
    if (state == OBJECT_OPEN || state == OBJECT || state == AFTER_OBJECT) {
        (void)begin_metadata(splitter, splitter->object_at);
        return splitter->has_mark ? REPLY_DELIMITED : REPLY_BARE_OBJECT;
    }
    bool is_mark = state == AFTER_MARK || state == MARK_FENCE ||
                   ((state == DASHES || state == DASHES_TAIL) && splitter->marks == 3);
    if (is_mark || state == DASHES)
        buf_clear(&splitter->held); /* fewer dashes: it was cut off within its delimiter */
    else
        release(splitter);
    return is_mark ? REPLY_DELIMITED : REPLY_TEXT_ONLY;
}

const char *reply_splitter_metadata(const struct reply_splitter *splitter)
{
    return buf_string(&splitter->metadata);
}
