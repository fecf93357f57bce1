#include "application/tools/sampling.h"
#include "application/structured/model_call.h"
#include "application/structured/sanitize.h"
#include "application/tools/lookup.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define MAX_TEMPERATURE 2.0

struct reading {
    struct arena *arena;
    int64_t bytes_left;
    struct prompt_part *parts;
    size_t n_parts;
    struct err *err;
};

static enum err_code refuse(const struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_INVALID, 0, "sampling: %s", what);
}

static enum err_code read_text(struct reading *reading, const json_t *text, const char **out)
{
    if (!json_is_string(text) || json_string_has_nul(text))
        return refuse(reading, "a text is missing or has NUL characters");
    reading->bytes_left -= (int64_t)json_string_length(text);
    if (reading->bytes_left < 0)
        return refuse(reading, "the texts are too long");
    *out = json_string_value(text);
    return ERR_NONE;
}

static enum err_code read_block(struct reading *reading, const json_t *block, const char **out)
{
    if (!text_equal(json_get_string(block, "type"), "text"))
        return refuse(reading, "only content of type text is supported");
    return read_text(reading, json_object_get(block, "text"), out);
}

static const char *join(struct arena *arena, const char *before, const char *text)
{
    return *before ? arena_printf(arena, "%s\n\n%s", before, text) : text;
}

/* One block, or an array of them. */
static enum err_code read_content(struct reading *reading, const json_t *content, const char **out)
{
    const json_t *block;
    const char *text = "";
    size_t i;
    if (!json_is_array(content))
        return read_block(reading, content, out);
    if (json_array_size(content) > SAMPLING_MAX_BLOCKS)
        return refuse(reading, "a message has too many blocks");
    *out = "";
    json_array_foreach (content, i, block) {
        enum err_code r = read_block(reading, block, &text);
        if (r)
            return r;
        *out = join(reading->arena, *out, text);
    }
    return ERR_NONE;
}

/* Chat templates want the two to take turns: what one said in a row is one message. */
static void add_message(struct reading *reading, enum prompt_speaker speaker, const char *text)
{
    struct prompt_part *next = &reading->parts[reading->n_parts];
    if (reading->n_parts && next[-1].speaker == speaker) {
        next[-1].text = join(reading->arena, next[-1].text, text);
        return;
    }
    *next = (struct prompt_part){ .text = text, .keep = PROMPT_KEEP_ALWAYS, .speaker = speaker };
    reading->n_parts++;
}

static enum err_code read_message(struct reading *reading, const json_t *message)
{
    const char *role = json_get_string(message, "role"), *text = "";
    bool is_user = text_equal(role, "user");
    if (!is_user && !text_equal(role, "assistant"))
        return refuse(reading, "a message is neither the user's nor the assistant's");
    enum err_code r = read_content(reading, json_object_get(message, "content"), &text);
    if (!r)
        add_message(reading, is_user ? PROMPT_USER : PROMPT_ASSISTANT, text);
    return r;
}

static enum err_code read_messages(struct reading *reading, const json_t *messages)
{
    const json_t *message;
    size_t i, n = json_array_size(messages);
    if (n == 0 || n > SAMPLING_MAX_MESSAGES)
        return refuse(reading, n ? "too many messages" : "no messages");
    reading->parts = arena_array(reading->arena, struct prompt_part, n);
    json_array_foreach (messages, i, message) {
        enum err_code r = read_message(reading, message);
        if (r)
            return r;
    }
    struct prompt_part *last = &reading->parts[reading->n_parts - 1];
    if (last->speaker != PROMPT_USER)
        return refuse(reading, "the last message is not the user's");
    last->speaker = PROMPT_NOBODY;
    return ERR_NONE;
}

static enum err_code read_stops(const struct reading *reading, const json_t *list,
                                struct stop_words *out)
{
    const json_t *stop;
    size_t i, n = json_array_size(list);
    if ((list && !json_is_array(list) && !json_is_null(list)) || n > SAMPLING_MAX_STOPS)
        return refuse(reading, "stopSequences is not a list of at most 16 texts");
    const char **words = arena_array(reading->arena, const char *, n + 1);
    json_array_foreach (list, i, stop) {
        size_t length = json_string_length(stop);
        if (!json_is_string(stop) || json_string_has_nul(stop) || length == 0 ||
            length > SAMPLING_MAX_STOP_BYTES)
            return refuse(reading, "a stop sequence is empty or too long");
        words[i] = json_string_value(stop);
    }
    *out = (struct stop_words){ words, n };
    return ERR_NONE;
}

