#include "domain/contract/reply_splitter.h"
#include <string.h>

/* All but TEXT, RULE and METADATA hold something back: the "candidate", which ends the text if the
 * bytes to come allow it. */
enum state {
    LINE_START, /* line break and blanks, or the beginning of the reply */
    TEXT,
    DASHES,
    RULE, /* more than three dashes: text, and none of them begins a delimiter */
    AFTER_DASHES,
    TICKS,
    FENCE_INFO, /* the rest of the line of a fence without a delimiter */
    FENCE_BODY,
    OPEN, /* behind an opening brace */
    OBJECT,
    AFTER_OBJECT,
    CLOSE_TICKS,
    METADATA,
};

/* One call of feed: the bytes of this chunk and how far it got. What is held from earlier chunks
 * comes before `candidate`, which is then the beginning of the chunk. */
struct pass {
    struct reply_splitter *s;
    const char *text;      /* not shown yet */
    const char *candidate; /* meaningful in the states that hold something back */
    const char *at, *end;
};

void reply_splitter_init(struct reply_splitter *s, size_t max_metadata_bytes,
                         reply_text_fn *on_text, void *context)
{
    *s = (struct reply_splitter){ .on_text = on_text, .context = context, .state = LINE_START };
    buf_init(&s->held, REPLY_SPLITTER_MAX_HELD_BYTES);
    buf_init(&s->metadata, max_metadata_bytes);
}

void reply_splitter_finish(struct reply_splitter *s)
{
    buf_finish(&s->held);
    buf_finish(&s->metadata);
}

static bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || is_break(c);
}

/* What is shown is never cut within a character: the UTF-8 that a piece ends in the middle of waits
 * for the next piece. Bytes that are not UTF-8 pass as they are. */

/* Length of a character by its first byte. */
static size_t character_length(char first)
{
    unsigned char byte = (unsigned char)first;
    return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0u) == 0x80u;
}

/* How many bytes at the end are a character whose rest is missing. */
static size_t cut_character(const char *bytes, size_t length)
{
    for (size_t n = 1; n <= 3 && n <= length; n++)
        if (!continues_character(bytes[length - n]))
            return character_length(bytes[length - n]) > n ? n : 0;
    return 0;
}

/* Shows what still waits, incomplete as it is. */
static void end_text(struct reply_splitter *s)
{
    if (s->n_partial)
        s->on_text(s->context, s->partial, s->n_partial);
    s->n_partial = 0;
}

/* Takes from the bytes what completes the character that is waiting; returns how many. */
static size_t complete_partial(struct reply_splitter *s, const char *bytes, size_t length)
{
    size_t n = 0;
    while (n < length && s->n_partial < character_length(s->partial[0]) &&
           continues_character(bytes[n]))
        s->partial[s->n_partial++] = bytes[n++];
    if (n < length || s->n_partial == character_length(s->partial[0]))
        end_text(s);
    return n;
}

static void show(struct reply_splitter *s, const char *bytes, size_t length)
{
    size_t taken = s->n_partial ? complete_partial(s, bytes, length) : 0;
    bytes += taken;
    length -= taken;
    if (!length)
        return;
    size_t cut = cut_character(bytes, length);
    if (length > cut)
        s->on_text(s->context, bytes, length - cut);
    memcpy(s->partial, bytes + length - cut, cut);
    s->n_partial = cut;
}

/* False when not all of it fits. */
static bool keep_metadata(struct reply_splitter *s, const char *bytes, size_t length)
{
    size_t room = s->metadata.max_bytes - s->metadata.length;
    return buf_append(&s->metadata, bytes, length < room ? length : room) && length <= room;
}

static size_t candidate_length(const struct pass *pass)
{
    return pass->s->held.length + (size_t)(pass->at - pass->candidate);
}

/* The first n bytes of the candidate are text. What this chunk has of them is shown with the text
 * around it. */
