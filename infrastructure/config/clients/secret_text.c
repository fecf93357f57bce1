/* A text is looked at from every place of it: is here a name with its value, a scheme with its
 * credentials, a key by its shape? The first that is found there is a span, and looking goes on
 * behind it. */
#include "infrastructure/config/clients/secret_text.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define NAME_BYTES 80
#define TEXT_MAX_BYTES 8192  /* what is longer is one secret: no server needs it */
#define SPANS_MAX 256        /* behind so many the rest of the text is one secret */
#define TOKEN_MAX_BYTES 2048 /* without a bound, looking would take the square of the length */
#define VALUE_END " \t\r\n&;,\"'`)}<>|\\"

/* Names: " strong " ones have a secret as their value whatever it looks like. */
static const char strong[] =
    " pass password passwd passphrase passcode pwd pw secret secrets token apikey credential "
    "credentials cred creds authorization auth authentication bearer jwt pat pin otp cookie key "
    "keys session sid dsn sig signature webhook license private psk salt seed mnemonic ";
static const char weak[] = " access code tokens login k p t ";
/* A last word that says that it is something else, as SECRET_NAME or TOKEN_FILE. */
static const char other[] =
    " name names url uri path file dir type mode method header prefix format env var ttl "
    "timeout expiry limit count size max min endpoint host port region user username email "
    "provider "
    "algorithm scope scopes audience issuer location enabled required length budget field ";
/* What looks like chance there is none. */
static const char numbers[] = " id ids uuid version commit hash sha digest image ";
static const char harmless[] = " true false on off yes no none null auto basic bearer token oauth "
                               "oauth2 default required optional enabled disabled header 0 1 ";
static const char harmless_headers[] = " accept accept-language content-type user-agent origin ";

enum name_kind { NAME_OF_NUMBER, NAME_OTHER, NAME_PLAIN, NAME_WEAK, NAME_STRONG };

/* Words run together, as in "dbpass" and "sessionid". */
static bool has_strong_part(const char *word)
{
    static const char *const parts[] = { "passw",      "passphrase", "passcode", "secret",
                                         "credential", "session",    "token" };
    static const char *const ends[] = { "key", "keys", "pass", "pwd", "auth" };
    bool has = false;
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        has = has || (strstr(word, parts[i]) && !strstr(word, "tokens"));
    for (size_t i = 0; i < ARRAY_LENGTH(ends); i++)
        has = has || text_ends_with(word, ends[i]);
    return has;
}

/* By its words: "X-Api-Key", "apiKey" and "api_key" are api and key. */
static enum name_kind kind_of_name(const char *name, size_t length)
{
    enum name_kind kind = NAME_PLAIN;
    char word[NAME_BYTES];
    length = length < NAME_BYTES - 1 ? length : NAME_BYTES - 1;
    for (size_t at = 0, n; at < length; at += n ? n : 1) {
        for (n = 0; at + n < length && isalnum((unsigned char)name[at + n]); n++) {
            if (n && isupper((unsigned char)name[at + n]) &&
                islower((unsigned char)name[at + n - 1]))
                break;
            word[n] = (char)tolower((unsigned char)name[at + n]);
        }
        word[n] = '\0';
        bool is_last = at + n == length;
        if (is_last && text_is_listed(other, word, n))
            kind = NAME_OTHER;
        else if (text_is_listed(strong, word, n) || has_strong_part(word))
            kind = NAME_STRONG;
        else if (text_is_listed(weak, word, n) && kind != NAME_STRONG)
            kind = NAME_WEAK;
        else if (is_last && text_is_listed(numbers, word, n) && kind != NAME_STRONG)
            kind = NAME_OF_NUMBER;
    }
    return kind;
}

struct shape {
    size_t length, digits, upper, lower, humps;
    bool is_hex;
};

/* Of the letters and digits at that place. */
static struct shape shape_of(const char *at, size_t most)
{
    struct shape s = { .is_hex = true };
    for (; s.length < most && isalnum((unsigned char)at[s.length]); s.length++) {
        char c = at[s.length];
        s.digits += isdigit((unsigned char)c) != 0;
        s.upper += isupper((unsigned char)c) != 0;
        s.humps +=
            s.length && isupper((unsigned char)c) && islower((unsigned char)at[s.length - 1]);
        s.lower += islower((unsigned char)c) != 0;
        s.is_hex = s.is_hex && text_hex_digit(c) >= 0;
    }
    return s;
}

