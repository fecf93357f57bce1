/* One number, exactly: its sign, its digits without the zeros at their ends, and the power of ten
 * of the first of them. No double is involved: 0.1 and 0.1000000000000000055 stay two numbers. */
#include "domain/base/text.h"
#include "domain/consensus/canonical_text.h"
#include "domain/consensus/consensus_internal.h"
#include <ctype.h>
#include <string.h>

#define MAX_PLAIN_POWER 20 /* 10^20 is written out, 10^21 is 1e21 */
#define MIN_PLAIN_POWER (-7)
#define EXPONENT_MAX_DIGITS 9  /* so that no sum of powers overflows; the bound is less */
#define FRACTION_MAX_DIGITS 18 /* above and below: ten times as much has room in 64 bits */

struct number {
    struct span digits; /* within the buffer they were collected in */
    int64_t power;
    bool is_negative;
};

/* Reads on from `at`. */
struct reader {
    const char *at, *end;
};

static enum err_code refuse(struct err *err, const char *message)
{
    err_set(err, ERR_INVALID, 0, "%s", message);
    return err_hint(err, ERR_INVALID,
                    "give one number and nothing else, with a point before decimals");
}

static bool take_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool take_sign(struct reader *r)
{
    if (take_word(r, "-") || take_word(r, "\xE2\x88\x92")) /* U+2212, the minus of typesetting */
        return true;
    (void)take_word(r, "+");
    return false;
}

static size_t count_digits(const struct reader *r)
{
    size_t n = 0;
    while (r->at + n < r->end && isdigit((unsigned char)r->at[n]))
        n++;
    return n;
}

/* The size of the character at hand if it may stand between groups of three digits, else 0. */
static size_t separator_at(const struct reader *r)
{
    uint32_t code = 0;
    size_t size = text_utf8_next(r->at, (size_t)(r->end - r->at), &code);
    bool separates = code == ',' || code == '_' || code == '\'' || code == 0x2019 ||
                     (code != '\n' && canonical_character(code) == CHARACTER_BLANK);
    return size && separates ? size : 0;
}

static bool groups_follow(const struct reader *r, struct span separator)
{
    struct reader behind = { r->at + separator.length, r->end };
    return r->at + separator.length <= r->end &&
           memcmp(r->at, separator.text, separator.length) == 0 && count_digits(&behind) == 3;
}

/* The whole part, with or without groups of three that are separated all in the same way. "0,125"
 * is not 125: digits are not grouped behind a zero, and some people write decimals that way. */
static bool take_whole(struct reader *r, struct buf *digits)
{
    size_t n = count_digits(r);
    bool may_group = n && n <= 3 && *r->at != '0', fits = buf_append(digits, r->at, n);
    r->at += n;
    struct span separator = { r->at, separator_at(r) };
    if (!may_group || !separator.length)
        return fits;
    while (fits && groups_follow(r, separator)) {
        fits = buf_append(digits, r->at + separator.length, 3);
        r->at += separator.length + 3;
    }
    return fits;
}

/* False when there are too many digits. */
static bool take_exponent(struct reader *r, int64_t *power)
{
    if (r->end - r->at < 2 || (*r->at != 'e' && *r->at != 'E'))
        return true;
    struct reader exponent = { r->at + 1, r->end };
    bool is_negative = take_sign(&exponent);
    size_t n = count_digits(&exponent), n_zeros = 0;
    if (!n)
        return true; /* not an exponent: it stays behind the number and is refused there */
    while (n_zeros < n && exponent.at[n_zeros] == '0')
        n_zeros++;
    r->at = exponent.at + n;
    if (n - n_zeros > EXPONENT_MAX_DIGITS)
        return false;
    int64_t value = 0;
    for (size_t i = n_zeros; i < n; i++)
        value = value * 10 + (exponent.at[i] - '0');
    *power += is_negative ? -value : value;
    return true;
}

static enum err_code read_number(struct reader *r, struct buf *digits, struct number *number,
                                 struct err *err)
{
    number->is_negative = take_sign(r);
    bool fits = take_whole(r, digits);
    number->power = (int64_t)digits->length - 1;
    if (take_word(r, ".")) {
        size_t n = count_digits(r);
        fits = fits && buf_append(digits, r->at, n);
        r->at += n;
    }
    if (!fits)
        return canonical_full(err);
    if (!digits->length)
        return refuse(err, "it is not a number");
    fits = take_exponent(r, &number->power);
    if (r->at < r->end)
        return refuse(err, "there is something beside the number");
    const char *first = digits->bytes, *last = digits->bytes + digits->length;
    while (first < last && *first == '0')
        first++;
    while (last > first && last[-1] == '0')
        last--;
    number->digits = (struct span){ first, (size_t)(last - first) };
    number->power -= first - digits->bytes;
    if (first == last)
        return ERR_NONE;
    if (!fits || number->power > CANONICAL_MAX_POWER || number->power < -CANONICAL_MAX_POWER)
        return refuse(err, "the exponent is beyond 999,999");
    return ERR_NONE;
}

