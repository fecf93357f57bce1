#include "infrastructure/mock/mock_offerings.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mock/mock_members.h"
#include "infrastructure/mock/mock_reply.h"
#include <string.h>

static const struct mock_member resource_members[] = {
    { "uri", MOCK_STRING },
    { "name", MOCK_STRING },
    { "title", MOCK_STRING },
    { "description", MOCK_STRING },
    { "mimeType", MOCK_STRING },
    { "size", MOCK_NUMBER },
    { "annotations", MOCK_OBJECT },
    { "text", MOCK_STRING },
    { "blob", MOCK_STRING },
    { "versions", MOCK_ARRAY },
    { NULL, 0 },
};
static const struct mock_member template_members[] = {
    { "uriTemplate", MOCK_STRING }, { "name", MOCK_STRING },     { "title", MOCK_STRING },
    { "description", MOCK_STRING }, { "mimeType", MOCK_STRING }, { "annotations", MOCK_OBJECT },
    { "text", MOCK_STRING },        { "values", MOCK_OBJECT },   { NULL, 0 },
};
static const struct mock_member prompt_members[] = {
    { "name", MOCK_STRING },        { "title", MOCK_STRING },
    { "description", MOCK_STRING }, { "arguments", MOCK_ARRAY },
    { "messages", MOCK_ARRAY },     { "elicit", MOCK_OBJECT | MOCK_ARRAY },
    { "sample", MOCK_OBJECT },      { NULL, 0 },
};
static const struct mock_member argument_members[] = {
    { "name", MOCK_STRING },      { "title", MOCK_STRING }, { "description", MOCK_STRING },
    { "required", MOCK_BOOLEAN }, { "values", MOCK_ARRAY }, { NULL, 0 },
};
static const struct mock_member message_members[] = {
    { "role", MOCK_STRING }, { "text", MOCK_STRING }, { "content", MOCK_OBJECT }, { NULL, 0 }
};

static const char *const fixture_lists[OFFERING_KINDS] = { "resources", "resource_templates",
                                                           "prompts" };
static const struct mock_member *const tables[OFFERING_KINDS] = { resource_members,
                                                                  template_members,
                                                                  prompt_members };

static const json_t *list_of(const json_t *fixture, enum offering_kind kind)
{
    return json_object_get(fixture, fixture_lists[kind]);
}

static enum err_code check_prompt(struct arena *arena, const char *path, const json_t *prompt,
                                  struct err *err)
{
    const json_t *messages = json_object_get(prompt, "messages");
    const json_t *arguments = json_object_get(prompt, "arguments");
    enum err_code r = mock_check_list(arena, path, "arguments", prompt, argument_members, err);
    if (!r)
        r = mock_check_questions(arena, path, prompt, err);
    for (size_t i = 0; !r && i < json_array_size(arguments); i++)
        r = mock_check_texts(arena_printf(arena, "%s/arguments/%zu", path, i), "values",
                             json_array_get(arguments, i), "text", err);
    for (size_t i = 0; !r && i < json_array_size(messages); i++) {
        const char *at = arena_printf(arena, "%s/messages/%zu", path, i);
        const json_t *message = json_array_get(messages, i);
        r = mock_check_members(at, message, message_members, err);
        if (!r && !json_object_get(message, "text") == !json_object_get(message, "content"))
            r = err_set(err, ERR_INVALID, 0, "%s: needs one of text and content", at);
    }
    return r;
}

static enum err_code check_one(struct arena *arena, const char *path, enum offering_kind kind,
                               const json_t *spec, struct err *err)
{
    static const char *const expanded[] = { "text", "versions", "messages", "elicit", "sample" };
    const char *member = offering_key_member(kind), *name;
    json_t *list;
    enum err_code r = mock_check_members(path, spec, tables[kind], err);
    if (r)
        return r;
    const char *key = json_get_string(spec, member);
    if (!key || !*key)
        return err_set(err, ERR_INVALID, 0, "%s/%s: a %s needs one", path, member,
                       offering_kind_name(kind));
    bool has_text = json_object_get(spec, "text"), has_blob = json_object_get(spec, "blob");
    if (has_text && has_blob)
        return err_set(err, ERR_INVALID, 0, "%s: has both text and blob", path);
    if (json_object_get(spec, "versions") && (has_text || has_blob))
        return err_set(err, ERR_INVALID, 0, "%s: has versions and other content", path);
    for (size_t i = 0; !r && i < ARRAY_LENGTH(expanded); i++)
        r = mock_check_lengths(arena, json_path_member(arena, path, expanded[i]),
                               json_object_get(spec, expanded[i]), err);
    if (r)
        return r;
    if (kind == OFFERING_PROMPT)
        return check_prompt(arena, path, spec, err);
    r = mock_check_texts(path, "versions", spec, "text", err);
    const json_t *values = json_object_get(spec, "values");
    json_each_member (values, name, list) {
        if (!r)
            r = mock_check_texts(json_path_member(arena, path, "values"), name, values, "text",
                                 err);
    }
    return r;
}