static bool is_by_chance(struct shape s, bool in_url)
{
    bool is_mixed = s.digits >= 2 && s.upper && s.lower;
    if (s.length >= 20 && s.humps >= 4)
        return true;
    return s.digits && s.digits < s.length &&
           (s.length >= 20 || (s.length >= 16 && (is_mixed || s.is_hex)) ||
            (in_url && s.length >= 16 && s.digits > 2));
}

static size_t token_length(const char *at)
{
    size_t length = 0;
    while (length < TOKEN_MAX_BYTES &&
           (isalnum((unsigned char)at[length]) || (at[length] && strchr("_-.+/=~", at[length]))))
        length++;
    return length;
}

/* A key that is known by how it begins. *out_barren: bytes in which none begins. */
static size_t known_key(const char *at, size_t *out_barren)
{
    static const char *const prefixes[] = {
        "sk-",   "sk_",      "pk_live_", "rk_live_", "ghp_",     "gho_",    "ghu_",   "ghs_",
        "ghr_",  "glpat-",   "xox",      "xapp-",    "AKIA",     "ASIA",    "AIza",   "ya29.",
        "ntn_",  "secret_",  "lin_api_", "figd_",    "hf_",      "r8_",     "npm_",   "dop_v1_",
        "SG.",   "eyJ",      "fc-",      "tvly-",    "gsk_",     "xai-",    "pplx-",  "re_",
        "pat-",  "ctx7sk",   "sbp_",     "PMAK-",    "dckr_pat", "shpat",   "lsv2_",  "github_pat_",
        "key-",  "AGE-SECR", "whsec_",   "pypi-",    "atlasv1",  "ATATT",   "nvapi-", "hvs.",
        "hvb.",  "glsa_",    "glrt-",    "GOCSPX-",  "tskey-",   "sntry",   "dapi",   "pul-",
        "pcsk_", "sq0",      "phx_",     "EAA",      "rk_test_", "pk_test_"
    };
    for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++) {
        size_t length = text_starts_with(at, prefixes[i]) ? token_length(at) : 0, digits = 0;
        for (size_t k = strlen(prefixes[i]); k < length; k++)
            digits += !islower((unsigned char)at[k]) && isalnum((unsigned char)at[k]);
        if (length >= 12 && digits)
            return length;
        if (!digits && length > *out_barren)
            *out_barren = length;
    }
    if (text_starts_with(at, "-----BEGIN "))
        return strlen(at);
    return 0;
}

/* 8-4-4-4-12 */
static bool is_uuid(const char *at)
{
    for (size_t i = 0; i < 36; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? at[i] != '-' : text_hex_digit(at[i]) < 0)
            return false;
    return !isalnum((unsigned char)at[36]);
}

static bool is_scheme(const char *at, size_t length)
{
    return text_is_listed(" bearer basic token apikey api-key digest key ", at, length);
}

/* Bytes of a scheme and the blanks behind it: "Bearer ". */
static size_t scheme_length(const char *at)
{
    size_t word = strcspn(at, " "), blanks = strspn(at + word, " ");
    return blanks && is_scheme(at, word) ? word + blanks : 0;
}

/* A slash alone may begin a password. */
static bool is_path(const char *value, size_t length)
{
    bool is_rooted = *value == '/' && length > 1 &&
                     (memchr(value + 1, '/', length - 1) || memchr(value + 1, '.', length - 1));
    return (is_rooted || text_starts_with(value, "~/") || text_starts_with(value, "./") ||
            text_starts_with(value, "../") ||
            (isalpha((unsigned char)*value) && value[1] == ':' && value[2] == '\\')) &&
           !is_by_chance(shape_of(value + 1, length - 1), false);
}

static bool is_word(const char *value, size_t length)
{
    struct shape shape = shape_of(value, length);
    return shape.length == length && shape.lower == length;
}

/* "${NAME" begins one; "${:-$}{" does not. */
static bool has_reference(const char *text)
{
    while ((text = strstr(text, "${")) && text[2] == ':')
        text += 2;
    return text;
}

