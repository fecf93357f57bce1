/* The model port with canned answers (model_create.h tells the format, docs/mock.md explains it).
 */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/model_create.h"
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ANSWERS = 10000,
    MAX_DELAY_MS = 600000,
    MAX_PIECE_MS = 60000,
    MAX_TIMES = 1000000,
    PIECE_BYTES =
        16, /* what is streamed at once: short, so that streams are split like real ones */
};

struct answer {
    const char *purpose, *match; /* NULL: any */
    const char *reply;
    enum model_stop stop;
    enum err_code error;
    const char *error_name;
    int64_t delay_ms, piece_ms;
    int64_t times; /* left; < 0: for ever */
};

struct scripted_model {
    struct model base;
    struct runtime *runtime;
    const char *name;
    struct answer *answers;
    size_t n, capacity;
    struct arena arena;
};

static struct scripted_model *scripted_of(struct model *model)
{
    return (struct scripted_model *)model;
}

static bool error_parse(const char *name, enum err_code *out)
{
#define X(code, wire, retry, status)                                                               \
    if (ERR_##code != ERR_NONE && strcmp(name, wire) == 0) {                                       \
        *out = ERR_##code;                                                                         \
        return true;                                                                               \
    }
    ERR_CODES(X)
#undef X
    return false;
}

static enum err_code check_members(const json_t *line, struct err *err)
{
    static const struct {
        const char *name;
        json_type type;
    } members[] = { { "purpose", JSON_STRING },   { "match", JSON_STRING },
                    { "reply", JSON_NULL },       { "stop", JSON_STRING },
                    { "error", JSON_STRING },     { "delay_ms", JSON_INTEGER },
                    { "piece_ms", JSON_INTEGER }, { "times", JSON_INTEGER } };
    const char *name;
    const json_t *value;
    json_each_member (line, name, value) {
        size_t i = 0;
        while (i < ARRAY_LENGTH(members) && strcmp(members[i].name, name) != 0)
            i++;
        if (i == ARRAY_LENGTH(members))
            return err_set(err, ERR_INVALID, 0, "unknown member \"%.60s\"", name);
        if (members[i].type != JSON_NULL && json_typeof(value) != members[i].type)
            return err_set(err, ERR_INVALID, 0, "\"%s\" must be a %s", name,
                           members[i].type == JSON_STRING ? "text" : "whole number");
    }
    return ERR_NONE;
}

static enum err_code read_number(const json_t *line, const char *name, int64_t fallback,
                                 int64_t max, int64_t *out, struct err *err)
{
    *out = json_get_int(line, name, fallback);
    if (*out >= 0 && *out <= max)
        return ERR_NONE;
    return err_set(err, ERR_INVALID, 0, "\"%s\" is outside 0 to %lld", name, (long long)max);
}

static enum err_code read_stop(const json_t *line, struct answer *answer, struct err *err)
{
    const char *stop = json_get_string(line, "stop");
    answer->stop = stop && strcmp(stop, "length") == 0 ? MODEL_STOP_LENGTH : MODEL_STOP_END;
    if (stop && answer->stop == MODEL_STOP_END && strcmp(stop, "end") != 0)
        return err_set(err, ERR_INVALID, 0, "\"stop\" is neither \"end\" nor \"length\"");
    return ERR_NONE;
}

static enum err_code read_error(const json_t *line, struct answer *answer, struct err *err)
{
    answer->error_name = json_get_string(line, "error");
    if (answer->error_name && !error_parse(answer->error_name, &answer->error))
        return err_set(err, ERR_INVALID, 0, "\"error\": no such error \"%.60s\"",
                       answer->error_name);
    return ERR_NONE;
}

