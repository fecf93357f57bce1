/* The parts of text.h that deal with mistyped names and with showing foreign text. */
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

/* Smaller is nearer; UINT_MAX when the names have nothing in common. */
static unsigned name_distance(const char *name, const char *candidate)
{
    const char *slash = strrchr(candidate, '/');
    const char *tail = slash && !strchr(name, '/') ? slash + 1 : candidate;
    unsigned limit = (unsigned)(strlen(tail) / 3 > 1 ? strlen(tail) / 3 : 1);
    unsigned distance = text_distance(name, tail, limit);
    if (distance <= limit)
        return distance;
    if (*name && (strcasestr(tail, name) || strcasestr(name, tail)))
        return limit + 1;
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

static bool is_dangerous(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F ||
           code == 0x061C || code == 0x2028 || code == 0x2029;
}

/* Characters that take no place on a screen, by which a text can say what nobody sees. */
static bool is_invisible(uint32_t code)
{
    return code == 0x00AD || code == 0x034F || code == 0x115F || code == 0x1160 || code == 0x17B4 ||
           code == 0x17B5 || (code >= 0x180B && code <= 0x180F) ||
           (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0x3164 ||
           (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF || code == 0xFFA0 ||
           (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0x1D173 && code <= 0x1D17A) ||
           (code >= 0xE0000 && code <= 0xE0FFF);
}

bool text_append_visible(struct buf *buf, const char *bytes, size_t length)
{
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t code = 0;
        size = text_utf8_next(bytes + at, length - at, &code);
        bool is_hidden = size && is_invisible(code);
        size = size ? size : 1;
        if (is_hidden ? !buf_printf(buf, "\\u{%x}", code)
                      : !text_append_escaped(buf, bytes + at, size))
            return false;
    }
    return true;
}

static bool append_shown(struct buf *buf, const char *bytes, size_t length, bool keep_lines)
{
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = text_utf8_next(bytes + at, length - at, &code);
        bool fits;
        if (!size)
            fits = buf_printf(buf, "\\x%02x", (unsigned char)bytes[at]);
        else if (keep_lines && (code == '\n' || code == '\t'))
            fits = buf_append(buf, bytes + at, 1);
        else if (code == '\n' || code == '\t')
            fits = buf_puts(buf, code == '\n' ? "\\n" : "\\t");
        else if (is_dangerous(code))
            fits =
                code < 0x100 ? buf_printf(buf, "\\x%02x", code) : buf_printf(buf, "\\u%04x", code);
        else
            fits = buf_append(buf, bytes + at, size);
        if (!fits)
            return false;
        at += size ? size : 1;
    }
    return true;
}

bool text_append_escaped(struct buf *buf, const char *bytes, size_t length)
{
    return append_shown(buf, bytes, length, true);
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
    if (!append_shown(&shown, bytes, cut, false))
        return arena_strdup(arena, "…");
    char *line = arena_strdup(arena, buf_string(&shown));
    if (cut == length && text_columns(line) <= max_columns)
        return line;
    line[max_columns ? text_cut_columns(line, max_columns - 1) : 0] = '\0';
    return arena_printf(arena, "%s…", line);
}
