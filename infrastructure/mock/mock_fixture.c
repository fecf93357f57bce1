#include "infrastructure/mock/mock_fixture.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mock/mock_members.h"
#include "infrastructure/mock/mock_offerings.h"
#include "infrastructure/mock/mock_reply.h"
#include <string.h>

static const struct mock_member fixture_members[] = {
    { "tools", MOCK_ARRAY },
    { "era", MOCK_STRING },
    { "page_size", MOCK_NUMBER },
    { "ttl_ms", MOCK_NUMBER },
    { "cache_scope", MOCK_STRING },
    { "resources", MOCK_ARRAY },
    { "resource_templates", MOCK_ARRAY },
    { "prompts", MOCK_ARRAY },
    { "version", MOCK_STRING },
    { "instructions", MOCK_STRING },
    { "start", MOCK_OBJECT },
    { NULL, 0 },
};
static const struct mock_member start_members[] = { { "delay_ms", MOCK_NUMBER },
                                                    { "fault", MOCK_STRING },
                                                    { 0 } };
static const struct mock_member tool_members[] = {
    { "name", MOCK_STRING },         { "title", MOCK_STRING },
    { "description", MOCK_STRING },  { "inputSchema", MOCK_OBJECT },
    { "outputSchema", MOCK_OBJECT }, { "annotations", MOCK_OBJECT },
    { "icons", MOCK_ARRAY },         { "_meta", MOCK_OBJECT },
    { "execution", MOCK_OBJECT },    { "replies", MOCK_ARRAY },
    { "hidden", MOCK_BOOLEAN },      { "validate", MOCK_BOOLEAN },
    { "task", MOCK_STRING },         { NULL, 0 },
};
static const struct mock_member reply_members[] = {
    { "when", MOCK_OBJECT },     { "text", MOCK_STRING },
    { "structured", MOCK_ANY },  { "content", MOCK_ARRAY },
    { "result", MOCK_OBJECT },   { "error", MOCK_STRING | MOCK_OBJECT },
    { "delay_ms", MOCK_NUMBER }, { "progress", MOCK_ARRAY },
    { "logs", MOCK_ARRAY },      { "times", MOCK_NUMBER },
    { "fault", MOCK_STRING },    { "reveals", MOCK_ARRAY },
    { "hides", MOCK_ARRAY },     { "updates", MOCK_ARRAY },
    { "pause_ms", MOCK_NUMBER }, { "elicit", MOCK_OBJECT | MOCK_ARRAY },
    { "sample", MOCK_OBJECT },   { NULL, 0 },
};
static const struct mock_member progress_members[] = {
    { "progress", MOCK_NUMBER },
    { "total", MOCK_NUMBER },
    { "message", MOCK_STRING },
    { "delay_ms", MOCK_NUMBER },
    { 0 },
};
static const struct mock_member log_members[] = { { "level", MOCK_STRING },
                                                  { "text", MOCK_STRING },
                                                  { 0 } };
static const struct mock_member error_members[] = { { "code", MOCK_NUMBER },
                                                    { "message", MOCK_STRING },
                                                    { 0 } };

static const char *const fault_names[] = { "none", "hang", "silence", "close",
                                           "exit", "junk", "garbage" };

static enum err_code parse_fault(const char *path, const json_t *object, enum mock_fault *out,
                                 struct err *err)
{
    const char *name = json_get_string(object, "fault");
    *out = MOCK_FAULT_NONE;
    for (size_t i = 0; name && i < ARRAY_LENGTH(fault_names); i++)
        if (strcmp(name, fault_names[i]) == 0) {
            *out = (enum mock_fault)i;
            return ERR_NONE;
        }
    if (!name)
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "%s/fault: '%.40s' is not a fault", path, name);
    return err_hint(err, r, "one of hang, silence, close, exit, junk, garbage");
}

static enum err_code parse_reply(struct arena *arena, const char *path, const json_t *spec,
                                 struct mock_reply *out, struct err *err)
{
    static const char *const bodies[] = { "text", "content", "result", "error" };
    const json_t *error = json_object_get(spec, "error");
    enum err_code r = mock_check_members(path, spec, reply_members, err);
    if (!r)
        r = parse_fault(path, spec, &out->fault, err);
    if (!r)
        r = mock_check_list(arena, path, "progress", spec, progress_members, err);
    if (!r)
        r = mock_check_list(arena, path, "logs", spec, log_members, err);
    if (!r)
        r = mock_check_texts(path, "reveals", spec, "the name of a tool", err);
    if (!r)
        r = mock_check_texts(path, "hides", spec, "the name of a tool", err);
    if (!r)
        r = mock_check_texts(path, "updates", spec, "the URI of a resource", err);
    if (!r)
        r = mock_check_questions(arena, path, spec, err);
    if (!r)
        r = mock_check_lengths(arena, path, spec, err);
    if (!r && json_is_object(error))
        r = mock_check_members(json_path_member(arena, path, "error"), error, error_members, err);
    if (r)
        return r;
    size_t n_bodies = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(bodies); i++)
        n_bodies += json_object_get(spec, bodies[i]) != NULL;
    bool has_structured = json_object_get(spec, "structured") != NULL;
    if (n_bodies > 1 || (has_structured && (error || json_object_get(spec, "result"))))
        return err_set(err, ERR_INVALID, 0, "%s: has more than one of text, content, result, error",
                       path);
    out->spec = spec;
    out->times_left = json_get_int(spec, "times", MOCK_REPLIES_FOR_EVER);
    out->delay_ms = json_get_int(spec, "delay_ms", 0);
    return ERR_NONE;
}

