#include "infrastructure/mock/mock_fixture.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

enum { OBJECT = 1, ARRAY = 2, STRING = 4, NUMBER = 8, BOOLEAN = 16, NULL_VALUE = 32, ANY = 63 };
enum { PATH_SIZE = 200, MAX_MEMBERS = 20 };

struct member {
    const char *name;
    unsigned types;
};

static const struct member fixture_members[] = {
    { "tools", ARRAY },    { "era", STRING },          { "page_size", NUMBER },
    { "version", STRING }, { "instructions", STRING }, { "start", OBJECT },
    { NULL, 0 },
};
static const struct member start_members[] = { { "delay_ms", NUMBER }, { "fault", STRING }, { 0 } };
static const struct member tool_members[] = {
    { "name", STRING },
    { "title", STRING },
    { "description", STRING },
    { "inputSchema", OBJECT },
    { "outputSchema", OBJECT },
    { "annotations", OBJECT },
    { "icons", ARRAY },
    { "_meta", OBJECT },
    { "execution", OBJECT },
    { "replies", ARRAY },
    { "hidden", BOOLEAN },
    { "validate", BOOLEAN },
    { NULL, 0 },
};
static const struct member reply_members[] = {
    { "when", OBJECT },     { "text", STRING },    { "structured", ANY },
    { "content", ARRAY },   { "result", OBJECT },  { "error", STRING | OBJECT },
    { "delay_ms", NUMBER }, { "progress", ARRAY }, { "logs", ARRAY },
    { "times", NUMBER },    { "fault", STRING },   { "reveals", ARRAY },
    { "hides", ARRAY },     { NULL, 0 },
};
static const struct member progress_members[] = {
    { "progress", NUMBER },
    { "total", NUMBER },
    { "message", STRING },
    { "delay_ms", NUMBER },
    { 0 },
};
static const struct member log_members[] = { { "level", STRING }, { "text", STRING }, { 0 } };
static const struct member error_members[] = { { "code", NUMBER }, { "message", STRING }, { 0 } };

static const char *const fault_names[] = { "none", "hang", "silence", "close",
                                           "exit", "junk", "garbage" };

static unsigned type_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return OBJECT;
    case JSON_ARRAY:
        return ARRAY;
    case JSON_STRING:
        return STRING;
    case JSON_INTEGER:
    case JSON_REAL:
        return NUMBER;
    case JSON_TRUE:
    case JSON_FALSE:
        return BOOLEAN;
    case JSON_NULL:
        return NULL_VALUE;
    }
    return 0;
}

static const char *type_words(unsigned types)
{
    switch (types) {
    case OBJECT:
        return "a mapping";
    case ARRAY:
        return "a list";
    case STRING:
        return "text";
    case NUMBER:
        return "a number";
    case BOOLEAN:
        return "true or false";
    default:
        return "text or a mapping";
    }
}

static enum err_code unknown_member(const char *path, const char *key, const struct member *members,
                                    struct err *err)
{
    const char *names[MAX_MEMBERS];
    size_t n = 0, nearest;
    for (; members[n].name; n++)
        names[n] = members[n].name;
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "%s/%.60s: there is no such member in a fixture", path, key);
    if (text_nearest(key, names, n, &nearest, 1))
        err_hint(err, r, "did you mean %s?", names[nearest]);
    return r;
}

static enum err_code check_members(const char *path, const json_t *object,
                                   const struct member *members, struct err *err)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return err_set(err, ERR_INVALID, 0, "%s: must be a mapping", *path ? path : "/");
    json_object_foreach ((json_t *)(uintptr_t)object, key, value) {
        const struct member *member = members;
        while (member->name && strcmp(member->name, key) != 0)
            member++;
        if (!member->name)
            return unknown_member(path, key, members, err);
        if (!(member->types & type_of(value)))
            return err_set(err, ERR_INVALID, 0, "%s/%s: must be %s", path, key,
                           type_words(member->types));
        bool in_range =
            json_number_value(value) >= 0 && json_number_value(value) <= MOCK_MAX_NUMBER;
        if (member->types == NUMBER && strcmp(key, "code") != 0 && !in_range)
            return err_set(err, ERR_INVALID, 0, "%s/%s: must be from 0 to %d", path, key,
                           MOCK_MAX_NUMBER);
    }
    return ERR_NONE;
}

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
    enum err_code r = err_set(err, ERR_INVALID, 0, "%s/fault: '%.40s' is no fault", path, name);
    return err_hint(err, r, "one of hang, silence, close, exit, junk, garbage");
}

