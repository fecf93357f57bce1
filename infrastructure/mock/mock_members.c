#include "infrastructure/mock/mock_members.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mock/mock_fixture.h"
#include <string.h>

enum { MAX_MEMBERS = 20 };

static unsigned type_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return MOCK_OBJECT;
    case JSON_ARRAY:
        return MOCK_ARRAY;
    case JSON_STRING:
        return MOCK_STRING;
    case JSON_INTEGER:
    case JSON_REAL:
        return MOCK_NUMBER;
    case JSON_TRUE:
    case JSON_FALSE:
        return MOCK_BOOLEAN;
    case JSON_NULL:
        return MOCK_NULL_VALUE;
    }
    return 0;
}

static const char *type_words(unsigned types)
{
    switch (types) {
    case MOCK_OBJECT:
        return "a mapping";
    case MOCK_ARRAY:
        return "a list";
    case MOCK_STRING:
        return "text";
    case MOCK_NUMBER:
        return "a number";
    case MOCK_BOOLEAN:
        return "true or false";
    default:
        return "text or a mapping";
    }
}

static enum err_code unknown_member(const char *path, const char *key,
                                    const struct mock_member *members, struct err *err)
{
    const char *names[MAX_MEMBERS];
    size_t n = 0, nearest;
    for (; members[n].name; n++)
        names[n] = members[n].name;
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "%s/%.60s: there is no such member in a fixture", path, key);
    if (text_nearest(key, names, n, &nearest, 1))
        err_hint(err, r, "did you mean %s?", names[nearest]);
    return r;
}

enum err_code mock_check_members(const char *path, const json_t *object,
                                 const struct mock_member *members, struct err *err)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return err_set(err, ERR_INVALID, 0, "%s: must be a mapping", *path ? path : "/");
    json_object_foreach ((json_t *)(uintptr_t)object, key, value) {
        const struct mock_member *member = members;
        while (member->name && strcmp(member->name, key) != 0)
            member++;
        if (!member->name)
            return unknown_member(path, key, members, err);
        if (!(member->types & type_of(value)))
            return err_set(err, ERR_INVALID, 0, "%s/%s: must be %s", path, key,
                           type_words(member->types));
        bool in_range =
            json_number_value(value) >= 0 && json_number_value(value) <= MOCK_MAX_NUMBER;
        if (member->types == MOCK_NUMBER && strcmp(key, "code") != 0 && !in_range)
            return err_set(err, ERR_INVALID, 0, "%s/%s: must be from 0 to %d", path, key,
                           MOCK_MAX_NUMBER);
    }
    return ERR_NONE;
}

enum err_code mock_check_list(struct arena *arena, const char *path, const char *key,
                              const json_t *object, const struct mock_member *members,
                              struct err *err)
{
    const json_t *list = json_object_get(object, key);
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < json_array_size(list); i++)
        r = mock_check_members(arena_printf(arena, "%s/%s/%zu", path, key, i),
                               json_array_get(list, i), members, err);
    return r;
}

enum err_code mock_check_texts(const char *path, const char *key, const json_t *object,
                               const char *what, struct err *err)
{
    const json_t *list = json_object_get(object, key);
    if (list && !json_is_array(list))
        return err_set(err, ERR_INVALID, 0, "%s/%s: must be a list", path, key);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return err_set(err, ERR_INVALID, 0, "%s/%s/%zu: must be %s", path, key, i, what);
    return ERR_NONE;
}

enum err_code mock_check_lengths(struct arena *arena, const char *path, const json_t *value,
                                 struct err *err)
{
    enum err_code r = ERR_NONE;
    const char *key;
    json_t *member;
    size_t i;
    if (json_string_length(value) > MOCK_MAX_EXPANDED_BYTES)
        return err_set(err, ERR_INVALID, 0, "%s: a text of %zu bytes, more than %d", path,
                       json_string_length(value), MOCK_MAX_EXPANDED_BYTES);
    json_array_foreach (value, i, member) {
        if (!r)
            r = mock_check_lengths(arena, arena_printf(arena, "%s/%zu", path, i), member, err);
    }
    json_object_foreach ((json_t *)(uintptr_t)value, key, member) {
        if (!r)
            r = mock_check_lengths(arena, json_path_member(arena, path, key), member, err);
    }
    return r;
}
