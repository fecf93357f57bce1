#include "domain/plan/plan_inputs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/json_schema.h"
#include "domain/text/known_secrets.h"
#include <string.h>

static bool must_be_given(const json_t *schema)
{
    return !json_object_get(schema, "default") && json_get_bool(schema, "required", true);
}

bool plan_input_is_secret(const json_t *input)
{
    return json_is_true(json_object_get(input, "secret"));
}

/* `required` says here whether the input must be given, which is no keyword of JSON Schema. */
static json_t *schema_of(const json_t *input)
{
    json_t *schema = json_copy((json_t *)(uintptr_t)input);
    if (json_is_boolean(json_object_get(schema, "required")))
        json_object_del(schema, "required");
    if (plan_input_is_secret(input))
        json_object_set_new(schema, "type", json_string("string"));
    return schema;
}

json_t *plan_inputs_schema(const json_t *inputs)
{
    json_t *properties = json_object(), *required = json_array();
    const char *name;
    const json_t *input;
    json_each_member (inputs, name, input) {
        json_object_set_new(properties, name, schema_of(input));
        if (must_be_given(input))
            json_array_append_new(required, json_string(name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required",
                     required, "additionalProperties", 0);
}

static void check_secret(struct arena *arena, const char *path, const json_t *input,
                         struct problems *problems)
{
    const json_t *secret = json_object_get(input, "secret"), *env = json_object_get(input, "env");
    const char *type = json_get_string(input, "type");
    bool is_secret = plan_input_is_secret(input);
    if (secret && !json_is_boolean(secret))
        problems_add(problems, NULL, json_path_member(arena, path, "secret"),
                     "must be true or false")
            ->fix = "write true or false, without quotes";
    if (env && (!is_secret || !json_string_length(env)))
        problems_add(problems, NULL, json_path_member(arena, path, "env"),
                     "must be the name of an environment variable, for an input with secret: true")
            ->fix = "write secret: true and env: TOKEN";
    if (is_secret && json_object_get(input, "type") && !text_equal(type, "string"))
        problems_add(problems, NULL, json_path_member(arena, path, "type"),
                     "a secret is a text: it must be string")
            ->fix = "write type: string";
    if (is_secret && json_object_get(input, "default"))
        problems_add(problems, NULL, json_path_member(arena, path, "default"),
                     "a secret does not stand in a plan")
            ->fix = "leave it out, and name the environment variable that has it, as in env: TOKEN";
}

/* The message of a schema that cannot be used begins with the place of its fault, "#/type: …". */
static void report_schema(struct arena *arena, const char *path, const json_t *schema,
                          const char *message, struct problems *problems)
{
    static const char *const pairs[][2] = {
        { "int", "integer" }, { "str", "string" }, { "bool", "boolean" }, { "float", "number" }
    };
    const char *colon = strstr(message, ": "), *said = NULL, *fix = "write a JSON Schema there";
    if (text_starts_with(message, "#/") && colon) {
        const char *place = arena_strndup(arena, message + 1, (size_t)(colon - message - 1));
        said = json_string_value(json_path_find(schema, place));
        path = arena_printf(arena, "%s%s", path, place);
        message = colon + 2;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++)
        if (text_equal(said, pairs[i][0]))
            fix = arena_printf(arena, "write %s", pairs[i][1]);
    problems_add(problems, NULL, path, "%s", message)->fix = fix;
}

/* Schema and default of an input. */
static void check_schema(struct arena *arena, const char *path, const json_t *input,
                         struct problems *problems)
{
    const json_t *fallback = json_object_get(input, "default");
    json_auto_t *schema = schema_of(input);
    struct problems found = { .arena = arena };
    struct err err = { .code = ERR_NONE };
    bool accepts = false;
    if (json_schema_check(schema, fallback ? fallback : json_null(), &found, &accepts, &err)) {
        report_schema(arena, path, schema, err.message, problems);
        return;
    }
    for (size_t i = 0; fallback && i < found.n; i++) {
        const struct problem *one = &found.list[i];
        struct problem *problem =
            problems_add(problems, NULL, arena_printf(arena, "%s/default%s", path, one->path), "%s",
                         one->message);
        problem->fix = one->fix;
        problem->is_name = text_equal(one->rule, "additionalProperties");
    }
}

static void check_input(struct arena *arena, const char *name, const json_t *input,
                        struct problems *problems)
{
    const char *path = json_path_member(arena, "/inputs", name);
    const json_t *required = json_object_get(input, "required");
    if (!json_is_object(input)) {
        problems_add(problems, NULL, path, "must be an object")->fix =
            "describe the input, as in {type: string}";
        return;
    }
    check_secret(arena, path, input, problems);
    if (required && !json_is_boolean(required) && !json_is_array(required)) {
        problems_add(problems, NULL, json_path_member(arena, path, "required"),
                     "must be true or false")
            ->fix = "write true or false, without quotes";
        return;
    }
    check_schema(arena, path, input, problems);
}

const json_t *plan_inputs_defaults(struct arena *arena, const json_t *inputs,
                                   struct problems *problems)
{
    json_t *defaults = json_object();
    const char *name;
    const json_t *input;
    json_each_member (inputs, name, input) {
        const json_t *fallback = json_object_get(input, "default");
        check_input(arena, name, input, problems);
        if (!must_be_given(input))
            json_object_set_new(defaults, name, fallback ? json_share(fallback) : json_null());
    }
    return arena_keep_json(arena, defaults);
}

static bool takes(const json_t *schema, const char *type)
{
    const json_t *types = json_object_get(schema, "type");
    return text_equal(json_string_value(types), type) || json_array_has_text(types, type);
}

json_t *plan_input_from_text(const json_t *schema, const char *text)
{
    json_t *value = NULL;
    if (takes(schema, "string") || !json_object_get(schema, "type") ||
        json_parse(text, strlen(text), JSON_OURS, &value, NULL))
        return json_string(text);
    return value;
}

static enum err_code refuse_unknown(struct arena *arena, const json_t *inputs, const char *name,
                                    struct err *err)
{
    size_t n = 0, nearest = 0;
    const char **names = arena_array(arena, const char *, json_object_size(inputs) + 1), *key;
    const json_t *input;
    json_each_member (inputs, key, input)
        names[n++] = key;
    enum err_code r = err_set(err, ERR_INVALID, 0, "the plan has no input \"%.80s\"", name);
    if (text_nearest(name, names, n, &nearest, 1))
        return err_hint(err, r, "did you mean %.80s?", names[nearest]);
    return err_hint(err, r, n ? "it has %.160s" : "it has none", json_join_names(arena, inputs));
}

static enum err_code check_value(const char *name, const json_t *input, const json_t *value,
                                 struct err *err)
{
    json_auto_t *schema = schema_of(input);
    enum err_code r = json_schema_require(schema, value, err);
    return r ? err_prefix(err, ERR_INVALID, "input %.80s", name) : ERR_NONE;
}

/* Before anything else is done with them: a message may have the value that it is about. */
static enum err_code remember_secrets(const json_t *inputs, const json_t *given, struct err *err)
{
    const char *name;
    const json_t *value;
    json_each_member (given, name, value) {
        const char *secret = json_string_value(value);
        if (!secret || !plan_input_is_secret(json_object_get(inputs, name)) ||
            known_secrets_add(secret))
            continue;
        if (strlen(secret) >= KNOWN_SECRET_MIN_BYTES)
            return err_set(err, ERR_LIMIT, 0, "input %.80s: more than %d secrets", name,
                           KNOWN_SECRETS_MAX);
        err_set(err, ERR_INVALID, 0, "input %.80s: a secret has at least %d bytes", name,
                KNOWN_SECRET_MIN_BYTES);
        return err_hint(err, ERR_INVALID, "a shorter one cannot be kept out of what is shown");
    }
    return ERR_NONE;
}

static enum err_code refuse_secret(const char *name, struct err *err)
{
    err_set(err, ERR_INVALID, 0, "input %.80s is secret, and has no place in a call", name);
    return err_hint(err, ERR_INVALID, "a person gives it, with mistro run");
}

enum err_code plan_inputs_take_secrets(struct arena *arena, const json_t *inputs,
                                       const json_t *given, plan_variable_fn *variable,
                                       void *context, const json_t **out, struct err *err)
{
    json_t *all =
        arena_keep_json(arena, given ? json_copy((json_t *)(uintptr_t)given) : json_object());
    const char *name;
    const json_t *input;
    json_each_member (inputs, name, input) {
        const char *env = json_get_string(input, "env");
        if (!plan_input_is_secret(input))
            continue;
        if (!variable)
            return refuse_secret(name, err);
        const char *value = env && !json_object_get(all, name) ? variable(context, env) : NULL;
        if (value) /* in UTF-8: else it stays missing */
            json_object_set_new(all, name, json_string(value));
    }
    *out = all;
    return remember_secrets(inputs, all, err);
}

static enum err_code refuse_missing(const char *name, const json_t *input, struct err *err)
{
    const char *env = json_get_string(input, "env");
    bool is_secret = plan_input_is_secret(input);
    enum err_code r = err_set(err, ERR_INVALID, 0, "the plan needs the input \"%.80s\"", name);
    if (is_secret && env)
        err_hint(err, r,
                 "set the environment variable %.80s, in UTF-8, or give it with --var %.80s@FILE",
                 env, name);
    return is_secret ? err_hint(err, r, PLAN_SECRET_REMEDY, name, name)
                     : err_hint(err, r, "give it with --var %.80s=…", name);
}

enum err_code plan_inputs_set(struct arena *arena, const json_t *inputs, const json_t *defaults,
                              const json_t *given, const json_t **out, struct err *err)
{
    json_t *values = json_copy((json_t *)(uintptr_t)defaults);
    enum err_code r = remember_secrets(inputs, given, err);
    const char *name;
    const json_t *value, *input;
    *out = arena_keep_json(arena, values);
    if (r)
        return r;
    json_each_member (given, name, value) {
        input = json_object_get(inputs, name);
        r = input ? check_value(name, input, value, err) : refuse_unknown(arena, inputs, name, err);
        if (r)
            return r;
        json_object_set_new(values, name, json_share(value));
    }
    json_each_member (inputs, name, input) {
        if (must_be_given(input) && !json_object_get(given, name))
            return refuse_missing(name, input, err);
    }
    return ERR_NONE;
}
