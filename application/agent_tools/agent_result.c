#include "application/agent_tools/agent_result.h"
#include "domain/base/err_json.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static const char *question_text(struct arena *arena, const struct question *question)
{
    const char *text = arena_printf(arena, "%s: %s", question->key, question->text);
    for (size_t i = 0; i < question->n_choices; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : " Choices: ", question->choices[i]);
    return text;
}

static const char *questions_text(struct arena *arena, const struct turn_result *turn)
{
    const char *text = "";
    for (size_t i = 0; turn->intent && i < turn->intent->n_questions; i++)
        text =
            arena_printf(arena, "%s%s\n", text, question_text(arena, &turn->intent->questions[i]));
    return arena_printf(arena,
                        "%sNothing was done yet. Call again with session_id \"%s\" and answers by "
                        "key.",
                        text, turn->session_id ? turn->session_id : "");
}

static const char *error_text(struct arena *arena, const struct err *err)
{
    const char *message = *err->message ? err->message : err_name(err->code);
    return *err->hint ? arena_printf(arena, "%s; %s", message, err->hint) : message;
}

/* A single one is what the error says already. */
static const char *problems_text(struct arena *arena, const struct problems *problems)
{
    struct problems scratch = { .arena = arena };
    const char *text = "";
    for (size_t i = 0; problems && problems->n > 1 && i < problems->n; i++)
        text = arena_printf(arena, "%s\n%s", text, problem_print(&scratch, &problems->list[i]));
    return text;
}

/* The calls that were refused, and those that were not made because of it. */
static const char *calls_text(struct arena *arena, const struct turn_result *turn)
{
    const char *text = "";
    for (size_t i = 0; turn->status == RUN_REFUSED && i < turn->n_steps; i++) {
        const struct step_outcome *outcome = &turn->steps[i];
        if (outcome->state != STEP_ERROR && outcome->state != STEP_SKIPPED)
            continue;
        const char *args =
            json_print_in(arena, outcome->args ? outcome->args : outcome->step->args);
        int shown = (int)text_cut(args, strlen(args), AGENT_RESULT_MAX_CALL_BYTES);
        text =
            arena_printf(arena, "%s\nnot called: %s %.*s", text, outcome->step->tool, shown, args);
    }
    return text;
}

static const char *text_of(struct arena *arena, const struct turn_result *turn)
{
    const char *answer = turn_has_answer(turn) && turn->answer ? turn->answer : "";
    if (turn->status == RUN_NEEDS_ANSWER)
        return questions_text(arena, turn);
    if (turn->status == RUN_COMPLETED)
        return answer;
    return arena_printf(arena, "%s%s%s: %s%s%s", answer, *answer ? "\n\n" : "",
                        run_status_name(turn->status), error_text(arena, &turn->err),
                        problems_text(arena, turn->problems), calls_text(arena, turn));
}

void agent_result(struct arena *arena, const struct turn_result *turn, struct step_result *out)
{
    bool is_error = turn->status != RUN_COMPLETED && turn->status != RUN_NEEDS_ANSWER;
    step_result_from_text(arena, text_of(arena, turn), turn_result_to_json(turn), is_error, out);
}

void agent_result_failed(struct arena *arena, const struct err *err, struct step_result *out)
{
    json_t *value = json_pack("{s:i, s:s, s:o}", "version", TURN_RESULT_VERSION, "status",
                              run_status_name(run_status_of(err->code)), "error", err_to_json(err));
    step_result_from_text(arena, error_text(arena, err), value, true, out);
}
