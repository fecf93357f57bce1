#include "application/agent_tools/job_arguments.h"
#include "application/agent_tools/job_requests.h"
#include "application/use_cases/reach_consensus.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static enum err_code read_request(const json_t *arguments, struct consensus_request *out,
                                  struct err *err)
{
    enum err_code r = job_take_text(arguments, "task", &out->task, err);
    if (!r)
        r = job_take_text(arguments, "role_set", &out->role_set, err);
    if (!r)
        r = job_take_model(arguments, "model_a", &out->models[0], err);
    if (!r)
        r = job_take_model(arguments, "model_b", &out->models[1], err);
    out->examples = json_object_get(arguments, "examples");
    return r;
}

static const char *candidate_text(struct arena *arena, const struct standing *candidate)
{
    if (!candidate->exists)
        return "no answer that counts";
    size_t length = strlen(candidate->text);
    size_t shown = text_cut(candidate->text, length, JOB_MAX_CANDIDATE_BYTES);
    return arena_printf(arena, "%.*s%s", (int)shown, candidate->text, shown < length ? " …" : "");
}

static const char *text_of(struct arena *arena, const struct consensus_result *result,
                           enum canonical_kind kind)
{
    if (result->end == CONSENSUS_CONSENSUS)
        return consensus_answer(result, kind);
    const char *why = result->end == CONSENSUS_AGENTS_LOST ? result->err.message
                                                           : consensus_end_name(result->end);
    return arena_printf(arena, "no consensus after %u round%s (%s)\nagent a: %s\nagent b: %s",
                        result->rounds, result->rounds == 1 ? "" : "s", why,
                        candidate_text(arena, &result->candidates[0]),
                        candidate_text(arena, &result->candidates[1]));
}

enum err_code job_consensus(struct services *services, struct scope *scope, struct arena *arena,
                            const json_t *arguments, struct step_result *out, struct err *err)
{
    struct consensus_request request = { 0 };
    struct consensus_result result = { 0 };
    enum canonical_kind kind = CANONICAL_TEXT;
    const char *run_id = "";
    enum err_code r = read_request(arguments, &request, err);
    if (!r)
        r = reach_consensus(services, scope, arena, &request, &result, &run_id, &kind, err);
    if (r)
        return r;
    step_result_from_text(arena, text_of(arena, &result, kind),
                          consensus_result_to_json(&result, run_id, kind),
                          result.end != CONSENSUS_CONSENSUS, out);
    return ERR_NONE;
}