/* As tools/list shows the tool: without the members that only the mock reads. */
static json_t *definition_of(const json_t *spec, const char *task_support)
{
    static const char *const ours[] = { "task", "replies", "hidden", "validate" };
    json_t *definition = json_copy((json_t *)(uintptr_t)spec);
    if (task_support)
        json_object_set_new(definition, "execution",
                            json_pack("{s:s}", "taskSupport", task_support));
    for (size_t i = 0; i < ARRAY_LENGTH(ours); i++)
        json_object_del(definition, ours[i]);
    if (!json_object_get(definition, "inputSchema"))
        json_object_set_new(definition, "inputSchema", json_pack("{ss}", "type", "object"));
    return definition;
}

static enum err_code parse_tool(struct mock_fixture *fixture, size_t index, const json_t *spec,
                                struct mock_tool *out, struct err *err)
{
    struct arena *arena = &fixture->arena;
    const char *path = arena_printf(arena, "/tools/%zu", index);
    enum err_code r = mock_check_members(path, spec, tool_members, err);
    if (r)
        return r;
    const char *support = json_get_string(spec, "task");
    if (support && strcmp(support, "optional") != 0 && strcmp(support, "required") != 0)
        return err_set(err, ERR_INVALID, 0, "%s/task: must be optional or required", path);
    out->name = json_get_string(spec, "name");
    if (!out->name || !*out->name)
        return err_set(err, ERR_INVALID, 0, "%s/name: a tool needs a name", path);
    if (mock_fixture_find(fixture, out->name))
        return err_set(err, ERR_INVALID, 0, "%s/name: '%.60s' is used twice", path, out->name);
    const json_t *replies = json_object_get(spec, "replies");
    size_t n = json_array_size(replies);
    if (n > MOCK_MAX_REPLIES)
        return err_set(err, ERR_INVALID, 0, "%s/replies: more than %d", path, MOCK_MAX_REPLIES);
    out->hidden = json_get_bool(spec, "hidden", false);
    out->validates = json_get_bool(spec, "validate", true);
    out->definition = arena_keep_json(arena, definition_of(spec, support));
    out->replies = arena_array(arena, struct mock_reply, n);
    for (size_t i = 0; i < n && !r; i++)
        r = parse_reply(arena, arena_printf(arena, "%s/replies/%zu", path, i),
                        json_array_get(replies, i), &out->replies[out->n_replies++], err);
    return r;
}

static enum err_code parse_server(struct mock_fixture *out, const json_t *value, struct err *err)
{
    static const char *const eras[] = { "both", "modern", "legacy" };
    const json_t *start = json_object_get(value, "start");
    const char *era = json_get_string(value, "era");
    for (size_t i = 0; i < ARRAY_LENGTH(eras); i++)
        if (text_equal(era ? era : "both", eras[i]))
            out->era = eras[i];
    if (!out->era)
        return err_set(err, ERR_INVALID, 0, "/era: must be both, modern or legacy");
    out->version = json_get_string(value, "version");
    out->instructions = json_get_string(value, "instructions");
    out->page_size = (size_t)json_get_int(value, "page_size", 0);
    out->ttl_ms = json_get_int(value, "ttl_ms", MOCK_DEFAULT_TTL_MS);
    const char *cache_scope = json_get_string(value, "cache_scope");
    out->is_public = text_equal(cache_scope, "public");
    if (cache_scope && !out->is_public && strcmp(cache_scope, "private") != 0)
        return err_set(err, ERR_INVALID, 0, "/cache_scope: must be public or private");
    if (!start)
        return ERR_NONE;
    out->start_delay_ms = json_get_int(start, "delay_ms", 0);
    enum err_code r = mock_check_members("/start", start, start_members, err);
    return r ? r : parse_fault("/start", start, &out->start_fault, err);
}

static enum err_code parse_fixture(struct mock_fixture *out, const json_t *value, struct err *err)
{
    enum err_code r = mock_check_members("", value, fixture_members, err);
    if (!r)
        r = parse_server(out, value, err);
    if (r)
        return r;
    r = mock_offerings_check(&out->arena, value, err);
    if (r)
        return r;
    out->value = value;
    const json_t *tools = json_object_get(value, "tools");
    size_t n = json_array_size(tools);
    if (n > MOCK_MAX_TOOLS)
        return err_set(err, ERR_INVALID, 0, "/tools: more than %d", MOCK_MAX_TOOLS);
    out->tools = arena_array(&out->arena, struct mock_tool, n);
    for (; out->n_tools < n && !r; out->n_tools++)
        r = parse_tool(out, out->n_tools, json_array_get(tools, out->n_tools),
                       &out->tools[out->n_tools], err);
    return r;
}

enum err_code mock_fixture_init(struct mock_fixture *out, json_t *value, struct err *err)
{
    *out = (struct mock_fixture){ 0 };
    arena_keep_json(&out->arena, json_incref(value));
    enum err_code r = parse_fixture(out, value, err);
    if (r)
        mock_fixture_finish(out);
    return r;
}

void mock_fixture_finish(struct mock_fixture *fixture)
{
    arena_finish(&fixture->arena);
    *fixture = (struct mock_fixture){ 0 };
}

bool mock_fixture_has_tasks(const struct mock_fixture *fixture)
{
    bool has_any = false;
    for (size_t i = 0; i < fixture->n_tools; i++)
        has_any = has_any || json_object_get(fixture->tools[i].definition, "execution");
    return has_any;
}

struct mock_tool *mock_fixture_find(struct mock_fixture *fixture, const char *name)
{
    for (size_t i = 0; i < fixture->n_tools; i++)
        if (strcmp(fixture->tools[i].name, name) == 0)
            return &fixture->tools[i];
    return NULL;
}
