/* A recursive descent over the pattern that writes the lowered one as it reads. The weight of what
 * was read bounds what counted repetitions spell out. */
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "infrastructure/models/schema/schema_lowering_internal.h"
#include <stdint.h>
#include <string.h>

/* How far the pattern has been read, and what it becomes. */
struct reading {
    const char *at, *end;
    struct buf out;
    unsigned groups; /* open */
};

/* A class, as far as it was read. */
struct class
{
    struct buf members;
    bool has_minus, has_caret; /* which mean themselves only at the end */
};

static const char special[] = "|.()[]{}*+?^$";

static bool is_unsafe(uint32_t first, uint32_t last)
{
    return first < ' ' || (first <= '"' && last >= '"') || (first <= '\\' && last >= '\\');
}

/* \d \w \s; NULL for any other. A space is the only blank that may stand in JSON as it is. */
static const char *members_of(char letter)
{
    switch (letter) {
    case 'd':
        return "0-9";
    case 'w':
        return "A-Za-z0-9_";
    case 's':
        return " ";
    default:
        return NULL;
    }
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* One character, escaped or not; false when there is none, or one that may not stand in a JSON
 * string. */
static bool read_character(struct reading *reading, uint32_t *out_code, const char **out_bytes,
                           size_t *out_length)
{
    bool escaped = *reading->at == '\\';
    const char *at = reading->at + escaped;
    if (at >= reading->end || (escaped && is_word(*at)))
        return false;
    size_t length = text_utf8_next(at, (size_t)(reading->end - at), out_code);
    if (length == 0 || is_unsafe(*out_code, *out_code))
        return false;
    *out_bytes = at;
    *out_length = length;
    reading->at = at + length;
    return true;
}

static bool is_member_mark(uint32_t code)
{
    return code == '-' || code == '^' || code == '[' || code == ']';
}

static bool add_member(struct class *class, uint32_t code, const char *bytes, size_t length)
{
    class->has_minus = class->has_minus || code == '-';
    class->has_caret = class->has_caret || code == '^';
    if (code == '-' || code == '^')
        return true;
    return (!is_member_mark(code) || buf_puts(&class->members, "\\")) &&
           buf_append(&class->members, bytes, length);
}

static bool read_range(struct reading *reading, struct class *class, uint32_t first,
                       const char *bytes, size_t length)
{
    uint32_t last;
    const char *last_bytes;
    size_t last_length;
    reading->at++; /* the minus */
    if (!read_character(reading, &last, &last_bytes, &last_length) || last < first ||
        is_unsafe(first, last) || is_member_mark(first) || is_member_mark(last))
        return false;
    return buf_append(&class->members, bytes, length) && buf_puts(&class->members, "-") &&
           buf_append(&class->members, last_bytes, last_length);
}

static bool read_member(struct reading *reading, struct class *class)
{
    const char *shorthand = *reading->at == '\\' ? members_of(reading->at[1]) : NULL;
    uint32_t code;
    const char *bytes;
    size_t length;
    if (shorthand) {
        reading->at += 2;
        return buf_puts(&class->members, shorthand);
    }
    if (!read_character(reading, &code, &bytes, &length))
        return false;
    bool is_range =
        reading->end - reading->at >= 2 && reading->at[0] == '-' && reading->at[1] != ']';
    if (is_range && reading->at[1] == '\\' && members_of(reading->at[2]))
        return false;
    return is_range ? read_range(reading, class, code, bytes, length)
                    : add_member(class, code, bytes, length);
}

/* The bracket is read. A negated class would hold what ends a string. */
static bool read_class(struct reading *reading, struct class *class)
{
    if (*reading->at == '^' || *reading->at == ']')
        return false;
    while (reading->at < reading->end && *reading->at != ']')
        if (!read_member(reading, class))
            return false;
    if (reading->at++ >= reading->end || class->members.length == 0)
        return false;
    return buf_puts(&reading->out, "[") && buf_puts(&reading->out, buf_string(&class->members)) &&
           (!class->has_caret || buf_puts(&reading->out, "^")) &&
           (!class->has_minus || buf_puts(&reading->out, "-")) && buf_puts(&reading->out, "]");
}

static bool read_alternatives(struct reading *reading, size_t *out_weight);

/* The parenthesis is read. */
static bool read_group(struct reading *reading, size_t *out_weight)
{
    if (*reading->at == '?' && reading->at[1] != ':')
        return false; /* looks around, or has a name */
    reading->at += *reading->at == '?' ? 2 : 0;
    if (++reading->groups > SCHEMA_PATTERN_MAX_GROUPS || !buf_puts(&reading->out, "(") ||
        !read_alternatives(reading, out_weight))
        return false;
    if (reading->at >= reading->end || *reading->at++ != ')')
        return false;
    reading->groups--;
    return buf_puts(&reading->out, ")");
}

static bool read_literal(struct reading *reading)
{
    uint32_t code;
    const char *bytes;
    size_t length;
    bool escaped = *reading->at == '\\';
    const char *shorthand = escaped ? members_of(reading->at[1]) : NULL;
    if (shorthand) {
        reading->at += 2;
        return buf_printf(&reading->out, "[%s]", shorthand);
    }
    if (!escaped && strchr(special, *reading->at))
        return false;
    if (!read_character(reading, &code, &bytes, &length))
        return false;
    bool keeps_escape = length == 1 && strchr(special, *bytes);
    return (!keeps_escape || buf_puts(&reading->out, "\\")) &&
           buf_append(&reading->out, bytes, length);
}

static bool read_atom(struct reading *reading, size_t *out_weight)
{
    *out_weight = 1;
    if (*reading->at == '(') {
        reading->at++;
        return read_group(reading, out_weight);
    }
    if (*reading->at != '[')
        return read_literal(reading);
    struct class class = { .has_minus = false };
    buf_init(&class.members, SCHEMA_PATTERN_MAX_BYTES);
    reading->at++;
    bool ok = read_class(reading, &class);
    buf_finish(&class.members);
    return ok;
}

static size_t read_number(struct reading *reading, size_t fallback)
{
    size_t number = 0;
    const char *begin = reading->at;
    for (; *reading->at >= '0' && *reading->at <= '9'; reading->at++)
        if (number <= SCHEMA_PATTERN_MAX_LENGTH)
            number = number * 10 + (size_t)(*reading->at - '0');
    return reading->at > begin ? number : fallback;
}

/* "{2}", "{2,}", "{2,5}"; the brace is read. */
static bool read_count(struct reading *reading, size_t *out_times)
{
    const char *begin = reading->at;
    size_t low = read_number(reading, SIZE_MAX), high = low;
    if (low == SIZE_MAX)
        return false;
    if (*reading->at == ',') {
        reading->at++;
        high = read_number(reading, low);
    }
    if (*reading->at++ != '}' || high < low)
        return false;
    *out_times = high ? high : 1;
    return buf_puts(&reading->out, "{") &&
           buf_append(&reading->out, begin, (size_t)(reading->at - begin));
}

/* How often at most, as far as it is counted. A lazy quantifier means the same here. */
static bool read_quantifier(struct reading *reading, size_t *out_times)
{
    char c = reading->at < reading->end ? *reading->at : '\0';
    *out_times = 1;
    if (!c || !strchr("*+?{", c))
        return true;
    reading->at++;
    if (c == '{' ? !read_count(reading, out_times) : !buf_append(&reading->out, &c, 1))
        return false;
    if (*reading->at == '?')
        reading->at++;
    return reading->at >= reading->end || !strchr("*+?{", *reading->at);
}

/* An alternative outside of a group would end the anchoring. */
static bool read_alternatives(struct reading *reading, size_t *out_weight)
{
    *out_weight = 0;
    while (reading->at < reading->end && *reading->at != ')') {
        size_t weight, times;
        if (*reading->at == '|' && reading->groups > 0) {
            reading->at++;
            if (!buf_puts(&reading->out, "|"))
                return false;
            continue;
        }
        if (!read_atom(reading, &weight) || !read_quantifier(reading, &times))
            return false;
        *out_weight += weight * times;
        if (*out_weight > SCHEMA_PATTERN_MAX_LENGTH)
            return false;
    }
    return true;
}

char *schema_pattern_lower(const char *pattern)
{
    size_t length = strlen(pattern), weight;
    if (length < 2 || length > SCHEMA_PATTERN_MAX_BYTES || pattern[0] != '^' ||
        pattern[length - 1] != '$')
        return NULL;
    struct reading reading = { .at = pattern + 1, .end = pattern + length - 1 };
    buf_init(&reading.out, 4 * SCHEMA_PATTERN_MAX_BYTES);
    bool ok = buf_puts(&reading.out, "^") && read_alternatives(&reading, &weight) &&
              reading.at == reading.end && buf_puts(&reading.out, "$");
    char *lowered = ok ? buf_take(&reading.out) : NULL;
    buf_finish(&reading.out);
    return lowered;
}