static enum err_code read_answer(struct arena *arena, const json_t *line, struct answer *answer,
                                 struct err *err)
{
    if (!json_is_object(line))
        return err_set(err, ERR_INVALID, 0, "not an object");
    const json_t *reply = json_object_get(line, "reply");
    enum err_code r = check_members(line, err);
    if (!r && !reply && !json_object_get(line, "error"))
        r = err_set(err, ERR_INVALID, 0, "neither \"reply\" nor \"error\"");
    if (!r)
        r = read_number(line, "delay_ms", 0, MAX_DELAY_MS, &answer->delay_ms, err);
    if (!r)
        r = read_number(line, "piece_ms", 0, MAX_PIECE_MS, &answer->piece_ms, err);
    if (!r)
        r = read_number(line, "times", 1, MAX_TIMES, &answer->times, err);
    if (!r)
        r = read_stop(line, answer, err);
    if (!r)
        r = read_error(line, answer, err);
    if (r)
        return r;
    if (answer->times == 0)
        answer->times = -1;
    answer->purpose = json_get_string(line, "purpose");
    answer->match = json_get_string(line, "match");
    answer->reply = !reply                  ? ""
                    : json_is_string(reply) ? json_string_value(reply)
                                            : json_print_in(arena, reply);
    return ERR_NONE;
}

static enum err_code read_line(struct scripted_model *model, const char *line, size_t length,
                               struct err *err)
{
    json_t *value = NULL;
    enum err_code r = json_parse(line, length, JSON_OURS, &value, err);
    if (r)
        return r;
    arena_keep_json(&model->arena, value);
    if (model->n == MAX_ANSWERS)
        return err_set(err, ERR_LIMIT, 0, "more than %d answers", MAX_ANSWERS);
    struct answer answer = { 0 };
    r = read_answer(&model->arena, value, &answer, err);
    if (!r)
        *arena_push(&model->arena, model->answers, model->n, model->capacity) = answer;
    return r;
}

static bool says_nothing(const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && strchr(" \t\r", line[at]))
        at++;
    return at == length || line[at] == '#';
}

static enum err_code read_script(struct scripted_model *model, const char *script, size_t length,
                                 struct err *err)
{
    const char *end = script + length;
    for (unsigned number = 1; script < end; number++) {
        const char *newline = memchr(script, '\n', (size_t)(end - script));
        size_t line = (size_t)((newline ? newline : end) - script);
        enum err_code r =
            says_nothing(script, line) ? ERR_NONE : read_line(model, script, line, err);
        if (r)
            return err_prefix(err, r, "%s: line %u", model->name, number);
        script += line + (newline != NULL);
    }
    return ERR_NONE;
}

static const char *user_text(const struct model_request *request)
{
    for (size_t i = request->n_messages; i-- > 0;)
        for (size_t j = 0; j < request->messages[i].n_parts; j++)
            if (request->messages[i].role == MODEL_USER &&
                request->messages[i].parts[j].kind == MODEL_TEXT)
                return request->messages[i].parts[j].text;
    return "";
}

/* Uses the answer up, once. */
static struct answer *take_answer(struct scripted_model *model, const char *purpose,
                                  const char *user)
{
    for (size_t i = 0; i < model->n; i++) {
        struct answer *answer = &model->answers[i];
        if (answer->times == 0 || (answer->purpose && !text_equal(answer->purpose, purpose)) ||
            (answer->match && !text_matches_glob(answer->match, user)))
            continue;
        answer->times -= answer->times > 0;
        return answer;
    }
    return NULL;
}

static enum err_code no_answer(struct scripted_model *model, struct arena *arena,
                               const char *purpose, const char *user, struct err *err)
{
    err_set(err, ERR_NOT_FOUND, 0, "%s has no answer left for a \"%s\" request that begins \"%s\"",
            model->name, purpose, text_one_line(arena, user, strlen(user), 80));
    err_about(err, ERR_NOT_FOUND, "model");
    return err_hint(err, ERR_NOT_FOUND, "add a line {\"purpose\":\"%s\",\"reply\":…} to it",
                    purpose);
}

/* Silence as a real endpoint would keep it: no longer than the caller is willing to wait. */
static enum err_code keep_silent(struct scripted_model *model, struct scope *scope,
                                 int64_t delay_ms, int64_t allowed_ms, struct err *err)
{
    bool too_long = allowed_ms > 0 && delay_ms > allowed_ms;
    enum err_code r =
        delay_ms > 0 ? runtime_sleep(model->runtime, scope, too_long ? allowed_ms : delay_ms, err)
                     : ERR_NONE;
    if (r || !too_long)
        return r;
    return err_set(err, ERR_TIMEOUT, 0, "no token from the model for %lld ms",
                   (long long)allowed_ms);
}

