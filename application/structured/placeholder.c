#include "application/structured/placeholder.h"
#include "domain/base/json.h"
#include <string.h>

/* "<" asks whether there is anything to look for. */
static bool stands_in_examples(const struct contract *contract, const char *text)
{
    if (contract->good && strstr(contract->good, text))
        return true;
    for (size_t i = 0; i < contract->n_bad; i++)
        if (strstr(contract->bad[i], text))
            return true;
    return false;
}

static bool is_placeholder(const struct contract *contract, const char *text)
{
    size_t length = strlen(text);
    return length > 2 && length <= PLACEHOLDER_MAX_BYTES && text[0] == '<' &&
           text[length - 1] == '>' && stands_in_examples(contract, text);
}

static bool search(const struct contract *contract, const json_t *value, const char *path,
                   struct problems *problems)
{
    const char *text = json_string_value(value), *key;
    json_t *member;
    if (text && is_placeholder(contract, text)) {
        struct problem *problem =
            problems_add(problems, NULL, path, "%s is the gap of an example, not a value", text);
        problem->fix = "put the real value in place of the gap of the example";
        return true;
    }
    json_each_member (value, key, member)
        if (search(contract, member, json_path_member(problems->arena, path, key), problems))
            return true;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (search(contract, json_array_get(value, i), json_path_element(problems->arena, path, i),
                   problems))
            return true;
    return false;
}

bool placeholder_find(const struct contract *contract, const json_t *value,
                      struct problems *problems)
{
    return stands_in_examples(contract, "<") && search(contract, value, "", problems);
}
