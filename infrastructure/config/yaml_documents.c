#include "domain/base/json.h"
#include "infrastructure/config/config.h"
#include "infrastructure/config/yaml_internal.h"
#include <string.h>

static bool looks_like_json(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    return at < length && (text[at] == '{' || text[at] == '[');
}

/* JSON is YAML but for details, in which JSON's own parser is right; the places are YAML's. */
static enum err_code parse(struct documents *d, const char *text, size_t length,
                           struct arena *arena, struct document *out, struct err *err)
{
    (void)d;
    json_t *json = NULL, *value = NULL, *places = NULL;
    struct err ignored;
    bool is_json = length <= DOCUMENT_MAX_BYTES && looks_like_json(text, length) &&
                   json_parse(text, length, JSON_OURS, &json, &ignored) == ERR_NONE;
    enum err_code r = yaml_read(text, length, &value, &places, is_json ? &ignored : err);
    if (r && !is_json)
        return r;
    if (is_json) {
        json_decref(value);
        value = json;
    }
    out->value = arena_keep_json(arena, value);
    out->places = arena_keep_json(arena, places);
    return ERR_NONE;
}

static const json_t *child_place(const json_t *place, char *part)
{
    const json_t *children = json_array_get(place, 2);
    if (json_is_array(children)) {
        char *end = NULL;
        unsigned long index = strtoul(part, &end, 10);
        return *part && !*end ? json_array_get(children, index) : NULL;
    }
    char *to = part;
    for (const char *from = part; *from; from++) {
        bool escaped = *from == '~' && (from[1] == '0' || from[1] == '1');
        *to++ = escaped ? (from[1] == '0' ? '~' : '/') : *from;
        from += escaped;
    }
    *to = '\0';
    return json_object_get(children, part);
}

static bool place(struct documents *d, const struct document *document, const char *path,
                  int *out_line, int *out_column)
{
    (void)d;
    AUTO(arena) scratch = { 0 };
    const json_t *found = document->places;
    if (!found)
        return false;
    while (*path == '/') {
        size_t length = strcspn(path + 1, "/");
        const json_t *next = child_place(found, arena_strndup(&scratch, path + 1, length));
        if (!next)
            break;
        found = next;
        path += 1 + length;
    }
    *out_line = (int)json_integer_value(json_array_get(found, 0));
    *out_column = (int)json_integer_value(json_array_get(found, 1));
    return true;
}

static enum err_code print(struct documents *d, const json_t *value, struct arena *arena,
                           const char **out_text, struct err *err)
{
    (void)d;
    if (!yaml_print(arena, value, out_text))
        return err_set(err, ERR_LIMIT, 0, "too large to print as YAML");
    return ERR_NONE;
}

struct documents *yaml_documents(void)
{
    static const struct documents_ops ops = { .parse = parse, .place = place, .print_yaml = print };
    static struct documents documents = { &ops };
    return &documents;
}
