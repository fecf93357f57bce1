#include "infrastructure/mock/mock_question.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mock/mock_members.h"
#include "infrastructure/mock/mock_reply.h"
#include <stdio.h>

enum { PATH_SIZE = 240, SAMPLE_MAX_TOKENS = 100 };

static const struct mock_member elicit_members[] = {
    { "message", MOCK_STRING }, { "schema", MOCK_OBJECT }, { "url", MOCK_STRING }, { 0 }
};

static enum err_code check_elicit(const char *path, const json_t *spec, struct err *err)
{
    bool has_schema = json_object_get(spec, "schema"), has_url = json_object_get(spec, "url");
    enum err_code r = mock_check_members(path, spec, elicit_members, err);
    if (r)
        return r;
    if (!json_object_get(spec, "message"))
        return err_set(err, ERR_INVALID, 0, "%s/message: a question needs words", path);
    if (has_schema == has_url)
        return err_set(err, ERR_INVALID, 0, "%s: says either schema or url", path);
    return ERR_NONE;
}

enum err_code mock_check_questions(const char *path, const json_t *spec, struct err *err)
{
    const json_t *elicit = json_object_get(spec, "elicit");
    const json_t *sample = json_object_get(spec, "sample");
    char at[PATH_SIZE];
    snprintf(at, sizeof at, "%s/elicit", path);
    enum err_code r = elicit ? check_elicit(at, elicit, err) : ERR_NONE;
    if (r || !sample)
        return r;
    if (!json_is_string(json_object_get(sample, "prompt")) &&
        !json_is_array(json_object_get(sample, "messages")))
        return err_set(err, ERR_INVALID, 0, "%s/sample: needs a prompt (text) or messages", path);
    return ERR_NONE;
}

static const char *string_of(struct arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value) || json_string_has_nul(value))
        return NULL;
    return arena_strdup(arena, json_string_value(value));
}

awaits MUST_CHECK static enum err_code elicit(const json_t *spec, const struct answerer *answerer,
                                              struct scope *scope, json_t *known,
                                              struct arena *arena, const char **out_refusal,
                                              struct err *err)
{
    static const char *const refusals[] = { NULL, "the person declined",
                                            "the person left the question" };
    json_t *wanted = arena_keep_json(arena, mock_reply_expand(spec, known));
    const char *message = string_of(arena, wanted, "message");
    const struct elicitation question = { .message = message ? message : "",
                                          .schema = json_object_get(wanted, "schema"),
                                          .url = string_of(arena, wanted, "url") };
    struct elicitation_answer answer = { 0 };
    if (!answerer || !answerer->on_question)
        return answerer_lacks(question.url ? "elicitation.url" : "elicitation.form", err);
    enum err_code r =
        answerer->on_question(answerer->context, scope, &question, arena, &answer, err);
    if (r)
        return r;
    *out_refusal = refusals[answer.action];
    if (answer.content)
        json_object_set_new(known, "elicited", json_deep_copy(answer.content));
    return ERR_NONE;
}

/* `prompt` stands for one message of the user. Owned by the caller. */
static json_t *sampling_params(const json_t *spec, const json_t *known)
{
    json_t *params = mock_reply_expand(spec, known);
    json_auto_t *prompt = json_share(json_object_get(params, "prompt"));
    json_object_del(params, "prompt");
    if (prompt)
        json_object_set_new(params, "messages",
                            json_pack("[{s:s, s:{s:s, s:O}}]", "role", "user", "content", "type",
                                      "text", "text", prompt));
    if (!json_object_get(params, "maxTokens"))
        json_object_set_new(params, "maxTokens", json_integer(SAMPLE_MAX_TOKENS));
    return params;
}

/* The content of an answer is a block or a list of them. */
static const char *sampled_text(const json_t *result)
{
    const json_t *content = json_object_get(result, "content");
    const json_t *block = json_is_array(content) ? json_array_get(content, 0) : content;
    const char *text = json_get_string(block, "text");
    return text ? text : "";
}

awaits MUST_CHECK static enum err_code sample(const json_t *spec, const struct answerer *answerer,
                                              struct scope *scope, json_t *known,
                                              struct arena *arena, struct err *err)
{
    json_t *params = arena_keep_json(arena, sampling_params(spec, known)), *result = NULL;
    if (!answerer || !answerer->on_sampling)
        return answerer_lacks("sampling", err);
    enum err_code r = answerer->on_sampling(answerer->context, scope, params, arena, &result, err);
    if (!r)
        json_object_set_new(known, "sampled", json_string(sampled_text(result)));
    return r;
}

enum err_code mock_ask(const json_t *spec, const struct answerer *answerer, struct scope *scope,
                       json_t *known, struct arena *arena, bool *out_refused,
                       struct step_result *out, struct err *err)
{
    const json_t *to_person = json_object_get(spec, "elicit");
    const json_t *to_model = json_object_get(spec, "sample");
    const char *refusal = NULL;
    struct err why = { 0 };
    enum err_code r = ERR_NONE;
    if (to_person)
        r = elicit(to_person, answerer, scope, known, arena, &refusal, &why);
    if (!r && !refusal && to_model)
        r = sample(to_model, answerer, scope, known, arena, &why);
    if (r == ERR_DENIED || r == ERR_UNAVAILABLE)
        refusal = arena_strdup(arena, why.message);
    else if (r && err)
        *err = why;
    *out_refused = refusal != NULL;
    if (refusal)
        step_result_from_text(arena, refusal, NULL, true, out);
    return refusal ? ERR_NONE : r;
}
