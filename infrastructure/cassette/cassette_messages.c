#include "infrastructure/cassette/cassette_messages.h"
#include "application/ports/candidate_checker.h"
#include "application/ports/model.h"
#include "application/ports/renderer.h"
#include "application/ports/user.h"
#include "domain/base/base64.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/repositories/approval_repository.h"
#include "infrastructure/mcp/wire/jsonrpc.h"
#include <stdlib.h>
#include <string.h>

static const char *const roles[] = {
    [MODEL_SYSTEM] = "system", [MODEL_USER] = "user", [MODEL_ASSISTANT] = "assistant"
};
static const char *const stops[] = {
    [MODEL_STOP_END] = "end", [MODEL_STOP_LENGTH] = "length", [MODEL_STOP_EARLY] = "early"
};
static const char *const supports[] = {
#define X(support, name) name,
    MODEL_SCHEMA_SUPPORTS(X)
#undef X
};
static const char *const approvals[] = { [APPROVAL_NO] = "no",
                                         [APPROVAL_ONCE] = "once",
                                         [APPROVAL_SESSION] = "session",
                                         [APPROVAL_ALWAYS] = "always" };
static const char *const media_types[] = {
    [PICTURE_SVG] = "image/svg+xml", [PICTURE_PNG] = "image/png", [PICTURE_PDF] = "application/pdf"
};

/* Which of the names a member has; 0 when it has none of them. */
static size_t index_of(const json_t *object, const char *key, const char *const *names, size_t n)
{
    int at = text_find(json_get_string(object, key), names, n);
    return at < 0 ? 0 : (size_t)at;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_get_string(object, key);
    return text ? text : "";
}

json_t *cassette_error_json(const struct err *err)
{
    json_t *data = err_to_json(err);
    if (err->origin)
        json_object_set_new(data, "origin", json_integer(err->origin));
    json_t *error =
        json_pack("{s:i, s:O, s:o}", "code", err->origin < 0 ? err->origin : JSONRPC_INTERNAL_ERROR,
                  "message", json_object_get(data, "message"), "data", data);
    json_object_del(data, "message");
    return error;
}

enum err_code cassette_error_from(const json_t *error, struct err *err)
{
    const json_t *data = json_object_get(error, "data");
    const char *message = json_get_string(error, "message");
    enum err_code code = err_from_json(data, message ? message : "", err);
    if (!code)
        return jsonrpc_explain_error(error, err);
    if (err)
        err->origin = (int)json_get_int(data, "origin", 0);
    return code;
}

static json_t *status_json(const void *out)
{
    const struct model_status *status = out;
    return json_pack("{s:s*, s:s*, s:s*, s:s*, s:s*, s:I, s:s, s:b}", "kind", status->kind,
                     "base_url", status->base_url, "model", status->model, "requested",
                     status->requested, "reason", status->reason, "context_tokens",
                     (json_int_t)status->context_tokens, "schema_support",
                     supports[status->schema_support], "sees", status->sees);
}

static bool read_status(struct arena *arena, const json_t *result, void *out)
{
    size_t support = index_of(result, "schema_support", supports, ARRAY_LENGTH(supports));
    (void)arena;
    *(struct model_status *)out =
        (struct model_status){ .kind = text_of(result, "kind"),
                               .base_url = text_of(result, "base_url"),
                               .model = text_of(result, "model"),
                               .requested = text_of(result, "requested"),
                               .reason = text_of(result, "reason"),
                               .context_tokens = json_get_int(result, "context_tokens", -1),
                               .schema_support = (enum model_schema_support)support,
                               .sees = json_get_bool(result, "sees", false) };
    return true;
}

const struct cassette_message cassette_model_check = { "check", true, NULL, status_json,
                                                       read_status };

static json_t *part_json(const struct model_part *part)
{
    if (part->kind == MODEL_TEXT)
        return json_pack("{s:s, s:s}", "type", "text", "text", part->text);
    return json_pack("{s:s, s:s, s:s*}", "type", "image", "data", part->text, "mimeType",
                     part->media_type);
}

static json_t *chat_json(const void *asked)
{
    const struct model_request *request = asked;
    json_t *messages = json_array();
    for (size_t i = 0; i < request->n_messages; i++) {
        const struct model_message *message = &request->messages[i];
        json_t *parts = json_array();
        for (size_t j = 0; j < message->n_parts; j++)
            json_array_append_new(parts, part_json(&message->parts[j]));
        json_array_append_new(
            messages, json_pack("{s:s, s:o}", "role", roles[message->role], "content", parts));
    }
    return json_pack("{s:s*, s:o, s:O*, s:f, s:i, s:I}", "purpose", request->purpose, "messages",
                     messages, "schema", request->schema, "temperature", request->temperature,
                     "max_tokens", request->max_tokens, "seed", (json_int_t)request->seed);
}

