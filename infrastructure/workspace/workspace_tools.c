#include "infrastructure/workspace/workspace_tools.h"
#include "domain/base/json.h"
#include <assert.h>
#include <string.h>

#define FILE_PATH                                                                                  \
    {                                                                                              \
        "path", PARAMETER_PATH, true, "file, relative to the workspace folder", 0, 0,              \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define FOLDER_PATH                                                                                \
    {                                                                                              \
        "path", PARAMETER_PATH, false, "folder, relative to the workspace folder; default: all",   \
            0, 0,                                                                                  \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define STRINGS "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define OBJECT(properties, required)                                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"
#define P(name, type) "\"" name "\":{\"type\":\"" type "\"}"

const struct workspace_tool workspace_tools[] = {
    {
        .name = "list_directory",
        .title = "List a folder",
        .description = "List the files and folders in a folder of the workspace, with type, size "
                       "and time of the last change. Names only, not contents.",
        .is_idempotent = true,
        .parameters = { FOLDER_PATH,
                        { "depth",
                          PARAMETER_NUMBER,
                          false,
                          "levels of sub-folders to list, 1 = only this folder (default)",
                          1,
                          16,
                          { NULL } },
                        { "pattern",
                          PARAMETER_PATH,
                          false,
                          "show only names that match this glob, for example *.md",
                          0,
                          0,
                          { NULL } } },
        .output_schema = OBJECT(
            P("path", "string") ",\"entries\":{\"type\":\"array\",\"items\":" OBJECT(
                P("name", "string") "," P("path", "string") "," P("type", "string") "," P(
                    "bytes", "integer") "," P("modified", "string"),
                "\"name\",\"path\",\"type\"") "}," P("truncated", "boolean") "," P("invalid_utf8",
                                                                                   "boolean"),
            "\"path\",\"entries\",\"truncated\""),
        .run = workspace_list_directory,
    },
    {
        .name = "read_file",
        .title = "Read a file",
        .description = "Read a text file of the workspace, whole or from one line to another. "
                       "Binary files are refused unless encoding is base64.",
        .is_idempotent = true,
        .parameters = { FILE_PATH,
                        { "start_line",
                          PARAMETER_NUMBER,
                          false,
                          "first line to read, from 1",
                          1,
                          INT32_MAX,
                          { NULL } },
                        { "end_line",
                          PARAMETER_NUMBER,
                          false,
                          "last line to read, inclusive",
                          1,
                          INT32_MAX,
                          { NULL } },
                        { "max_bytes",
                          PARAMETER_NUMBER,
                          false,
                          "cut the answer after so many bytes",
                          1,
                          INT32_MAX,
                          { NULL } },
                        { "encoding",
                          PARAMETER_CHOICE,
                          false,
                          "text (default) or base64 for binary files",
                          0,
                          0,
                          { "text", "base64" } } },
        .output_schema = OBJECT(
            P("path", "string") "," P("encoding", "string") "," P("content", "string") "," P(
                "bytes",
                "integer") "," P("total_lines",
                                 "integer") "," P("start_line",
                                                  "integer") "," P("truncated",
                                                                   "boolean") "," P("invalid_utf8",
                                                                                    "boolean"),
            "\"path\",\"content\",\"bytes\",\"truncated\""),
        .run = workspace_read_file,
    },
    {
        .name = "search_files",
        .title = "Search in files",
        .description = "Find text in the files of the workspace, or files by name. Give query to "
                       "search contents (plain text, no regular expression), name to search file "
                       "names with a glob, or both. Skips .git, binary and very large files.",
        .is_idempotent = true,
        .parameters = { { "query",
                          PARAMETER_TEXT,
                          false,
                          "text to find in the contents",
                          0,
                          WORKSPACE_MAX_QUERY_BYTES,
                          { NULL } },
                        { "name",
                          PARAMETER_PATH,
                          false,
                          "glob for file names, for example *.c",
                          0,
                          0,
                          { NULL } },
                        FOLDER_PATH,
                        { "ignore_case",
                          PARAMETER_FLAG,
                          false,
                          "treat upper and lower case alike (default false)",
                          0,
                          0,
                          { NULL } },
                        { "limit",
                          PARAMETER_NUMBER,
                          false,
                          "most matches to return (default 100)",
                          1,
                          1000000,
                          { NULL } } },
        .output_schema = OBJECT(
            "\"matches\":{\"type\":\"array\",\"items\":" OBJECT(
                P("path", "string") "," P("line", "integer") "," P("text", "string"),
                "\"path\"") "}," P("files_searched",
                                   "integer") "," P("files_skipped",
                                                    "integer") "," P("truncated",
                                                                     "boolean") "," P("invalid_"
                                                                                      "utf8",
                                                                                      "boolean"),
            "\"matches\",\"truncated\""),
        .run = workspace_search_files,
    },
    {
        .name = "file_info",
        .title = "Size, type and age of a file",
        .description = "Type, size and time of the last change of one file or folder. A "
                       "link is described itself, not what it points to.",
        .is_idempotent = true,
        .parameters = { { "path",
                          PARAMETER_PATH,
                          true,
                          "file or folder, relative to the workspace folder",
                          0,
                          0,
                          { NULL } } },
        .output_schema =
            OBJECT(P("path", "string") "," P("type", "string") "," P("bytes", "integer") "," P(
                       "modified", "string") "," P("mode", "string") "," P("writable", "boolean"),
                   "\"path\",\"type\",\"bytes\",\"modified\""),
        .run = workspace_file_info,
    },
    {
        .name = "text_stats",
        .title = "Count lines and words",
        .description = "Count lines, words, characters and bytes of a text file, or of text given "
                       "in the call. Give path or text.",
        .is_idempotent = true,
        .parameters = { { "path",
                          PARAMETER_PATH,
                          false,
                          "file, relative to the workspace folder",
                          0,
                          0,
                          { NULL } },
                        { "text",
                          PARAMETER_TEXT,
                          false,
                          "the text itself, instead of a file",
                          0,
                          0,
                          { NULL } } },
        .output_schema = OBJECT(
            P("lines", "integer") "," P("words", "integer") "," P("characters", "integer") "," P(
                "bytes", "integer") "," P("invalid_utf8", "boolean"),
            "\"lines\",\"words\",\"characters\",\"bytes\""),
        .run = workspace_text_stats,
    },
    {
        .name = "query_table",
        .title = "Query a table with SQL",
        .description =
            "Run one SQL SELECT (SQLite dialect) over a CSV, TSV or JSON-lines file. The table is "
            "called t and by the name of the file; its columns are the header row (or the keys). "
            "Use it to filter, count, sum, group and sort.",
        .is_idempotent = true,
        .runs_in_child = true,
        .parameters = { FILE_PATH,
                        { "sql",
                          PARAMETER_TEXT,
                          true,
                          "one SELECT, for example SELECT name, sum(price) FROM t GROUP BY name",
                          0,
                          WORKSPACE_MAX_SQL_BYTES,
                          { NULL } },
                        { "limit",
                          PARAMETER_NUMBER,
                          false,
                          "most rows to return",
                          1,
                          1000000,
                          { NULL } } },
        .output_schema = OBJECT(
            "\"columns\":" STRINGS
            ",\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}," P(
                "row_count",
                "integer") "," P("table", "string") ",\"table_columns\":" STRINGS
                                                    "," P("table_rows", "integer") "," P(
                                                        "truncated",
                                                        "boolean") "," P("invalid_utf8", "boolean"),
            "\"columns\",\"rows\",\"row_count\",\"truncated\""),
        .run = workspace_query_table,
    },
    {
        .name = "write_file",
        .title = "Write a file",
        .description = "Create a text file in the workspace, or replace one when overwrite is "
                       "true. The folder must exist. The file is complete or unchanged, never "
                       "half written.",
        .writes = true,
        .is_idempotent = true,
        .parameters = { FILE_PATH,
                        { "content",
                          PARAMETER_TEXT,
                          true,
                          "the whole new content",
                          0,
                          0,
                          { NULL } },
                        { "overwrite",
                          PARAMETER_FLAG,
                          false,
                          "replace the file if it exists (default false)",
                          0,
                          0,
                          { NULL } } },
        .output_schema =
            OBJECT(P("path", "string") "," P("bytes", "integer") "," P("created", "boolean"),
                   "\"path\",\"bytes\",\"created\""),
        .run = workspace_write_file,
    },
    {
        .name = "edit_file",
        .title = "Edit a file",
        .description = "Replace exact pieces of a text file in the workspace. Each old_text must "
                       "occur exactly once; edits are made in order, all or none. Returns what "
                       "changed.",
        .writes = true,
        .parameters = { FILE_PATH,
                        { "edits",
                          PARAMETER_EDITS,
                          true,
                          "what to replace by what",
                          0,
                          0,
                          { NULL } },
                        { "dry_run",
                          PARAMETER_FLAG,
                          false,
                          "only show what would change (default false)",
                          0,
                          0,
                          { NULL } } },
        .output_schema =
            OBJECT(P("path", "string") "," P("edits", "integer") "," P("bytes", "integer") "," P(
                       "diff", "string") "," P("written", "boolean"),
                   "\"path\",\"edits\",\"diff\",\"written\""),
        .run = workspace_edit_file,
    },
};
const size_t workspace_n_tools = sizeof workspace_tools / sizeof *workspace_tools;

const struct workspace_tool *workspace_tool_find(const char *name, bool with_writing)
{
    for (size_t i = 0; i < workspace_n_tools; i++)
        if (strcmp(workspace_tools[i].name, name) == 0 &&
            (with_writing || !workspace_tools[i].writes))
            return &workspace_tools[i];
    return NULL;
}

static json_t *parse_constant(const char *text)
{
    json_t *value = NULL;
    enum err_code r = json_parse(text, strlen(text), JSON_OURS, &value, NULL);
    assert(r == ERR_NONE);
    (void)r;
    return value;
}

static json_t *parameter_schema(const struct workspace_parameter *parameter)
{
    static const char edits[] =
        "{\"type\":\"array\",\"minItems\":1,\"maxItems\":100,\"items\":{\"type\":\"object\","
        "\"properties\":{\"old_text\":{\"type\":\"string\",\"minLength\":1,\"description\":"
        "\"text as it stands in the file, long enough to be unique\"},\"new_text\":{\"type\":"
        "\"string\"}},\"required\":[\"old_text\",\"new_text\"],\"additionalProperties\":false}}";
    json_t *schema = NULL;
    switch (parameter->kind) {
    case PARAMETER_PATH:
    case PARAMETER_TEXT:
        schema = json_pack("{ss}", "type", "string");
        break;
    case PARAMETER_CHOICE:
        schema = json_pack("{sss[ss]}", "type", "string", "enum", parameter->choices[0],
                           parameter->choices[1]);
        break;
    case PARAMETER_NUMBER:
        schema = json_pack("{sssIsI}", "type", "integer", "minimum", (json_int_t)parameter->low,
                           "maximum", (json_int_t)parameter->high);
        break;
    case PARAMETER_FLAG:
        schema = json_pack("{ss}", "type", "boolean");
        break;
    case PARAMETER_EDITS:
        schema = parse_constant(edits);
        break;
    }
    json_object_set_new(schema, "description", json_string(parameter->description));
    return schema;
}

json_t *workspace_tool_definition(const struct workspace_tool *tool)
{
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = 0; tool->parameters[i].name; i++) {
        const struct workspace_parameter *parameter = &tool->parameters[i];
        json_object_set_new(properties, parameter->name, parameter_schema(parameter));
        if (parameter->is_required)
            json_array_append_new(required, json_string(parameter->name));
    }
    return json_pack("{ss ss ss s{ss so so sb} so s{sb sb sb sb}}", "name", tool->name, "title",
                     tool->title, "description", tool->description, "inputSchema", "type", "object",
                     "properties", properties, "required", required, "additionalProperties", 0,
                     "outputSchema", parse_constant(tool->output_schema), "annotations",
                     "readOnlyHint", !tool->writes, "destructiveHint", tool->writes,
                     "idempotentHint", tool->is_idempotent, "openWorldHint", 0);
}