/* Whether the value of such a name is a secret and no word of a configuration. What is in a URL is
 * looked for there. */
static bool may_be_secret(enum name_kind kind, const char *value, size_t length)
{
    if (!length || kind < NAME_WEAK || text_is_listed(harmless, value, length) ||
        is_path(value, length) || (text_starts_with(value, "${") && value[2] != ':') ||
        text_starts_with(value, "http://") || text_starts_with(value, "https://"))
        return false;
    return kind == NAME_STRONG || (length >= 6 && !(is_word(value, length) && length < 12));
}

struct looking {
    struct arena *arena;
    const char *text;
    struct secret_span *spans;
    size_t n, capacity;
    bool by_chance; /* what looks like chance counts */
    bool in_url;
    bool has_user; /* there is an '@' */
    bool is_named; /* {"name": "token", "value": …} */
    size_t barren; /* up to where no known key begins */
};

/* Returns the place behind it, or 0 where there is nothing. */
static size_t add(struct looking *l, size_t start, size_t length, const char *name, size_t n_name)
{
    if (!length)
        return 0;
    *arena_push(l->arena, l->spans, l->n, l->capacity) =
        (struct secret_span){ .start = start,
                              .length = length,
                              .name = name ? arena_strndup(l->arena, name, n_name) : NULL };
    return start + length;
}

/* A list or an object in JSON, also in one that is itself quoted. */
static size_t nested_length(const char *value)
{
    size_t at = 0, depth = 0;
    bool in_string = false;
    do {
        if (value[at] == '\\' && value[at + 1])
            at++;
        else if (value[at] == '"')
            in_string = !in_string;
        else if (!in_string && strchr("[{", value[at]))
            depth++;
        else if (!in_string && strchr("]}", value[at]))
            depth--;
    } while (value[++at] && depth);
    return at;
}

/* Of a value up to what ends it; a quote may itself stand behind a backslash. */
static size_t value_length(const char *value, const char *name, size_t n_name, char quote)
{
    static const char whole_line[] = " cookie authorization proxy-authorization ";
    char ends[] = { quote, '\0' };
    if (!quote && strchr("[{", *value) && *value)
        return nested_length(value);
    if (!quote && text_is_listed(whole_line, name, n_name))
        return strcspn(value, "\"'\r\n");
    size_t length = strcspn(value, quote ? ends : VALUE_END), next;
    if (quote)
        return length - (value[length] && length && value[length - 1] == '\\');
    while (value[length] == ',' && (next = strcspn(value + length + 1, VALUE_END "=:")) &&
           !strchr("=:", value[length + 1 + next] ? value[length + 1 + next] : ' '))
        length += 1 + next;
    return length;
}

/* Where the value behind a name begins, or NULL: NAME=value, NAME: value, "name": "value",
 * --name value, /name/value in a URL. */
static const char *value_behind(const struct looking *l, const char *name, size_t n)
{
    const char *sign = name + n + strspn(name + n, "\\\"'"), *text = l->text;
    size_t blanks = strspn(sign, " "), before = (size_t)(name - text);
    bool is_option = before && name[-1] == '-' && blanks;
    if (sign[blanks] == '=' || sign[blanks] == ':')
        sign += blanks;
    else if (!is_option && !(l->in_url && before && name[-1] == '/' && *sign == '/'))
        return NULL;
    return sign + 1 + strspn(sign + 1, " ");
}

