#include "presentation/cli/output/turn_output.h"
#include "application/tools/call_ledger.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/plan_outputs.h"
#include <stdio.h>
#include <string.h>

int turn_exit_status(const struct turn_result *result)
{
    static const enum err_code codes[] = {
        [RUN_REFUSED] = ERR_DENIED, [RUN_LIMIT] = ERR_LIMIT, [RUN_CANCELLED] = ERR_CANCELLED
    };
    if (result->status == RUN_COMPLETED)
        return 0;
    if (result->status == RUN_NEEDS_ANSWER)
        return 5;
    enum err_code code = result->status < ARRAY_LENGTH(codes) ? codes[result->status] : ERR_NONE;
    if (!code)
        code = result->err.code ? result->err.code : ERR_FAILED;
    return err_exit_status(code);
}

static const char *safe(struct cli *cli, const char *text)
{
    return text_one_line(cli->arena, text, strlen(text), 400);
}

static void show_choices(struct cli *cli, const struct question *question)
{
    bool is_numbered = question_is_numbered(question);
    for (size_t i = 0; i < question->n_choices; i++)
        if (is_numbered)
            output_notice(cli, "    %zu) %s", i + 1, safe(cli, question->choices[i]));
        else
            output_notice(cli, "    %s", safe(cli, question->choices[i]));
    if (question->n_more_choices)
        output_notice(cli, "    and %s more", text_grouped(cli->arena, question->n_more_choices));
}

/* What has to be said again by the command that goes on, as it was said here. */
static const char *said_here(struct cli *cli)
{
    const struct arguments *args = cli->args;
    const char *words =
        args->model ? arena_printf(cli->arena, " -m %s", text_shell_word(cli->arena, args->model))
                    : "";
    if (args->base_url)
        words = arena_printf(cli->arena, "%s --base-url %s", words,
                             text_shell_word(cli->arena, args->base_url));
    words = arena_printf(cli->arena, "%s%s", words, output_file_flags(cli->arena, args));
    return args->yes ? arena_printf(cli->arena, "%s --yes", words) : words;
}

size_t turn_output_keys(const struct intent *intent)
{
    const struct question *question = &intent->questions[0];
    bool has_keys = intent->n_questions == 1 && question->n_choices <= 9 &&
                    !question->n_more_choices && question_is_numbered(question);
    return has_keys ? question->n_choices : 0;
}

static const char *by_key(struct cli *cli, const struct intent *intent)
{
    size_t n = cli->takes_keys ? turn_output_keys(intent) : 0;
    return n ? arena_printf(cli->arena, ", or one key from 1 to %zu", n) : "";
}

/* How the questions can be answered from here. What a turn asks that was resumed, its session has
 * like any other question. */
static void show_way(struct cli *cli, const struct intent *intent, const char *session_id)
{
    const char *keys = safe(cli, questions_keys(cli->arena, intent, " ", "=…"));
    const char *flags = safe(cli, questions_flags(cli->arena, intent));
    if (!session_id)
        output_notice(cli, "  ask again with that in the request; without a session nothing waits");
    else if (cli->in_chat && intent->n_questions > 1)
        output_notice(cli,
                      "  answer with%s, or in this order with commas between; "
                      "? explains, cancel drops the questions",
                      keys);
    else if (cli->in_chat)
        output_notice(
            cli, "  your next message is the answer%s; ? explains, cancel%s drops the question",
            by_key(cli, intent), cli->takes_keys ? " or Ctrl-C" : "");
    else
        output_notice(cli, "  answer with: mistro %s --session %s%s%s",
                      text_equal(cli->args->command, "runs") ? "ask" : cli->args->command,
                      session_id, safe(cli, said_here(cli)), flags);
}

static void show_questions(struct cli *cli, const struct intent *intent)
{
    for (size_t i = 0; i < intent->n_questions; i++) {
        const char *shape = question_shape(cli->arena, &intent->questions[i]);
        output_notice(cli, "%s? %s%s%s%s", cli->style.yellow, safe(cli, intent->questions[i].text),
                      *shape ? " " : "", safe(cli, shape), cli->style.reset);
        show_choices(cli, &intent->questions[i]);
    }
}

void turn_output_questions(struct cli *cli, const struct intent *intent, const char *session_id)
{
    show_questions(cli, intent);
    show_way(cli, intent, session_id);
}

