#include "domain/base/json_string.h"
#include "domain/base/text.h"
#include <stdint.h>
#include <string.h>

enum {
    SHORT_ESCAPE = 2,   /* \n */
    UNICODE_ESCAPE = 6, /* \u000a */
};

/* Sixteen bytes at once, as vectors of the compiler: it has instructions for them on every machine
 * that matters, and makes loops of them elsewhere. */
typedef signed char block __attribute__((vector_size(16)));

/* In the order of memory, whatever the machine. */
static size_t leading_zeros(uint64_t word)
{
    bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return (size_t)(is_little ? __builtin_ctzll(word) : __builtin_clzll(word));
}

/* How many plain bytes come first. The bytes are signed, so what is beyond ASCII is below the blank
 * as control characters are. */
static size_t count_plain(const char *at)
{
    block bytes;
    uint64_t marks[2]; /* 0xFF for each byte that is not plain */
    memcpy(&bytes, at, sizeof bytes);
    bytes = (block)((bytes == '"') | (bytes == '\\') | (bytes < ' '));
    memcpy(marks, &bytes, sizeof marks);
    for (size_t i = 0; i < 2; i++)
        if (marks[i])
            return i * 8 + leading_zeros(marks[i]) / 8;
    return sizeof bytes;
}

static bool is_special(unsigned char c)
{
    return c == '"' || c == '\\' || c < 0x20 || c >= 0x80;
}

const char *json_string_skip_plain(const char *at, const char *end)
{
    while (end - at >= (ptrdiff_t)sizeof(block)) {
        size_t n = count_plain(at);
        at += n;
        if (n < sizeof(block))
            return at;
    }
    while (at < end && !is_special((unsigned char)*at))
        at++;
    return at;
}

/* The code unit of the \u escape at `at`; -1 when there is none. */
static int read_unit(const char *at, const char *end)
{
    int unit = 0;
    if (end - at < UNICODE_ESCAPE || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < UNICODE_ESCAPE; i++) {
        int digit = text_hex_digit(at[i]);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* What a short escape with that letter stands for; 0 when there is no such escape. */
static char meaning_of(char letter)
{
    static const char meanings[256] = { ['n'] = '\n', ['t'] = '\t', ['r'] = '\r',  ['b'] = '\b',
                                        ['f'] = '\f', ['"'] = '"',  ['\\'] = '\\', ['/'] = '/' };
    return meanings[(unsigned char)letter];
}

static bool is_high(int unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low(int unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* Moves *at behind the escape that is there. */
static enum json_verdict skip_escape(const char **at, const char *end, bool is_key)
{
    const char *from = *at;
    if (end - from >= SHORT_ESCAPE && meaning_of(from[1])) {
        *at += SHORT_ESCAPE;
        return JSON_SOUND;
    }
    int unit = read_unit(from, end);
    if (unit < 0)
        return JSON_MALFORMED;
    if (unit == 0 && is_key)
        return JSON_NEEDS_REPAIR;
    *at += UNICODE_ESCAPE;
    if (!is_high(unit))
        return is_low(unit) ? JSON_NEEDS_REPAIR : JSON_SOUND;
    if (!is_low(read_unit(*at, end)))
        return JSON_NEEDS_REPAIR;
    *at += UNICODE_ESCAPE;
    return JSON_SOUND;
}

/* Text that is not English comes in runs. */
static enum json_verdict skip_wide(const char **at, const char *end)
{
    while (*at < end && (unsigned char)**at >= 0x80) {
        size_t size = text_utf8_next(*at, (size_t)(end - *at), NULL);
        if (!size)
            return JSON_NEEDS_REPAIR;
        *at += size;
    }
    return JSON_SOUND;
}

enum json_verdict json_string_find_end(const char *at, const char *end, bool is_key,
                                       const char **out_end)
{
    enum json_verdict verdict = JSON_SOUND;
    for (at++; verdict == JSON_SOUND;) {
        at = json_string_skip_plain(at, end);
        if (at == end)
            return JSON_MALFORMED;
        if (*at == '"') {
            *out_end = at + 1;
            return JSON_SOUND;
        }
        if (*at == '\\')
            verdict = skip_escape(&at, end, is_key);
        else
            verdict = (unsigned char)*at < 0x20 ? JSON_MALFORMED : skip_wide(&at, end);
    }
    return verdict;
}

struct json_string_reader json_string_read(struct json_slice string)
{
    if (!json_slice_is_string(string))
        return (struct json_string_reader){ 0 };
    return (struct json_string_reader){ .at = string.text + 1,
                                        .end = string.text + string.length - 1 };
}

static size_t put_utf8(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)((0xF00 >> size & 0xFF) | code);
    return size;
}

/* Decodes the escape at reader->at, which is a sound one. */
static size_t take_escape(struct json_string_reader *reader, char *out)
{
    char meaning = meaning_of(reader->at[1]);
    if (meaning) {
        *out = meaning;
        reader->at += SHORT_ESCAPE;
        return 1;
    }
    int unit = read_unit(reader->at, reader->end);
    uint32_t code = (uint32_t)unit;
    reader->at += UNICODE_ESCAPE;
    if (is_high(unit)) {
        uint32_t low = (uint32_t)read_unit(reader->at, reader->end);
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        reader->at += UNICODE_ESCAPE;
    }
    return put_utf8(code, out);
}

size_t json_string_next(struct json_string_reader *reader, char *out, size_t room)
{
    enum { LONGEST_CHARACTER = 4 };
    size_t n = 0;
    while (reader->at < reader->end && room - n >= LONGEST_CHARACTER) {
        if (*reader->at == '\\') {
            n += take_escape(reader, out + n);
            continue;
        }
        size_t left = (size_t)(reader->end - reader->at);
        const char *escape = memchr(reader->at, '\\', left);
        size_t run = text_cut(reader->at, escape ? (size_t)(escape - reader->at) : left, room - n);
        memcpy(out + n, reader->at, run);
        reader->at += run;
        n += run;
    }
    return n;
}

bool json_string_append(struct buf *out, struct json_slice string)
{
    /* No text is longer than its escapes, and the quotes leave two bytes over. */
    struct json_string_reader reader = json_string_read(string);
    if (!buf_reserve(out, string.length + 2))
        return false;
    out->length += json_string_next(&reader, out->bytes + out->length, string.length + 2);
    buf_terminate(out);
    return true;
}

bool json_string_is(struct json_slice string, const char *text)
{
    size_t length = strlen(text), at = 0, n;
    if (!json_slice_is_string(string) || string.length < length + 2)
        return false;
    if (!memchr(string.text, '\\', string.length))
        return string.length == length + 2 && memcmp(string.text + 1, text, length) == 0;
    struct json_string_reader reader = json_string_read(string);
    char piece[64];
    while ((n = json_string_next(&reader, piece, sizeof piece))) {
        if (n > length - at || memcmp(piece, text + at, n) != 0)
            return false;
        at += n;
    }
    return at == length;
}
