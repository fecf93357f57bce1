#include "infrastructure/mcp/wire/question.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

enum question_kind question_kind_of(const char *method)
{
    if (text_equal(method, "elicitation/create"))
        return QUESTION_ELICITATION;
    if (text_equal(method, "sampling/createMessage"))
        return QUESTION_SAMPLING;
    return text_equal(method, "roots/list") ? QUESTION_ROOTS : QUESTION_UNKNOWN;
}

bool question_is_taken(const struct answerer *answerer, enum question_kind kind)
{
    if (!answerer)
        return false;
    return (kind == QUESTION_ELICITATION && answerer->on_question) ||
           (kind == QUESTION_SAMPLING && answerer->on_sampling);
}

static enum err_code read_url(const json_t *params, const char *message, struct elicitation *out,
                              struct err *err)
{
    const json_t *url = json_object_get(params, "url");
    if (!message || !json_is_string(url) || json_string_has_nul(url))
        return err_set(err, ERR_INVALID, 0, "elicitation: no message or no url");
    *out = (struct elicitation){ .message = message, .url = json_string_value(url) };
    return ERR_NONE;
}

/* Borrowed from params. */
static enum err_code read_elicitation(const json_t *params, struct elicitation *out,
                                      struct err *err)
{
    const json_t *mode = json_object_get(params, "mode");
    const char *message = json_get_string(params, "message");
    const json_t *schema = json_object_get(params, "requestedSchema");
    if (text_equal(json_string_value(mode), "url"))
        return read_url(params, message, out, err);
    if (mode && !text_equal(json_string_value(mode), "form"))
        return err_set(err, ERR_INVALID, 0, "elicitation: the modes form and url are offered");
    if (!message || !json_is_object(schema))
        return err_set(err, ERR_INVALID, 0, "elicitation: no message or no requestedSchema");
    *out = (struct elicitation){ .message = message, .schema = schema };
    return ERR_NONE;
}

/* Of a URL nothing but the consent goes back. */
static json_t *result_of(const struct elicitation *question,
                         const struct elicitation_answer *answer)
{
    static const char *const names[] = { "accept", "decline", "cancel" };
    json_t *result = json_pack("{s:s}", "action", names[answer->action]);
    if (answer->action == ELICITATION_ACCEPT && !question->url)
        json_object_set(result, "content", answer->content);
    return result;
}

awaits MUST_CHECK static enum err_code put_to_person(const struct answerer *answerer,
                                                     struct scope *scope,
                                                     const struct server_question *question,
                                                     json_t **out_result, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct elicitation elicitation;
    struct elicitation_answer answer;
    enum err_code r = read_elicitation(question->params, &elicitation, err);
    if (r)
        return r;
    elicitation.must_finish = question->must_finish;
    r = answerer->on_question(answerer->context, scope, &elicitation, &arena, &answer, err);
    if (!r)
        *out_result = result_of(&elicitation, &answer);
    return r;
}

enum err_code question_check(const struct server_question *question, struct err *err)
{
    struct elicitation elicitation;
    if (question->kind == QUESTION_ELICITATION)
        return read_elicitation(question->params, &elicitation, err);
    if (question->kind == QUESTION_SAMPLING &&
        !json_is_array(json_object_get(question->params, "messages")))
        return err_set(err, ERR_INVALID, 0, "sampling: no messages");
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code put_to_model(const struct answerer *answerer,
                                                    struct scope *scope, const json_t *params,
                                                    json_t **out_result, struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_t *result = NULL;
    enum err_code r = answerer->on_sampling(answerer->context, scope, params, &arena, &result, err);
    if (!r)
        *out_result = json_incref(result);
    return r;
}

enum err_code question_put(const struct answerer *answerer, struct scope *scope,
                           const struct server_question *question, json_t **out_result,
                           struct err *err)
{
    if (question->kind == QUESTION_SAMPLING)
        return put_to_model(answerer, scope, question->params, out_result, err);
    return put_to_person(answerer, scope, question, out_result, err);
}

json_t *elicitation_cancelled(void)
{
    return json_pack("{s:s}", "action", "cancel");
}