static json_t *reply_json(const void *out)
{
    const struct model_reply *reply = out;
    json_t *notes = json_array();
    for (size_t i = 0; i < reply->n_notes; i++)
        json_array_append_new(notes, json_pack("{s:s, s:s}", "path", reply->notes[i].path,
                                               "message", reply->notes[i].message));
    return json_pack(
        "{s:s, s:s*, s:s, s:I, s:I, s:I, s:b, s:I, s:b, s:o}", "text", reply->text, "model",
        reply->model, "stop", stops[reply->stop], "prompt_tokens", (json_int_t)reply->prompt_tokens,
        "cached_tokens", (json_int_t)reply->cached_tokens, "completion_tokens",
        (json_int_t)reply->completion_tokens, "counts_cached", reply->counts_cached, "duration_ms",
        (json_int_t)reply->duration_ms, "constrained", reply->constrained, "notes", notes);
}

static bool read_reply(struct arena *arena, const json_t *result, void *out)
{
    const json_t *notes = json_object_get(result, "notes");
    size_t n = json_array_size(notes);
    struct model_schema_note *list = arena_array(arena, struct model_schema_note, n + 1);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct model_schema_note){ text_of(json_array_get(notes, i), "path"),
                                              text_of(json_array_get(notes, i), "message") };
    *(struct model_reply *)out = (struct model_reply){
        .text = text_of(result, "text"),
        .model = text_of(result, "model"),
        .stop = (enum model_stop)index_of(result, "stop", stops, ARRAY_LENGTH(stops)),
        .prompt_tokens = json_get_int(result, "prompt_tokens", -1),
        .cached_tokens = json_get_int(result, "cached_tokens", -1),
        .completion_tokens = json_get_int(result, "completion_tokens", -1),
        .counts_cached = json_get_bool(result, "counts_cached", false),
        .duration_ms = json_get_int(result, "duration_ms", 0),
        .constrained = json_get_bool(result, "constrained", false),
        .notes = list,
        .n_notes = n,
    };
    return true;
}

const struct cassette_message cassette_chat = { "chat", false, chat_json, reply_json, read_reply };

static json_t *text_json(const void *asked)
{
    return json_pack("{s:s}", "text", asked);
}

static json_t *tokens_json(const void *out)
{
    return json_pack("{s:I}", "tokens", (json_int_t) * (const int64_t *)out);
}

static bool read_tokens(struct arena *arena, const json_t *result, void *out)
{
    (void)arena;
    *(int64_t *)out = json_get_int(result, "tokens", 0);
    return true;
}

const struct cassette_message cassette_count_tokens = { "count_tokens", false, text_json,
                                                        tokens_json, read_tokens };

const struct cassette_message cassette_available = { "available", true, NULL, NULL, NULL };

static json_t *drawing_json(const void *asked)
{
    const struct drawing *drawing = asked;
    return json_pack("{s:s*, s:s*, s:i, s:O*, s:O*, s:o*}", "dot", drawing->dot, "script",
                     drawing->script, "dpi", (int)drawing->dpi, "input", drawing->input, "drawn",
                     drawing->drawn, "only_geometry", drawing->only_geometry ? json_true() : NULL);
}

/* SVG has texts, which may have to be redacted. */
static json_t *format_json(const struct picture *picture, enum picture_format format)
{
    AUTO(arena) scratch = { 0 };
    const char *bytes = picture->bytes[format];
    size_t length = picture->lengths[format];
    json_t *text = format == PICTURE_SVG ? json_stringn(bytes, length) : NULL;
    if (text)
        return json_pack("{s:o}", "text", text);
    return json_pack("{s:s, s:s}", "data", base64_text(&scratch, bytes, length), "mimeType",
                     media_types[format]);
}

static json_t *picture_json(const void *out)
{
    const struct picture *picture = out;
    json_t *made = json_object();
    for (int i = 0; i < PICTURE_N_FORMATS; i++)
        if (picture->bytes[i])
            json_object_set_new(made, picture_suffix((enum picture_format)i),
                                format_json(picture, (enum picture_format)i));
    return json_pack("{s:o, s:s*, s:s*, s:s*}", "pictures", made, "geometry", picture->geometry,
                     "renderer", picture->renderer, "code", picture->code);
}

