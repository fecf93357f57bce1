#include "domain/base/text.h"
#include "infrastructure/config/yaml_internal.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

static size_t count_digits(const char *text, const char *digits)
{
    return strspn(text, digits);
}

/* 0x1f and 0o17; signs are not allowed there. */
static json_t *prefixed_number(const char *text)
{
    bool hex = text[0] == '0' && text[1] == 'x';
    bool octal = text[0] == '0' && text[1] == 'o';
    const char *digits = hex ? "0123456789abcdefABCDEF" : "01234567";
    if ((!hex && !octal) || !text[2] || text[2 + count_digits(text + 2, digits)])
        return NULL;
    errno = 0;
    long long value = strtoll(text + 2, NULL, hex ? 16 : 8);
    return errno ? NULL : json_integer(value);
}

static json_t *decimal_number(const char *text)
{
    static const char ten[] = "0123456789";
    const char *at = text + (*text == '-' || *text == '+');
    size_t whole = count_digits(at, ten);
    at += whole;
    if (!*at && whole) {
        int64_t value;
        if (text_to_int64(text + (*text == '+'), &value))
            return json_integer(value);
    }
    size_t fraction = 0;
    if (*at == '.') {
        fraction = count_digits(at + 1, ten);
        at += 1 + fraction;
    }
    if (!whole && !fraction)
        return NULL;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        size_t exponent = count_digits(at, ten);
        at += exponent;
        if (!exponent)
            return NULL;
    }
    return *at ? NULL : json_real(strtod(text, NULL));
}

json_t *yaml_scalar_value(const char *text, size_t length)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
    static const char *const trues[] = { "true", "True", "TRUE" };
    static const char *const falses[] = { "false", "False", "FALSE" };
    static const char *const unknown[] = { ".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
                                           "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN" };
    if (is_one_of(text, nulls, ARRAY_LENGTH(nulls)))
        return json_null();
    if (is_one_of(text, trues, ARRAY_LENGTH(trues)))
        return json_true();
    if (is_one_of(text, falses, ARRAY_LENGTH(falses)))
        return json_false();
    if (is_one_of(text, unknown, ARRAY_LENGTH(unknown)))
        return NULL;
    if (isdigit((unsigned char)*text) || strchr("+-.", *text)) {
        json_t *number = prefixed_number(text);
        if (!number)
            number = decimal_number(text);
        if (number)
            return number;
    }
    return json_stringn(text, length);
}