/* 0: none begins here. */
static size_t find_pair(struct looking *l, size_t at)
{
    const char *name = l->text + at;
    size_t n = 0;
    while (n < TOKEN_MAX_BYTES &&
           (isalnum((unsigned char)name[n]) || (name[n] && strchr("_-.", name[n]))))
        n++;
    bool is_default = text_starts_with(name + n, ":-") && at >= 2 && name[-1] == '{';
    const char *value = n ? value_behind(l, name, n) : NULL;
    enum name_kind kind = value ? kind_of_name(name, n) : NAME_PLAIN;
    if (!value)
        return 0;
    value = is_default ? name + n + 2 : value;
    size_t escapes = strspn(value, "\\");
    char quote = value[escapes] == '"' || value[escapes] == '\'' ? value[escapes] : '\0';
    value += quote ? escapes + 1 : 0;
    if (text_is_listed(" value ", name, n) && l->is_named)
        kind = NAME_STRONG;
    if (text_is_listed(" name key header ", name, n))
        l->is_named = kind_of_name(value, value_length(value, "", 0, quote)) >= NAME_WEAK;
    if (kind < NAME_WEAK)
        return 0;
    value += scheme_length(value);
    size_t length = is_default ? strcspn(value, "}") : value_length(value, name, n, quote);
    bool is_segment = l->in_url && value[-1] == '/' && value[-2] != ':';
    if (is_segment)
        length = strcspn(value, "/?#\"' ");
    if (!may_be_secret(is_segment ? NAME_WEAK : kind, value, length) ||
        (is_segment && is_word(value, length)))
        return 0;
    if (!is_default)
        return add(l, (size_t)(value - l->text), length, name, n);
    size_t end = add(l, (size_t)(value - l->text) - 2, length + 2, name, n);
    l->spans[l->n - 1].is_default = true;
    return end;
}

/* Bytes up to the last '@' before one of the ends, or 0. */
static size_t length_to_host(const char *user, const char *ends)
{
    size_t end = 0;
    for (size_t i = 0; i < TOKEN_MAX_BYTES && user[i] && !strchr(ends, user[i]); i++)
        end = user[i] == '@' ? i : end;
    return end;
}

/* scheme://user:password@ and scheme://token@; user:password@ as it stands alone. */
static size_t find_userinfo(struct looking *l, size_t at)
{
    if (!l->has_user)
        return 0;
    bool has_scheme = text_starts_with(l->text + at, "://");
    const char *user = l->text + at + (has_scheme ? 3 : 0);
    if (!has_scheme && at && !strchr(" \t\"'=", user[-1]))
        return 0;
    size_t colon = strcspn(user, ":@/ \t\"'="), port = strspn(user + colon, ":0123456789");
    bool has_port = port && (!user[colon + port] || strchr("/?# ", user[colon + port]));
    bool has_colon = user[colon] == ':' && !has_port;
    if (!has_scheme && (!has_colon || !colon || user[colon + 1] == '/' ||
                        text_is_listed(" npm git jsr file ", user, colon)))
        return 0;
    /* A password may have what should be escaped. */
    bool is_reference = text_starts_with(user + (has_colon ? colon + 1 : 0), "${");
    size_t end = is_reference ? 0 : length_to_host(user, has_colon ? " \t\"'" : "/ \t\"'");
    if (!end || (!has_scheme && !isalpha((unsigned char)user[end + 1])))
        return 0;
    size_t start = (size_t)(user - l->text);
    if (colon < end)
        return add(l, start + colon + 1, end - colon - 1, "password", 8);
    return end >= 12 || !is_word(user, end) ? add(l, start, end, "token", 5) : 0;
}

/* -u user:password, as curl has it in a script. */
static size_t find_login(struct looking *l, size_t at)
{
    const char *text = l->text + at;
    size_t skip = text_starts_with(text, "-u ") ? 3 : text_starts_with(text, "--user ") ? 7 : 0;
    if (!skip)
        return 0;
    size_t colon = skip + strcspn(text + skip, ": \t");
    size_t length = text[colon] == ':' ? strcspn(text + colon + 1, VALUE_END) : 0;
    return length ? add(l, at + colon + 1, length, "password", 8) : 0;
}

static size_t find_scheme(struct looking *l, size_t at)
{
    const char *text = l->text + at;
    size_t scheme = scheme_length(text), length = scheme ? strcspn(text + scheme, VALUE_END) : 0;
    bool is_prose = islower((unsigned char)*text) && is_word(text + scheme, length);
    if (!length || is_prose || text_starts_with(text + scheme, "${") ||
        !text_is_listed(" bearer basic ", text, strcspn(text, " ")))
        return 0;
    return add(l, at + scheme, length, NULL, 0);
}

static size_t find_key(struct looking *l, size_t at)
{
    const char *text = l->text + at;
    size_t barren = 0, length = at < l->barren ? 0 : known_key(text, &barren);
    l->barren = barren ? at + barren : l->barren;
    if (!length && l->by_chance &&
        (is_uuid(text) || is_by_chance(shape_of(text, SIZE_MAX), l->in_url)))
        length = is_uuid(text) ? 36 : token_length(text);
    if (!length)
        return 0;
    if (l->in_url && strcspn(text, "/?&#=") < length)
        length = strcspn(text, "/?&#=");
    return add(l, at, length, NULL, 0);
}

