/* The lexical analyst over the real full-text index and a few tools: "desk" and what a test has
 * besides. */
#ifndef TESTS_CONTRACT_LEXICAL_DESK_H
#define TESTS_CONTRACT_LEXICAL_DESK_H

#include "application/orchestrators/lexical/lexical_analyst.h"
#include "application/settings.h"
#include "domain/base/json.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/test_assets.h"
#include <string.h>

#define OBJECT(properties, required)                                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"
#define TEXT(name) "\"" name "\":{\"type\":\"string\"}"
#define NUMBER(name) "\"" name "\":{\"type\":\"number\"}"
#define INTEGER(name) "\"" name "\":{\"type\":\"integer\"}"

struct definition {
    const char *server, *name, *description, *input, *output;
    bool only_reads;
};

static const struct definition desk[] = {
    { "s", "read_file", "Read the text of a file.", OBJECT(TEXT("path"), "\"path\""), NULL, true },
    { "s", "search_files", "Search for text in files, and count it.",
      OBJECT(TEXT("query"), "\"query\""),
      "{\"type\":\"object\",\"properties\":{\"matches\":{\"type\":\"array\",\"items\":"
      "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}}}}}}",
      true },
    { "s", "current_weather", "Weather of a city: temperature and wind.",
      OBJECT(TEXT("city"), "\"city\""), NULL, true },
    { "s", "sum", "Add two numbers.", OBJECT(NUMBER("a") "," NUMBER("b"), "\"a\",\"b\""), NULL,
      true },
    { "s", "merge_pull_request", "Merge a pull request.", OBJECT(INTEGER("number"), "\"number\""),
      NULL, false },
    { "s", "start_vacuum", "Start the vacuum robot.", OBJECT("", ""), NULL, false },
};
static const struct definition pages[] = {
    { "s", "read_file", "Read the text of a file, or some lines of it.",
      OBJECT(TEXT("path") "," INTEGER("start_line") "," INTEGER("end_line"), "\"path\""), NULL,
      true },
    { "s", "search_files", "Search for text in the files of a folder.",
      OBJECT(TEXT("query") "," TEXT("path"), "\"query\""), NULL, true },
};
static const struct definition doors[] = {
    { "s", "lock_door", "Lock a door.",
      OBJECT("\"door\":{\"type\":\"string\",\"description\":\"for example front or garage\"}",
             "\"door\""),
      NULL, false },
};
static const struct definition issues[] = {
    { "s", "close_issue", "Close an issue.", OBJECT(INTEGER("number"), "\"number\""), NULL, false },
    { "s", "close_pull_request", "Close a pull request.", OBJECT(INTEGER("number"), "\"number\""),
      NULL, false },
    { "s", "get_issue", "Show an issue.", OBJECT(INTEGER("number"), "\"number\""), NULL, true },
};

static inline const json_t *schema_of(struct arena *arena, const char *text)
{
    json_t *schema = NULL;
    if (!text)
        return NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &schema, NULL), ERR_NONE);
    return arena_keep_json(arena, schema);
}

static inline const struct tool *make_tool(struct arena *arena, const struct definition *definition)
{
    struct tool *tool = arena_new(arena, struct tool);
    *tool = (struct tool){
        .server = definition->server,
        .name = definition->name,
        .full_name = arena_printf(arena, "%s/%s", definition->server, definition->name),
        .description = definition->description,
        .input_schema = schema_of(arena, definition->input),
        .output_schema = schema_of(arena, definition->output),
        .read_only = definition->only_reads ? HINT_YES : HINT_UNSAID,
    };
    return tool;
}

static inline void analyse_with(struct arena *arena, const struct definition *definitions, size_t n,
                                const char *request, struct lexical_analysis *out)
{
    const struct tool **tools = arena_array(arena, const struct tool *, n);
    struct settings settings;
    struct err err;
    for (size_t i = 0; i < n; i++)
        tools[i] = make_tool(arena, &definitions[i]);
    settings_init(&settings);
    struct tool_index *index = bm25_tool_index_create();
    assert_int_equal(tool_index_build(index, tools, n, &err), ERR_NONE);
    const struct lexical_request asked = {
        index, tools, n, request, settings.lexical_threshold, 0, test_assets()
    };
    enum err_code r = lexical_analyse(arena, &asked, out, &err);
    tool_index_destroy(index);
    assert_int_equal(r, ERR_NONE);
}

static inline void analyse(struct arena *arena, const char *request, struct lexical_analysis *out)
{
    analyse_with(arena, desk, ARRAY_LENGTH(desk), request, out);
}

/* "read_file {…}; sum {…}" */
static inline const char *print_calls(struct arena *arena, const struct lexical_analysis *found)
{
    const char *text = "";
    for (size_t i = 0; i < found->n_calls; i++)
        text = arena_printf(arena, "%s%s%s %s", text, i ? "; " : "", found->calls[i].tool->name,
                            json_print_in(arena, found->calls[i].args));
    return text;
}

#endif
