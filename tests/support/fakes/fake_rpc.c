#include "tests/support/fakes/fake_rpc.h"
#include "domain/base/json.h"
#include <assert.h>
#include <string.h>

static struct fake_rpc *fake_of(struct rpc *rpc)
{
    return (struct fake_rpc *)rpc;
}

static enum err_code wait_until(struct fake_rpc *fake, struct scope *sc, int64_t at_ms,
                                struct err *err)
{
    int64_t left = at_ms - runtime_now_ms(fake->runtime);
    return left > 0 ? runtime_sleep(fake->runtime, sc, left, err) : ERR_NONE;
}

static enum err_code fake_next(struct rpc *rpc, struct scope *sc, struct rpc_message *out,
                               struct err *err)
{
    struct fake_rpc *fake = fake_of(rpc);
    bool is_over = fake->next == fake->n_lines;
    enum err_code r =
        wait_until(fake, sc, is_over ? fake->gone_at_ms : fake->lines[fake->next].at_ms, err);
    if (r)
        return r;
    if (is_over)
        return err_set(err, ERR_UNAVAILABLE, 0, "the client has gone");
    const char *line = fake->lines[fake->next++].text;
    json_t *whole = NULL;
    r = json_parse(line, strlen(line), JSON_OURS, &whole, err);
    assert(r == ERR_NONE);
    *out = (struct rpc_message){
        .id = json_object_get(whole, "id"),
        .method = json_get_string(whole, "method"),
        .params = json_object_get(whole, "params"),
        .result = json_object_get(whole, "result"),
        .error = json_object_get(whole, "error"),
        .whole = whole,
    };
    return ERR_NONE;
}

static void record(struct rpc *rpc, json_t *message)
{
    json_array_append_new(fake_of(rpc)->sent, message);
}

static json_t *answer_to(const json_t *id)
{
    json_t *message = json_object();
    json_object_set_new(message, "id", id ? json_deep_copy(id) : json_null());
    return message;
}

static void fake_reply(struct rpc *rpc, const json_t *id, json_t *result)
{
    json_t *message = answer_to(id);
    json_object_set_new(message, "result", result);
    record(rpc, message);
}

static void fake_reply_text(struct rpc *rpc, const json_t *id, const char *result, size_t length)
{
    json_t *value = NULL;
    enum err_code r = json_parse(result, length, JSON_OURS, &value, NULL);
    assert(r == ERR_NONE && !memchr(result, '\n', length));
    (void)r;
    json_t *message = answer_to(id);
    json_object_set_new(message, "result", value);
    json_object_set_new(message, "text", json_stringn(result, length));
    record(rpc, message);
}

static void fake_fail(struct rpc *rpc, const json_t *id, int code, const char *text, json_t *data)
{
    json_t *message = answer_to(id);
    json_t *error = json_pack("{siss}", "code", code, "message", text);
    if (data)
        json_object_set_new(error, "data", data);
    json_object_set_new(message, "error", error);
    record(rpc, message);
}

static void fake_notify(struct rpc *rpc, const json_t *about, const char *method, json_t *params)
{
    (void)about;
    json_t *message = json_pack("{ss}", "method", method);
    if (params)
        json_object_set_new(message, "params", params);
    record(rpc, message);
}

static void fake_ask(struct rpc *rpc, const json_t *about, int64_t id, const char *method,
                     json_t *params)
{
    (void)about;
    json_t *message = json_pack("{sIss}", "id", (json_int_t)id, "method", method);
    if (params)
        json_object_set_new(message, "params", params);
    record(rpc, message);
}

static enum err_code fake_flush(struct rpc *rpc, struct scope *sc, struct err *err)
{
    (void)sc;
    (void)err;
    fake_of(rpc)->flushes++;
    return ERR_NONE;
}

static void fake_destroy(struct rpc *rpc)
{
    (void)rpc;
}

static const struct rpc_ops fake_ops = {
    .next = fake_next,
    .reply = fake_reply,
    .reply_text = fake_reply_text,
    .refuse = fake_fail,
    .notify = fake_notify,
    .ask = fake_ask,
    .flush = fake_flush,
    .destroy = fake_destroy,
};

void fake_rpc_init(struct fake_rpc *fake, struct runtime *runtime)
{
    *fake = (struct fake_rpc){ .port.ops = &fake_ops, .runtime = runtime, .sent = json_array() };
}

void fake_rpc_finish(struct fake_rpc *fake)
{
    json_decref(fake->sent);
    arena_finish(&fake->arena);
}

void fake_rpc_send(struct fake_rpc *fake, int64_t at_ms, const char *line)
{
    *arena_push(&fake->arena, fake->lines, fake->n_lines, fake->capacity) =
        (struct fake_rpc_line){ .text = line, .at_ms = at_ms };
}

const json_t *fake_rpc_answer(const struct fake_rpc *fake, int id)
{
    size_t i;
    json_t *message;
    json_array_foreach (fake->sent, i, message) {
        if (json_get_int(message, "id", -1) == id && !json_object_get(message, "method"))
            return message;
    }
    return NULL;
}

const json_t *fake_rpc_notification(const struct fake_rpc *fake, const char *method, size_t n)
{
    size_t i;
    json_t *message;
    json_array_foreach (fake->sent, i, message) {
        const char *found = json_get_string(message, "method");
        if (found && strcmp(found, method) == 0 && n-- == 0)
            return message;
    }
    return NULL;
}

size_t fake_rpc_position(const struct fake_rpc *fake, const json_t *message)
{
    size_t i = 0;
    while (i < json_array_size(fake->sent) && json_array_get(fake->sent, i) != message)
        i++;
    return i;
}