/* Every element of an optional list against one table. */
static enum err_code check_list(const char *path, const char *key, const json_t *object,
                                const struct member *members, struct err *err)
{
    const json_t *list = json_object_get(object, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        char at[PATH_SIZE + 40];
        snprintf(at, sizeof at, "%s/%s/%zu", path, key, i);
        enum err_code r = check_members(at, json_array_get(list, i), members, err);
        if (r)
            return r;
    }
    return ERR_NONE;
}

static enum err_code check_names(const char *path, const char *key, const json_t *object,
                                 struct err *err)
{
    const json_t *list = json_object_get(object, key);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return err_set(err, ERR_INVALID, 0, "%s/%s/%zu: must be the name of a tool", path, key,
                           i);
    return ERR_NONE;
}

static enum err_code parse_reply(const char *path, const json_t *spec, struct mock_reply *out,
                                 struct err *err)
{
    static const char *const bodies[] = { "text", "content", "result", "error" };
    enum err_code r = check_members(path, spec, reply_members, err);
    if (!r)
        r = parse_fault(path, spec, &out->fault, err);
    if (!r)
        r = check_list(path, "progress", spec, progress_members, err);
    if (!r)
        r = check_list(path, "logs", spec, log_members, err);
    if (!r)
        r = check_names(path, "reveals", spec, err);
    if (!r)
        r = check_names(path, "hides", spec, err);
    const json_t *error = json_object_get(spec, "error");
    char at[PATH_SIZE + 40];
    snprintf(at, sizeof at, "%s/error", path);
    if (!r && json_is_object(error))
        r = check_members(at, error, error_members, err);
    if (r)
        return r;
    size_t n_bodies = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(bodies); i++)
        n_bodies += json_object_get(spec, bodies[i]) != NULL;
    bool has_structured = json_object_get(spec, "structured") != NULL;
    if (n_bodies > 1 || (has_structured && (error || json_object_get(spec, "result"))))
        return err_set(err, ERR_INVALID, 0,
                       "%s: says more than one of text, content, result, error", path);
    out->spec = spec;
    out->times_left = json_get_int(spec, "times", MOCK_REPLIES_FOR_EVER);
    out->delay_ms = json_get_int(spec, "delay_ms", 0);
    return ERR_NONE;
}

static json_t *definition_of(const json_t *spec)
{
    json_t *definition = json_copy((json_t *)(uintptr_t)spec);
    json_object_del(definition, "replies");
    json_object_del(definition, "hidden");
    json_object_del(definition, "validate");
    if (!json_object_get(definition, "inputSchema"))
        json_object_set_new(definition, "inputSchema", json_pack("{ss}", "type", "object"));
    return definition;
}

static enum err_code parse_tool(struct mock_fixture *fixture, size_t index, const json_t *spec,
                                struct mock_tool *out, struct err *err)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/tools/%zu", index);
    enum err_code r = check_members(path, spec, tool_members, err);
    if (r)
        return r;
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
    out->definition = arena_keep_json(&fixture->arena, definition_of(spec));
    out->replies = arena_array(&fixture->arena, struct mock_reply, n);
    for (out->n_replies = 0; out->n_replies < n && !r; out->n_replies++) {
        snprintf(path, sizeof path, "/tools/%zu/replies/%zu", index, out->n_replies);
        r = parse_reply(path, json_array_get(replies, out->n_replies),
                        &out->replies[out->n_replies], err);
    }
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
    if (!start)
        return ERR_NONE;
    out->start_delay_ms = json_get_int(start, "delay_ms", 0);
    enum err_code r = check_members("/start", start, start_members, err);
    return r ? r : parse_fault("/start", start, &out->start_fault, err);
}

static enum err_code parse_fixture(struct mock_fixture *out, const json_t *value, struct err *err)
{
    enum err_code r = check_members("", value, fixture_members, err);
    if (!r)
        r = parse_server(out, value, err);
    if (r)
        return r;
    const json_t *tools = json_object_get(value, "tools");
    size_t n = json_array_size(tools);
    if (n > MOCK_MAX_TOOLS)
        return err_set(err, ERR_INVALID, 0, "/tools: more than %d", MOCK_MAX_TOOLS);
    out->tools = arena_array(&out->arena, struct mock_tool, n);
    for (size_t i = 0; i < n && !r; i++) {
        r = parse_tool(out, i, json_array_get(tools, i), &out->tools[i], err);
        out->n_tools = i + 1;
    }
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

struct mock_tool *mock_fixture_find(struct mock_fixture *fixture, const char *name)
{
    for (size_t i = 0; i < fixture->n_tools; i++)
        if (strcmp(fixture->tools[i].name, name) == 0)
            return &fixture->tools[i];
    return NULL;
}
