#include "tests/support/full/contracts/bounded_contract.h"
#include "application/orchestrators/plan_contract.h"
#include "application/structured/contracts.h"
#include "domain/base/json.h"
#include "infrastructure/workspace/workspace_tools.h"
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
}

/* An object of anything may go on for ever. */
static void close_bare_objects(json_t *schema)
{
    static const char *const bare[] = { "parameters", "args" };
    json_t *properties = json_object_get(schema, "properties");
    for (size_t i = 0; i < ARRAY_LENGTH(bare); i++) {
        const json_t *object = json_object_get(properties, bare[i]);
        if (object && !json_object_get(object, "properties"))
            json_object_set_new(properties, bare[i], tool_arguments());
    }
}

/* What the tools of a turn bring, as the orchestrator has it: those of the built-in workspace. */
static void complete_as_a_turn_does(struct arena *arena, const char *name, json_t *schema)
{
    struct shortlist list = { .tools = arena_array(arena, struct offered_tool, workspace_n_tools) };
    for (; list.n < workspace_n_tools; list.n++) {
        json_t *definition =
            arena_keep_json(arena, workspace_tool_definition(&workspace_tools[list.n]));
        struct tool *tool = arena_new(arena, struct tool);
        *tool = (struct tool){ .server = "files",
                               .name = json_get_string(definition, "name"),
                               .input_schema = json_object_get(definition, "inputSchema"),
                               .definition = definition };
        tool->full_name = arena_printf(arena, "files/%s", tool->name);
        list.tools[list.n] =
            (struct offered_tool){ .tool = tool,
                                   .shown = arena_printf(arena, "files__%s", tool->name) };
    }
    if (strcmp(name, "plan") == 0)
        plan_contract_complete(schema, &list, MAX_ITEMS, PLAN_ARGUMENTS_REQUIRED);
    else if (strstr(name, "intent"))
        intent_contract_complete(schema, &list, MAX_ITEMS);
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
    if (engine == BOUNDED_FOR_NPM) {
        add_tools(schema);
        drop_unenforced(schema);
    }
    close_bare_objects(schema);
    if (type && strcmp(type, "string") == 0 && !json_object_get(schema, "enum"))
        cap(schema, "maxLength", engine == BOUNDED_FOR_NPM ? SHORT_LENGTH : MAX_LENGTH);
    if (type && strcmp(type, "array") == 0) {
        cap(schema, "maxItems", MAX_ITEMS);
        json_object_set_new(schema, "minItems", json_integer(1)); /* something to look at */
    }
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
    if (engine == BOUNDED_FOR_LLAMA_SERVER)
        complete_as_a_turn_does(arena, name, unconst(out->schema));
    bound(unconst(out->schema), engine);
    if (out->shape != CONTRACT_OBJECT)
        out->max_tokens = TEXT_TOKENS; /* words of this model end nowhere else */
    return ERR_NONE;
}
