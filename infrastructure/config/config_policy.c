#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include <string.h>

#define MAX_RULES 500
#define MAX_ARGUMENTS 20

static enum err_code refuse(const struct config_place *rule, const char *member, const char *what,
                            struct err *err)
{
    struct config_place place = config_place_member(rule, member);
    return config_refuse(&place, err, "policy: %s", what);
}

static bool read_effect(const char *text, enum policy_effect *out)
{
    static const enum policy_effect effects[] = { POLICY_ALLOW, POLICY_ASK, POLICY_DENY };
    for (size_t i = 0; i < ARRAY_LENGTH(effects); i++) {
        if (text_equal(text, policy_effect_name(effects[i]))) {
            *out = effects[i];
            return true;
        }
    }
    return false;
}

static enum err_code read_arguments(const struct config_place *place, const json_t *map,
                                    struct policy_rule *rule, struct err *err)
{
    const char *name;
    const json_t *glob;
    if (!json_is_object(map) || json_object_size(map) > MAX_ARGUMENTS)
        return refuse(place, "args", "args must be a map of at most 20 names to globs", err);
    struct policy_argument *arguments =
        arena_array(place->loading->arena, struct policy_argument, json_object_size(map) + 1);
    json_each_member (map, name, glob) {
        if (!json_is_string(glob))
            return refuse(place, "args", "a glob over an argument must be text", err);
        arguments[rule->n_arguments++] = (struct policy_argument){ name, json_string_value(glob) };
    }
    rule->arguments = arguments;
    return ERR_NONE;
}

static enum err_code read_glob(const struct config_place *place, const json_t *rule,
                               const char *key, const char **out, struct err *err)
{
    const json_t *value = json_object_get(rule, key);
    if (value && !json_is_string(value))
        return refuse(place, key, "server and tool must be globs", err);
    *out = json_string_value(value);
    return ERR_NONE;
}

static enum err_code check_members(const struct config_place *place, const json_t *rule,
                                   struct err *err)
{
    static const char *const known[] = { "effect", "repeat", "idempotency_argument",
                                         "server", "tool",   "args" };
    const char *key;
    const json_t *member;
    json_each_member (rule, key, member) {
        bool found = false;
        for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
            found = found || strcmp(known[i], key) == 0;
        if (!found)
            return refuse(place, key,
                          "a rule has effect, repeat, idempotency_argument, server, tool and args, "
                          "nothing else",
                          err);
    }
    return ERR_NONE;
}

/* A rule says something about at least one of the three. */
static enum err_code read_verdicts(const struct config_place *place, const json_t *value,
                                   struct policy_rule *rule, struct err *err)
{
    const json_t *repeat = json_object_get(value, "repeat");
    rule->effect = POLICY_UNSAID;
    if (repeat && !json_is_boolean(repeat))
        return refuse(place, "repeat", "repeat must be true or false", err);
    if (repeat)
        rule->repeat = json_is_true(repeat) ? HINT_YES : HINT_NO;
    const json_t *argument = json_object_get(value, "idempotency_argument");
    if (argument && (!json_string_length(argument) || json_string_has_nul(argument)))
        return refuse(place, "idempotency_argument",
                      "idempotency_argument must be the name of an argument", err);
    rule->idempotency_argument = json_string_value(argument);
    if ((repeat || argument) && !json_object_get(value, "effect"))
        return ERR_NONE;
    if (!read_effect(json_get_string(value, "effect"), &rule->effect))
        return refuse(place, "effect", "effect must be allow, ask or deny", err);
    return ERR_NONE;
}

static enum err_code read_rule(const struct config_place *place, const json_t *value,
                               struct policy_rule *out, struct err *err)
{
    struct policy_rule rule = { .from_project = place->source->origin == ORIGIN_PROJECT_FILE };
    const json_t *arguments = json_object_get(value, "args");
    if (!json_is_object(value))
        return config_refuse(place, err, "policy: a rule must be a map");
    enum err_code r = check_members(place, value, err);
    if (!r)
        r = read_verdicts(place, value, &rule, err);
    if (!r)
        r = read_glob(place, value, "server", &rule.server, err);
    if (!r)
        r = read_glob(place, value, "tool", &rule.tool, err);
    if (!r && arguments)
        r = read_arguments(place, arguments, &rule, err);
    if (!r)
        *out = rule;
    return r;
}

/* What a project that is not approved may say. */
static void tighten(struct policy_rule *rule)
{
    if (rule->effect == POLICY_ALLOW)
        rule->effect = POLICY_UNSAID;
    if (rule->repeat == HINT_YES)
        rule->repeat = HINT_UNSAID;
    rule->idempotency_argument = NULL;
}

enum err_code config_read_policy(const struct config_place *place, const json_t *list,
                                 struct err *err)
{
    struct config_loading *loading = place->loading;
    const json_t *value;
    size_t i;
    if (json_is_null(list))
        return ERR_NONE;
    if (!json_is_array(list) || json_array_size(list) > MAX_RULES)
        return config_refuse(place, err, "policy: must be a list of at most 500 rules");
    if (place->source->origin == ORIGIN_PROJECT_FILE)
        loading->project_policy = list;
    json_array_foreach (list, i, value) {
        struct policy_rule rule = { 0 };
        struct config_place of_rule = config_place_element(place, i);
        enum err_code r = read_rule(&of_rule, value, &rule, err);
        if (r)
            return r;
        bool loosens = rule.from_project && (rule.effect == POLICY_ALLOW ||
                                             rule.repeat == HINT_YES || rule.idempotency_argument);
        loading->policy_loosens = loading->policy_loosens || loosens;
        if (loosens && !loading->project_approved)
            tighten(&rule);
        if (rule.effect != POLICY_UNSAID || rule.repeat != HINT_UNSAID || rule.idempotency_argument)
            *arena_push(loading->arena, loading->rules, loading->n_rules, loading->rules_capacity) =
                rule;
    }
    return ERR_NONE;
}
