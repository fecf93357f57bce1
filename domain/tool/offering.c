#include "domain/tool/offering.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static const char *const kind_names[OFFERING_KINDS] = { "resource", "resource template", "prompt" };
static const char *const key_members[OFFERING_KINDS] = { "uri", "uriTemplate", "name" };
static const char *const list_members[OFFERING_KINDS] = { "resources", "resourceTemplates",
                                                          "prompts" };

const char *offering_key_member(enum offering_kind kind)
{
    return key_members[kind];
}

const char *offering_list_member(enum offering_kind kind)
{
    return list_members[kind];
}

const char *offering_kind_name(enum offering_kind kind)
{
    return kind_names[kind];
}

static const char *text_of(const json_t *definition, const char *member)
{
    const char *text = json_get_string(definition, member);
    return text ? text : "";
}

enum err_code offerings_add(struct offerings *offerings, enum offering_kind kind,
                            json_t *definition, struct err *err)
{
    const json_t *key = json_object_get(definition, key_members[kind]);
    if (!json_is_string(key) || !json_string_length(key) || json_string_has_nul(key))
        return err_set(err, ERR_PROTOCOL, 0, "a %s without a %s", kind_names[kind],
                       key_members[kind]);
    const char *title = text_of(definition, "title");
    *arena_push(offerings->arena, offerings->list, offerings->n, offerings->capacity) =
        (struct offering){
            .kind = kind,
            .key = json_string_value(key),
            .title = *title ? title : text_of(definition, "name"),
            .description = text_of(definition, "description"),
            .mime_type = text_of(definition, "mimeType"),
            .definition = arena_keep_json(offerings->arena, json_incref(definition)),
        };
    return ERR_NONE;
}

const struct offering *offerings_find(const struct offerings *offerings, enum offering_kind kind,
                                      const char *key)
{
    for (size_t i = 0; i < offerings->n; i++)
        if (offerings->list[i].kind == kind && strcmp(offerings->list[i].key, key) == 0)
            return &offerings->list[i];
    return NULL;
}

bool offering_template_fits(const struct offering *offering, const char *uri)
{
    size_t fixed = strcspn(offering->key, "{");
    return offering->kind == OFFERING_TEMPLATE && fixed > 0 &&
           strncmp(offering->key, uri, fixed) == 0;
}

bool offering_uri_is_within(const char *uri, const char *other)
{
    size_t length = strlen(other);
    if (!length || strncmp(uri, other, length) != 0)
        return false;
    return !uri[length] || other[length - 1] == '/' || strchr("/?#", uri[length]);
}

/* Each of contents is text or a blob; each of messages has a role and a block. */
static bool is_item(enum offering_kind kind, const json_t *item)
{
    if (kind == OFFERING_PROMPT)
        return json_get_string(item, "role") && json_is_object(json_object_get(item, "content"));
    return json_get_string(item, "text") || json_get_string(item, "blob");
}

enum err_code offering_result_init(struct arena *arena, enum offering_kind kind, const char *bytes,
                                   size_t length, json_t *value, struct offering_result *out,
                                   struct err *err)
{
    const char *member = kind == OFFERING_PROMPT ? "messages" : "contents";
    const json_t *items = json_object_get(value, member);
    if (!json_is_array(items))
        return err_set(err, ERR_PROTOCOL, 0, "the answer has no array of %s", member);
    for (size_t i = 0; i < json_array_size(items); i++)
        if (!is_item(kind, json_array_get(items, i)))
            return err_set(err, ERR_PROTOCOL, 0, "%s[%zu] of the answer is malformed", member, i);
    *out = (struct offering_result){
        .bytes = arena_strndup(arena, bytes, length),
        .length = length,
        .value = arena_keep_json(arena, json_incref(value)),
        .items = items,
    };
    return ERR_NONE;
}
