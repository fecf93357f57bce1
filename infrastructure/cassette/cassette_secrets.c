#include "infrastructure/cassette/cassette_secrets.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/text/redact.h"
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void cassette_secrets_finish(struct cassette_secrets *secrets)
{
    arena_finish(&secrets->arena);
    *secrets = (struct cassette_secrets){ 0 };
}

/* `data` of an image or of sound, `blob` of a resource: base64 beside its media type. */
static bool is_bytes(const json_t *object, const char *key, const json_t *member)
{
    static const char more[] = "+/=";
    if ((strcmp(key, "data") != 0 && strcmp(key, "blob") != 0) ||
        !json_get_string(object, "mimeType") || !json_is_string(member))
        return false;
    for (const char *at = json_string_value(member); *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(more, *at))
            return false;
    return json_string_length(member) % 4 == 0;
}

static json_t *redact_named(const char *key, const json_t *member)
{
    json_auto_t *pair = json_pack("{s:O}", key, member);
    json_auto_t *clean = redact_json(pair);
    return json_share(json_object_get(clean, key));
}

static json_t *redact_object(const json_t *object, enum cassette_words words)
{
    json_t *copy = json_object();
    const char *key;
    const json_t *member;
    json_each_member (object, key, member) {
        bool is_secret = words == CASSETTE_DATA && redact_is_secret_name(key);
        json_object_set_new(copy, key,
                            is_bytes(object, key, member) ? json_share(member)
                            : is_secret                   ? redact_named(key, member)
                                                          : cassette_redact(member, words));
    }
    return copy;
}

json_t *cassette_redact(const json_t *value, enum cassette_words words)
{
    size_t i;
    const json_t *element;
    if (json_is_object(value))
        return redact_object(value, words);
    if (!json_is_array(value))
        return redact_json(value);
    json_t *copy = json_array();
    json_array_foreach (value, i, element)
        json_array_append_new(copy, cassette_redact(element, words));
    return copy;
}

static bool add(struct cassette_secrets *secrets, const char *text, size_t length, const char *path,
                size_t line)
{
    if (length < CASSETTE_SECRET_MIN_BYTES || memmem(text, length, REDACTED, strlen(REDACTED)))
        return true;
    if (secrets->n == CASSETTE_MAX_SECRETS)
        return false;
    *arena_push(&secrets->arena, secrets->list, secrets->n, secrets->capacity) =
        (struct cassette_secret){ .text = arena_strndup(&secrets->arena, text, length),
                                  .path = arena_strdup(&secrets->arena, path),
                                  .line = line };
    return true;
}

static bool is_mark(const char *at)
{
    return strncmp(at, REDACTED, strlen(REDACTED)) == 0;
}

/* The clean text is the raw one with marks in it: what stood at each mark lies between the words
 * before and behind it. */
static bool learn_text(struct cassette_secrets *secrets, const char *raw, const char *clean,
                       const char *path, size_t line)
{
    while (*raw && *clean) {
        if (!is_mark(clean) || is_mark(raw)) {
            raw++;
            clean++;
            continue;
        }
        clean += strlen(REDACTED);
        const char *next = strstr(clean, REDACTED), *end = raw + strlen(raw);
        size_t n_behind = next ? (size_t)(next - clean) : strlen(clean);
        const char *behind = n_behind ? memmem(raw, strlen(raw), clean, n_behind) : NULL;
        end = behind ? behind : end;
        if (!add(secrets, raw, (size_t)(end - raw), path, line))
            return false;
        raw = end;
    }
    return true;
}

bool cassette_secrets_learn(struct cassette_secrets *secrets, const json_t *raw,
                            const json_t *clean, const char *path, size_t line)
{
    AUTO(arena) scratch = { 0 };
    const char *key;
    const json_t *member;
    bool has_room = true;
    if (raw == clean)
        return true;
    if (json_is_string(raw))
        return learn_text(secrets, json_string_value(raw), json_string_value(clean), path, line);
    if (json_is_number(raw)) {
        auto_str text = json_is_string(clean) ? json_print(raw) : NULL;
        return !text || add(secrets, text, strlen(text), path, line);
    }
    json_each_member (raw, key, member)
        has_room = has_room && cassette_secrets_learn(secrets, member, json_object_get(clean, key),
                                                      json_path_member(&scratch, path, key), line);
    for (size_t i = 0; i < json_array_size(raw) && has_room; i++)
        has_room = cassette_secrets_learn(secrets, json_array_get(raw, i), json_array_get(clean, i),
                                          json_path_element(&scratch, path, i), line);
    return has_room;
}

const struct cassette_secret *cassette_secrets_find(const struct cassette_secrets *secrets,
                                                    const json_t *value)
{
    if (!secrets->n)
        return NULL;
    auto_str text = json_print(value);
    for (size_t i = 0; i < secrets->n; i++) {
        json_auto_t *string = json_string(secrets->list[i].text);
        auto_str quoted = json_print(string);
        quoted[strlen(quoted) - 1] = '\0';
        if (strstr(text, quoted + 1))
            return &secrets->list[i];
    }
    return NULL;
}

static const char *without(struct arena *arena, const char *text, const char *secret)
{
    AUTO(buf) out;
    buf_init(&out, SIZE_MAX);
    const char *at = strstr(text, secret);
    if (!at)
        return text;
    for (; at; text = at + strlen(secret), at = strstr(text, secret))
        if (!buf_append(&out, text, (size_t)(at - text)) || !buf_puts(&out, REDACTED))
            abort();
    if (!buf_puts(&out, text))
        abort();
    return arena_strdup(arena, buf_string(&out));
}

static json_t *mask_text(void *context, const char *path, const json_t *string)
{
    const struct cassette_secrets *secrets = context;
    AUTO(arena) scratch = { 0 };
    const char *text = json_string_value(string);
    (void)path;
    for (size_t i = 0; i < secrets->n; i++)
        text = without(&scratch, text, secrets->list[i].text);
    return text == json_string_value(string) ? json_share(string) : json_string(text);
}

json_t *cassette_secrets_mask(const struct cassette_secrets *secrets, const json_t *value)
{
    AUTO(arena) scratch = { 0 };
    if (!cassette_secrets_find(secrets, value))
        return json_share(value);
    return json_map_strings(&scratch, NULL, value, mask_text, (void *)(uintptr_t)secrets);
}
