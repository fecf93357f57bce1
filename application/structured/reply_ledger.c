#include "application/structured/reply_ledger.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define NAME_PREFIX "model." /* of facts, before the id of a reply */

/* How often a request was answered in this process, by the hash of what is sent. */
struct request_count {
    char hash[DIGEST_HEX_SIZE];
    unsigned answered;
};

static json_t *message_json(const struct model_message *message)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < message->n_parts; i++)
        json_array_append_new(
            parts, json_pack("{s:i, s:s*, s:s*}", "kind", (int)message->parts[i].kind, "text",
                             message->parts[i].text, "media_type", message->parts[i].media_type));
    return json_pack("{s:i, s:o}", "role", (int)message->role, "parts", parts);
}

static struct request_count *count_of(struct reply_ledger *ledger, const char *party,
                                      const struct model_request *request)
{
    char hash[DIGEST_HEX_SIZE];
    json_t *messages = json_array();
    for (size_t i = 0; i < request->n_messages; i++)
        json_array_append_new(messages, message_json(&request->messages[i]));
    json_auto_t *sent = json_pack(
        "{s:s*, s:s, s:o, s:O*, s:f, s:i, s:I}", "party", party, "purpose", request->purpose,
        "messages", messages, "schema", request->schema, "temperature", request->temperature,
        "max_tokens", request->max_tokens, "seed", (json_int_t)request->seed);
    auto_str text = json_print_sorted(sent);
    digest_sha256(ledger->digest, text, strlen(text), hash);
    for (size_t i = 0; i < ledger->n_requests; i++)
        if (strcmp(ledger->requests[i].hash, hash) == 0)
            return &ledger->requests[i];
    struct request_count *count =
        arena_push(ledger->arena, ledger->requests, ledger->n_requests, ledger->capacity);
    *count = (struct request_count){ 0 };
    memcpy(count->hash, hash, sizeof hash);
    return count;
}

static const char *name_of(const struct reply_ledger *ledger, const struct request_count *count)
{
    return arena_printf(ledger->arena, NAME_PREFIX "%s.%u", count->hash, count->answered + 1);
}

const char *reply_ledger_recall(struct reply_ledger *ledger, const char *party,
                                const struct model_request *request, struct arena *arena,
                                struct model_reply *out)
{
    json_t *value = NULL;
    if (!ledger || !ledger->state || !ledger->kept)
        return NULL;
    struct request_count *count = count_of(ledger, party, request);
    const char *name = name_of(ledger, count), *text = run_contents_fact(ledger->kept, name);
    if (!text || json_parse(text, strlen(text), JSON_OURS, &value, NULL))
        return NULL;
    arena_keep_json(arena, value);
    int64_t stop = json_get_int(value, "stop", MODEL_STOP_END);
    bool is_stop = stop == MODEL_STOP_END || stop == MODEL_STOP_LENGTH || stop == MODEL_STOP_EARLY;
    *out = (struct model_reply){
        .text = json_get_string(value, "text"),
        .model = json_get_string(value, "model"),
        .stop = is_stop ? (enum model_stop)stop : MODEL_STOP_END,
        .prompt_tokens = json_get_int(value, "prompt_tokens", -1),
        .cached_tokens = json_get_int(value, "cached_tokens", -1),
        .completion_tokens = json_get_int(value, "completion_tokens", -1),
        .duration_ms = json_get_int(value, "duration_ms", 0),
        .constrained = json_get_bool(value, "constrained", false),
    };
    if (!out->text || !is_stop) /* what is damaged is asked for again */
        return NULL;
    count->answered++;
    ledger->n_replies++;
    return name + strlen(NAME_PREFIX);
}

const char *reply_ledger_keep(struct reply_ledger *ledger, struct scope *scope, const char *party,
                              const struct model_request *request, const struct model_reply *reply)
{
    if (!ledger || !ledger->state)
        return NULL;
    struct request_count *count = count_of(ledger, party, request);
    json_auto_t *value = json_pack(
        "{s:s, s:s*, s:i, s:I, s:I, s:I, s:I, s:b}", "text", reply->text, "model", reply->model,
        "stop", (int)reply->stop, "prompt_tokens", (json_int_t)reply->prompt_tokens,
        "cached_tokens", (json_int_t)reply->cached_tokens, "completion_tokens",
        (json_int_t)reply->completion_tokens, "duration_ms", (json_int_t)reply->duration_ms,
        "constrained", reply->constrained);
    if (!value)
        return NULL; /* a text that JSON cannot carry is asked for again */
    auto_str text = json_print_sorted(value);
    const char *name = name_of(ledger, count);
    run_state_put_fact(ledger->state, name, text);
    count->answered++;
    ledger->n_replies++;
    (void)!run_state_commit(ledger->state, scope, false, NULL);
    return name + strlen(NAME_PREFIX);
}