enum err_code mock_offerings_check(struct arena *arena, const json_t *fixture, struct err *err)
{
    enum err_code r = ERR_NONE;
    for (enum offering_kind kind = 0; kind < OFFERING_KINDS; kind++) {
        const json_t *list = list_of(fixture, kind);
        if (!r && json_array_size(list) > MOCK_MAX_OFFERINGS)
            return err_set(err, ERR_INVALID, 0, "/%s: more than %d", fixture_lists[kind],
                           MOCK_MAX_OFFERINGS);
        for (size_t i = 0; !r && i < json_array_size(list); i++)
            r = check_one(arena, arena_printf(arena, "/%s/%zu", fixture_lists[kind], i), kind,
                          json_array_get(list, i), err);
    }
    return r;
}

bool mock_has_resources(const struct mock_fixture *fixture)
{
    return list_of(fixture->value, OFFERING_RESOURCE) || list_of(fixture->value, OFFERING_TEMPLATE);
}

bool mock_has_prompts(const struct mock_fixture *fixture)
{
    return list_of(fixture->value, OFFERING_PROMPT) != NULL;
}

/* What clients are shown: without the content, and with the name that MCP wants. */
static json_t *definition_of(const json_t *spec, enum offering_kind kind)
{
    static const char *const content[] = { "text",     "blob",   "versions", "values",
                                           "messages", "elicit", "sample" };
    json_t *argument, *definition = json_copy((json_t *)(uintptr_t)spec);
    json_t *arguments = json_deep_copy(json_object_get(spec, "arguments"));
    size_t n;
    if (arguments)
        json_object_set_new(definition, "arguments", arguments);
    json_array_foreach (arguments, n, argument)
        json_object_del(argument, "values");
    for (size_t i = 0; i < ARRAY_LENGTH(content); i++)
        json_object_del(definition, content[i]);
    if (!json_object_get(definition, "name"))
        json_object_set(definition, "name", json_object_get(definition, offering_key_member(kind)));
    return definition;
}

enum err_code mock_offerings_list(const struct mock_fixture *fixture, enum offering_kind kind,
                                  struct offerings *out, struct err *err)
{
    const json_t *list = list_of(fixture->value, kind);
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < json_array_size(list); i++) {
        json_auto_t *definition = definition_of(json_array_get(list, i), kind);
        r = offerings_add(out, kind, definition, err);
    }
    return r;
}

/* The spec of this key, or NULL. */
static const json_t *find(const struct mock_fixture *fixture, enum offering_kind kind,
                          const char *key)
{
    const json_t *list = list_of(fixture->value, kind);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *spec = json_array_get(list, i);
        if (strcmp(json_get_string(spec, offering_key_member(kind)), key) == 0)
            return spec;
    }
    return NULL;
}

/* {name} in a template stands for anything up to the text behind it that has no '/' in it. False
 * when the URI does not fit the template. */
static bool match_template(const char *template, const char *uri, json_t *values)
{
    while (*template) {
        const char *close = *template == '{' ? strchr(template, '}') : NULL;
        if (!close) {
            if (*template ++ != *uri++)
                return false;
            continue;
        }
        char behind[] = { '/', close[1], '\0' };
        size_t length = strcspn(uri, behind);
        if (length == 0)
            return false;
        json_t *name = json_stringn(template + 1, (size_t)(close - template - 1));
        json_object_set_new(values, json_string_value(name), json_stringn(uri, length));
        json_decref(name);
        template = close + 1;
        uri += length;
    }
    return !*uri;
}

static enum err_code finish_result(struct arena *arena, enum offering_kind kind, json_t *result,
                                   struct offering_result *out, struct err *err)
{
    arena_keep_json(arena, result);
    const char *bytes = json_print_in(arena, result);
    return offering_result_init(arena, kind, bytes, strlen(bytes), result, out, err);
}

/* Owned by the caller; NULL: it grows too long. */
static json_t *expand(const json_t *value, const json_t *arguments)
{
    json_auto_t *none = json_object();
    json_auto_t *known = json_object();
    json_object_set(known, "args", arguments ? (json_t *)(uintptr_t)arguments : none);
    return mock_reply_expand(value, known);
}

/* The content that the spec has for a URI; values are what its template took from the URI. NULL: a
 * text grows too long. */
static json_t *content_of(const json_t *spec, const char *uri, const json_t *values,
                          size_t n_before)
{
    const json_t *blob = json_object_get(spec, "blob"), *text = json_object_get(spec, "text");
    const json_t *versions = json_object_get(spec, "versions");
    size_t n = json_array_size(versions);
    if (n)
        text = json_array_get(versions, n_before < n ? n_before : n - 1);
    const char *type = json_get_string(spec, "mimeType");
    json_auto_t *content = json_pack("{s:s}", "uri", uri);
    if (type)
        json_object_set_new(content, "mimeType", json_string(type));
    if (blob)
        json_object_set_new(content, "blob", json_share(blob));
    else if (json_object_set_new(content, "text", text ? expand(text, values) : json_string("")))
        return NULL;
    return json_share(content);
}

/* The spec of a resource or template that the URI fits, or NULL; values becomes what the template
 * takes from the URI. */