static void show_problems(struct cli *cli, const struct problems *problems)
{
    for (size_t i = 0; problems && i < problems->n; i++) {
        const struct problem *problem = &problems->list[i];
        const char *file = problem->file ? arena_printf(cli->arena, "%s, ", problem->file) : "";
        const char *place = problem->line
                                ? arena_printf(cli->arena, " (%sline %d, column %d)",
                                               safe(cli, file), problem->line, problem->column)
                                : "";
        output_notice(cli, "  %s%s%s: %s%s%s%s", problem->step ? safe(cli, problem->step) : "plan",
                      problem->path && *problem->path ? " " : "",
                      problem->path ? safe(cli, problem->path) : "", safe(cli, problem->message),
                      place, problem->fix ? "; " : "", problem->fix ? safe(cli, problem->fix) : "");
    }
    if (problems && problems->dropped)
        output_notice(cli, "  and %zu more", problems->dropped);
}

/* The line of the step that failed has said why. Its next step, if there is one, is still told. */
static bool was_said(const struct cli *cli, const struct turn_result *result)
{
    bool has_lines = cli->lines && !cli->args->quiet;
    for (size_t i = 0; has_lines && i < result->n_steps; i++) {
        const struct step_outcome *step = &result->steps[i];
        if (step->state == STEP_ERROR && *step->err.message &&
            text_ends_with(result->err.message, step->err.message))
            return true;
    }
    return false;
}

/* Of a single problem the error says what it is. */
static bool says_problem(const struct turn_result *result)
{
    return result->problems && result->problems->n &&
           text_starts_with(result->err.message, RUN_PLAN_REFUSED);
}

static void show_error(struct cli *cli, const struct turn_result *result)
{
    struct err err = result->err;
    cli->told = result->err;
    if (says_problem(result)) /* which is shown below, with its place and its remedy */
        snprintf(err.message, sizeof err.message, RUN_PLAN_REFUSED);
    if (!was_said(cli, result))
        (void)output_error(cli, &err);
    else if (*result->err.hint)
        output_notice(cli, "  %s",
                      output_with_flags(cli->arena, cli->args, safe(cli, result->err.hint)));
}

/* On stderr whatever the form of the output, with -q as well: without it a person would believe
 * that the session went on. */
void turn_output_not_saved(struct cli *cli, const struct turn_result *result)
{
    if (result->not_saved.code)
        (void)output_error_text(cli, &result->not_saved);
}

char *turn_output_bytes(const struct turn_result *result, size_t *out_length)
{
    char *bytes = NULL;
    size_t n = result->plan ? plan_n_before_finally(result->plan) : result->n_steps;
    for (size_t i = n; i-- > 0 && !bytes;)
        if (result->steps[i].has_result)
            bytes = step_result_bytes(&result->steps[i].result, out_length);
    return bytes;
}

/* The file of -o gets an image rather than words, as with `call`; the words go to stdout then. */
static enum err_code print_answer(struct cli *cli, const struct turn_result *result,
                                  struct err *err)
{
    size_t length;
    const char *outputs = plan_outputs_text(cli, result);
    if (outputs)
        return output_result_text(cli, outputs, err);
    auto_str bytes = cli->args->output ? turn_output_bytes(result, &length) : NULL;
    if (!bytes)
        return output_result_text(cli, result->answer, err);
    if (strcmp(cli->args->output, "-") != 0)
        (void)output_text(cli, result->answer, strlen(result->answer));
    return output_bytes(cli, bytes, length, err);
}

static bool has_failed_call(const struct turn_result *result)
{
    for (size_t i = 0; i < result->n_steps; i++)
        if (result->steps[i].state == STEP_ERROR && result->steps[i].step->kind == STEP_TOOL &&
            result->steps[i].err.code != ERR_CHECK_FAILED &&
            result->steps[i].step->on_error == STEP_STOP &&
            call_state_of(&result->steps[i].err, /* in_process */ false) == CALL_FAILED)
            return true;
    return false;
}

/* A step of a plan file refers to what is not there, or its check does not hold: that fails again
 * however often it is tried. What is repeated is looked at anew. */
static bool has_wrong_step(const struct turn_result *result)
{
    for (size_t i = 0; !result->analyst && i < result->n_steps; i++) {
        const struct step_outcome *outcome = &result->steps[i];
        bool is_repeated = outcome->step->loop && outcome->step->loop->until;
        if (outcome->err.code == ERR_BAD_PLAN ||
            (outcome->err.code == ERR_CHECK_FAILED && !is_repeated))
            return true;
    }
    return false;
}

/* What a person would say yes to, each call on a line. */
static void show_approval(struct cli *cli, const json_t *approval)
{
    const json_t *call;
    size_t i;
    if (json_object_get(approval, "show"))
        output_notice(cli, "  %s",
                      safe(cli, json_print_in(cli->arena, json_object_get(approval, "show"))));
    json_array_foreach (json_object_get(approval, "calls"), i, call)
        output_notice(cli, "  %s %s %s", safe(cli, json_get_string(call, "step")),
                      safe(cli, json_get_string(call, "tool")),
                      safe(cli, json_print_in(cli->arena, json_object_get(call, "args"))));
}

