/* Numbers and equality by value. jansson keeps integers (64 bits) and reals apart; JSON Schema
 * does not, and 2^53+1 must not be lost on the way. */
#include "domain/base/json.h"
#include "domain/schema/json_schema_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO_TO_63 9223372036854775808.0

static int sign_of(bool less, bool greater)
{
    return greater - less;
}

static int compare_int_with_real(int64_t a, double b)
{
    if (b >= TWO_TO_63)
        return -1;
    if (b < -TWO_TO_63)
        return 1;
    int64_t whole = (int64_t)b;
    double fraction = b - (double)whole;
    return a != whole ? sign_of(a<whole, a> whole) : sign_of(0 < fraction, 0 > fraction);
}

int schema_number_compare(const json_t *a, const json_t *b)
{
    if (json_is_integer(a) && json_is_integer(b))
        return sign_of(json_integer_value(a) < json_integer_value(b),
                       json_integer_value(a) > json_integer_value(b));
    if (json_is_integer(a))
        return compare_int_with_real(json_integer_value(a), json_real_value(b));
    if (json_is_integer(b))
        return -compare_int_with_real(json_integer_value(b), json_real_value(a));
    return sign_of(json_real_value(a) < json_real_value(b),
                   json_real_value(a) > json_real_value(b));
}

bool schema_number_is_whole(const json_t *number)
{
    return json_is_integer(number) || floor(json_real_value(number)) == json_real_value(number);
}

/* digits * 10^exponent, exactly what the shortest text of the number says. */
struct decimal {
    uint64_t digits;
    int exponent;
};

static struct decimal decimal_of(const json_t *number)
{
    if (json_is_integer(number)) {
        int64_t value = json_integer_value(number);
        return (struct decimal){ .digits = value < 0 ? -(uint64_t)value : (uint64_t)value };
    }
    char text[40];
    double value = fabs(json_real_value(number));
    for (int precision = 14; precision <= 16; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        if (strtod(text, NULL) == value)
            break;
    }
    struct decimal decimal = { 0 };
    const char *at = text;
    for (bool behind_point = false; *at && *at != 'e'; at++) {
        if (*at == '.')
            behind_point = true;
        else
            decimal.digits = decimal.digits * 10 + (uint64_t)(*at - '0');
        decimal.exponent -= behind_point && *at != '.';
    }
    decimal.exponent += (int)strtol(at + 1, NULL, 10);
    while (decimal.digits && decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.exponent++;
    }
    return decimal;
}

/* (a * 10^n) mod m without ever leaving 128 bits. */
static uint64_t shifted_modulo(uint64_t a, int n, uint64_t m)
{
    unsigned __int128 rest = a % m;
    for (; n > 0 && rest; n--)
        rest = rest * 10 % m;
    return (uint64_t)rest;
}

/* Exact in decimal: 0.0075 is a multiple of 0.0001 although no binary quotient says so. */
bool schema_number_is_multiple(const json_t *value, const json_t *divisor)
{
    struct decimal a = decimal_of(value), b = decimal_of(divisor);
    if (!a.digits)
        return true;
    for (; a.exponent < b.exponent; b.exponent--) {
        if (b.digits > UINT64_MAX / 10)
            return false; /* the divisor is larger than the value */
        b.digits *= 10;
    }
    return shifted_modulo(a.digits, a.exponent - b.exponent, b.digits) == 0;
}

bool json_schema_equal(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return schema_number_compare(a, b) == 0;
    if (json_typeof(a) != json_typeof(b))
        return false;
    if (json_is_array(a)) {
        bool same = json_array_size(a) == json_array_size(b);
        for (size_t i = 0; same && i < json_array_size(a); i++)
            same = json_schema_equal(json_array_get(a, i), json_array_get(b, i));
        return same;
    }
    if (!json_is_object(a))
        return json_equal(a, b);
    const char *key;
    const json_t *member;
    if (json_object_size(a) != json_object_size(b))
        return false;
    json_each_member (a, key, member) {
        const json_t *other = json_object_get(b, key);
        if (!other || !json_schema_equal(member, other))
            return false;
    }
    return true;
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_bytes(const char *bytes, size_t length)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001B3u;
    return hash;
}

static uint64_t hash_number(const json_t *number)
{
    double real = json_number_value(number);
    uint64_t bits;
    if (json_is_integer(number))
        return (uint64_t)json_integer_value(number);
    if (floor(real) == real && real >= -TWO_TO_63 && real < TWO_TO_63)
        return (uint64_t)(int64_t)real;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

uint64_t schema_value_hash(const json_t *value)
{
    const char *key;
    const json_t *part;
    size_t i;
    uint64_t hash = 0;
    if (json_is_number(value))
        return mix(1, hash_number(value));
    if (json_is_string(value))
        return mix(2, hash_bytes(json_string_value(value), json_string_length(value)));
    if (json_is_array(value)) {
        json_array_foreach (value, i, part)
            hash = mix(hash, schema_value_hash(part));
        return mix(3, hash);
    }
    if (json_is_object(value)) { /* a sum: the order of members does not matter */
        json_each_member (value, key, part)
            hash += mix(hash_bytes(key, strlen(key)), schema_value_hash(part));
        return mix(4, hash);
    }
    return mix(5, (uint64_t)json_typeof(value));
}
