#include "infrastructure/workspace/workspace_tools.h"
#include <string.h>

enum { OPTIONAL, REQUIRED };

#define PARAMETER(kind, name, need, low, high, description)                                        \
    {                                                                                              \
        name, PARAMETER_##kind, need, description, low, high,                                      \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define FILE_PATH PARAMETER(PATH, "path", REQUIRED, 0, 0, "file, relative to the workspace folder")
#define FOLDER_PATH                                                                                \
    PARAMETER(PATH, "path", OPTIONAL, 0, 0,                                                        \
              "folder, relative to the workspace folder; default: all")
#define ALWAYS(name, type)                                                                         \
    {                                                                                              \
        name, type, true, NULL, NULL                                                               \
    }
#define MAYBE(name, type)                                                                          \
    {                                                                                              \
        name, type, false, NULL, NULL                                                              \
    }
#define LIST(name, element, members, always)                                                       \
    {                                                                                              \
        name, "array", always, element, members                                                    \
    }

static const struct workspace_field entry_fields[] = {
    ALWAYS("name", "string"),  ALWAYS("path", "string"),    ALWAYS("type", "string"),
    MAYBE("bytes", "integer"), MAYBE("modified", "string"), { .name = NULL }
};

static const struct workspace_field listing_fields[] = { ALWAYS("path", "string"),
                                                         LIST("entries", "object", entry_fields,
                                                              true),
                                                         ALWAYS("truncated", "boolean"),
                                                         MAYBE("bounded_by", "string"),
                                                         MAYBE("files_unseen", "integer"),
                                                         MAYBE("invalid_utf8", "boolean"),
                                                         { .name = NULL } };

static const struct workspace_field content_fields[] = { ALWAYS("path", "string"),
                                                         MAYBE("encoding", "string"),
                                                         ALWAYS("content", "string"),
                                                         ALWAYS("bytes", "integer"),
                                                         MAYBE("total_lines", "integer"),
                                                         MAYBE("start_line", "integer"),
                                                         ALWAYS("truncated", "boolean"),
                                                         MAYBE("invalid_utf8", "boolean"),
                                                         { .name = NULL } };

static const struct workspace_field match_fields[] = {
    ALWAYS("path", "string"), MAYBE("line", "integer"), MAYBE("text", "string"), { .name = NULL }
};

static const struct workspace_field search_fields[] = { LIST("matches", "object", match_fields,
                                                             true),
                                                        MAYBE("files_searched", "integer"),
                                                        MAYBE("files_skipped", "integer"),
                                                        MAYBE("files_unseen", "integer"),
                                                        ALWAYS("truncated", "boolean"),
                                                        MAYBE("bounded_by", "string"),
                                                        MAYBE("invalid_utf8", "boolean"),
                                                        { .name = NULL } };

static const struct workspace_field info_fields[] = { ALWAYS("path", "string"),
                                                      ALWAYS("type", "string"),
                                                      ALWAYS("bytes", "integer"),
                                                      ALWAYS("modified", "string"),
                                                      MAYBE("mode", "string"),
                                                      MAYBE("writable", "boolean"),
                                                      { .name = NULL } };

static const struct workspace_field count_fields[] = {
    ALWAYS("lines", "integer"), ALWAYS("words", "integer"),       ALWAYS("characters", "integer"),
    ALWAYS("bytes", "integer"), MAYBE("invalid_utf8", "boolean"), { .name = NULL }
};

static const struct workspace_field query_fields[] = { LIST("columns", "string", NULL, true),
                                                       LIST("rows", "object", NULL, true),
                                                       ALWAYS("row_count", "integer"),
                                                       MAYBE("table", "string"),
                                                       LIST("table_columns", "string", NULL, false),
                                                       MAYBE("table_rows", "integer"),
                                                       ALWAYS("truncated", "boolean"),
                                                       MAYBE("bounded_by", "string"),
                                                       MAYBE("invalid_utf8", "boolean"),
                                                       { .name = NULL } };

static const struct workspace_field written_fields[] = { ALWAYS("path", "string"),
                                                         ALWAYS("bytes", "integer"),
                                                         ALWAYS("created", "boolean"),
                                                         { .name = NULL } };

static const struct workspace_field edited_fields[] = {
    ALWAYS("path", "string"), ALWAYS("edits", "integer"),   MAYBE("bytes", "integer"),
    ALWAYS("diff", "string"), ALWAYS("written", "boolean"), { .name = NULL }
};

const struct workspace_tool workspace_tools[] = {
    {
        .name = "list_directory",
        .title = "List a folder",
        .description = "List the files and folders in a folder of the workspace, with type, size "
                       "and time of the last change. Names only, not contents.",
        .is_idempotent = true,
        .parameters = { FOLDER_PATH,
                        PARAMETER(NUMBER, "depth", OPTIONAL, 1, 16,
                                  "levels of sub-folders to list, 1 = only this folder (default)"),
                        PARAMETER(PATH, "pattern", OPTIONAL, 0, 0,
                                  "show only names that match this glob, for example *.md") },
        .answer_fields = listing_fields,
        .run = workspace_list_directory,
    },
    {
        .name = "read_file",
        .title = "Read a file",
        .description = "Read a text file of the workspace, whole or from one line to another. "
                       "Binary files are refused unless encoding is base64.",
        .is_idempotent = true,
        .parameters = { FILE_PATH,
                        PARAMETER(NUMBER, "start_line", OPTIONAL, 1, INT32_MAX,
                                  "first line to read, from 1"),
                        PARAMETER(NUMBER, "end_line", OPTIONAL, 1, INT32_MAX,
                                  "last line to read, inclusive"),
                        PARAMETER(NUMBER, "max_bytes", OPTIONAL, 1, INT32_MAX,
                                  "cut the answer after so many bytes"),
                        { "encoding",
                          PARAMETER_CHOICE,
                          OPTIONAL,
                          "text (default) or base64 for binary files",
                          0,
                          0,
                          { "text", "base64" } } },
        .answer_fields = content_fields,
        .run = workspace_read_file,
    },
    {
        .name = "search_files",
        .title = "Search in files",
        .description = "Find text in the files of the workspace, or files by name. Give query to "
                       "search contents (plain text, no regular expression), name to search file "
                       "names with a glob, or both. Skips .git, binary and very large files.",
        .is_idempotent = true,
        .parameters = { PARAMETER(TEXT, "query", OPTIONAL, 0, WORKSPACE_MAX_QUERY_BYTES,
                                  "text to find in the contents"),
                        PARAMETER(PATH, "name", OPTIONAL, 0, 0,
                                  "glob for file names, for example *.c"),
                        FOLDER_PATH,
                        PARAMETER(FLAG, "ignore_case", OPTIONAL, 0, 0,
                                  "treat upper and lower case alike (default false)"),
                        PARAMETER(NUMBER, "limit", OPTIONAL, 1, 1000000,
                                  "most matches to return (default 100)") },
        .answer_fields = search_fields,
        .run = workspace_search_files,
    },
    {
        .name = "file_info",
        .title = "Size, type and age of a file",
        .description = "Type, size and time of the last change of one file or folder. A "
                       "link is described itself, not what it points to.",
        .is_idempotent = true,
        .parameters = { PARAMETER(PATH, "path", REQUIRED, 0, 0,
                                  "file or folder, relative to the workspace folder") },
        .answer_fields = info_fields,
        .run = workspace_file_info,
    },
    {
        .name = "text_stats",
        .title = "Count lines and words",
        .description = "Count lines, words, characters and bytes of a text file, or of text given "
                       "in the call. Give path or text.",
        .is_idempotent = true,
        .parameters = { PARAMETER(PATH, "path", OPTIONAL, 0, 0,
                                  "file, relative to the workspace folder"),
                        PARAMETER(TEXT, "text", OPTIONAL, 0, 0,
                                  "the text itself, instead of a file") },
        .answer_fields = count_fields,
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
                        PARAMETER(
                            TEXT, "sql", REQUIRED, 0, WORKSPACE_MAX_SQL_BYTES,
                            "one SELECT, for example SELECT name, sum(price) FROM t GROUP BY name"),
                        PARAMETER(NUMBER, "limit", OPTIONAL, 1, 1000000, "most rows to return") },
        .answer_fields = query_fields,
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
                        PARAMETER(TEXT, "content", REQUIRED, 0, 0, "the whole new content"),
                        PARAMETER(FLAG, "overwrite", OPTIONAL, 0, 0,
                                  "replace the file if it exists (default false)") },
        .answer_fields = written_fields,
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
                        PARAMETER(EDITS, "edits", REQUIRED, 0, 0, "what to replace by what"),
                        PARAMETER(FLAG, "dry_run", OPTIONAL, 0, 0,
                                  "only show what would change (default false)") },
        .answer_fields = edited_fields,
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