static enum err_code read_numbers(const struct reading *reading, const json_t *params,
                                  int64_t max_tokens, struct sampling_request *out)
{
    const json_t *tokens = json_object_get(params, "maxTokens");
    const json_t *temperature = json_object_get(params, "temperature");
    double asked = tokens ? json_number_value(tokens) : (double)max_tokens;
    if (asked < 1)
        return refuse(reading, "maxTokens is not a number of at least 1");
    if (temperature && !json_is_null(temperature) && !json_is_number(temperature))
        return refuse(reading, "temperature is not a number");
    double heat = json_is_number(temperature) ? json_number_value(temperature) : -1;
    out->max_tokens = asked < (double)max_tokens ? (int)asked : (int)max_tokens;
    out->temperature = heat > MAX_TEMPERATURE ? MAX_TEMPERATURE : heat;
    return ERR_NONE;
}

static const char *shown(struct arena *arena, const struct prompt *prompt)
{
    const char *text = *prompt->system ? arena_printf(arena, "system:\n%s", prompt->system) : "";
    for (size_t i = 0; i < prompt->n_parts; i++) {
        const struct prompt_part *part = &prompt->parts[i];
        const char *who = part->speaker == PROMPT_ASSISTANT ? "assistant" : "user";
        text = join(arena, text, arena_printf(arena, "%s:\n%s", who, part->text));
    }
    return text;
}

/* The system text goes to the model as it is, because as a rule it is ours. */
static enum err_code read_system(struct reading *reading, const json_t *system, const char **out)
{
    const char *text = "";
    enum err_code r = ERR_NONE;
    if (system && !json_is_null(system))
        r = read_text(reading, system, &text);
    if (!r)
        *out = sanitize_text(reading->arena, text);
    return r;
}

enum err_code sampling_request_read(const json_t *params, const struct sampling_bounds *bounds,
                                    struct arena *arena, struct sampling_request *out,
                                    struct err *err)
{
    struct reading reading = { .arena = arena, .bytes_left = bounds->max_bytes, .err = err };
    struct sampling_request request = { 0 };
    if (json_array_size(json_object_get(params, "tools")) > 0 ||
        json_is_object(json_object_get(params, "toolChoice")))
        return refuse(&reading, "tools were not offered");
    enum err_code r =
        read_system(&reading, json_object_get(params, "systemPrompt"), &request.prompt.system);
    if (!r)
        r = read_messages(&reading, json_object_get(params, "messages"));
    if (!r)
        r = read_stops(&reading, json_object_get(params, "stopSequences"), &request.stops);
    if (!r)
        r = read_numbers(&reading, params, bounds->max_tokens, &request);
    if (r)
        return r;
    request.prompt.parts = reading.parts;
    request.prompt.n_parts = reading.n_parts;
    request.shown = shown(arena, &request.prompt);
    *out = request;
    return ERR_NONE;
}

/* One request of a server. */
struct sampling {
    struct services *services;
    struct journal *journal;
    const struct asker *asker;
    struct scope *scope;
    struct arena *arena;
    struct sampling_request request;
    struct model_reply reply;
    const char *text; /* of the reply, up to a stop sequence */
    const char *stop; /* why it ends */
};

static bool is_asked(const struct services *services, const char *server)
{
    const struct server_config *config = lookup_config(services->settings, server);
    return !(config && config->sampling == SERVER_SAMPLING_ALLOW) && !services->approve_all;
}

bool sampling_is_allowed(const struct services *services, const char *server)
{
    const struct server_config *config = lookup_config(services->settings, server);
    return config &&
           server_may_sample(config, services->approve_all || user_present(services->user));
}

static void emit_asked(const struct sampling *s)
{
    json_t *data = asker_event(s->asker);
    json_object_set_new(data, "messages", journal_text(s->journal, s->request.shown));
    json_object_set_new(data, "max_tokens", json_integer(s->request.max_tokens));
    journal_emit(s->journal, EVENT_SAMPLING_ASKED, data);
}

/* reply: what goes back, or NULL. */
static void emit_answered(const struct sampling *s, enum err_code r, const struct err *why)
{
    json_t *data = asker_event(s->asker);
    json_object_set_new(data, "status", json_string(r ? "refused" : "answered"));
    if (r && r != ERR_DENIED)
        json_object_set_new(data, "error",
                            json_pack("{s:s, s:s}", "code", err_name(r), "message", why->message));
    if (!r) {
        json_object_set_new(data, "model", json_string(s->reply.model));
        json_object_set_new(data, "reply", journal_text(s->journal, s->text));
        json_object_set_new(data, "stop", json_string(s->stop));
    }
    journal_emit(s->journal, EVENT_SAMPLING_ANSWERED, data);
}

