#include "application/use_cases/turn_state.h"
#include "domain/base/json.h"

enum err_code turn_state_begin(struct run_session *session, const struct turn_request *request,
                               const struct stored_conversation *stored, struct err *err)
{
    json_t *answers = json_array();
    for (size_t i = 0; i < request->n_answers; i++)
        json_array_append_new(answers, json_pack("{s:s, s:s}", "key", request->answers[i].key,
                                                 "value", request->answers[i].value));
    json_t *turn = json_pack("{s:s*, s:o, s:b, s:o}", "message", request->message, "answers",
                             answers, "interactive", request->interactive, "stored",
                             stored_conversation_to_json(stored));
    return job_state_begin(session, TURN_STATE_KIND, turn, err);
}

struct turn_request turn_state_request(struct arena *arena, const json_t *kept)
{
    const json_t *given = json_object_get(kept, "answers"), *answer;
    struct turn_answer *answers =
        arena_array(arena, struct turn_answer, json_array_size(given) + 1);
    size_t i;
    json_array_foreach (given, i, answer)
        answers[i] = (struct turn_answer){ json_get_string(answer, "key"),
                                           json_get_string(answer, "value") };
    return (struct turn_request){ .message = json_get_string(kept, "message"),
                                  .answers = answers,
                                  .n_answers = json_array_size(given),
                                  .interactive = json_get_bool(kept, "interactive", false) };
}

const json_t *turn_state_conversation(const json_t *kept)
{
    return json_object_get(kept, "stored");
}

enum err_code turn_state_settle(struct run_session *session, const struct resumption *resumed,
                                const struct intent **out_open, struct err *err)
{
    struct kept_plan *plans = NULL;
    size_t n = 0;
    enum err_code r = kept_plans_read(session->arena, session->kept, &plans, &n, err);
    return r ? r : job_state_settle(session, resumed, plans, n, out_open, err);
}

static bool has_failed_step(const struct turn_result *result)
{
    for (size_t i = 0; i < result->n_steps; i++)
        if (result->steps[i].state == STEP_ERROR)
            return true;
    return false;
}

/* Recorded replies lead to where they led: another end takes a world that has become another one,
 * or the calls that failed made again. A turn that did not come to its calls did not follow them.
 */
bool turn_state_is_worth_keeping(const struct run_session *session,
                                 const struct turn_result *result, enum err_code code)
{
    bool has_calls = session->invoker.ledger.has_calls;
    if (code == ERR_NONE && result->status == RUN_COMPLETED)
        return true;
    return job_end_is_final(code) ? has_calls && (!session->n_plans || has_failed_step(result))
                                  : has_calls || session->replies.n_replies;
}
