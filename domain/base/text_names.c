/* The parts of text.h that deal with mistyped names and with showing foreign text.
 *
 * Which invisible characters are shown as escapes is decided by the character before alone. Looking
 * ahead would decide a few cases better (a joiner at the end of a word), but text streams, and what
 * follows is not there yet. */
#include "domain/base/text.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DISTANCE_MAX_LENGTH = 128 };

static int lower(char c)
{
    return tolower((unsigned char)c);
}

unsigned text_distance(const char *a, const char *b, unsigned max)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > DISTANCE_MAX_LENGTH || m > DISTANCE_MAX_LENGTH)
        return max + 1;
    unsigned rows[3][DISTANCE_MAX_LENGTH + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            unsigned best = above[j - 1] + !same;
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped && two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            row[j] = best;
        }
    }
    unsigned distance = rows[n % 3][m];
    return distance > max ? max + 1 : distance;
}

/* What is behind the server or the folder: "files__read", "files/read". */
static const char *tail_of(const char *name)
{
    const char *slash = strrchr(name, '/'), *bars = strstr(name, "__");
    const char *tail = slash ? slash + 1 : bars ? bars + 2 : name;
    return *tail ? tail : name;
}

/* The next word of a name, which ends at anything but a letter or a digit and before a capital
 * behind a small letter; its length, 0 at the end. */
static size_t next_word(const char **at)
{
    size_t length = 0;
    while (**at && !isalnum((unsigned char)**at))
        ++*at;
    while (isalnum((unsigned char)(*at)[length]) &&
           !(length && isupper((unsigned char)(*at)[length]) &&
             islower((unsigned char)(*at)[length - 1])))
        length++;
    return length;
}

/* One word is the other, or its beginning: "file" and "files", "info" and "information". */
static bool is_same_word(const char *a, size_t n, const char *b, size_t m)
{
    size_t shorter = n < m ? n : m, longer = n < m ? m : n;
    return (shorter > 3 || (shorter == 3 && longer - shorter <= 2)) &&
           strncasecmp(a, b, shorter) == 0;
}

/* How much two names have of each other's words, from 0 to 100. */
static unsigned shared_words(const char *a, const char *b)
{
    size_t shared = 0, words = 0, n, m;
    for (const char *at = b; (m = next_word(&at)); at += m)
        words++;
    for (; (n = next_word(&a)); a += n, words++)
        for (const char *at = b; (m = next_word(&at)); at += m)
            if (is_same_word(a, n, at, m)) {
                shared++;
                break;
            }
    return words ? (unsigned)(200 * shared / words) : 0;
}

/* Smaller is nearer; UINT_MAX when the names have nothing in common. A slip or two is nearest, then
 * what shares more than half of the words, then what has most letters in common. Of one server, how
 * long its name is does not matter. */
static unsigned name_distance(const char *name, const char *candidate)
{
    enum { BY_WORDS = 4, BY_LETTERS = 1000, BY_PART = 2000 };
    const char *tail = tail_of(candidate);
    size_t place = (size_t)(tail_of(name) - name);
    unsigned shared = shared_words(name + place, tail);
    if (strncmp(name, candidate, place) == 0)
        name += place;
    else
        tail = candidate;
    unsigned limit = (unsigned)(strlen(tail) / 3 > 1 ? strlen(tail) / 3 : 1);
    unsigned distance = text_distance(name, tail, limit);
    if (distance < BY_WORDS && distance <= limit && distance * 4 <= strlen(name))
        return distance;
    if (shared > 50)
        return BY_WORDS + 200 - shared;
    if (distance <= limit)
        return BY_LETTERS + distance;
    if (*name && (strcasestr(tail, name) || strcasestr(name, tail_of(tail))))
        return BY_PART;
    return ~0u;
}

