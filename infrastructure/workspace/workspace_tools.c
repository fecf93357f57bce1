#include "infrastructure/workspace/workspace_tools.h"
#include "domain/base/json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct workspace_tool workspace_tools[] = {
    { .name = "list_directory", .run = workspace_list_directory },
    { .name = "read_file", .run = workspace_read_file },
    { .name = "search_files", .run = workspace_search_files },
    { .name = "file_info", .run = workspace_file_info },
    { .name = "text_stats", .run = workspace_text_stats },
    { .name = "query_table", .run = workspace_query_table, .runs_in_child = true },
    { .name = "write_file", .run = workspace_write_file, .writes = true },
    { .name = "edit_file", .run = workspace_edit_file, .writes = true },
};
const size_t workspace_n_tools = sizeof workspace_tools / sizeof *workspace_tools;

const struct workspace_tool data_tools[] = {
    { .name = "query",
      .run = workspace_query_lists,
      .runs_in_child = true,
      .memory_bytes = WORKSPACE_LISTS_MAX_MEMORY },
};
const size_t data_n_tools = sizeof data_tools / sizeof *data_tools;

const struct workspace_tool *workspace_tool_find(const char *name, bool with_writing)
{
    for (size_t i = 0; i < workspace_n_tools; i++)
        if (strcmp(workspace_tools[i].name, name) == 0 &&
            (with_writing || !workspace_tools[i].writes))
            return &workspace_tools[i];
    for (size_t i = 0; i < data_n_tools; i++)
        if (strcmp(data_tools[i].name, name) == 0)
            return &data_tools[i];
    return NULL;
}

json_t *workspace_tool_definition(const struct workspace_tool *tool)
{
    char path[64];
    json_t *definition = NULL;
    snprintf(path, sizeof path, "data/tools/%s.json", tool->name);
    const struct embedded_file *file = embedded_file_find(workspace_definitions, path);
    if (!file || json_parse(file->text, file->length, JSON_OURS, &definition, NULL))
        abort();
    return definition;
}
