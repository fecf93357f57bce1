#include "domain/tool/tool.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>

struct tool_catalogue *tool_catalogue_create(const char *server)
{
    struct tool_catalogue *catalogue = calloc(1, sizeof *catalogue);
    if (!catalogue)
        abort();
    catalogue->references = 1;
    catalogue->server = arena_strdup(&catalogue->arena, server);
    catalogue->by_name = arena_keep_json(&catalogue->arena, json_object());
    return catalogue;
}

struct tool_catalogue *tool_catalogue_ref(struct tool_catalogue *catalogue)
{
    catalogue->references++;
    return catalogue;
}

void tool_catalogue_unref(struct tool_catalogue *catalogue)
{
    if (!catalogue || --catalogue->references)
        return;
    arena_finish(&catalogue->arena);
    free(catalogue);
}

static enum hint read_hint(const json_t *annotations, const char *key)
{
    const json_t *value = json_object_get(annotations, key);
    if (!json_is_boolean(value))
        return HINT_UNSAID;
    return json_is_true(value) ? HINT_YES : HINT_NO;
}

static enum err_code check_name(const struct tool_catalogue *catalogue, const json_t *name,
                                struct err *err)
{
    if (!json_is_string(name) || !json_string_length(name) || json_string_has_nul(name))
        return err_set(err, ERR_PROTOCOL, 0, "a tool without a name");
    const char *text = json_string_value(name);
    if (strlen(catalogue->server) + 1 + strlen(text) > TOOL_FULL_NAME_MAX)
        return err_set(err, ERR_PROTOCOL, 0, "tool \"%.60s…\": the name is too long", text);
    if (tool_catalogue_find(catalogue, text))
        return err_set(err, ERR_PROTOCOL, 0, "tool \"%.60s\": the name is used twice", text);
    return ERR_NONE;
}

/* Names of arguments are sent as they were received: one that had to be repaired stands for
 * another that is not known. */
static bool has_repaired_name(const json_t *value)
{
    const char *key;
    const json_t *member;
    size_t i;
    json_array_foreach ((json_t *)(uintptr_t)value, i, member)
        if (has_repaired_name(member))
            return true;
    json_each_member (value, key, member)
        if ((strchr(key, '\xEF') && strstr(key, "\xEF\xBF\xBD")) || has_repaired_name(member))
            return true;
    return false;
}

static enum err_code check_schemas(const json_t *definition, struct err *err)
{
    const char *name = json_get_string(definition, "name");
    const json_t *input = json_object_get(definition, "inputSchema");
    const json_t *output = json_object_get(definition, "outputSchema");
    const char *type = json_get_string(input, "type");
    if (!type || strcmp(type, "object") != 0)
        return err_set(err, ERR_PROTOCOL, 0,
                       "tool \"%.60s\": inputSchema is not a schema of type object", name);
    if (output && !json_is_null(output) && !json_is_object(output))
        return err_set(err, ERR_PROTOCOL, 0, "tool \"%.60s\": outputSchema is not a schema", name);
    if (has_repaired_name(definition))
        return err_set(
            err, ERR_PROTOCOL, 0,
            "tool \"%.60s\": a name in its definition holds U+0000 or U+FFFD, or is not UTF-8",
            name);
    return ERR_NONE;
}

enum err_code tool_catalogue_add(struct tool_catalogue *catalogue, json_t *definition,
                                 struct err *err)
{
    enum err_code r = check_name(catalogue, json_object_get(definition, "name"), err);
    if (!r)
        r = check_schemas(definition, err);
    if (r)
        return r;
    struct arena *arena = &catalogue->arena;
    const char *name = json_get_string(definition, "name");
    const json_t *annotations = json_object_get(definition, "annotations");
    const json_t *output = json_object_get(definition, "outputSchema");
    const char *title = json_get_string(definition, "title");
    json_object_set_new(catalogue->by_name, name, json_integer((json_int_t)catalogue->n_tools));
    *arena_push(arena, catalogue->tools, catalogue->n_tools, catalogue->capacity) = (struct tool){
        .server = catalogue->server,
        .name = name,
        .full_name = arena_printf(arena, "%s/%s", catalogue->server, name),
        .title = title ? title : json_get_string(annotations, "title"),
        .description = json_get_string(definition, "description"),
        .input_schema = json_object_get(definition, "inputSchema"),
        .output_schema = json_is_object(output) ? output : NULL,
        .read_only = read_hint(annotations, "readOnlyHint"),
        .destructive = read_hint(annotations, "destructiveHint"),
        .idempotent = read_hint(annotations, "idempotentHint"),
        .open_world = read_hint(annotations, "openWorldHint"),
        .definition = arena_keep_json(arena, json_incref(definition)),
    };
    return ERR_NONE;
}

const struct tool *tool_catalogue_find(const struct tool_catalogue *catalogue, const char *name)
{
    const json_t *index = json_object_get(catalogue->by_name, name);
    return index ? &catalogue->tools[json_integer_value(index)] : NULL;
}

static const char *const identifying[] = { "annotations", "description",  "inputSchema",
                                           "name",        "outputSchema", "title" };

static size_t bytes_of(const json_t *value)
{
    size_t n = 1, i;
    const char *key;
    const json_t *member;
    if (json_is_string(value))
        return json_string_length(value) + strlen("\"\"");
    if (!json_is_object(value) && !json_is_array(value))
        return value ? strlen("false") : 0;
    json_array_foreach ((json_t *)(uintptr_t)value, i, member)
        n += bytes_of(member) + strlen(",");
    json_each_member (value, key, member)
        n += strlen(key) + strlen("\"\":,") + bytes_of(member);
    return n + (n == 1);
}

size_t tool_definition_bytes(const json_t *definition)
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(identifying); i++)
        n += bytes_of(json_object_get(definition, identifying[i]));
    return n;
}

void tool_definition_append(struct buf *out, const struct tool *tool)
{
    bool is_first = true;
    for (size_t i = 0; i < ARRAY_LENGTH(identifying); i++) {
        const json_t *member = json_object_get(tool->definition, identifying[i]);
        if (!member)
            continue;
        if (!buf_puts(out, is_first ? "{\"" : ",\"") || !buf_puts(out, identifying[i]) ||
            !buf_puts(out, "\":"))
            abort();
        json_append_sorted(out, member);
        is_first = false;
    }
    if (!buf_puts(out, is_first ? "{}" : "}"))
        abort();
}

char *tool_definition_text(const struct tool *tool)
{
    struct buf text;
    buf_init(&text, SIZE_MAX);
    tool_definition_append(&text, tool);
    return buf_take(&text);
}

bool tool_is_for_plans(const struct tool *tool)
{
    return json_get_bool(json_object_get(tool->definition, "_meta"), TOOL_FOR_PLANS, false);
}