static json_t *answer_schema(const struct workspace_field *fields)
{
    json_t *properties = json_object(), *required = json_array();
    for (; fields->name; fields++) {
        json_t *schema = json_pack("{ss}", "type", fields->type);
        if (fields->members)
            json_object_set_new(schema, "items", answer_schema(fields->members));
        else if (fields->element)
            json_object_set_new(schema, "items", json_pack("{ss}", "type", fields->element));
        json_object_set_new(properties, fields->name, schema);
        if (fields->is_required)
            json_array_append_new(required, json_string(fields->name));
    }
    return json_pack("{ss so so}", "type", "object", "properties", properties, "required",
                     required);
}

static json_t *parameter_schema(const struct workspace_parameter *parameter)
{
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
        schema =
            json_pack("{ss si si s{ss s{s{ss si ss} s{ss}} s[ss] sb}}", "type", "array", "minItems",
                      1, "maxItems", WORKSPACE_MAX_EDITS, "items", "type", "object", "properties",
                      "old_text", "type", "string", "minLength", 1, "description",
                      "text as it stands in the file, long enough to be unique", "new_text", "type",
                      "string", "required", "old_text", "new_text", "additionalProperties", 0);
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
                     "outputSchema", answer_schema(tool->answer_fields), "annotations",
                     "readOnlyHint", !tool->writes, "destructiveHint", tool->writes,
                     "idempotentHint", tool->is_idempotent, "openWorldHint", 0);
}
