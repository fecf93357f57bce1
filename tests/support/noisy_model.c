#include "tests/support/noisy_model.h"
#include "domain/base/json.h"
#include "tests/support/noisy_object.h"
#include <string.h>

#define BLANKS_LENGTH 2000
#define DRAWS 64

static uint64_t draw(struct noisy_model *noisy, uint64_t below)
{
    noisy->random ^= noisy->random << 13;
    noisy->random ^= noisy->random >> 7;
    noisy->random ^= noisy->random << 17;
    return noisy->random % below;
}

static struct answer take_apart(struct arena *arena, const struct model_request *request,
                                const char *text)
{
    struct answer answer = { .arena = arena, .request = request, .text = text };
    const char *delimiter = strstr(text, DELIMITER);
    const char *body = delimiter ? delimiter + strlen(DELIMITER) : text;
    if (json_parse(body, strlen(body), JSON_FOREIGN, &answer.value, NULL))
        return answer;
    arena_keep_json(arena, answer.value);
    answer.body = body;
    if (delimiter)
        answer.head = arena_strndup(arena, text, (size_t)(delimiter - text));
    return answer;
}

static const char *chatter(const struct answer *answer)
{
    const char *before = answer->head ? "" : "Sure! Here is what you asked for:\n\n";
    if (!answer->body)
        return arena_printf(answer->arena, "%s%s", before, answer->text);
    return answer_with_body(answer, arena_printf(answer->arena, "%s%s\n\nI hope this {helps} you!",
                                                 before, answer->body));
}

static const char *fence(const struct answer *answer)
{
    return answer->body ? answer_with_body(
                              answer, arena_printf(answer->arena, "```json\n%s\n```", answer->body))
                        : arena_printf(answer->arena, "```\n%s\n```", answer->text);
}

static const char *truncation(struct noisy_model *noisy, const struct answer *answer)
{
    size_t length = strlen(answer->text);
    if (!answer->body || length < 2)
        return NULL;
    return arena_strndup(answer->arena, answer->text, 1 + draw(noisy, length - 1));
}

static bool mentions(const json_t *schema, const char *keyword)
{
    const char *name;
    json_t *member;
    size_t i;
    json_each_member (schema, name, member)
        if (strcmp(name, keyword) == 0 || mentions(member, keyword))
            return true;
    if (json_is_array(schema))
        json_array_foreach ((json_t *)(uintptr_t)schema, i, member)
            if (mentions(member, keyword))
                return true;
    return false;
}

/* Whether the schema has, anywhere, a member of this name with an enum. */
static bool has_enum(const json_t *schema, const char *key)
{
    const char *name;
    json_t *member;
    size_t i;
    if (mentions(json_object_get(json_object_get(schema, "properties"), key), "enum"))
        return true;
    json_each_member (schema, name, member)
        if (has_enum(member, key))
            return true;
    if (json_is_array(schema))
        json_array_foreach ((json_t *)(uintptr_t)schema, i, member)
            if (has_enum(member, key))
                return true;
    return false;
}

/* Replaces the first text that is one of an enum; is_tool says whether it names a tool. */
static bool replace_enum(json_t *value, const json_t *schema, bool is_tool)
{
    const char *key;
    json_t *member;
    size_t i;
    json_object_foreach (value, key, member) {
        bool names_tool = strcmp(key, "tool") == 0;
        if (json_is_string(member) && names_tool == is_tool && has_enum(schema, key)) {
            json_string_set(member, is_tool ? "nonexistent_tool" : "something else");
            return true;
        }
        if (replace_enum(member, schema, is_tool))
            return true;
    }
    json_array_foreach (value, i, member)
        if (replace_enum(member, schema, is_tool))
            return true;
    return false;
}

static const char *bad_enum(const struct answer *answer)
{
    json_t *value = json_deep_copy(answer->value);
    if (value && replace_enum(value, answer->request->schema, false))
        return answer_with_value(answer, value);
    json_decref(value);
    return NULL;
}

