#include "domain/base/json.h"

struct comparison {
    struct arena *arena;
    const char *first;
    size_t count;
};

static void differs(struct comparison *c, const char *path)
{
    if (!c->count++)
        c->first = path;
}

static void compare(struct comparison *c, const char *path, const json_t *a, const json_t *b);

static void compare_objects(struct comparison *c, const char *path, const json_t *a,
                            const json_t *b)
{
    const char *key;
    const json_t *member;
    json_each_member (a, key, member)
        compare(c, json_path_member(c->arena, path, key), member, json_object_get(b, key));
    json_each_member (b, key, member)
        if (!json_object_get(a, key))
            differs(c, json_path_member(c->arena, path, key));
}

static void compare_arrays(struct comparison *c, const char *path, const json_t *a, const json_t *b)
{
    size_t n = json_array_size(a), m = json_array_size(b);
    for (size_t i = 0; i < n || i < m; i++)
        compare(c, json_path_element(c->arena, path, i), json_array_get(a, i),
                json_array_get(b, i));
}

static void compare(struct comparison *c, const char *path, const json_t *a, const json_t *b)
{
    if (json_equal(a, b))
        return;
    if (json_is_object(a) && json_is_object(b))
        compare_objects(c, path, a, b);
    else if (json_is_array(a) && json_is_array(b))
        compare_arrays(c, path, a, b);
    else
        differs(c, path);
}

const char *json_difference(struct arena *arena, const json_t *a, const json_t *b,
                            size_t *out_count)
{
    struct comparison c = { .arena = arena };
    compare(&c, "", a, b);
    *out_count = c.count;
    return c.first;
}