static bool read_picture(struct arena *arena, const json_t *result, void *out)
{
    struct picture *picture = out;
    *picture = (struct picture){ .geometry = json_get_string(result, "geometry"),
                                 .renderer = text_of(result, "renderer"),
                                 .code = json_get_string(result, "code") };
    for (int i = 0; i < PICTURE_N_FORMATS; i++) {
        const json_t *made = json_object_get(json_object_get(result, "pictures"),
                                             picture_suffix((enum picture_format)i));
        const json_t *text = json_object_get(made, "text");
        const char *data = json_get_string(made, "data");
        auto_str decoded = data ? base64_decode(data, &picture->lengths[i]) : NULL;
        if (data && !decoded)
            return false;
        if (text)
            picture->lengths[i] = json_string_length(text);
        picture->bytes[i] = text      ? json_string_value(text)
                            : decoded ? arena_strndup(arena, decoded, picture->lengths[i])
                                      : NULL;
    }
    return true;
}

const struct cassette_message cassette_render = { "render", false, drawing_json, picture_json,
                                                  read_picture };

static json_t *trial_json(const void *asked)
{
    const struct candidate_trial *trial = asked;
    return json_pack("{s:s, s:s, s:O*}", "kind", canonical_kind_name(trial->kind), "canonical",
                     trial->canonical, "examples", trial->examples);
}

static json_t *failure_json(const void *out)
{
    return json_pack("{s:s?}", "failure", *(const char *const *)out);
}

static bool read_failure(struct arena *arena, const json_t *result, void *out)
{
    (void)arena;
    *(const char **)out = json_get_string(result, "failure");
    return true;
}

const struct cassette_message cassette_trial = { "check", false, trial_json, failure_json,
                                                 read_failure };

static json_t *presence_json(const void *out)
{
    const bool *presence = out;
    return json_pack("{s:b, s:b}", "present", presence[0], "approves_all", presence[1]);
}

static bool read_presence(struct arena *arena, const json_t *result, void *out)
{
    bool *presence = out;
    (void)arena;
    presence[0] = json_get_bool(result, "present", false);
    presence[1] = json_get_bool(result, "approves_all", false);
    return true;
}

const struct cassette_message cassette_present = { "present", true, NULL, presence_json,
                                                   read_presence };

static json_t *form_json(const void *asked)
{
    const struct form *form = asked;
    json_t *fields = json_array();
    for (size_t i = 0; i < form->n_fields; i++)
        json_array_append_new(fields, json_string(form->fields[i].key));
    return json_pack("{s:s*, s:s*, s:o}", "title", form->title, "message", form->message, "fields",
                     fields);
}

static json_t *filled_json(const void *out)
{
    return json_pack("{s:O}", "answers", *(json_t *const *)out);
}

static bool read_filled(struct arena *arena, const json_t *result, void *out)
{
    (void)arena;
    *(json_t **)out = json_object_get(result, "answers");
    return json_is_object(*(json_t **)out);
}

const struct cassette_message cassette_form = { "ask", false, form_json, filled_json, read_filled };

static json_t *confirmation_json(const void *asked)
{
    const struct confirmation *confirmation = asked;
    return json_pack("{s:s*, s:s*, s:s*, s:s*}", "title", confirmation->title, "message",
                     confirmation->message, "url", confirmation->url, "question",
                     confirmation->question);
}

const struct cassette_message cassette_confirm = { "confirm", false, confirmation_json, NULL,
                                                   NULL };

const struct cassette_message cassette_open_page = { "open", false, text_json, NULL, NULL };

static json_t *approval_json(const void *out)
{
    return json_pack("{s:s}", "answer", approvals[*(const enum approval_answer *)out]);
}

static bool read_approval(struct arena *arena, const json_t *result, void *out)
{
    (void)arena;
    *(enum approval_answer *)out =
        (enum approval_answer)index_of(result, "answer", approvals, ARRAY_LENGTH(approvals));
    return true;
}

const struct cassette_message cassette_approve = { "approve", false, text_json, approval_json,
                                                   read_approval };

/* Of the tool that the approval is of: what its subject begins with is of the server as it is
 * configured, which a replay does not have. */
static json_t *lookup_json(const void *asked)
{
    const struct approval *approval = asked;
    const char *slash = strchr(approval->subject, '/');
    return json_pack("{s:s, s:s, s:s}", "kind", approval->kind, "tool",
                     slash ? slash + 1 : approval->subject, "hash", approval->hash);
}

static json_t *approved_json(const void *out)
{
    return json_pack("{s:b}", "approved", *(const bool *)out);
}

static bool read_approved(struct arena *arena, const json_t *result, void *out)
{
    (void)arena;
    *(bool *)out = json_get_bool(result, "approved", false);
    return true;
}

const struct cassette_message cassette_approved = { "approved", true, lookup_json, approved_json,
                                                    read_approved };