static void release(struct pass *pass, size_t n)
{
    struct buf *held = &pass->s->held;
    size_t of_held = n < held->length ? n : held->length;
    if (of_held) {
        show(pass->s, held->bytes, of_held);
        buf_consume(held, of_held);
    }
    pass->candidate += n - of_held;
}

static void release_all(struct pass *pass)
{
    release(pass, candidate_length(pass));
    pass->s->state = TEXT;
}

/* Forgets what was found in the candidate so far. */
static void forget(struct reply_splitter *s)
{
    s->has_delimiter = s->has_object = s->has_break = s->own_line = s->fenced = false;
    s->within_line = false;
}

/* A candidate begins with the byte at hand. */
static void begin_candidate(struct pass *pass)
{
    pass->candidate = pass->at;
    forget(pass->s);
}

/* A visible character that the candidate cannot go on with: it is text up to the line break before
 * that character, where the next candidate begins, or altogether. */
static void retreat(struct pass *pass)
{
    struct reply_splitter *s = pass->s;
    if (!s->has_break) {
        release_all(pass);
        return;
    }
    release(pass, s->break_at);
    forget(s);
    s->state = LINE_START;
}

static void note_break(struct pass *pass, char c)
{
    if (!is_break(c) || pass->s->has_break)
        return;
    pass->s->has_break = true;
    pass->s->break_at = candidate_length(pass);
}

static void begin_blanks(struct pass *pass, enum state state)
{
    pass->s->has_break = false;
    pass->s->state = (int)state;
}

/* Fence or object begin with the byte at hand. */
static void begin_object(struct pass *pass)
{
    if (pass->s->has_object)
        return;
    pass->s->has_object = true;
    pass->s->object_at = candidate_length(pass);
}

/* The delimiter is certain: what was held from object_at on is metadata, and all that follows. */
static void begin_metadata(struct pass *pass)
{
    struct reply_splitter *s = pass->s;
    if (pass->candidate > pass->text)
        show(s, pass->text, (size_t)(pass->candidate - pass->text));
    end_text(s);
    s->state = METADATA;
    size_t held = s->held.length;
    if (s->object_at < held && !keep_metadata(s, s->held.bytes + s->object_at, held - s->object_at))
        return;
    if (s->object_at > held)
        pass->candidate += s->object_at - held;
    /* Bytes beyond the bound are noticed again by the next ones, or by feed. */
    pass->at = pass->candidate;
    buf_clear(&s->held);
}

static void begin_run(struct reply_splitter *s, enum state state)
{
    s->run = 1;
    s->state = (int)state;
}

static void open_brace(struct pass *pass)
{
    struct reply_splitter *s = pass->s;
    begin_object(pass);
    s->depth = 1;
    s->in_string = s->escaped = false;
    begin_blanks(pass, OPEN);
}

/* Each step_… looks at one byte. True: it is part of what is held (or shown). False: the state was
 * changed and the byte is to be looked at again. */

static bool step_line_start(struct pass *pass, char c)
{
    struct reply_splitter *s = pass->s;
    if (c == '-') {
        s->own_line = true;
        begin_run(s, DASHES);
    } else if (c == '`') {
        begin_object(pass);
        begin_run(s, TICKS);
    } else if (c == '{') {
        open_brace(pass);
    } else if (!is_blank(c)) {
        release_all(pass);
        return false;
    }
    return true;
}

static bool step_text(struct pass *pass, char c)
{
    if (c == '-') {
        begin_candidate(pass);
        begin_run(pass->s, DASHES);
    } else if (is_break(c)) {
        begin_candidate(pass);
        pass->s->state = LINE_START;
    } else if (c == '{') {
        begin_candidate(pass);
        pass->s->within_line = true;
        open_brace(pass);
    }
    return true;
}

