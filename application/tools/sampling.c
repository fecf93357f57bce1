#include "application/tools/sampling.h"
#include "application/structured/model_call.h"
#include "application/tools/sampling_request.h"
#include <string.h>

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

static const struct server_config *config_of(const struct services *services, const char *server)
{
    const struct settings *settings = services->settings;
    for (size_t i = 0; i < settings->n_servers; i++)
        if (strcmp(settings->servers[i].name, server) == 0)
            return &settings->servers[i];
    return NULL;
}

static bool is_asked(const struct services *services, const char *server)
{
    const struct server_config *config = config_of(services, server);
    return !(config && config->sampling == SERVER_SAMPLING_ALLOW) && !services->approve_all;
}

bool sampling_is_allowed(const struct services *services, const char *server)
{
    const struct server_config *config = config_of(services, server);
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

/* Counted before anybody looks: a refusal costs the person as much as an answer. */
static enum err_code count(const struct services *services, int64_t *n_asked, struct err *err)
{
    int64_t most = services->settings->mcp_sampling_requests;
    if (*n_asked >= most)
        return err_set(err, ERR_DENIED, 0,
                       "the server asked the model %lld times and asks again "
                       "(mcp.sampling_requests)",
                       (long long)most);
    ++*n_asked;
    return ERR_NONE;
}

enum err_code sampling_answer(struct services *services, struct journal *journal,
                              const struct asker *asker, int64_t *n_asked, const json_t *params,
                              struct scope *scope, struct arena *arena, json_t **out_result,
                              struct err *err)
{
    struct sampling sampling = {
        .services = services, .journal = journal, .asker = asker, .scope = scope, .arena = arena
    };
    const struct sampling_bounds bounds = { services->settings->mcp_sampling_max_tokens,
                                            services->settings->limits_request_bytes };
    struct err local, *why = err ? err : &local;
    enum err_code r = sampling_request_read(params, &bounds, arena, &sampling.request, why);
    if (r)
        return r;
    emit_asked(&sampling);
    r = count(services, n_asked, why);
    if (!r)
        r = answer(&sampling, why);
    if (r != ERR_CANCELLED)
        emit_answered(&sampling, r, why);
    if (!r)
        *out_result = result_of(&sampling);
    return r;
}
