/* The built-in tools over one folder, as a tool_server in this process: list_directory, read_file,
 * search_files, file_info, text_stats, query_table and, when writing is allowed, write_file and
 * edit_file. Nothing outside the folder can be reached, by path, link or SQL. Without a folder it
 * is the server of the tools that work on what they are given and touch no file: query. */
#ifndef INFRASTRUCTURE_WORKSPACE_WORKSPACE_SERVER_H
#define INFRASTRUCTURE_WORKSPACE_WORKSPACE_SERVER_H

#include "application/ports/tool_server.h"
#include "application/settings.h"
#include <jansson.h>

struct uv_runtime;

struct workspace_options {
    const char *name; /* of the server, usually "files" or "data" */
    const char *root; /* folder; must exist. NULL: none, the tools are those of data_tools */
    bool write;       /* offer write_file and edit_file */
    const char *child_program; /* mistro, for queries (sql_child.h); NULL: they run in this process,
                                  and one that no bound of sql_guard.h reaches is waited for */
};

#define WORKSPACE_CHILD_WORD "--query-child"

/* In the child: a sql_child_fn. */
char *workspace_child_answer(const json_t *request);

/* settings is borrowed. ERR_NOT_FOUND or ERR_INVALID when root is not a folder. */
MUST_CHECK
enum err_code workspace_server_create(struct uv_runtime *runtime,
                                      const struct workspace_options *options,
                                      const struct settings *settings, struct tool_server **out,
                                      struct err *err);

#endif
