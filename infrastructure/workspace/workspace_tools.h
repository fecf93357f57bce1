/* The tools of the workspace: which there are, how they are described (data/tools/, as files that
 * are part of the binary), what does them. */
#ifndef INFRASTRUCTURE_WORKSPACE_WORKSPACE_TOOLS_H
#define INFRASTRUCTURE_WORKSPACE_WORKSPACE_TOOLS_H

#include "domain/base/embedded_file.h"
#include "infrastructure/workspace/workspace_job.h"

extern const struct embedded_file workspace_definitions[]; /* data/tools/ */

extern const struct workspace_tool workspace_tools[];
extern const size_t workspace_n_tools;

/* Those that touch no file: no tool of the other list has one of their names. */
extern const struct workspace_tool data_tools[];
extern const size_t data_n_tools;

/* In either list. NULL when there is none of that name. */
const struct workspace_tool *workspace_tool_find(const char *name, bool with_writing);
/* The definition as tools/list shows it; owned by the caller. */
json_t *workspace_tool_definition(const struct workspace_tool *tool);

workspace_fn workspace_list_directory, workspace_read_file, workspace_search_files,
    workspace_file_info, workspace_text_stats, workspace_query_table, workspace_write_file,
    workspace_edit_file, workspace_query_lists;

#endif
