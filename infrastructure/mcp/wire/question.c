#include "infrastructure/mcp/wire/question.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/wire/elicitation.h"

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

enum err_code question_check(const struct server_question *question, struct err *err)
{
    struct elicitation elicitation;
    if (question->kind == QUESTION_ELICITATION)
        return elicitation_read(question->params, &elicitation, err);
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
    return elicitation_put(answerer, scope, question, out_result, err);
}