static const char *wrong_tool(const struct answer *answer)
{
    json_t *value = json_deep_copy(answer->value);
    json_t *needed = json_object_get(value, "tools_needed");
    bool done = json_array_size(needed) > 0;
    if (done)
        json_array_set_new(needed, 0, json_string("nonexistent_tool"));
    if (value && (done || replace_enum(value, answer->request->schema, true)))
        return answer_with_value(answer, value);
    json_decref(value);
    return NULL;
}

/* A member that the schema requires; where none was sent, any member. NULL when there is none. */
static const char *required_member(struct noisy_model *noisy, const struct answer *answer)
{
    const json_t *required = json_object_get(answer->request->schema, "required");
    size_t n =
        answer->request->schema ? json_array_size(required) : json_object_size(answer->value);
    if (!n || !json_is_object(answer->value))
        return NULL;
    size_t at = draw(noisy, n);
    if (answer->request->schema)
        return json_string_value(json_array_get(required, at));
    void *member = json_object_iter(answer->value);
    while (at--)
        member = json_object_iter_next(answer->value, member);
    return json_object_iter_key(member);
}

static const char *missing_field(struct noisy_model *noisy, const struct answer *answer)
{
    const char *key = required_member(noisy, answer);
    if (!key || !json_object_get(answer->value, key))
        return NULL;
    json_t *value = json_deep_copy(answer->value);
    json_object_del(value, key);
    return answer_with_value(answer, value);
}

static json_t *of_another_type(const json_t *member)
{
    if (json_is_string(member))
        return json_pack("[s]", json_string_value(member));
    if (json_is_boolean(member))
        return json_string("maybe");
    return json_is_number(member) ? json_string("four") : json_integer(1);
}

static const char *wrong_type(struct noisy_model *noisy, const struct answer *answer)
{
    const char *key = required_member(noisy, answer);
    const json_t *member = key ? json_object_get(answer->value, key) : NULL;
    if (!member)
        return NULL;
    json_t *value = json_deep_copy(answer->value);
    json_object_set_new(value, key, of_another_type(member));
    return answer_with_value(answer, value);
}

static const char *without_delimiter(const struct answer *answer)
{
    return answer->head ? arena_printf(answer->arena, "%s\n%s", answer->head, answer->body) : NULL;
}

static const char *midline_delimiter(const struct answer *answer)
{
    return answer->head ? arena_printf(answer->arena, "%s ---%s", answer->head, answer->body)
                        : NULL;
}

static const char *blanks(struct noisy_model *noisy, const struct answer *answer)
{
    if (!answer->body)
        return arena_printf(answer->arena, "%s%*s", answer->text, BLANKS_LENGTH, "");
    size_t kept = draw(noisy, strlen(answer->body));
    return answer_with_body(
        answer, arena_printf(answer->arena, "%.*s%*s", (int)kept, answer->body, BLANKS_LENGTH, ""));
}

/* NULL when this kind of damage makes no sense for the answer. */
static const char *damage(struct noisy_model *noisy, const struct answer *answer,
                          enum noise_kind kind)
{
    switch ((int)kind) { /* the others are in noisy_object.c */
    case NOISE_CHATTER:
        return chatter(answer);
    case NOISE_FENCE:
        return fence(answer);
    case NOISE_TRUNCATION:
        return truncation(noisy, answer);
    case NOISE_BAD_ENUM:
        return bad_enum(answer);
    case NOISE_MISSING_FIELD:
        return missing_field(noisy, answer);
    case NOISE_WRONG_TYPE:
        return wrong_type(noisy, answer);
    case NOISE_WRONG_TOOL:
        return wrong_tool(answer);
    case NOISE_NO_DELIMITER:
        return without_delimiter(answer);
    case NOISE_MIDLINE_DELIMITER:
        return midline_delimiter(answer);
    case NOISE_EMPTY:
        return "";
    case NOISE_BLANKS:
        return blanks(noisy, answer);
    default:
        return noisy_object(answer, kind);
    }
}