static const json_t *find_resource(const struct mock_fixture *fixture, const char *uri,
                                   json_t *values)
{
    const json_t *templates = list_of(fixture->value, OFFERING_TEMPLATE);
    const json_t *spec = find(fixture, OFFERING_RESOURCE, uri);
    for (size_t i = 0; !spec && i < json_array_size(templates); i++) {
        const json_t *candidate = json_array_get(templates, i);
        json_object_clear(values);
        if (match_template(json_get_string(candidate, "uriTemplate"), uri, values))
            spec = candidate;
    }
    return spec;
}

bool mock_has_resource(const struct mock_fixture *fixture, const char *uri)
{
    json_auto_t *values = json_object();
    return find_resource(fixture, uri, values) != NULL;
}

bool mock_resource_changes(const struct mock_fixture *fixture, const char *uri, size_t n_before)
{
    const json_t *spec = find(fixture, OFFERING_RESOURCE, uri);
    return n_before + 1 < json_array_size(json_object_get(spec, "versions"));
}

enum err_code mock_read_resource(const struct mock_fixture *fixture, const char *uri,
                                 size_t n_before, struct arena *arena, struct offering_result *out,
                                 struct err *err)
{
    json_t *values = arena_keep_json(arena, json_object());
    const json_t *spec = find_resource(fixture, uri, values);
    if (!spec)
        return err_set(err, ERR_NOT_FOUND, 0, "no resource has the URI '%.200s'", uri);
    json_t *result = json_pack("{s:[o]}", "contents", content_of(spec, uri, values, n_before));
    if (!result)
        return mock_too_long(err);
    return finish_result(arena, OFFERING_RESOURCE, result, out, err);
}

static json_t *message_of(const json_t *spec, const json_t *known)
{
    const char *role = json_get_string(spec, "role");
    const json_t *content = json_object_get(spec, "content");
    json_t *block = content ? mock_reply_expand(content, known)
                            : json_pack("{s:s, s:o}", "type", "text", "text",
                                        mock_reply_expand(json_object_get(spec, "text"), known));
    return json_pack("{s:s, s:o}", "role", role ? role : "user", "content", block);
}

static enum err_code check_arguments(const json_t *list, const json_t *arguments, struct err *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *argument = json_get_string(json_array_get(list, i), "name");
        bool is_required = json_get_bool(json_array_get(list, i), "required", false);
        if (argument && is_required && !json_object_get(arguments, argument))
            return err_set(err, ERR_INVALID, -32602, "the argument '%.60s' is required", argument);
    }
    return ERR_NONE;
}

enum err_code mock_get_prompt(const struct mock_fixture *fixture, struct scope *scope,
                              const struct prompt_request *request, struct arena *arena,
                              struct offering_result *out, struct err *err)
{
    const json_t *prompt = find(fixture, OFFERING_PROMPT, request->name);
    const json_t *specs = json_object_get(prompt, "messages");
    const json_t *description = json_object_get(prompt, "description");
    const char *refusal = NULL;
    if (!prompt)
        return err_set(err, ERR_NOT_FOUND, -32602, "unknown prompt '%.80s'", request->name);
    enum err_code r =
        check_arguments(json_object_get(prompt, "arguments"), request->arguments, err);
    if (r)
        return r;
    json_t *arguments = request->arguments ? json_share(request->arguments) : json_object();
    json_t *known = arena_keep_json(arena, json_pack("{s:o}", "args", arguments));
    const struct mock_asking asking = { request->answerer, scope, arena, known };
    r = mock_ask(&asking, prompt, &refusal, err);
    if (r || refusal)
        return r ? r : err_set(err, ERR_DENIED, 0, "%.200s", refusal);
    json_auto_t *messages = json_array();
    for (size_t i = 0; i < json_array_size(specs); i++)
        if (json_array_append_new(messages, message_of(json_array_get(specs, i), known)))
            return mock_too_long(err);
    json_t *result = json_object();
    if (description)
        json_object_set_new(result, "description", json_share(description));
    json_object_set(result, "messages", messages);
    return finish_result(arena, OFFERING_PROMPT, result, out, err);
}

static const json_t *values_of(const struct mock_fixture *fixture,
                               const struct completion_request *request)
{
    const json_t *spec = find(fixture, request->kind, request->key);
    const json_t *arguments = json_object_get(spec, "arguments");
    if (request->kind != OFFERING_PROMPT)
        return json_object_get(json_object_get(spec, "values"), request->argument);
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const json_t *argument = json_array_get(arguments, i);
        if (text_equal(json_get_string(argument, "name"), request->argument))
            return json_object_get(argument, "values");
    }
    return NULL;
}

void mock_complete(const struct mock_fixture *fixture, const struct completion_request *request,
                   struct arena *arena, struct completion_values *out)
{
    const json_t *values = values_of(fixture, request);
    out->list = arena_array(arena, const char *, COMPLETION_MAX_VALUES);
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        if (!text_starts_with(value, request->typed))
            continue;
        out->has_more = out->n == COMPLETION_MAX_VALUES;
        if (out->has_more)
            return;
        out->list[out->n++] = arena_strdup(arena, value);
    }
}
