#include "application/structured/synonyms.h"
#include "domain/base/json.h"
#include <string.h>

#define NAME_MAX_BYTES 256 /* of one name in a path; a longer one is never found */

struct rule {
    const struct contract_synonym *synonym;
    unsigned n;
};

/* The word instead of this value; NULL: it stays. */
static json_t *other_word(struct rule *rule, const json_t *value)
{
    const char *word = json_string_value(value);
    if (!word || strcasecmp(word, rule->synonym->said) != 0)
        return NULL;
    rule->n++;
    return json_string(rule->synonym->meant);
}

static void replace_below(struct rule *rule, json_t *value, const char *path);

static void replace_member(struct rule *rule, json_t *object, const char *name, const char *rest)
{
    json_t *member = json_object_get(object, name);
    json_t *word = *rest ? NULL : other_word(rule, member);
    if (word)
        json_object_set_new(object, name, word);
    else
        replace_below(rule, member, rest);
}

static void replace_elements(struct rule *rule, json_t *array, const char *rest)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *word = *rest ? NULL : other_word(rule, json_array_get(array, i));
        if (word)
            json_array_set_new(array, i, word);
        else
            replace_below(rule, json_array_get(array, i), rest);
    }
}

/* path: "" or "/name…". Its depth is bounded by the path, which is the contract's. */
static void replace_below(struct rule *rule, json_t *value, const char *path)
{
    if (*path != '/')
        return;
    char name[NAME_MAX_BYTES];
    size_t length = strcspn(path + 1, "/");
    if (length >= sizeof name)
        return;
    memcpy(name, path + 1, length);
    name[length] = '\0';
    const char *rest = path + 1 + length;
    if (json_is_array(value) && strcmp(name, "-") == 0)
        replace_elements(rule, value, rest);
    else if (json_is_object(value))
        replace_member(rule, value, name, rest);
}

const json_t *synonyms_apply(struct arena *arena, const struct contract *contract,
                             const json_t *value, unsigned *out_n)
{
    if (!contract->n_synonyms)
        return NULL;
    unsigned n = 0;
    json_t *copy = json_deep_copy(value);
    arena_keep_json(arena, copy);
    for (size_t i = 0; i < contract->n_synonyms; i++) {
        struct rule rule = { .synonym = &contract->synonyms[i] };
        replace_below(&rule, copy, rule.synonym->path);
        n += rule.n;
    }
    *out_n = n;
    return n ? copy : NULL;
}