/* A person who leaves has not agreed either. */
awaits MUST_CHECK static enum err_code confirm(const struct sampling *s, const char *title,
                                               const char *message, const char *question,
                                               struct err *err)
{
    if (!is_asked(s->services, s->asker->server))
        return ERR_NONE;
    const struct confirmation confirmation = { .title = title,
                                               .message = message,
                                               .question = question };
    enum err_code r = user_confirm(s->services->user, s->scope, &confirmation, err);
    if (r != ERR_DENIED && r != ERR_UNAVAILABLE)
        return r;
    return err_set(err, ERR_DENIED, 0, "the server was not allowed to ask the model");
}

/* Where the server's text ends, and what it says of that. */
static void end_text(struct sampling *s)
{
    size_t end = stop_words_find(&s->request.stops, s->reply.text, 0);
    s->text = end == STOP_WORDS_NONE ? s->reply.text : arena_strndup(s->arena, s->reply.text, end);
    s->stop = end != STOP_WORDS_NONE               ? "stopSequence"
              : s->reply.stop == MODEL_STOP_LENGTH ? "maxTokens"
                                                   : "endTurn";
}

awaits MUST_CHECK static enum err_code ask_model(struct sampling *s, struct err *err)
{
    struct services *services = s->services;
    enum model_choice choice = MODEL_CHOICE_LEXICAL;
    struct engine engine = { .runtime = services->runtime,
                             .settings = services->settings,
                             .journal = s->journal };
    struct model_call call = {
        .purpose = "sampling",
        .rung = engine_rung_name(RUNG_GENERATE),
        .prompt = &s->request.prompt,
        .temperature = s->request.temperature,
        .max_tokens = s->request.max_tokens,
        .shape = CONTRACT_TEXT,
        .stops = &s->request.stops,
        .attempt = 1,
    };
    enum err_code r = services_model(services, s->scope, &engine.model, &choice, err);
    if (!r && !engine.model)
        return err_set(err, ERR_UNAVAILABLE, 0, "there is no model that the server could ask");
    if (!r)
        r = model_call(&engine, s->scope, s->arena, &call, &s->reply, err);
    if (!r)
        end_text(s);
    return r;
}

awaits MUST_CHECK static enum err_code answer(struct sampling *s, struct err *err)
{
    const char *server = s->asker->server;
    const char *title = asker_title(s->arena, s->asker, "asks your model");
    enum err_code r = confirm(s, title, s->request.shown, "Let the model answer this?", err);
    if (!r)
        r = ask_model(s, err);
    if (!r)
        r = confirm(s, "the model answers", s->text,
                    arena_printf(s->arena, "Send this to %s?", server), err);
    return r;
}

static json_t *result_of(const struct sampling *s)
{
    json_t *result = json_pack("{s:s, s:{s:s, s:s}, s:s, s:s}", "role", "assistant", "content",
                               "type", "text", "text", s->text, "model",
                               s->reply.model ? s->reply.model : "", "stopReason", s->stop);
    return arena_keep_json(s->arena, result);
}

/* Counted before anyone looks: a refusal costs the person as much as an answer. */
static enum err_code count(const struct services *services, int64_t n_asked, struct err *err)
{
    int64_t most = services->settings->mcp_sampling_requests;
    if (n_asked <= most)
        return ERR_NONE;
    return err_set(err, ERR_DENIED, 0,
                   "the server asked the model %lld times and asks again (mcp.sampling_requests)",
                   (long long)most);
}

enum err_code sampling_answer(struct answering *answering, const json_t *params,
                              struct scope *scope, struct arena *arena, json_t **out_result,
                              struct err *err)
{
    struct services *services = answering->services;
    struct sampling sampling = { .services = services,
                                 .journal = answering->journal,
                                 .asker = &answering->asker,
                                 .scope = scope,
                                 .arena = arena };
    const struct sampling_bounds bounds = { services->settings->mcp_sampling_max_tokens,
                                            services->settings->limits_request_bytes };
    struct err local, *why = err ? err : &local;
    /* Only the first request that is one too many is told: a server may ask without end, and what
     * it says would fill the log. */
    enum err_code r = count(services, answering->n_sampled, why);
    if (!r)
        r = sampling_request_read(params, &bounds, arena, &sampling.request, why);
    if (r)
        return r;
    emit_asked(&sampling);
    r = count(services, ++answering->n_sampled, why);
    if (!r)
        r = answer(&sampling, why);
    if (r != ERR_CANCELLED)
        emit_answered(&sampling, r, why);
    if (!r)
        *out_result = result_of(&sampling);
    return r;
}
