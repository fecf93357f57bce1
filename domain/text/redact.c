/* Three parts: which names say that their value is a secret, where secrets are in running text, and
 * the copies of texts and values without them. Every string of every event comes through here, so
 * bytes are looked up in a table, names are ruled out by three of their letters, and nothing is
 * built where nothing was found. */
#include "domain/text/redact.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/text/known_secrets.h"
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

/* Whether the name is one of a handle, with which another party could go on with a session or a
 * request of ours. */
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
        if (text_is_one_of(words.word[i], always, ARRAY_LENGTH(always)))
            return true;
    if (!words.n)
        return false;
    if (is_handle(&words))
        return true;
    const char *last = words.word[words.n - 1];
    const char *before = words.n > 1 ? words.word[words.n - 2] : "";
    if (strcmp(last, "token") == 0)
        return !text_is_one_of(before, harmless, ARRAY_LENGTH(harmless));
    return strcmp(last, "key") == 0 && text_is_one_of(before, before_key, ARRAY_LENGTH(before_key));
}

struct secret_span {
    size_t start, end;
};

/* What a byte may be; every byte of every event is looked up here, so it is a table. */
enum {
    WORD = 1,
    QUOTE = 2, /* of a name, maybe behind a backslash */
    BLANK = 4,
    SIGN = 8, /* between a name and its value */
};

static const unsigned char classes[256] = {
    ['a' ... 'z'] = WORD, ['A' ... 'Z'] = WORD, ['0' ... '9'] = WORD, ['_'] = WORD,
    ['-'] = WORD,         ['\\'] = QUOTE,       ['"'] = QUOTE,        ['\''] = QUOTE,
    [' '] = BLANK,        ['\t'] = BLANK,       ['='] = SIGN,         [':'] = SIGN,
};

static bool is(char c, unsigned wanted)
{
    return classes[(unsigned char)c] & wanted;
}

static size_t skip_all(const char *text, size_t length, size_t at, unsigned wanted)
{
    while (at < length && is(text[at], wanted))
        at++;
    return at;
}

static size_t skip_to(const char *text, size_t length, size_t at, const char *bytes)
{
    while (at < length && !(text[at] && strchr(bytes, text[at])))
        at++;
    return at;
}

static bool text_starts_at(const char *text, size_t length, size_t at, const char *prefix)
{
    size_t n = strlen(prefix);
    return at + n <= length && strncasecmp(text + at, prefix, n) == 0;
}

/* "Bearer x", "Basic x", "token x": the bytes of the word and the blanks behind it, or 0. */
static size_t scheme_length(const char *text, size_t length, size_t at)
{
    static const char *const schemes[] = { "bearer ", "basic ", "token ", "digest " };
    for (size_t i = 0; i < ARRAY_LENGTH(schemes); i++)
        if (text_starts_at(text, length, at, schemes[i]))
            return skip_all(text, length, at + strlen(schemes[i]), BLANK) - at;
    return 0;
}

static size_t end_of_value(const char *text, size_t length, size_t at, char quote)
{
    if (!quote)
        return skip_to(text, length, at, " \t\r\n\"'&,;<>)]}");
    for (; at < length && text[at] != quote; at++)
        if (text[at] == '\\' && at + 1 < length)
            at++;
    return at;
}

/* name=value, name: value, "name": "value", --name value is not one. The name is a whole word. */
static bool find_named(const char *text, size_t length, size_t at, size_t end,
                       struct secret_span *out)
{
    char name[64];
    size_t sign = skip_all(text, length, skip_all(text, length, end, QUOTE), BLANK);
    if (end - at >= sizeof name || sign == length || !is(text[sign], SIGN))
        return false;
    memcpy(name, text + at, end - at);
    name[end - at] = '\0';
    if (!redact_is_secret_name(name))
        return false;
    size_t start = sign + 1;
    while (start < length && (is(text[start], BLANK) || text[start] == '\\'))
        start++;
    char quote = start < length && (text[start] == '"' || text[start] == '\'') ? text[start] : '\0';
    start += quote != '\0';
    start += scheme_length(text, length, start);
    *out = (struct secret_span){ start, end_of_value(text, length, start, quote) };
    return out->end > out->start;
}

static size_t count_class(const char *text, size_t length, size_t at, const char *more)
{
    size_t n = 0;
    while (at + n < length &&
           (isalnum((unsigned char)text[at + n]) || (text[at + n] && strchr(more, text[at + n]))))
        n++;
    return n;
}

/* "Bearer " and a credential that is long enough to be one. */
static bool find_credential(const char *text, size_t length, size_t at, struct secret_span *out)
{
    if ((text[at] | ' ') != 'b')
        return false;
    if (!text_starts_at(text, length, at, "bearer ") && !text_starts_at(text, length, at, "basic "))
        return false;
    size_t start = at + scheme_length(text, length, at);
    size_t n = count_class(text, length, start, "-._~+/=");
    *out = (struct secret_span){ start, start + n };
    return n >= 8;
}

/* No key has a shorter word at its beginning, nor has a web token, which is several with dots. */
#define KEY_MIN_WORD 14