/* Decides by the first visible character behind three dashes. A delimiter may stand twice. */
static bool step_behind_delimiter(struct pass *pass, char c)
{
    struct reply_splitter *s = pass->s;
    if (c == '`') {
        begin_object(pass);
        begin_run(s, TICKS);
        return true;
    }
    if (c == '-' && s->own_line && s->has_break) {
        begin_run(s, DASHES);
        return true;
    }
    if (c != '{') {
        retreat(pass);
        return false;
    }
    if (!s->own_line) {
        open_brace(pass);
        return true;
    }
    begin_object(pass);
    begin_metadata(pass);
    return false;
}

static bool step_dashes(struct pass *pass, char c)
{
    struct reply_splitter *s = pass->s;
    if (c == '-' && s->run < 3) {
        s->run++;
        return true;
    }
    if (s->run < 3 || c == '-') {
        release_all(pass);
        s->state = c == '-' ? RULE : TEXT;
        return false;
    }
    s->has_delimiter = true;
    begin_blanks(pass, AFTER_DASHES);
    return false;
}

static bool step_rule(struct pass *pass, char c)
{
    pass->s->state = c == '-' ? RULE : TEXT;
    return c == '-';
}

static bool step_after_dashes(struct pass *pass, char c)
{
    note_break(pass, c);
    return is_blank(c) || step_behind_delimiter(pass, c);
}

static bool step_ticks(struct pass *pass, char c)
{
    struct reply_splitter *s = pass->s;
    if (c != '`') {
        release_all(pass);
        return false;
    }
    if (++s->run < 3)
        return true;
    s->fenced = true;
    s->state = FENCE_INFO;
    if (!s->own_line)
        return true;
    begin_metadata(pass);
    return false;
}

/* A backtick behind an opening fence makes it code within a line. */
static bool step_fence_info(struct pass *pass, char c)
{
    if (c == '`') {
        release_all(pass);
        return false;
    }
    if (c == '{')
        open_brace(pass);
    if (!is_break(c))
        return true;
    begin_blanks(pass, FENCE_BODY);
    return false;
}

static bool step_fence_body(struct pass *pass, char c)
{
    note_break(pass, c);
    if (is_blank(c))
        return true;
    if (c == '{') {
        open_brace(pass);
        return true;
    }
    retreat(pass);
    return false;
}

/* Quotation marks, also typographic ones (which begin with E2), or the end of an empty object; and
 * names without quotation marks, which are less certain. */
static bool step_open(struct pass *pass, char c)
{
    struct reply_splitter *s = pass->s;
    note_break(pass, c);
    if (is_blank(c))
        return true;
    s->quoted = c == '"' || c == '\'' || c == '\xe2' || (c == '}' && !s->within_line);
    bool is_name =
        !s->within_line && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_');
    if (s->quoted || is_name)
        s->state = OBJECT;
    else
        retreat(pass);
    return false;
}

static bool step_object(struct pass *pass, char c)
{
    struct reply_splitter *s = pass->s;
    if (s->within_line && is_break(c)) {
        release_all(pass);
        return false;
    }
    if (s->in_string) {
        s->in_string = s->escaped || c != '"';
        s->escaped = !s->escaped && c == '\\';
    } else if (c == '"') {
        s->in_string = true;
    } else if (c == '{' || c == '[') {
        s->depth++;
    } else if ((c == '}' || c == ']') && --s->depth == 0) {
        begin_blanks(pass, AFTER_OBJECT);
    }
    return true;
}

static bool step_after_object(struct pass *pass, char c)
{
    struct reply_splitter *s = pass->s;
    note_break(pass, c);
    if (is_blank(c))
        return true;
    if (c == '`' && s->fenced) {
        s->fenced = false;
        begin_run(s, CLOSE_TICKS);
        return true;
    }
    retreat(pass);
    return false;
}

static bool step_close_ticks(struct pass *pass, char c)
{
    struct reply_splitter *s = pass->s;
    if (c != '`') {
        release_all(pass);
        return false;
    }
    if (++s->run == 3)
        begin_blanks(pass, AFTER_OBJECT);
    return true;
}

