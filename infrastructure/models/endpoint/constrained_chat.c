#include "infrastructure/models/endpoint/constrained_chat.h"
#include "infrastructure/models/endpoint/schema_support.h"
#include "infrastructure/models/schema/schema_lowering.h"
#include "infrastructure/models/schema/schema_quarantine.h"
#include <string.h>

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
        enum err_code r = schema_support_find(constrained->model, constrained->scope,
                                              constrained->request, &support, err);
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
    const struct model_request request = { .purpose = "probe",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .schema = schema,
                                           .max_tokens = 1,
                                           .seed = -1,
                                           .first_token_ms = constrained->request->first_token_ms,
                                           .silence_ms = constrained->request->silence_ms,
                                           .on_token = enough };
    struct model_reply reply;
    const char *refusal;
    enum err_code r = endpoint_model_send(constrained->model, constrained->scope, &request, schema,
                                          &arena, &reply, &refusal, err);
    if (r && !refusal)
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
    enum err_code r =
        endpoint_model_send(constrained->model, constrained->scope, constrained->request, schema,
                            constrained->arena, out, out_refusal, err);
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
        r = accuse(constrained, schema, refusal, bad_parts < CONSTRAINED_CHAT_MAX_BAD_PARTS, err);
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
