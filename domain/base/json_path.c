#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

const char *json_path_member(struct arena *arena, const char *path, const char *key)
{
    size_t extra = 0;
    for (const char *at = key; *at; at++)
        extra += *at == '~' || *at == '/';
    size_t length = strlen(path);
    char *whole = arena_alloc(arena, length + 1 + strlen(key) + extra + 1);
    memcpy(whole, path, length + 1);
    whole[length++] = '/';
    for (const char *at = key; *at; at++) {
        if (*at == '~' || *at == '/') {
            whole[length++] = '~';
            whole[length++] = *at == '~' ? '0' : '1';
        } else {
            whole[length++] = *at;
        }
    }
    return whole;
}

const char *json_path_element(struct arena *arena, const char *path, size_t index)
{
    return arena_printf(arena, "%s/%zu", path, index);
}

const char *json_path_part(struct arena *arena, const char **path)
{
    const char *at = *path + 1;
    size_t length = strcspn(at, "/"), n = 0;
    char *part = arena_alloc(arena, length + 1);
    *path = at + length;
    for (size_t i = 0; i < length; i++) {
        bool escaped = at[i] == '~' && i + 1 < length && (at[i + 1] == '0' || at[i + 1] == '1');
        part[n++] = at[i];
        if (escaped)
            part[n - 1] = at[++i] == '0' ? '~' : '/';
    }
    return part;
}

const json_t *json_path_step(struct arena *arena, const json_t *value, const char **path)
{
    int64_t index;
    const char *part = json_path_part(arena, path);
    if (json_is_object(value))
        return json_object_get(value, part);
    bool is_index = json_is_array(value) && text_to_int64(part, &index) && index >= 0 &&
                    !strchr("-+", part[0]) && (part[0] != '0' || !part[1]);
    return is_index ? json_array_get(value, (size_t)index) : NULL;
}

const json_t *json_path_find(const json_t *value, const char *path)
{
    AUTO(arena) scratch = { 0 };
    while (value && *path == '/')
        value = json_path_step(&scratch, value, &path);
    return *path ? NULL : value;
}