size_t text_nearest(const char *name, const char *const *candidates, size_t n, size_t *out_indices,
                    size_t room)
{
    size_t found = 0;
    unsigned distances[16];
    if (room > ARRAY_LENGTH(distances))
        room = ARRAY_LENGTH(distances);
    for (size_t i = 0; i < n && room; i++) {
        unsigned distance = name_distance(name, candidates[i]);
        if (distance == ~0u || (found == room && distance >= distances[room - 1]))
            continue;
        size_t at = found < room ? found++ : room - 1;
        for (; at && distances[at - 1] > distance; at--) {
            distances[at] = distances[at - 1];
            out_indices[at] = out_indices[at - 1];
        }
        distances[at] = distance;
        out_indices[at] = i;
    }
    return found;
}

/* Characters that take no place on a screen, by which a text can hide what it says. */
static bool is_invisible(uint32_t code)
{
    return code == 0x00AD || code == 0x034F || code == 0x061C || code == 0x115F || code == 0x1160 ||
           code == 0x17B4 || code == 0x17B5 || (code >= 0x180B && code <= 0x180F) ||
           (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0x3164 ||
           (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF || code == 0xFFA0 ||
           (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0x1D173 && code <= 0x1D17A) ||
           (code >= 0xE0000 && code <= 0xE0FFF);
}

static bool is_within(uint32_t code, const uint32_t (*ranges)[2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

/* Scripts in which a joiner or a non-joiner changes how a word is written: from Arabic to Sinhala,
 * Myanmar, Khmer, Mongolian and the presentation forms of Arabic. */
static bool is_joining_letter(uint32_t code)
{
    static const uint32_t scripts[][2] = { { 0x0620, 0x0DFF }, { 0x1000, 0x109F },
                                           { 0x1780, 0x17B3 }, { 0x17B6, 0x17FF },
                                           { 0x1820, 0x18AA }, { 0xFB50, 0xFDFF },
                                           { 0xFE70, 0xFEFC } };
    return is_within(code, scripts, ARRAY_LENGTH(scripts));
}

static bool is_han(uint32_t code)
{
    static const uint32_t blocks[][2] = {
        { 0x3400, 0x4DBF }, { 0x4E00, 0x9FFF }, { 0xF900, 0xFAFF }, { 0x20000, 0x3FFFD }
    };
    return is_within(code, blocks, ARRAY_LENGTH(blocks));
}

/* Symbols that exist as text and as emoji, and all that are emoji. */
static bool is_symbol(uint32_t code)
{
    static const uint32_t blocks[][2] = { { 0xA9, 0xA9 },      { 0xAE, 0xAE },
                                          { 0x203C, 0x203C },  { 0x2049, 0x2049 },
                                          { 0x20E3, 0x20E3 },  { 0x2122, 0x2BFF },
                                          { 0x3030, 0x303D },  { 0x3297, 0x3299 },
                                          { 0x1F000, 0x1FAFF } };
    return is_within(code, blocks, ARRAY_LENGTH(blocks));
}

/* Removes the last character of a text and returns it; 0: there is none, or it is not UTF-8. */
static uint32_t take_last(const char *bytes, size_t *length)
{
    uint32_t code = 0;
    if (!*length)
        return 0;
    size_t at = *length - 1;
    while (at && *length - at < 4 && ((unsigned char)bytes[at] & 0xC0) == 0x80)
        at--;
    (void)text_utf8_next(bytes + at, *length - at, &code);
    *length = at;
    return code;
}

/* Whether an invisible character shapes the one directly before it. Nothing but a joiner behind a
 * selector may follow another invisible one, so that they cannot be heaped up. */
static bool shapes(uint32_t code, const char *shown, size_t length)
{
    uint32_t before = take_last(shown, &length);
    if (code == 0x200C)
        return is_joining_letter(before);
    if (code == 0x200D)
        return is_joining_letter(before) || is_symbol(before) ||
               (before == 0xFE0F && is_symbol(take_last(shown, &length)));
    if (code == 0xFE0E || code == 0xFE0F)
        return is_symbol(before) ||
               (before && before < 0x80 && strchr("#*0123456789", (int)before));
    if (code >= 0x180B && code <= 0x180D)
        return before >= 0x1820 && before <= 0x18AA;
    bool is_selector = (code >= 0xFE00 && code <= 0xFE02) || (code >= 0xE0100 && code <= 0xE01EF);
    return is_selector && is_han(before);
}

enum text_sight text_sight(uint32_t code, const char *shown, size_t length)
{
    if (code < 0x20 || (code >= 0x7F && code <= 0x9F))
        return code == '\n' || code == '\t' ? TEXT_SEEN : TEXT_CONTROL;
    if (code < 0xA0 || !is_invisible(code) || shapes(code, shown, length))
        return TEXT_SEEN;
    return TEXT_HIDDEN;
}

enum showing {
    SHOW_TEXT, /* lines stay lines, and what shapes a character stays with it */
    SHOW_LINE, /* line ends and tabs are escaped */
    SHOW_ALL,  /* what shapes a character is escaped */
};

static bool append_character(struct buf *buf, const char *bytes, size_t size, uint32_t code,
                             enum showing showing)
{
    if (showing == SHOW_LINE && (code == '\n' || code == '\t'))
        return buf_puts(buf, code == '\n' ? "\\n" : "\\t");
    bool is_alone = showing == SHOW_ALL; /* then nothing is before it that it could shape */
    switch (text_sight(code, buf->bytes, is_alone ? 0 : buf->length)) {
    case TEXT_SEEN:
        return buf_append(buf, bytes, size);
    case TEXT_CONTROL:
        return buf_printf(buf, "\\x%02x", code);
    case TEXT_HIDDEN:
        break;
    }
    return buf_printf(buf, "\\u{%x}", code);
}

static bool append_shown(struct buf *buf, const char *bytes, size_t length, enum showing showing)
{
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = text_utf8_next(bytes + at, length - at, &code);
        bool fits = size ? append_character(buf, bytes + at, size, code, showing)
                         : buf_printf(buf, "\\x%02x", (unsigned char)bytes[at]);
        if (!fits)
            return false;
        at += size ? size : 1;
    }
    return true;
}

bool text_append_escaped(struct buf *buf, const char *bytes, size_t length)
{
    return append_shown(buf, bytes, length, SHOW_TEXT);
}

bool text_append_visible(struct buf *buf, const char *bytes, size_t length)
{
    return append_shown(buf, bytes, length, SHOW_ALL);
}

/* Shown as it is, a column for every byte. */
static bool is_plain(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] < ' ' || bytes[i] > '~')
            return false;
    return true;
}

char *text_one_line(struct arena *arena, const char *bytes, size_t length, size_t max_columns)
{
    if (length <= max_columns && is_plain(bytes, length))
        return arena_strndup(arena, bytes, length);
    AUTO(buf) shown;
    buf_init(&shown, max_columns * 16 + 64);
    size_t cut = text_cut(bytes, length, max_columns * 4 + 4);
    if (!append_shown(&shown, bytes, cut, SHOW_LINE))
        return arena_strdup(arena, "…");
    char *line = arena_strdup(arena, buf_string(&shown));
    if (cut == length && text_columns(line) <= max_columns)
        return line;
    line[max_columns ? text_cut_columns(line, max_columns - 1) : 0] = '\0';
    return arena_printf(arena, "%s…", line);
}

/* Bytes of UTF-8 above ASCII mean nothing to a shell. */
static bool means_itself(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || (c && strchr("_.-/:=,@%+", c));
}

const char *text_shell_word(struct arena *arena, const char *text)
{
    const char *word = "", *at = text;
    while (means_itself(*at))
        at++;
    if (*text && !*at)
        return text;
    for (const char *quote; (quote = strchr(text, '\'')); text = quote + 1)
        word = arena_printf(arena, "%s%.*s'\\''", word, (int)(quote - text), text);
    return arena_printf(arena, "'%s%s'", word, text);
}
