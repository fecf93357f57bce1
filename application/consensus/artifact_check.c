#include "application/consensus/artifact_check.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include <string.h>

#define FORMS "data/schemas/artifacts.json"
#define WHERE "/artifact/content"

static enum err_code check_schemas(const json_t *by_type, const char *origin, struct err *err)
{
    const char *type;
    json_t *schema;
    if (!json_is_object(by_type))
        return err_set(err, ERR_INVALID, 0, FORMS " (%.100s): an object is expected", origin);
    json_each_member (by_type, type, schema) {
        struct json_schema *compiled = NULL;
        enum err_code r = json_schema_compile(schema, NULL, 0, &compiled, err);
        json_schema_destroy(compiled);
        if (r)
            return err_prefix(err, ERR_INVALID, FORMS " (%.100s): %.60s", origin, type);
    }
    return ERR_NONE;
}

enum err_code artifact_forms_load(struct arena *arena, struct assets *assets,
                                  struct artifact_forms *out, struct err *err)
{
    const char *text = NULL, *origin = NULL;
    json_t *by_type = NULL;
    enum err_code r = assets_get(assets, FORMS, arena, &text, &origin, err);
    if (r)
        return r;
    r = json_parse(text, strlen(text), JSON_OURS, &by_type, err);
    if (r)
        return err_prefix(err, ERR_INVALID, FORMS " (%.100s)", origin);
    arena_keep_json(arena, by_type);
    r = check_schemas(by_type, origin, err);
    if (!r)
        out->by_type = by_type;
    return r;
}

/* S0-23 puts the candidate there: it is no part of the artifact's own form. */
static bool is_candidate_alone(const json_t *content)
{
    const char *key;
    const json_t *member;
    if (json_object_size(content) > 1)
        return false;
    json_each_member (content, key, member)
        if (!json_is_string(member) || !envelope_is_candidate_member(key))
            return false;
    return true;
}

bool artifact_check(const struct artifact_forms *forms, enum envelope_artifact type,
                    const json_t *content, struct problems *problems)
{
    const json_t *schema = json_object_get(forms->by_type, envelope_artifact_name(type));
    struct problems found = { .arena = problems->arena };
    bool fits = true;
    if (!schema || is_candidate_alone(content))
        return true;
    if (json_schema_check(schema, content, &found, &fits, NULL) || fits)
        return true; /* the schemas were compiled when they were loaded */
    for (size_t i = 0; i < found.n; i++) {
        const struct problem *each = &found.list[i];
        const char *path = arena_printf(problems->arena, WHERE "%s", each->path ? each->path : "");
        struct problem *problem = problems_add(problems, NULL, path, "%s", each->message);
        problem->fix = each->fix;
        problem->rule = each->rule;
    }
    return false;
}
