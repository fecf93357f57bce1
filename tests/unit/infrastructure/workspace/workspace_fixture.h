/* A folder of its own for a test of the workspace, and calls of its tools on the main stack. */
#ifndef TESTS_UNIT_INFRASTRUCTURE_WORKSPACE_FIXTURE_H
#define TESTS_UNIT_INFRASTRUCTURE_WORKSPACE_FIXTURE_H

#include "domain/base/json.h"
#include "infrastructure/workspace/workspace_tools.h"
#include "tests/support/cmocka.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct workspace_fixture {
    char folder[64]; /* holds "root" and, beside it, what must not be reached */
    struct confined_root root;
    struct workspace_limits limits;
    json_t *result;
};

static struct workspace_fixture ws;

static inline const char *outside_path(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", ws.folder, name);
    return path;
}

static inline const char *inside_path(const char *name)
{
    static char path[5000];
    snprintf(path, sizeof path, "%s/root/%s", ws.folder, name);
    return path;
}

static inline void put_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static inline void put(const char *name, const char *text)
{
    put_bytes(inside_path(name), text, strlen(text));
}

static inline char *content_of(const char *name)
{
    static char text[10000];
    FILE *file = fopen(inside_path(name), "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static inline int open_workspace(void **state)
{
    (void)state;
    memset(&ws, 0, sizeof ws);
    strcpy(ws.folder, "/tmp/mistro-test-XXXXXX");
    if (!mkdtemp(ws.folder) || mkdir(outside_path("root"), 0700) != 0)
        return -1;
    ws.limits = (struct workspace_limits){ .max_file_bytes = 65536,
                                           .max_entries = 100,
                                           .max_rows = 100,
                                           .max_result_bytes = 262144,
                                           .query_ms = 2000 };
    return confined_root_init(&ws.root, outside_path("root"), NULL) ? -1 : 0;
}

static inline int remove_one(const char *path, const struct stat *found, int type,
                             struct FTW *where)
{
    (void)found;
    (void)type;
    (void)where;
    return remove(path);
}

static inline int close_workspace(void **state)
{
    (void)state;
    json_decref(ws.result);
    confined_root_finish(&ws.root);
    return nftw(ws.folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Calls a tool; the result stays until the next call. */
static inline const json_t *call_tool(const char *name, const char *arguments)
{
    struct workspace_job job;
    struct err err = { 0 };
    json_t *value = NULL;
    assert_int_equal(json_parse(arguments, strlen(arguments), JSON_OURS, &value, &err), ERR_NONE);
    json_decref(ws.result);
    ws.result = NULL;
    char *text;
    if (workspace_job_init(&job, workspace_tool_find(name, true), &ws.root, &ws.limits, NULL, value,
                           &err)) {
        text = workspace_failure(&err);
    } else {
        workspace_job_run(&job);
        text = steal(&job.result);
        workspace_job_finish(&job);
    }
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &ws.result, &err), ERR_NONE);
    free(text);
    json_decref(value);
    return ws.result;
}

static inline const char *result_text(void)
{
    return json_get_string(json_array_get(json_object_get(ws.result, "content"), 0), "text");
}

static inline const json_t *structured(const char *key)
{
    return json_object_get(json_object_get(ws.result, "structuredContent"), key);
}

/* The text of a result that must be a success, or must be a failure. */
static inline const char *succeed(const char *name, const char *arguments)
{
    call_tool(name, arguments);
    if (json_get_bool(ws.result, "isError", true))
        fail_msg("%s", result_text());
    return result_text();
}

static inline const char *refuse(const char *name, const char *arguments)
{
    call_tool(name, arguments);
    if (!json_get_bool(ws.result, "isError", false))
        fail_msg("not refused: %s", result_text());
    return result_text();
}

#endif