static const char *approval_flags(struct cli *cli, const json_t *approval)
{
    if (!approval)
        return "";
    const char *word = arena_printf(cli->arena, "approve.%s=%s", json_get_string(approval, "step"),
                                    json_get_string(approval, "hash"));
    return arena_printf(cli->arena, " --answer %s", text_shell_word(cli->arena, word));
}

/* Of a run that ended early, or waits until its questions are answered. */
static void show_resumption(struct cli *cli, const struct turn_result *result)
{
    bool asks = result->status == RUN_NEEDS_ANSWER && result->intent;
    const char *flags =
        asks ? questions_flags(cli->arena, result->intent) : approval_flags(cli, result->approval);
    const char *words = safe(cli, said_here(cli));
    if (result->is_resumable && has_wrong_step(result))
        output_notice(cli, "  mend the plan and go on with: mistro runs fork %s --plan FILE%s",
                      result->run_id, words);
    else if (result->is_resumable)
        output_notice(cli, "  %s with: mistro runs resume %s%s%s%s",
                      asks               ? "answer"
                      : result->approval ? "approve these calls, and go on"
                                         : "go on",
                      result->run_id, has_failed_call(result) ? " --failed" : "", words,
                      safe(cli, flags));
}

static void show_steps(struct cli *cli, const json_t *ids, const char *what)
{
    if (json_array_size(ids))
        output_note(cli, "  %s: %s", what, safe(cli, json_join_elements(cli->arena, ids, ", ")));
}

static void show_dry_run(struct cli *cli, const json_t *summary)
{
    int64_t n = json_get_int(summary, "calls", 0);
    output_note(cli, "at most %lld call%s would be made", (long long)n, n == 1 ? "" : "s");
    show_steps(cli, json_object_get(summary, "not_repeatable"), "may not be repeated");
    show_steps(cli, json_object_get(summary, "repeatable"), "are repeated, since the plan says so");
    show_steps(cli, json_object_get(summary, "approval"), "need approval, which running it gives");
}

static enum err_code print_json(struct cli *cli, const struct turn_result *result, struct err *err)
{
    json_auto_t *value = turn_result_to_json(result);
    auto_str text = json_print(value);
    return output_result_text(cli, text, err);
}

/* Of a run that completed no state is left: it is not to be run again for its answer. */
static int answer_not_written(struct cli *cli, const struct turn_result *result, struct err *err)
{
    if (result->status == RUN_COMPLETED && result->run_id && !result->dry_run) {
        err_prefix(err, ERR_FAILED, "run %.40s is complete, but its answer was lost",
                   result->run_id);
        if (cli->services->settings->runs_enabled)
            err_hint(err, ERR_FAILED, "the log has it: mistro runs show %.40s", result->run_id);
    }
    return output_error(cli, err);
}

static int print_result(struct cli *cli, const struct turn_result *result, bool already_streamed)
{
    int status = turn_exit_status(result);
    struct err err;
    if (cli->args->events || (cli->args->json && !cli->args->output))
        return output_result_json(cli, turn_result_to_json(result), status);
    if (cli->args->json)
        return print_json(cli, result, &err) ? answer_not_written(cli, result, &err) : status;
    if (turn_has_answer(result) && result->answer && !already_streamed)
        if (print_answer(cli, result, &err))
            return answer_not_written(cli, result, &err);
    if (result->status == RUN_NEEDS_ANSWER && result->is_resumable && result->intent)
        show_questions(cli, result->intent);
    else if (result->status == RUN_NEEDS_ANSWER && result->intent)
        turn_output_questions(cli, result->intent, result->session_id);
    else if (result->err.code && !text_equal(result->err.message, result->not_saved.message))
        show_error(cli, result);
    show_problems(cli, result->problems);
    show_approval(cli, result->approval);
    if (result->dry_run)
        show_dry_run(cli, result->dry_run);
    show_resumption(cli, result);
    return status;
}

void turn_output_resumption(struct cli *cli, const char *run_id, bool is_resumable)
{
    const struct turn_result result = { .run_id = run_id, .is_resumable = is_resumable };
    if (!cli->args->events && !cli->args->json)
        show_resumption(cli, &result);
}

int turn_output_failed(struct cli *cli, const struct turn_result *result, const struct err *err)
{
    int status = output_error(cli, err);
    if (err->code == ERR_MISMATCH) /* it has said what else would have to be said to go on */
        return status;
    turn_output_resumption(cli, result->run_id, result->is_resumable);
    return status;
}

int turn_output(struct cli *cli, const struct turn_result *result, bool already_streamed)
{
    int status = print_result(cli, result, already_streamed);
    turn_output_not_saved(cli, result);
    return status;
}
