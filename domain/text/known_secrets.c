#include "domain/text/known_secrets.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>

#define MASK "[redacted]" /* as redact.h has it */
#define CUT "…"
#define MOST_QUOTED 2 /* JSON within a text of JSON */

struct known_secret {
    const char *text;
    size_t length;
    bool is_number; /* digits only */
};

static struct {
    struct arena arena;
    struct known_secret *list; /* each with its quoted forms, where they differ */
    size_t n, capacity;
    size_t n_secrets;
} known;

void known_secrets_forget(void)
{
    arena_finish(&known.arena);
    memset(&known, 0, sizeof known);
}

static bool is_known(const char *text)
{
    for (size_t i = 0; i < known.n; i++)
        if (strcmp(known.list[i].text, text) == 0)
            return true;
    return false;
}

static const char *quoted(const char *text)
{
    json_auto_t *string = json_string(text);
    auto_str printed = json_print(string);
    return arena_strndup(&known.arena, printed + 1, strlen(printed) - 2);
}

bool known_secrets_add(const char *secret)
{
    if (is_known(secret))
        return true;
    if (strlen(secret) < KNOWN_SECRET_MIN_BYTES || known.n_secrets == KNOWN_SECRETS_MAX)
        return false;
    const char *form = arena_strdup(&known.arena, secret);
    known.n_secrets++;
    for (int i = 0; i <= MOST_QUOTED && !is_known(form); i++, form = quoted(form))
        *arena_push(&known.arena, known.list, known.n, known.capacity) =
            (struct known_secret){ form, strlen(form), !form[strspn(form, "0123456789")] };
    return true;
}

static bool is_digit_at(const char *text, size_t length, size_t at)
{
    return at < length && text[at] >= '0' && text[at] <= '9';
}

/* How much of the secret stands there, 0 for none: all of it, or what is left of it where the text
 * was cut. Digits within longer numbers are not meant. */
static size_t length_at(const struct known_secret *secret, const char *text, size_t length,
                        size_t at)
{
    size_t n = 0, left = length - at;
    while (n < secret->length && n < left && text[at + n] == secret->text[n])
        n++;
    if (n == secret->length)
        return secret->is_number && ((at && is_digit_at(text, length, at - 1)) ||
                                     is_digit_at(text, length, at + n))
                   ? 0
                   : n;
    bool is_cut =
        n == left || (left - n >= strlen(CUT) && !memcmp(text + at + n, CUT, strlen(CUT)));
    return is_cut && n >= KNOWN_SECRET_MIN_BYTES ? n : 0;
}

/* The first one at or behind `from`, the longest of those that begin there. */
static bool find(const char *text, size_t length, size_t from, size_t *out_at, size_t *out_length)
{
    *out_at = length;
    *out_length = 0;
    for (size_t i = 0; i < known.n; i++) {
        const char *at = text + from;
        size_t n = 0;
        while ((at = memmem(at, length - (size_t)(at - text), known.list[i].text,
                            KNOWN_SECRET_MIN_BYTES)) &&
               !(n = length_at(&known.list[i], text, length, (size_t)(at - text))))
            at++;
        size_t start = at ? (size_t)(at - text) : length;
        if (!n || start > *out_at || (start == *out_at && n <= *out_length))
            continue;
        *out_at = start;
        *out_length = n;
    }
    return *out_length;
}

bool known_secrets_mask_bytes(const char *text, size_t length, struct buf *out)
{
    size_t from = 0, at, n;
    while (known.n && find(text, length, from, &at, &n)) {
        if (!buf_append(out, text + from, at - from) || !buf_puts(out, MASK))
            abort();
        from = at + n;
    }
    if (from && !buf_append(out, text + from, length - from))
        abort();
    return from;
}

const char *known_secrets_mask(struct arena *arena, const char *text)
{
    AUTO(buf) out;
    buf_init(&out, SIZE_MAX);
    return known_secrets_mask_bytes(text, strlen(text), &out)
               ? arena_strndup(arena, buf_string(&out), out.length)
               : text;
}

static json_t *masked_scalar(const json_t *value)
{
    AUTO(arena) scratch = { 0 };
    if (json_is_string(value)) {
        const char *text = json_string_value(value), *clean = known_secrets_mask(&scratch, text);
        return clean == text ? json_share(value) : json_string(clean);
    }
    auto_str number = json_is_number(value) ? json_print(value) : NULL;
    return number && is_known(number) ? json_string(MASK) : json_share(value);
}

json_t *known_secrets_mask_json(const json_t *value)
{
    AUTO(arena) scratch = { 0 };
    const char *key;
    const json_t *member;
    size_t i;
    if (!known.n)
        return json_share(value);
    if (!json_is_array(value) && !json_is_object(value))
        return masked_scalar(value);
    json_t *copy = json_is_array(value) ? json_array() : json_object();
    json_array_foreach (value, i, member)
        json_array_append_new(copy, known_secrets_mask_json(member));
    json_each_member (value, key, member)
        json_object_set_new(copy, known_secrets_mask(&scratch, key),
                            known_secrets_mask_json(member));
    return copy;
}
