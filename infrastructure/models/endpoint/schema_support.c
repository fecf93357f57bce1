#include "infrastructure/models/endpoint/schema_support.h"
#include "infrastructure/models/endpoint/endpoint_memory.h"
#include <ctype.h>
#include <string.h>

/* What only a schema makes a model say, without blanks. */
static const char answer[] = "{\"probe\":\"k7\"}";
enum { TELLING_BYTES = 4 }; /* of a cut answer: `{"pr` */

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

/* model_request.on_token, over the bytes seen so far: what is longer is no answer to the question,
 * and may have no end. */
static bool is_short(void *context, const char *text, size_t length)
{
    size_t *bytes = context;
    (void)text;
    *bytes += length;
    return *bytes <= SCHEMA_PROBE_MAX_BYTES;
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
    const struct model_request request = { .purpose = "probe",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .schema = schema,
                                           .max_tokens = SCHEMA_PROBE_MAX_TOKENS,
                                           .seed = -1,
                                           .first_token_ms = waiting->first_token_ms,
                                           .silence_ms = waiting->silence_ms,
                                           .on_token = is_short,
                                           .context = &bytes };
    struct model_reply reply;
    const char *refusal;
    enum err_code r =
        endpoint_model_send(model, scope, &request, schema, &arena, &reply, &refusal, err);
    if (r && !refusal)
        return r;
    *out = r ? MODEL_SCHEMA_REFUSED : judge(&reply);
    return ERR_NONE;
}

enum err_code schema_support_find(struct endpoint_model *model, struct scope *scope,
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
