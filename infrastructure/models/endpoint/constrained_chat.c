/* One answer that a schema describes, from an endpoint that may hold it to the schema, ignore or
 * refuse it. What an endpoint does is found out by asking for a word that a model would not say
 * unless the schema made it: once per endpoint and model, and remembered. A schema is sent only
 * where that helps. What the endpoint refuses of it is found, replaced by "anything", noted in the
 * reply and not sent again. Where no schema can be sent, the request goes without: the prompt shows
 * it as well, and the answer is checked. */
#include "infrastructure/models/endpoint/endpoint_memory.h"
#include "infrastructure/models/endpoint/endpoint_model.h"
#include "infrastructure/models/schema/schema_lowering.h"
#include "infrastructure/models/schema/schema_quarantine.h"
#include <ctype.h>
#include <string.h>

#define PROBE_MAX_TOKENS 32
#define PROBE_MAX_BYTES 512 /* for endpoints that do not count tokens */
#define MAX_BAD_PARTS 4     /* looked for per request; then it goes without a schema */
#define TELLING_BYTES 4     /* of a cut answer: `{"pr` */

/* What only a schema makes a model say, without blanks. */
static const char answer[] = "{\"probe\":\"k7\"}";

static struct endpoint_key key_of(const struct endpoint_model *model)
{
    const char *known_as = model->endpoint.known_as;
    return (struct endpoint_key){ known_as ? known_as : model->client.shown_url, model->kind,
                                  model->name, model->version };
}

enum model_schema_support schema_support_known(const struct endpoint_model *model)
{
    const struct endpoint_key key = key_of(model);
    return model->schema_support ? model->schema_support : endpoint_memory_get(model->memory, &key);
}

/* How many bytes of the expected answer come first, blanks apart; 0 when anything else does. */
static size_t matching_bytes(const char *text)
{
    size_t n = 0;
    for (; *text; text++) {
        if (isspace((unsigned char)*text))
            continue;
        if (*text != answer[n])
            return 0;
        n++;
    }
    return n;
}

static enum model_schema_support judge(const struct model_reply *reply)
{
    size_t n = matching_bytes(reply->text);
    bool is_cut = reply->stop == MODEL_STOP_LENGTH;
    if (n == strlen(answer) || (is_cut && n >= TELLING_BYTES))
        return MODEL_SCHEMA_ENFORCED;
    return is_cut && reply->text[0] == '\0' ? MODEL_SCHEMA_UNKNOWN : MODEL_SCHEMA_IGNORED;
}

/* model_request.on_token, over the bytes seen so far: a longer text does not answer the question,
 * and may have no end. */
static bool is_short(void *context, const char *text, size_t length)
{
    size_t *bytes = context;
    (void)text;
    *bytes += length;
    return *bytes <= PROBE_MAX_BYTES;
}

/* A request that only shows what is done with a schema. Silence is bounded as for the one that
 * waits for it. */
static struct model_request question(const struct model_message *message, const json_t *schema,
                                     const struct model_request *waiting)
{
    return (struct model_request){ .purpose = "probe",
                                   .messages = message,
                                   .n_messages = 1,
                                   .schema = schema,
                                   .seed = -1,
                                   .first_token_ms = waiting->first_token_ms,
                                   .silence_ms = waiting->silence_ms };
}

awaits static enum err_code probe(struct endpoint_model *model, struct scope *scope,
                                  const struct model_request *waiting,
                                  enum model_schema_support *out, struct err *err)
{
    AUTO(arena) arena = { 0 };
    const struct model_part text = { MODEL_TEXT, "Reply with the word no.", NULL };
    const struct model_message message = { MODEL_USER, &text, 1 };
    json_auto_t *schema =
        json_pack("{s:s, s:{s:{s:s, s:[s]}}, s:[s], s:b}", "type", "object", "properties", "probe",
                  "type", "string", "enum", "k7", "required", "probe", "additionalProperties", 0);
    size_t bytes = 0;
    struct model_request request = question(&message, schema, waiting);
    request.max_tokens = PROBE_MAX_TOKENS;
    request.on_token = is_short;
    request.context = &bytes;
    struct chat_ask ask = { .request = &request, .schema = schema, .arena = &arena };
    struct model_reply reply;
    enum err_code r = endpoint_model_send(model, scope, &ask, &reply, err);
    if (r && !ask.refusal)
        return r;
    *out = r ? MODEL_SCHEMA_REFUSED : judge(&reply);
    return ERR_NONE;
}

/* MODEL_SCHEMA_UNKNOWN when the answer says nothing, as that of a model that thinks first. */
awaits static enum err_code find_support(struct endpoint_model *model, struct scope *scope,
                                         const struct model_request *request,
                                         enum model_schema_support *out, struct err *err)
{
    model->schema_support = schema_support_known(model);
    if (!model->schema_support && !model->asked_about_schemas) {
        enum err_code r = probe(model, scope, request, &model->schema_support, err);
        if (r)
            return r;
        model->asked_about_schemas = true;
        const struct endpoint_key key = key_of(model);
        if (model->schema_support)
            endpoint_memory_put(model->memory, scope, &key, model->schema_support);
    }
    *out = model->schema_support;
    return ERR_NONE;
}

