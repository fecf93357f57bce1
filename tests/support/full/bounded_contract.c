#include "tests/support/full/bounded_contract.h"
#include "application/structured/contracts.h"
#include "domain/base/json.h"
#include "tests/support/full/test_assets.h"
#include <string.h>

enum { MAX_LENGTH = 40, SHORT_LENGTH = 16, MAX_ITEMS = 2, TEXT_TOKENS = 80 };

static json_t *unconst(const json_t *value)
{
    return (json_t *)(uintptr_t)value;
}

static void cap(json_t *schema, const char *keyword, json_int_t most)
{
    if (json_get_int(schema, keyword, most) >= most)
        json_object_set_new(schema, keyword, json_integer(most));
}

static json_t *tool_names(void)
{
    return json_pack("{s:s, s:[s, s, s]}", "type", "string", "enum", "files__read_file",
                     "files__search_files", "none");
}

static json_t *tool_arguments(void)
{
    return json_pack("{s:s, s:{s:{s:s, s:i}, s:{s:s}}, s:[s]}", "type", "object", "properties",
                     "path", "type", "string", "maxLength", MAX_LENGTH, "lines", "type", "integer",
                     "required", "path");
}

/* What the tools of a turn would have brought. */
static void add_tools(json_t *schema)
{
    json_t *properties = json_object_get(schema, "properties");
    json_t *needed = json_object_get(properties, "tools_needed");
    if (needed)
        json_object_set_new(needed, "items", tool_names());
    if (json_object_get(properties, "tool"))
        json_object_set_new(properties, "tool", tool_names());
    static const char *const bare[] = { "parameters", "args" };
    for (size_t i = 0; i < ARRAY_LENGTH(bare); i++)
        if (json_object_get(properties, bare[i]))
            json_object_set_new(properties, bare[i], tool_arguments());
}

static void drop_unenforced(json_t *schema)
{
    static const char *const dropped[] = { "minimum", "maximum",          "exclusiveMinimum",
                                           "pattern", "exclusiveMaximum", "format" };
    for (size_t i = 0; i < ARRAY_LENGTH(dropped); i++)
        json_object_del(schema, dropped[i]);
}

static void bound(json_t *schema, enum bounded_for engine)
{
    const char *type = json_get_string(schema, "type"), *key;
    json_t *member;
    size_t i;
    if (!json_is_object(schema))
        return;
    add_tools(schema);
    if (engine == BOUNDED_FOR_NPM)
        drop_unenforced(schema);
    if (type && strcmp(type, "string") == 0 && !json_object_get(schema, "enum"))
        cap(schema, "maxLength", engine == BOUNDED_FOR_NPM ? SHORT_LENGTH : MAX_LENGTH);
    if (type && strcmp(type, "array") == 0)
        cap(schema, "maxItems", MAX_ITEMS);
    json_each_member (json_object_get(schema, "properties"), key, member)
        bound(member, engine);
    json_array_foreach (json_object_get(schema, "anyOf"), i, member)
        bound(member, engine);
    bound(json_object_get(schema, "items"), engine);
}

enum err_code bounded_contract_load(struct arena *arena, const char *name, enum bounded_for engine,
                                    struct contract *out, struct err *err)
{
    enum err_code r = contract_load(arena, test_assets(), name, out, err);
    if (r)
        return r;
    bound(unconst(out->schema), engine);
    if (out->shape != CONTRACT_OBJECT)
        out->max_tokens = TEXT_TOKENS; /* words of this model end nowhere else */
    return ERR_NONE;
}