/* A reference begins there: its default may be a secret. */
static size_t find_default(struct looking *l, size_t at)
{
    size_t end = find_pair(l, at + 2);
    return end ? end : at + 2 + strcspn(l->text + at + 2, ":}");
}

static size_t find_at(struct looking *l, size_t at)
{
    const char *text = l->text;
    if (text_starts_with(text + at, "${"))
        return find_default(l, at);
    size_t end = find_userinfo(l, at);
    end = end ? end : find_login(l, at);
    if (end || (at && isalnum((unsigned char)text[at - 1])))
        return end;
    bool begins_name = !at || !strchr("_-.", text[at - 1]) || at == 1 ||
                       (text[at - 1] == '-' && strchr("- \t\"'", text[at - 2]));
    end = begins_name ? find_pair(l, at) : 0;
    if (!end)
        end = find_scheme(l, at);
    bool is_digest = at >= 7 && strncmp(text + at - 7, "sha256:", 7) == 0;
    return end || is_digest ? end : find_key(l, at);
}

size_t secret_spans(struct arena *arena, const char *name, const char *text,
                    struct secret_span **out)
{
    size_t length = strlen(text), scheme = scheme_length(text), end;
    enum name_kind kind = name ? kind_of_name(name, strlen(name)) : NAME_PLAIN;
    struct looking l = { .arena = arena,
                         .text = text,
                         .by_chance = kind != NAME_OF_NUMBER && !is_path(text, length),
                         .in_url = strstr(text, "://") != NULL,
                         .has_user = strchr(text, '@') != NULL };
    if (length > TEXT_MAX_BYTES)
        add(&l, 0, length, name, name ? strlen(name) : 0);
    else if (name && may_be_secret(kind, text + scheme, length - scheme) && !has_reference(text))
        add(&l, scheme, length - scheme, name, strlen(name));
    for (size_t at = l.n ? length : 0; at<length; at = end> at ? end : at + 1) {
        end = find_at(&l, at);
        if (l.n == SPANS_MAX && end < length)
            end = add(&l, end, length - end, NULL, 0);
    }
    *out = l.spans;
    return l.n;
}

struct replacing {
    struct arena *arena;
    secret_replace_fn *replace;
    void *context;
    bool is_for_people;
};

static json_t *replaced(struct replacing *r, const char *name, const char *text)
{
    AUTO(buf) out;
    struct secret_span *spans;
    size_t n = secret_spans(r->arena, name, text, &spans), at = 0;
    buf_init(&out, SIZE_MAX);
    bool fits = true;
    for (size_t i = 0; i < n; i++) {
        const struct secret_span *span = &spans[i];
        const char *secret = arena_strndup(r->arena, text + span->start, span->length);
        const char *instead =
            span->is_default ? "" : r->replace(r->context, span->name ? span->name : name, secret);
        fits = fits && buf_append(&out, text + at, span->start - at) && buf_puts(&out, instead);
        at = span->start + span->length;
    }
    fits = fits && buf_puts(&out, text + at);
    return fits ? json_string(buf_string(&out)) : json_null();
}

static bool is_number(const char *text)
{
    return !text[strspn(text, "0123456789:.,")];
}

/* The name of the option whose value comes next, or NULL; headers and variables name it themselves.
 */
static const char *option_of(const char *before, const char *value)
{
    static const char *const pairs[] = { "header", "H", "env", "e", "c", "y", "u", "user" };
    const char *name = before + strspn(before, "-");
    bool is_option = *before == '-' && *name && !strchr(before, '=');
    if (*value == '-' && (value[1] == '-' || strlen(value) < 4)) /* another option */
        return NULL;
    if (text_equal(name, "p") && is_option)
        return is_number(value) ? NULL : "password";
    if (!is_option)
        return text_is_listed(" password secret token api-key ", before, strlen(before)) ? before
                                                                                         : NULL;
    return text_is_one_of(name, pairs, ARRAY_LENGTH(pairs)) ? NULL : name;
}