typedef bool step_fn(struct pass *pass, char c);
static step_fn *const steps[] = {
    [LINE_START] = step_line_start,
    [TEXT] = step_text,
    [DASHES] = step_dashes,
    [RULE] = step_rule,
    [AFTER_DASHES] = step_after_dashes,
    [TICKS] = step_ticks,
    [FENCE_INFO] = step_fence_info,
    [FENCE_BODY] = step_fence_body,
    [OPEN] = step_open,
    [OBJECT] = step_object,
    [AFTER_OBJECT] = step_after_object,
    [CLOSE_TICKS] = step_close_ticks,
};

static bool holds(const struct reply_splitter *s)
{
    return s->state != TEXT && s->state != RULE;
}

/* Whether the byte behind a dash, a brace or a line break already says that no candidate begins
 * there. */
static bool is_harmless(const char *at, const char *end)
{
    if (at + 1 == end)
        return false;
    char next = at[1];
    if (*at == '{')
        return !is_blank(next) && next != '"' && next != '\'' && next != '\xe2';
    return *at == '-' ? next != '-' : !is_blank(next) && next != '-' && next != '`' && next != '{';
}

/* Most bytes of a text mean nothing to the splitter; this is what makes it fast. */
static const char *skip_plain(const char *at, const char *end)
{
    while (at < end && ((*at != '-' && *at != '{' && !is_break(*at)) || is_harmless(at, end)))
        at++;
    return at;
}

static void step(struct pass *pass)
{
    struct reply_splitter *s = pass->s;
    if (s->state == TEXT)
        pass->at = skip_plain(pass->at, pass->end);
    if (pass->at == pass->end)
        return;
    if (holds(s) && candidate_length(pass) == REPLY_SPLITTER_MAX_HELD_BYTES)
        release_all(pass);
    else if (steps[s->state](pass, *pass->at))
        pass->at++;
}

bool reply_splitter_feed(struct reply_splitter *s, const char *bytes, size_t length)
{
    struct pass pass = { s, bytes, bytes, bytes, bytes + length };
    while (pass.at < pass.end && s->state != METADATA)
        step(&pass);
    if (s->state == METADATA)
        return keep_metadata(s, pass.at, (size_t)(pass.end - pass.at));
    const char *decided = holds(s) ? pass.candidate : pass.end;
    if (decided > pass.text)
        show(s, pass.text, (size_t)(decided - pass.text));
    return buf_append(&s->held, decided, (size_t)(pass.end - decided));
}

enum reply_form reply_splitter_end(struct reply_splitter *s)
{
    if (s->state == METADATA)
        return REPLY_DELIMITED;
    bool delimiter = s->has_delimiter || (s->state == DASHES && s->run == 3);
    /* The object closed, or it was cut off. */
    bool is_object = s->state == OPEN || s->state == AFTER_OBJECT || s->state == CLOSE_TICKS ||
                     (s->state == OBJECT && s->quoted);
    bool is_text = !is_object && !(holds(s) && delimiter && s->own_line);
    /* One or two dashes that began a line are a delimiter that was cut off. */
    bool is_cut_delimiter = s->state == DASHES && s->own_line && s->run < 3;
    if (is_text && holds(s) && !is_cut_delimiter)
        show(s, buf_string(&s->held), s->held.length);
    end_text(s);
    if (is_text) {
        buf_clear(&s->held);
        return REPLY_TEXT_ONLY;
    }
    if (s->has_object)
        (void)keep_metadata(s, s->held.bytes + s->object_at, s->held.length - s->object_at);
    buf_clear(&s->held);
    s->state = METADATA;
    return delimiter ? REPLY_DELIMITED : REPLY_BARE_OBJECT;
}

const char *reply_splitter_metadata(const struct reply_splitter *s)
{
    return buf_string(&s->metadata);
}
