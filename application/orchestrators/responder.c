#include "application/orchestrators/responder.h"
#include "application/orchestrators/turn_contract.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* The text, or its beginning and how much is missing. */
static const char *bounded(struct arena *arena, const char *text, size_t max_bytes)
{
    size_t length = strlen(text), kept = text_cut(text, length, max_bytes);
    if (kept == length)
        return text;
    return arena_printf(arena, "%.*s\n[%zu more bytes left out]", (int)kept, text, length - kept);
}

static const char *print_result(const struct turn *turn, const struct step_outcome *outcome)
{
    size_t max_bytes = (size_t)turn_settings(turn)->tools_prompt_result_bytes;
    if (!outcome->has_result)
        return outcome->err.message;
    return bounded(turn->arena, step_result_text(turn->arena, &outcome->result), max_bytes);
}

static struct prompt_part result_part(const struct turn *turn, const struct step_outcome *outcome)
{
    const json_t *args = outcome->args ? outcome->args : outcome->step->args;
    const char *result = print_result(turn, outcome), *state = step_state_name(outcome->state);
    const struct step *step = outcome->step;
    return (struct prompt_part){
        .text =
            arena_printf(turn->arena, "[%s] %s %s: %s\n%s\n\n", step->id, step->tool,
                         json_print_in(turn->arena, args), state, fence_text(turn->arena, result)),
        .keep = PROMPT_DROP_LAST,
        .what = "result",
        .instead = arena_printf(turn->arena, "[%s] %s: %s\n[all %zu bytes left out]\n\n", step->id,
                                step->tool, state, strlen(result)),
    };
}

struct prompt_value responder_results(const struct turn *turn, const struct step_outcome *steps,
                                      size_t n)
{
    struct prompt_part *parts = arena_array(turn->arena, struct prompt_part, n + 1);
    for (size_t i = 0; i < n; i++)
        parts[i] = result_part(turn, &steps[i]);
    return (struct prompt_value){
        .name = "results", .text = "(no tool was used)\n", .parts = parts, .n_parts = n
    };
}

const char *responder_last_text(struct arena *arena, const struct step_outcome *steps, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        const char *text = steps[i].has_result ? step_result_text(arena, &steps[i].result) : "";
        if (*text)
            return bounded(arena, text, RESPONDER_VERBATIM_BYTES);
    }
    return "";
}

const char *responder_all_texts(struct arena *arena, const struct step_outcome *steps, size_t n)
{
    const char *all = "";
    for (size_t i = 0; i < n; i++) {
        const char *text = steps[i].has_result ? step_result_text(arena, &steps[i].result) : "";
        all = arena_printf(arena, "%s%s%s", all, *all && *text ? "\n" : "", text);
    }
    return all;
}

/* What a compacted request for the answer cannot do without. */
static const char *print_briefly(const struct turn *turn)
{
    const struct turn_result *result = turn->result;
    const char *text = responder_all_texts(turn->arena, result->steps, result->n_steps);
    return arena_printf(
        turn->arena, "What tools gave: %s",
        *text ? fence_lines(turn->arena, bounded(turn->arena, text, TURN_KNOWN_BYTES)) : "nothing");
}

/* What tools gave can be said as it is; without that there is nothing to say. */
static const json_t *last_rung(void *context, struct arena *arena)
{
    const struct turn_result *result = ((const struct turn *)context)->result;
    const char *text = responder_last_text(arena, result->steps, result->n_steps);
    return *text ? arena_keep_json(arena, json_string(text)) : NULL;
}

static enum err_code ask(struct turn *turn, struct ask_outcome *out, struct err *err)
{
    struct turn_contract contract;
    struct ask_prompt prompt = { .state = print_briefly(turn) };
    const struct prompt_value results =
        responder_results(turn, turn->result->steps, turn->result->n_steps);
    enum err_code r = turn_contract_load(turn, "answer", &contract, err);
    if (!r)
        r = turn_contract_prompt(turn, &contract, "config/prompts/answer.txt", &results, 1, &prompt,
                                 err);
    contract.contract.last_rung = last_rung;
    contract.contract.context = turn;
    return r ? r : turn_ask(turn, &contract.contract, &prompt, out, err);
}

static enum err_code ask_model(struct turn *turn, const char **out, struct err *err)
{
    struct ask_outcome outcome = { 0 };
    enum err_code r = ask(turn, &outcome, err);
    if (r)
        return err_prefix(err, r, "answer");
    if (outcome.rung == RUNG_LAST)
        journal_warn(
            &turn->session->journal,
            "the model gave no usable answer in %u attempts; the last result follows as it "
            "is",
            outcome.attempts);
    *out = outcome.text;
    return ERR_NONE;
}

static enum err_code no_tool_fits(struct err *err)
{
    enum err_code r = err_set(err, ERR_FAILED, 0, "no tool fits this request");
    err_about(err, r, "tool");
    return err_hint(err, r, "mistro tools lists what there is; a model can answer without (-m)");
}

static enum err_code choose_answer(struct turn *turn, const char **out, struct err *err)
{
    const struct turn_result *result = turn->result;
    bool is_verbatim = !turn->orchestrator->engine.model || turn->request->dry_run;
    if (is_verbatim && result->n_steps == 0)
        return no_tool_fits(err);
    if (!is_verbatim)
        return ask_model(turn, out, err);
    *out = turn->request->dry_run
               ? responder_all_texts(turn->arena, result->steps, result->n_steps)
               : responder_last_text(turn->arena, result->steps, result->n_steps);
    return ERR_NONE;
}

enum err_code responder_answer(struct turn *turn, struct err *err)
{
    const char *answer = NULL;
    struct journal *journal = &turn->session->journal;
    enum err_code r = choose_answer(turn, &answer, err);
    if (r)
        return r;
    turn->result->answer = answer;
    journal_emit(journal, EVENT_ANSWER,
                 json_pack("{s:o}", "answer", journal_text(journal, answer)));
    return ERR_NONE;
}