/* Where the password of user:password begins, or the one that stands at its option: -pPASSWORD. */
static size_t password_of(const char *text, const char *before)
{
    const char *option = before + strspn(before, "-"), *colon = strchr(text, ':');
    bool is_user = text_is_listed(" user u proxy-user ", option, strlen(option)) && *text != '-';
    bool has_user = text_starts_with(text, "--user=") || text_starts_with(text, "--proxy-user=") ||
                    (text_starts_with(text, "-u") && !text_starts_with(text, "-ur"));
    if ((is_user || has_user) && colon && colon[1])
        return (size_t)(colon - text) + 1;
    bool is_attached = text_starts_with(text, "-p") && !is_number(text + 2) &&
                       !is_word(text + 2, strlen(text + 2)) && !strpbrk(text + 1, "=-:");
    return is_attached ? 2 : 0;
}

/* Where the value begins that an argument names itself, up to its end: --name=value, and behind -e
 * or -H NAME=value, Name: value. Whatever its name, that of a header is a secret, and that of a
 * variable nothing to be shown. 0: it names none. */
static size_t named_value(const struct replacing *r, const char *text, const char *before,
                          const char **out_name)
{
    const char *name = text + strspn(text, "-"), *option = before + strspn(before, "-");
    size_t n = strcspn(name, "=: "), length = strlen(option), at = password_of(text, before);
    bool is_header = text_is_listed(" header h ", option, length);
    bool is_env = text_is_listed(" env e ", option, length);
    if (at)
        *out_name = "password";
    if (at || (*text != '-' && !is_header && !is_env) || !name[n] || name[n] == ' ')
        return at;
    if (text_is_listed(" header env ", name, n) && name[n] == '=') {
        const char *pair = name + n + 1;
        at = named_value(r, pair, text_starts_with(name, "h") ? "-H" : "-e", out_name);
        return at ? (size_t)(pair - text) + at : 0;
    }
    bool is_secret = kind_of_name(name, n) < NAME_STRONG && *text != '-' &&
                     (is_header ? !text_is_listed(harmless_headers, name, n) : r->is_for_people);
    *out_name = arena_printf(r->arena, "%.*s%s", (int)n, name, is_secret ? "-secret" : "");
    return (size_t)(name - text) + n + 1 + strspn(name + n + 1, " ");
}

static json_t *arguments_replaced(struct replacing *r, const json_t *arguments)
{
    json_t *out = json_array();
    const char *before = "";
    const json_t *element;
    size_t i;
    json_array_foreach (arguments, i, element) {
        const char *text = json_string_value(element);
        const char *name = option_of(before, text);
        size_t at = named_value(r, text, before, &name);
        json_auto_t *value = replaced(r, name, text + at);
        json_array_append_new(out, json_string(arena_printf(r->arena, "%.*s%s", (int)at, text,
                                                            json_string_value(value))));
        before = text;
    }
    return out;
}

static json_t *members_replaced(struct replacing *r, const json_t *members, bool as_whole)
{
    json_t *out = json_object();
    struct secret_span *spans;
    const char *key;
    const json_t *value;
    json_each_member (members, key, value) {
        const char *text = json_string_value(value);
        bool is_secret =
            as_whole && secret_spans(r->arena, key, text, &spans) && !spans[0].is_default;
        json_object_set_new(out, key,
                            is_secret ? json_string(r->replace(r->context, key, text))
                                      : replaced(r, key, text));
    }
    return out;
}

json_t *secrets_replaced(struct arena *arena, const json_t *definition, bool is_for_people,
                         secret_replace_fn *replace, void *context)
{
    struct replacing r = { arena, replace, context, is_for_people };
    json_t *out = json_object();
    const char *key;
    const json_t *value;
    json_each_member (definition, key, value) {
        bool is_env = strcmp(key, "env") == 0;
        json_t *copy = NULL;
        if (json_is_object(value))
            copy = members_replaced(&r, value, is_env);
        else if (json_is_array(value))
            copy = arguments_replaced(&r, value);
        else if (json_is_string(value))
            copy = replaced(&r, NULL, json_string_value(value));
        json_object_set_new(out, key, copy ? copy : json_share(value));
    }
    return out;
}