static enum noise_kind draw_kind(struct noisy_model *noisy)
{
    static const uint64_t weights[] = {
#define X(kind, name, weight) weight,
        NOISE_KINDS(X)
#undef X
    };
    uint64_t sum = 0, kind = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(weights); i++)
        sum += weights[i];
    uint64_t at = draw(noisy, sum);
    while (at >= weights[kind])
        at -= weights[kind++];
    return (enum noise_kind)kind;
}

/* The damaged text; the text itself when nothing that was drawn made sense. */
static const char *spoil(struct noisy_model *noisy, const struct answer *answer)
{
    for (size_t i = 0; i < DRAWS; i++) {
        enum noise_kind kind = draw_kind(noisy);
        const char *text = damage(noisy, answer, kind);
        if (!text)
            continue;
        noisy->just_damaged = true;
        noisy->last = kind;
        noisy->damaged[kind]++;
        return text;
    }
    return answer->text;
}

/* In chunks of any size; how much was said before the watcher had enough. */
static size_t stream(struct noisy_model *noisy, const struct model_request *request,
                     const char *text, bool *out_stopped)
{
    size_t length = strlen(text), at = 0;
    *out_stopped = false;
    while (request->on_token && at < length && !*out_stopped) {
        size_t chunk = 1 + draw(noisy, 40);
        chunk = chunk < length - at ? chunk : length - at;
        *out_stopped = !request->on_token(request->context, text + at, chunk);
        at += chunk;
    }
    return request->on_token ? at : length;
}

static void say(struct noisy_model *noisy, const struct model_request *request, struct arena *arena,
                const char *text, struct model_reply *reply)
{
    bool stopped;
    size_t said = stream(noisy, request, text, &stopped);
    bool runs_on =
        noisy->just_damaged &&
        (noisy->last == NOISE_BLANKS || (noisy->last == NOISE_TRUNCATION && draw(noisy, 4) != 0));
    if (runs_on)
        reply->stop = MODEL_STOP_LENGTH;
    if (stopped)
        reply->stop = MODEL_STOP_EARLY;
    reply->text = arena_strndup(arena, text, said);
}

static enum err_code noisy_chat(struct model *model, struct scope *scope,
                                const struct model_request *request, struct arena *arena,
                                struct model_reply *out, struct err *err)
{
    struct noisy_model *noisy = (struct noisy_model *)model;
    struct model_request quiet = *request;
    quiet.on_token = NULL;
    enum err_code r = model_chat(noisy->inner, scope, &quiet, arena, out, err);
    if (r)
        return r;
    struct answer answer = take_apart(arena, request, out->text);
    const char *text = out->text;
    noisy->answers++;
    noisy->just_damaged = false;
    if ((double)draw(noisy, 1000000) < noisy->damage * 1000000)
        text = spoil(noisy, &answer);
    say(noisy, request, arena, text, out);
    return ERR_NONE;
}

static enum err_code noisy_check(struct model *model, struct scope *scope, struct arena *arena,
                                 struct model_status *out, struct err *err)
{
    return model_check(((struct noisy_model *)model)->inner, scope, arena, out, err);
}

static enum err_code noisy_list(struct model *model, struct scope *scope, struct arena *arena,
                                const char ***out_names, size_t *out_n, struct err *err)
{
    return model_list(((struct noisy_model *)model)->inner, scope, arena, out_names, out_n, err);
}

static void keep(struct model *model)
{
    (void)model;
}

const char *noise_kind_name(enum noise_kind kind)
{
    static const char *const names[] = {
#define X(kind, name, weight) name,
        NOISE_KINDS(X)
#undef X
    };
    return names[kind];
}

void noisy_model_init(struct noisy_model *noisy, struct model *inner, uint64_t seed, double share)
{
    static const struct model_ops ops = {
        .check = noisy_check, .list = noisy_list, .chat = noisy_chat, .destroy = keep
    };
    *noisy = (struct noisy_model){
        .base.ops = &ops, .inner = inner, .random = seed * 0x9E3779B97F4A7C15u + 1, .damage = share
    };
}
