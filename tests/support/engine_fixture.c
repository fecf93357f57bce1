#include "tests/support/engine_fixture.h"
#include "domain/base/json.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"required\":[\"tool\"],\"additionalProperties\":false,\"properties\":"  \
    "{\"tool\":{\"enum\":[\"read\",\"write\"]},\"n\":{\"type\":\"integer\",\"maximum\":9}}}"

static void observe(struct observer *observer, const struct event *event)
{
    struct event_recorder *recorder = (struct event_recorder *)observer;
    if (event->kind == EVENT_MODEL_TOKEN)
        return;
    json_t *copy = json_deep_copy(event->data);
    json_object_set_new(copy, "event", json_string(event_kind_name(event->kind)));
    json_array_append_new(recorder->events, copy);
}

static void zero_digest(struct digest *digest, const void *bytes, size_t length,
                        char out_hex[static DIGEST_HEX_SIZE])
{
    (void)digest;
    (void)bytes;
    snprintf(out_hex, DIGEST_HEX_SIZE, "%064zu", length);
}

static void fixed_id(struct ids *ids, char out_id[static ID_SIZE])
{
    (void)ids;
    snprintf(out_id, ID_SIZE, "run1");
}

void engine_fixture_init(struct engine_fixture *f)
{
    static const struct observer_ops observing = { observe };
    static const struct digest_ops digesting = { zero_digest };
    static const struct ids_ops naming = { .fresh = fixed_id };
    *f = (struct engine_fixture){ .runtime = immediate_runtime(),
                                  .digest.ops = &digesting,
                                  .ids.ops = &naming,
                                  .scope = scope_child(NULL, SCOPE_NO_DEADLINE),
                                  .user = { .text = "Read the file." },
                                  .recorder = { { &observing }, json_array() } };
    fake_model_init(&f->model, &f->runtime.port);
    settings_init(&f->settings);
    journal_init(&f->journal, &f->runtime.port, NULL, &f->digest, &f->ids, true);
    journal_add_observer(&f->journal, &f->recorder.observer);
    f->engine = (struct engine){ .model = &f->model.base,
                                 .runtime = &f->runtime.port,
                                 .settings = &f->settings,
                                 .journal = &f->journal };
    f->prompt =
        (struct ask_prompt){ .prompt = { .system = "You plan.", .parts = &f->user, .n_parts = 1 },
                             .max_tokens = 100 };
    f->contract = (struct contract){ .name = "intent", .version = 3 };
    engine_fixture_shape(f, CONTRACT_OBJECT, SCHEMA, "{\"tool\":\"read\"}");
}

void engine_fixture_finish(struct engine_fixture *f)
{
    json_decref(f->recorder.events);
    fake_model_finish(&f->model);
    arena_finish(&f->arena);
}

void engine_fixture_shape(struct engine_fixture *f, enum contract_shape shape, const char *schema,
                          const char *good)
{
    json_t *value = NULL;
    enum err_code r =
        schema ? json_parse(schema, strlen(schema), JSON_OURS, &value, NULL) : ERR_NONE;
    assert(!r);
    (void)r;
    f->contract.shape = shape;
    f->contract.schema = arena_keep_json(&f->arena, value);
    f->contract.good = good;
}

enum err_code engine_fixture_ask(struct engine_fixture *f)
{
    return engine_ask(&f->engine, &f->scope, &f->arena, &f->contract, &f->prompt, &f->out, &f->err);
}

static bool is_kind(const json_t *event, const char *kind)
{
    return strcmp(json_get_string(event, "event"), kind) == 0;
}

const char *engine_fixture_attempts(struct engine_fixture *f)
{
    const char *text = "";
    size_t i;
    json_t *event;
    json_array_foreach (f->recorder.events, i, event)
        if (is_kind(event, "attempt"))
            text = arena_printf(&f->arena, "%s%s%s:%s", text, *text ? " " : "",
                                json_get_string(event, "rung"), json_get_string(event, "class"));
    return text;
}

const char *engine_fixture_screen(struct engine_fixture *f)
{
    const char *text = "";
    size_t i;
    json_t *event;
    json_array_foreach (f->recorder.events, i, event) {
        if (is_kind(event, "token") || is_kind(event, "answer_token"))
            text = arena_printf(&f->arena, "%s%s", text, json_get_string(event, "text"));
        if (is_kind(event, "attempt_discarded"))
            text =
                arena_printf(&f->arena, "%s|-%d-|", text, (int)json_get_int(event, "attempt", 0));
    }
    return text;
}

const json_t *engine_fixture_event(struct engine_fixture *f, const char *kind, size_t n)
{
    size_t i;
    json_t *event;
    json_array_foreach (f->recorder.events, i, event)
        if (is_kind(event, kind) && n-- == 0)
            return event;
    return NULL;
}