/* Prefixes that services give their keys, and how many more bytes make it one. */
static bool find_key_shape(const char *text, size_t length, size_t at, size_t end,
                           struct secret_span *out)
{
    static const struct {
        const char *prefix;
        size_t at_least;
    } shapes[] = {
        { "sk-", 16 },   { "ghp_", 20 },     { "gho_", 20 },     { "ghu_", 20 },
        { "ghs_", 20 },  { "ghr_", 20 },     { "xoxb-", 10 },    { "xoxp-", 10 },
        { "xoxa-", 10 }, { "xoxs-", 10 },    { "AKIA", 16 },     { "ASIA", 16 },
        { "AIza", 30 },  { "glpat-", 16 },   { "hf_", 20 },      { "npm_", 30 },
        { "pypi-", 30 }, { "sk_live_", 16 }, { "rk_live_", 16 }, { "github_pat_", 20 },
        { "eyJ", 40 },
    };
    if (end - at < KEY_MIN_WORD)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(shapes); i++) {
        if (text[at] != shapes[i].prefix[0])
            continue;
        size_t prefix = strlen(shapes[i].prefix);
        if (at + prefix > length || strncmp(text + at, shapes[i].prefix, prefix) != 0)
            continue;
        const char *more = strcmp(shapes[i].prefix, "eyJ") == 0 ? "-_." : "-_";
        size_t n = count_class(text, length, at + prefix, more);
        *out = (struct secret_span){ at, at + prefix + n };
        return n >= shapes[i].at_least;
    }
    return false;
}

/* "-----BEGIN … PRIVATE KEY-----" up to its end, or the end of the text. */
static bool find_private_key(const char *text, size_t length, size_t at, struct secret_span *out)
{
    static const char begin[] = "-----BEGIN ", end[] = "PRIVATE KEY-----";
    if (!text_starts_at(text, length, at, begin))
        return false;
    const char *label = strstr(text + at, end);
    const char *line = strchr(text + at, '\n');
    if (!label || (line && label > line))
        return false;
    size_t start = (size_t)(label - text) + strlen(end);
    const char *last = strstr(text + start, "-----END");
    *out = (struct secret_span){ start, last ? (size_t)(last - text) : length };
    return out->end > out->start;
}

/* "://user:password@host" */
static bool find_userinfo(const char *text, size_t length, size_t at, struct secret_span *out)
{
    if (length - at < strlen("://") || memcmp(text + at, "://", strlen("://")) != 0)
        return false;
    size_t end = skip_to(text, length, at + 3, "/?# \t\r\n\"'<>");
    const char *sign = NULL;
    for (size_t i = at + 3; i < end; i++)
        if (text[i] == '@')
            sign = text + i;
    const char *colon = memchr(text + at + 3, ':', end - at - 3);
    if (!sign || !colon || colon > sign)
        return false;
    *out = (struct secret_span){ (size_t)(colon - text) + 1, (size_t)(sign - text) };
    return out->end > out->start;
}

/* Secrets begin with the first byte of a word. */
static bool find_at_word(const char *text, size_t length, size_t at, size_t end,
                         struct secret_span *out)
{
    if (text[at] == '-' && find_private_key(text, length, at, out))
        return true;
    return find_named(text, length, at, end, out) || find_credential(text, length, at, out) ||
           find_key_shape(text, length, at, end, out);
}

static bool is_new(const char *text, size_t length, const struct secret_span *span)
{
    return !text_starts_at(text, length, span->start, REDACTED);
}

/* The first secret at or behind `from`, by what it looks like or what stands before it: a name
 * with its value, credentials of a header or a URL, a key of a known shape. Goes from word to word,
 * and looks at each once. */
static bool find_secret(const char *text, size_t length, size_t from, struct secret_span *out)
{
    size_t at = from;
    if (at && at < length && is(text[at - 1], WORD))
        at = skip_all(text, length, at, WORD);
    while (at < length) {
        if (!is(text[at], WORD)) {
            if (text[at] == ':' && find_userinfo(text, length, at, out) &&
                is_new(text, length, out))
                return true;
            at++;
            continue;
        }
        size_t end = skip_all(text, length, at, WORD);
        if (find_at_word(text, length, at, end, out) && is_new(text, length, out))
            return true;
        at = end;
    }
    return false;
}

const char *redact_text(struct arena *arena, const char *text)
{
    text = known_secrets_mask(arena, text);
    size_t length = strlen(text), from = 0;
    AUTO(buf) out;
    buf_init(&out, length * 12 + 64);
    struct secret_span span;
    while (find_secret(text, length, from, &span)) {
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

/* Nearly always false, and then nothing is built. */
static bool holds_secret(const json_t *value, bool is_secret)
{
    const char *key;
    const json_t *member;
    struct secret_span span;
    size_t i, length = json_string_length(value);
    if (json_is_string(value))
        return is_secret ? length
                         : find_secret(json_string_value(value), strlen(json_string_value(value)),
                                       0, &span);
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
    json_auto_t *clean = known_secrets_mask_json(value);
    return holds_secret(clean, false) ? redact_value(clean, false) : json_share(clean);
}
