#include "application/settings.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

const struct setting settings_table[SETTING_COUNT] = {
#define AT(member) offsetof(struct settings, member)
#define INT(m, key, fallback, low, high, what)                                                     \
    { key, SETTING_INT, AT(m), low, high, NULL, #fallback, what },
#define NUM(m, key, fallback, low, high, what)                                                     \
    { key, SETTING_NUM, AT(m), low, high, NULL, #fallback, what },
#define BOOL(m, key, fallback, what) { key, SETTING_BOOL, AT(m), 0, 0, NULL, #fallback, what },
#define TEXT(m, key, fallback, what) { key, SETTING_TEXT, AT(m), 0, 0, NULL, fallback, what },
#define CHOICE(m, key, fallback, choices, what)                                                    \
    { key, SETTING_CHOICE, AT(m), 0, 0, choices, fallback, what },
    SETTINGS(INT, NUM, BOOL, TEXT, CHOICE)
#undef INT
#undef NUM
#undef BOOL
#undef TEXT
#undef CHOICE
#undef AT
};

void settings_init(struct settings *settings)
{
    static const struct model_alias aliases[] = { { "mistral", "mistral:7b" } };
    *settings = (struct settings){
#define INT(member, key, fallback, low, high, what) .member = fallback,
#define NUM(member, key, fallback, low, high, what) .member = fallback,
#define BOOL(member, key, fallback, what) .member = fallback,
#define TEXT(member, key, fallback, what) .member = fallback,
#define CHOICE(member, key, fallback, choices, what) .member = fallback,
        SETTINGS(INT, NUM, BOOL, TEXT, CHOICE)
#undef INT
#undef NUM
#undef BOOL
#undef TEXT
#undef CHOICE
            .aliases = aliases,
        .n_aliases = ARRAY_LENGTH(aliases),
    };
}

bool settings_launch_counts(const struct settings *settings)
{
    return settings->launch.n_words > 0 &&
           settings->origins[SETTING_model_base_url] <= settings->launch.origin;
}

enum setting_id settings_find(const char *key)
{
    for (int id = 0; id < SETTING_COUNT; id++)
        if (strcmp(settings_table[id].key, key) == 0)
            return (enum setting_id)id;
    return SETTING_COUNT;
}

static bool is_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    if (!length || strchr(text, ' '))
        return false;
    for (const char *at = choices; (at = strstr(at, text)); at += length)
        if ((at == choices || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static void *member_of(struct settings *settings, const struct setting *setting)
{
    return (char *)settings + setting->offset;
}

static enum err_code check_number(const struct setting *setting, double value, struct err *err)
{
    if (value >= setting->low && value <= setting->high)
        return ERR_NONE;
    return err_set(err, ERR_INVALID, 0, "%s: %.15g is outside %.15g to %.15g", setting->key, value,
                   setting->low, setting->high);
}

static enum err_code wrong_type(const struct setting *setting, const char *wanted, struct err *err)
{
    return err_set(err, ERR_INVALID, 0, "%s: must be %s", setting->key, wanted);
}

static enum err_code set_text_member(struct settings *settings, struct arena *arena,
                                     const struct setting *setting, const json_t *value,
                                     struct err *err)
{
    if (!json_is_string(value) || json_string_has_nul(value))
        return wrong_type(setting, "text", err);
    const char *text = json_string_value(value);
    if (setting->kind == SETTING_CHOICE && !is_choice(setting->choices, text))
        return err_set(err, ERR_INVALID, 0, "%s: \"%.60s\" is none of: %s", setting->key, text,
                       setting->choices);
    *(const char **)member_of(settings, setting) = arena_strdup(arena, text);
    return ERR_NONE;
}

static enum err_code set_member(struct settings *settings, struct arena *arena,
                                const struct setting *setting, const json_t *value, struct err *err)
{
    enum err_code r = ERR_NONE;
    switch (setting->kind) {
    case SETTING_INT:
        if (!json_is_integer(value))
            return wrong_type(setting, "a whole number", err);
        r = check_number(setting, (double)json_integer_value(value), err);
        if (!r)
            *(int64_t *)member_of(settings, setting) = json_integer_value(value);
        return r;
    case SETTING_NUM:
        if (!json_is_number(value))
            return wrong_type(setting, "a number", err);
        r = check_number(setting, json_number_value(value), err);
        if (!r)
            *(double *)member_of(settings, setting) = json_number_value(value);
        return r;
    case SETTING_BOOL:
        if (!json_is_boolean(value))
            return wrong_type(setting, "true or false", err);
        *(bool *)member_of(settings, setting) = json_is_true(value);
        return ERR_NONE;
    case SETTING_TEXT:
    case SETTING_CHOICE:
        return set_text_member(settings, arena, setting, value, err);
    }
    return ERR_NONE;
}

enum err_code settings_set(struct settings *settings, struct arena *arena, enum setting_id id,
                           const json_t *value, enum setting_origin origin, const char *origin_name,
                           struct err *err)
{
    enum err_code r = set_member(settings, arena, &settings_table[id], value, err);
    if (r)
        return r;
    settings->origins[id] = origin;
    settings->origin_names[id] = arena_strdup(arena, origin_name);
    return ERR_NONE;
}

static json_t *value_from_text(enum setting_kind kind, const char *text)
{
    int64_t whole;
    double number;
    if (kind == SETTING_INT && text_to_int64(text, &whole))
        return json_integer(whole);
    if (kind == SETTING_NUM && text_to_double(text, &number))
        return json_real(number);
    if (kind == SETTING_BOOL && strcmp(text, "true") == 0)
        return json_true();
    if (kind == SETTING_BOOL && strcmp(text, "false") == 0)
        return json_false();
    json_t *string = json_string(text);
    return string ? string : json_null(); /* not UTF-8: wrong type */
}

enum err_code settings_set_text(struct settings *settings, struct arena *arena, enum setting_id id,
                                const char *text, enum setting_origin origin,
                                const char *origin_name, struct err *err)
{
    json_auto_t *value = value_from_text(settings_table[id].kind, text);
    return settings_set(settings, arena, id, value, origin, origin_name, err);
}

json_t *settings_value(const struct settings *settings, enum setting_id id)
{
    const struct setting *setting = &settings_table[id];
    const char *member = (const char *)settings + setting->offset;
    switch (setting->kind) {
    case SETTING_INT:
        return json_integer(*(const int64_t *)(const void *)member);
    case SETTING_NUM:
        return json_real(*(const double *)(const void *)member);
    case SETTING_BOOL:
        return json_boolean(*(const bool *)(const void *)member);
    case SETTING_TEXT:
    case SETTING_CHOICE:
        return json_string(*(const char *const *)(const void *)member);
    }
    return NULL;
}

enum err_code settings_server_waits(const char *name, struct err *err)
{
    enum err_code r =
        err_set(err, ERR_DENIED, 0, "server %.64s of this folder waits for approval", name);
    err_about(err, r, "server");
    return err_hint(err, r, "see what it would start, and approve it: mistro servers review");
}
