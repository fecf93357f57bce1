#include "domain/text/redact.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/text/redact_text.h"
#include <ctype.h>
#include <string.h>

#define NAME_MAX_BYTES 64
#define NAME_MAX_WORDS 12

/* The words of a name in lower case: "X-Api-Key", "apiKey" and "api_key" are api, key. */
struct words {
    char text[NAME_MAX_BYTES * 2];
    const char *word[NAME_MAX_WORDS];
    size_t n;
};

static void add_byte(struct words *words, size_t *used, char c, bool starts_word)
{
    if (starts_word && words->n < NAME_MAX_WORDS)
        words->word[words->n++] = &words->text[*used];
    words->text[(*used)++] = (char)tolower((unsigned char)c);
}

static void split_words(const char *name, struct words *out)
{
    size_t used = 0;
    bool in_word = false;
    out->n = 0;
    for (size_t i = 0; name[i] && i < NAME_MAX_BYTES - 1; i++) {
        bool letter = isalnum((unsigned char)name[i]);
        bool hump = i && isupper((unsigned char)name[i]) && islower((unsigned char)name[i - 1]);
        if (in_word && (!letter || hump))
            out->text[used++] = '\0';
        if (letter)
            add_byte(out, &used, name[i], !in_word || hump);
        in_word = letter;
    }
    out->text[used] = '\0';
}

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (word[0] == list[i][0] && strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static inline bool goes_on(const char *at, char second, char third)
{
    return (at[1] | ' ') == second && (at[2] | ' ') == third;
}

/* Each word that makes a name one of a secret holds one of these, so most names are done with. */
static bool may_be_secret_name(const char *name)
{
    for (bool found = false; *name; name++) {
        switch (*name | ' ') {
        case 'a':
            found = goes_on(name, 'u', 't'); /* authorization, authtoken */
            break;
        case 'b':
            found = goes_on(name, 'e', 'a'); /* bearer */
            break;
        case 'c':
            found = goes_on(name, 'r', 'e') || goes_on(name, 'o', 'o'); /* credential, cookie */
            break;
        case 'k':
            found = goes_on(name, 'e', 'y');
            break;
        case 'm':
            found = goes_on(name, 'c', 'p'); /* mcp-session-id */
            break;
        case 'r':
            found = goes_on(name, 'e', 'q'); /* requestState */
            break;
        case 'p':
            found = goes_on(name, 'a', 's') || goes_on(name, 'w', 'd'); /* password, pwd */
            break;
        case 's':
            found = goes_on(name, 'e', 'c'); /* secret */
            break;
        case 't':
            found = goes_on(name, 'o', 'k'); /* token */
            break;
        }
        if (found)
            return true;
    }
    return false;
}

/* What lets somebody else go on with a session or a request of ours. */
static bool is_handle(const struct words *words)
{
    for (size_t i = 0; i + 1 < words->n; i++)
        if ((strcmp(words->word[i], "mcp") == 0 && strcmp(words->word[i + 1], "session") == 0) ||
            (strcmp(words->word[i], "request") == 0 && strcmp(words->word[i + 1], "state") == 0))
            return true;
    return false;
}

bool redact_is_secret_name(const char *name)
{
    static const char *const always[] = {
        "password",  "passwd",        "passphrase", "pwd",         "secret", "secrets",
        "apikey",    "authorization", "credential", "credentials", "cookie", "bearer",
        "authtoken", "accesstoken",   "privatekey", "secretkey"
    };
    static const char *const before_key[] = { "api",  "access", "private", "secret",
                                              "auth", "master", "signing", "encryption" };
    static const char *const harmless[] = { "page",         "progress", "next", "stop",
                                            "continuation", "first",    "end",  "max" };
    struct words words;
    if (!may_be_secret_name(name))
        return false;
    split_words(name, &words);
    for (size_t i = 0; i < words.n; i++)
        if (is_one_of(words.word[i], always, ARRAY_LENGTH(always)))
            return true;
    if (!words.n)
        return false;
    if (is_handle(&words))
        return true;
    const char *last = words.word[words.n - 1];
    const char *before = words.n > 1 ? words.word[words.n - 2] : "";
    if (strcmp(last, "token") == 0)
        return !is_one_of(before, harmless, ARRAY_LENGTH(harmless));
    return strcmp(last, "key") == 0 && is_one_of(before, before_key, ARRAY_LENGTH(before_key));
}

const char *redact_text(struct arena *arena, const char *text)
{
    size_t length = strlen(text), from = 0;
    AUTO(buf) out;
    buf_init(&out, length * 12 + 64);
    struct secret_span span;
    while (redact_find(text, length, from, &span)) {
        if (!buf_append(&out, text + from, span.start - from) || !buf_puts(&out, REDACTED))
            return REDACTED;
        from = span.end;
    }
    if (!from)
        return text;
    if (!buf_append(&out, text + from, length - from))
        return REDACTED;
    return arena_strdup(arena, buf_string(&out));
}

static json_t *redact_value(const json_t *value, bool is_secret);

static json_t *redact_string(const json_t *string, bool is_secret)
{
    AUTO(arena) scratch = { 0 };
    const char *text = json_string_value(string);
    if (is_secret)
        return json_string_length(string) ? json_string(REDACTED) : json_share(string);
    const char *clean = redact_text(&scratch, text);
    return clean == text ? json_share(string) : json_string(clean);
}

static json_t *redact_object(const json_t *object, bool is_secret)
{
    json_t *copy = json_object();
    const char *key;
    const json_t *member;
    json_each_member (object, key, member)
        json_object_set_new(copy, key,
                            redact_value(member, is_secret || redact_is_secret_name(key)));
    return copy;
}

static json_t *redact_array(const json_t *array, bool is_secret)
{
    json_t *copy = json_array();
    const json_t *element;
    size_t i;
    json_array_foreach (array, i, element)
        json_array_append_new(copy, redact_value(element, is_secret));
    return copy;
}

static json_t *redact_value(const json_t *value, bool is_secret)
{
    if (json_is_string(value))
        return redact_string(value, is_secret);
    if (json_is_object(value))
        return redact_object(value, is_secret);
    if (json_is_array(value))
        return redact_array(value, is_secret);
    return is_secret && json_is_number(value) ? json_string(REDACTED) : json_share(value);
}

static bool text_holds_secret(const char *text)
{
    struct secret_span span;
    return redact_find(text, strlen(text), 0, &span);
}

/* Nearly always false, and then nothing is built. */
static bool holds_secret(const json_t *value, bool is_secret)
{
    const char *key;
    const json_t *member;
    size_t i;
    if (json_is_string(value))
        return is_secret ? json_string_length(value) : text_holds_secret(json_string_value(value));
    if (json_is_number(value))
        return is_secret;
    json_array_foreach (value, i, member) {
        if (holds_secret(member, is_secret))
            return true;
    }
    json_each_member (value, key, member) {
        if (holds_secret(member, is_secret || redact_is_secret_name(key)))
            return true;
    }
    return false;
}

json_t *redact_json(const json_t *value)
{
    return holds_secret(value, false) ? redact_value(value, false) : json_share(value);
}