static bool append_zeros(struct buf *out, int64_t n)
{
    bool fits = true;
    for (; n > 0 && fits; n--)
        fits = buf_puts(out, "0");
    return fits;
}

static bool append_plain(struct buf *out, const struct number *number)
{
    int64_t n = (int64_t)number->digits.length, n_whole = number->power + 1;
    if (n_whole <= 0)
        return buf_puts(out, "0.") && append_zeros(out, -n_whole) &&
               buf_append(out, number->digits.text, (size_t)n);
    if (n_whole >= n)
        return buf_append(out, number->digits.text, (size_t)n) && append_zeros(out, n_whole - n);
    return buf_append(out, number->digits.text, (size_t)n_whole) && buf_puts(out, ".") &&
           buf_append(out, number->digits.text + n_whole, (size_t)(n - n_whole));
}

static bool append_number(struct buf *out, const struct number *number)
{
    if (!number->digits.length)
        return buf_puts(out, "0");
    if (number->is_negative && !buf_puts(out, "-"))
        return false;
    if (number->power >= MIN_PLAIN_POWER && number->power <= MAX_PLAIN_POWER)
        return append_plain(out, number);
    return buf_append(out, number->digits.text, 1) &&
           (number->digits.length == 1 ||
            (buf_puts(out, ".") &&
             buf_append(out, number->digits.text + 1, number->digits.length - 1))) &&
           buf_puts(out, "e") && buf_append_integer(out, number->power);
}

/* "**4**" and "`4`": emphasis is no part of a number. */
static struct span without_emphasis(struct span text)
{
    text = canonical_trim(text);
    while (text.length > 2 && strchr("*_`", *text.text) && *text.text == text.text[text.length - 1])
        text = canonical_trim((struct span){ text.text + 1, text.length - 2 });
    return text;
}

/* Whole, and small enough to be divided: at most FRACTION_MAX_DIGITS digits. */
static bool take_small(struct reader *r, uint64_t *out)
{
    size_t n = count_digits(r);
    *out = 0;
    if (!n || n > FRACTION_MAX_DIGITS)
        return false;
    for (size_t i = 0; i < n; i++)
        *out = *out * 10 + (uint64_t)(r->at[i] - '0');
    r->at += n;
    return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct fraction {
    uint64_t above, below; /* without a common divisor */
    bool is_negative;
};

/* "-1/2", and nothing beside it. */
static bool read_fraction(struct span text, struct fraction *out)
{
    struct reader r = { text.text, text.text + text.length };
    out->is_negative = take_sign(&r);
    if (!take_small(&r, &out->above))
        return false;
    (void)take_word(&r, " ");
    if (!take_word(&r, "/") && !take_word(&r, "\xE2\x81\x84")) /* U+2044, the fraction slash */
        return false;
    (void)take_word(&r, " ");
    if (!take_small(&r, &out->below) || !out->below || r.at != r.end)
        return false;
    uint64_t divisor = common_divisor(out->above, out->below);
    out->above /= divisor;
    out->below /= divisor;
    return true;
}

/* As a decimal number where it has an end, else as it is: no number of digits is a third. */
static bool print_fraction(const struct fraction *fraction, struct buf *out)
{
    uint64_t rest = fraction->above % fraction->below, factors = fraction->below;
    const char *sign = fraction->is_negative && fraction->above ? "-" : "";
    while (factors % 2 == 0)
        factors /= 2;
    while (factors % 5 == 0)
        factors /= 5;
    if (factors != 1)
        return buf_printf(out, "%s%llu/%llu", sign, (unsigned long long)fraction->above,
                          (unsigned long long)fraction->below);
    bool fits =
        buf_printf(out, "%s%llu%s", sign, (unsigned long long)(fraction->above / fraction->below),
                   rest ? "." : "");
    for (; rest && fits; rest = rest * 10 % fraction->below)
        fits = buf_append_integer(out, (int64_t)(rest * 10 / fraction->below));
    return fits;
}

enum err_code canonical_number(struct buf *out, struct span text, struct err *err)
{
    AUTO(buf) digits = { 0 };
    AUTO(buf) decimal = { 0 };
    struct number number = { 0 };
    struct fraction fraction;
    text = without_emphasis(text);
    buf_init(&digits, ENVELOPE_MAX_CANONICAL_BYTES);
    buf_init(&decimal, ENVELOPE_MAX_CANONICAL_BYTES);
    if (read_fraction(text, &fraction)) {
        if (!print_fraction(&fraction, &decimal))
            return canonical_full(err);
        if (memchr(decimal.bytes, '/', decimal.length))
            return buf_append(out, decimal.bytes, decimal.length) ? ERR_NONE : canonical_full(err);
        text = (struct span){ decimal.bytes, decimal.length };
    }
    struct reader r = { text.text, text.text + text.length };
    enum err_code e = read_number(&r, &digits, &number, err);
    if (e)
        return e;
    return append_number(out, &number) ? ERR_NONE : canonical_full(err);
}
