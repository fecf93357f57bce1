#include "domain/base/json.h"
#include "domain/base/json_scan.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/mcp_task.h"
#include <string.h>

static const char *const names[] = {
    [MCP_TASK_WORKING] = "working",     [MCP_TASK_INPUT_REQUIRED] = "input_required",
    [MCP_TASK_COMPLETED] = "completed", [MCP_TASK_FAILED] = "failed",
    [MCP_TASK_CANCELLED] = "cancelled",
};

/* The name of a member that counts, or NULL. */
static const char *known_name(struct json_slice key)
{
    static const char *const keys[] = { "taskId",         "status",       "statusMessage", "error",
                                        "pollIntervalMs", "pollInterval", "inputRequests" };
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (json_string_is(key, keys[i]))
            return keys[i];
    return NULL;
}

MUST_CHECK
static enum err_code add_member(json_t *object, const char *name, struct json_slice text,
                                size_t max_values, struct err *err)
{
    json_t *value;
    enum err_code r = json_parse_message(text.text, text.length, max_values, &value, err);
    if (!r)
        json_object_set_new(object, name, value);
    return r;
}

enum err_code mcp_task_value(struct json_slice text, size_t max_values, json_t **out_value,
                             struct json_slice *out_outcome, struct err *err)
{
    struct json_scan scan;
    struct json_slice key, value = { 0 };
    json_t *object = *out_value = json_object();
    enum err_code r = ERR_NONE;
    *out_outcome = (struct json_slice){ 0 };
    json_scan_begin(&scan, text.text, text.length);
    if (!json_scan_enter(&scan, '{'))
        return ERR_NONE;
    while (!r && json_scan_member(&scan, &key)) {
        json_scan_value(&scan, &value);
        if (json_string_is(key, "result"))
            *out_outcome = value;
        else if (known_name(key))
            r = add_member(object, known_name(key), value, max_values, err);
    }
    return r;
}

const char *mcp_task_status_name(enum mcp_task_status status)
{
    return names[status];
}

enum err_code mcp_task_id_read(const json_t *task, json_t **out_id, struct err *err)
{
    json_t *id = json_object_get(task, "taskId");
    if (!json_is_string(id) || json_string_length(id) == 0 || json_string_has_nul(id))
        return err_set(err, ERR_PROTOCOL, 0, "the server made a task without a usable id");
    if (json_string_length(id) > MCP_TASK_MAX_ID_BYTES)
        return err_set(err, ERR_PROTOCOL, 0, "the id of the server's task is longer than %d bytes",
                       MCP_TASK_MAX_ID_BYTES);
    *out_id = id;
    return ERR_NONE;
}

/* Milliseconds under either name; 0 when that is not a time. */
static int64_t read_poll_ms(const json_t *task)
{
    double ms = json_get_number(task, "pollIntervalMs", json_get_number(task, "pollInterval", 0));
    if (!(ms > 0))
        return 0;
    if (ms >= MCP_TASK_MAX_POLL_MS)
        return MCP_TASK_MAX_POLL_MS;
    return ms < MCP_TASK_MIN_POLL_MS ? MCP_TASK_MIN_POLL_MS : (int64_t)ms;
}

static void read_message(const json_t *task, struct mcp_task_state *state)
{
    AUTO(arena) scratch = { 0 };
    const char *message = json_get_string(task, "statusMessage");
    if (!message)
        return;
    message = text_one_line(&scratch, message, strlen(message), MCP_TASK_MESSAGE_COLUMNS);
    size_t length = text_cut(message, strlen(message), sizeof state->message - 1);
    memcpy(state->message, message, length);
}

enum err_code mcp_task_state_read(const json_t *task, struct mcp_task_state *out, struct err *err)
{
    struct mcp_task_state state = { .poll_ms = read_poll_ms(task) };
    const char *status = json_get_string(task, "status");
    size_t i = 0;
    while (i < ARRAY_LENGTH(names) && !text_equal(names[i], status))
        i++;
    if (!status)
        return err_set(err, ERR_PROTOCOL, 0, "the server's task has no status");
    if (i == ARRAY_LENGTH(names)) {
        AUTO(arena) scratch = { 0 };
        return err_set(err, ERR_PROTOCOL, 0, "the server's task has an unknown status: \"%s\"",
                       text_one_line(&scratch, status, strlen(status), 40));
    }
    state.status = (enum mcp_task_status)i;
    read_message(task, &state);
    *out = state;
    return ERR_NONE;
}

int64_t mcp_task_poll_ms(const struct mcp_task_state *state, int64_t default_ms)
{
    int64_t ms = state->poll_ms ? state->poll_ms : default_ms;
    return ms < MCP_TASK_MIN_POLL_MS   ? MCP_TASK_MIN_POLL_MS
           : ms > MCP_TASK_MAX_POLL_MS ? MCP_TASK_MAX_POLL_MS
                                       : ms;
}