/* One request on its way. */
struct constrained {
    struct endpoint_model *model;
    struct scope *scope;
    const struct model_request *request;
    struct arena *arena;
    const json_t *lowered; /* before the quarantine */
    struct quarantine_hits hits;
    bool enforced; /* what is sent will be held to */
};

/* Whether a schema is sent at all. */
awaits static enum err_code decide(struct constrained *constrained, bool *out_sends,
                                   struct err *err)
{
    const char *wish = constrained->model->client.settings->model_schema;
    enum model_schema_support support = MODEL_SCHEMA_ENFORCED;
    *out_sends = false;
    if (!constrained->request->schema || strcmp(wish, "off") == 0)
        return ERR_NONE;
    if (strcmp(wish, "on") != 0) {
        enum err_code r = find_support(constrained->model, constrained->scope, constrained->request,
                                       &support, err);
        if (r)
            return r;
    }
    constrained->enforced = support == MODEL_SCHEMA_ENFORCED;
    *out_sends = support == MODEL_SCHEMA_ENFORCED || support == MODEL_SCHEMA_UNKNOWN;
    return ERR_NONE;
}

static bool enough(void *context, const char *text, size_t length)
{
    (void)context, (void)text, (void)length;
    return false;
}

/* schema_try_fn: the smallest request that shows whether a schema is taken. */
awaits static enum err_code try_schema(void *context, const json_t *schema, bool *out_taken,
                                       struct err *err)
{
    const struct constrained *constrained = context;
    AUTO(arena) arena = { 0 };
    const struct model_part text = { MODEL_TEXT, "Reply with anything.", NULL };
    const struct model_message message = { MODEL_USER, &text, 1 };
    struct model_request request = question(&message, schema, constrained->request);
    request.max_tokens = 1;
    request.on_token = enough;
    struct chat_ask ask = { .request = &request, .schema = schema, .arena = &arena };
    struct model_reply reply;
    enum err_code r =
        endpoint_model_send(constrained->model, constrained->scope, &ask, &reply, err);
    if (r && !ask.refusal)
        return r;
    *out_taken = r == ERR_NONE;
    return ERR_NONE;
}

/* Puts what the endpoint refused into quarantine: the part it names, the part that is refused by
 * itself, or else the whole. */
awaits static enum err_code accuse(struct constrained *constrained, const json_t *sent,
                                   const char *refusal, bool search, struct err *err)
{
    const json_t *part = NULL;
    enum err_code r = ERR_NONE;
    if (search)
        part = schema_suspect_named(constrained->arena, sent, refusal);
    if (search && !part)
        r = schema_suspect_search(constrained->arena, sent, try_schema, constrained, &part, err);
    if (!r)
        schema_quarantine_add(&constrained->model->quarantine, part ? part : constrained->lowered,
                              refusal);
    return r;
}

awaits static enum err_code send(struct constrained *constrained, const json_t *schema,
                                 struct model_reply *out, const char **out_refusal, struct err *err)
{
    struct chat_ask ask = { constrained->request, schema, constrained->arena, NULL };
    enum err_code r = endpoint_model_send(constrained->model, constrained->scope, &ask, out, err);
    *out_refusal = ask.refusal;
    if (r)
        return r;
    out->constrained = schema && constrained->enforced;
    schema_quarantine_tell(&constrained->model->quarantine, &constrained->hits,
                           constrained->request->schema, constrained->arena, out);
    return ERR_NONE;
}

/* Ends at the latest when the whole schema is in quarantine. */
awaits static enum err_code send_what_is_taken(struct constrained *constrained,
                                               struct model_reply *out, struct err *err)
{
    const struct schema_quarantine *quarantine = &constrained->model->quarantine;
    for (unsigned bad_parts = 0;; bad_parts++) {
        const char *refusal;
        const json_t *schema = schema_quarantine_apply(quarantine, constrained->arena,
                                                       constrained->lowered, &constrained->hits);
        enum err_code r = send(constrained, schema, out, &refusal, err);
        if (!r || !refusal || !schema)
            return r;
        r = accuse(constrained, schema, refusal, bad_parts < MAX_BAD_PARTS, err);
        if (r)
            return r;
    }
}

enum err_code constrained_chat(struct endpoint_model *model, struct scope *scope,
                               const struct model_request *request, struct arena *arena,
                               struct model_reply *out, struct err *err)
{
    struct constrained constrained = { model, scope, request, arena, NULL, { .n = 0 }, false };
    const char *refusal;
    bool sends;
    enum err_code r = decide(&constrained, &sends, err);
    if (r)
        return r;
    if (!sends)
        return send(&constrained, NULL, out, &refusal, err);
    constrained.lowered = schema_lower_for(arena, request->schema, model->kind);
    if (!constrained.lowered)
        return send(&constrained, NULL, out, &refusal, err);
    return send_what_is_taken(&constrained, out, err);
}
