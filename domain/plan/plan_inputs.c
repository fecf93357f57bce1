#include "domain/plan/plan_inputs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/json_schema.h"
#include <string.h>

static bool must_be_given(const json_t *schema)
{
    return !json_object_get(schema, "default") && json_get_bool(schema, "required", true);
}

/* `required` says here whether the input must be given, which is no keyword of JSON Schema. */
static json_t *schema_of(const json_t *input)
{
    json_t *schema = json_copy((json_t *)(uintptr_t)input);
    if (json_is_boolean(json_object_get(schema, "required")))
        json_object_del(schema, "required");
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

static void check_input(struct arena *arena, const char *name, const json_t *input,
                        struct problems *problems)
{
    const char *path = json_path_member(arena, "/inputs", name);
    const json_t *fallback = json_object_get(input, "default");
    struct err err = { .code = ERR_NONE };
    if (!json_is_object(input)) {
        problems_add(problems, NULL, path, "must be an object")->fix =
            "describe the input, as in {type: string}";
        return;
    }
    json_auto_t *schema = schema_of(input);
    if (json_object_get(input, "secret"))
        problems_add(problems, NULL, json_path_member(arena, path, "secret"),
                     "secret inputs are not known yet")
            ->fix = "let the server read the secret from its environment";
    else if (fallback ? json_schema_require(schema, fallback, &err)
                      : json_schema_check(schema, json_null(), NULL, &(bool){ false }, &err))
        problems_add(problems, NULL, fallback ? json_path_member(arena, path, "default") : path,
                     "%s", err.message);
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

enum err_code plan_inputs_set(struct arena *arena, const json_t *inputs, const json_t *defaults,
                              const json_t *given, const json_t **out, struct err *err)
{
    json_t *values = json_copy((json_t *)(uintptr_t)defaults);
    enum err_code r = ERR_NONE;
    const char *name;
    const json_t *value, *input;
    *out = arena_keep_json(arena, values);
    json_each_member (given, name, value) {
        input = json_object_get(inputs, name);
        r = input ? check_value(name, input, value, err) : refuse_unknown(arena, inputs, name, err);
        if (r)
            return r;
        json_object_set_new(values, name, json_share(value));
    }
    json_each_member (inputs, name, input) {
        if (must_be_given(input) && !json_object_get(given, name)) {
            r = err_set(err, ERR_INVALID, 0, "the plan needs the input \"%.80s\"", name);
            return err_hint(err, r, "give it with --var %.80s=…", name);
        }
    }
    return ERR_NONE;
}