/* *out_streamed is how much of the text came before the watcher had enough. */
static enum err_code stream(struct scripted_model *model, struct scope *scope,
                            const struct model_request *request, const struct answer *answer,
                            size_t length, size_t *out_streamed, struct err *err)
{
    const char *text = answer->reply;
    *out_streamed = length;
    for (size_t at = 0; request->on_token && at < length;) {
        enum err_code r =
            keep_silent(model, scope, at ? answer->piece_ms : 0, request->silence_ms, err);
        if (r)
            return r;
        size_t piece = text_cut(text + at, length - at, PIECE_BYTES);
        if (piece == 0)
            piece = 1;
        at += piece;
        if (!request->on_token(request->context, text + at - piece, piece)) {
            *out_streamed = at;
            return ERR_NONE;
        }
    }
    return ERR_NONE;
}

static enum err_code scripted_chat(struct model *base, struct scope *scope,
                                   const struct model_request *request, struct arena *arena,
                                   struct model_reply *out, struct err *err)
{
    struct scripted_model *model = scripted_of(base);
    int64_t start_ms = runtime_now_ms(model->runtime);
    enum err_code r = scope_check(scope, start_ms, err);
    if (r)
        return r;
    const char *user = user_text(request);
    const struct answer *answer = take_answer(model, request->purpose, user);
    if (!answer)
        return no_answer(model, arena, request->purpose, user, err);
    size_t length = strlen(answer->reply), streamed;
    r = keep_silent(model, scope, answer->delay_ms, request->first_token_ms, err);
    if (!r)
        r = stream(model, scope, request, answer, length, &streamed, err);
    if (r)
        return r;
    if (answer->error)
        return err_set(err, answer->error, 0, "the script says: %s", answer->error_name);
    *out = (struct model_reply){
        .text = arena_strndup(arena, answer->reply, streamed),
        .model = model->name,
        .stop = streamed < length ? MODEL_STOP_EARLY : answer->stop,
        .prompt_tokens = -1,
        .cached_tokens = -1,
        .completion_tokens = -1,
        .duration_ms = runtime_now_ms(model->runtime) - start_ms,
    };
    return ERR_NONE;
}

static enum err_code scripted_check(struct model *base, struct scope *scope, struct arena *arena,
                                    struct model_status *out, struct err *err)
{
    struct scripted_model *model = scripted_of(base);
    const char *name = arena_strdup(arena, model->name);
    *out = (struct model_status){ .kind = "script",
                                  .base_url = "",
                                  .model = name,
                                  .requested = name,
                                  .reason = "as written",
                                  .context_tokens = -1 };
    return scope_check(scope, runtime_now_ms(model->runtime), err);
}

static enum err_code scripted_list(struct model *base, struct scope *scope, struct arena *arena,
                                   const char ***out_names, size_t *out_n, struct err *err)
{
    struct scripted_model *model = scripted_of(base);
    *out_names = arena_array(arena, const char *, 1);
    (*out_names)[0] = arena_strdup(arena, model->name);
    *out_n = 1;
    return scope_check(scope, runtime_now_ms(model->runtime), err);
}

static void scripted_destroy(struct model *base)
{
    struct scripted_model *model = scripted_of(base);
    arena_finish(&model->arena);
    free(model);
}

enum err_code scripted_model_create(struct runtime *runtime, const char *name, const char *script,
                                    size_t length, struct model **out, struct err *err)
{
    static const struct model_ops ops = { .check = scripted_check,
                                          .list = scripted_list,
                                          .chat = scripted_chat,
                                          .destroy = scripted_destroy };
    struct scripted_model *model = calloc(1, sizeof *model);
    if (!model)
        abort();
    model->base.ops = &ops;
    model->runtime = runtime;
    model->name = arena_strdup(&model->arena, name);
    enum err_code r = read_script(model, script, length, err);
    if (r)
        scripted_destroy(&model->base);
    else
        *out = &model->base;
    return r;
}
