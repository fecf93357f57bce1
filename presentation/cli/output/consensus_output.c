#include "presentation/cli/output/consensus_output.h"
#include "domain/base/text.h"
#include "presentation/cli/output.h"
#include <string.h>

enum { CANDIDATE_COLUMNS = 2000, ANSWER_COLUMNS = 60 };

int consensus_exit_status(const struct consensus_result *result)
{
    switch (result->end) {
    case CONSENSUS_CONSENSUS:
        return 0;
    case CONSENSUS_MAX_ROUNDS:
    case CONSENSUS_UNREADABLE:
        return err_exit_status(ERR_LIMIT);
    case CONSENSUS_AGENTS_LOST:
        return err_exit_status(result->err.code == ERR_AUTH ? ERR_AUTH : ERR_UNAVAILABLE);
    case CONSENSUS_LOOP:
    case CONSENSUS_RUNNING:
        break;
    }
    return err_exit_status(ERR_FAILED);
}

static const char *safe(struct cli *cli, const char *text, size_t columns)
{
    return text ? text_one_line(cli->arena, text, strlen(text), columns) : "";
}

/* "123 + 45 tokens, 2 requests, 12 ms"; the tokens are left out where they were not counted. */
static const char *cost(struct cli *cli, const struct agent_usage *usage, int64_t ms)
{
    const char *tokens = "";
    if (usage->prompt_tokens >= 0 && usage->completion_tokens >= 0 && usage->model_calls)
        tokens = arena_printf(cli->arena, "%lld + %lld tokens, ", (long long)usage->prompt_tokens,
                              (long long)usage->completion_tokens);
    return arena_printf(cli->arena, "%s%u request%s, %lld ms", tokens, usage->model_calls,
                        usage->model_calls == 1 ? "" : "s", (long long)ms);
}

static int64_t sum(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a + b;
}

static struct agent_usage usage_of_both(const struct consensus_result *result)
{
    const struct agent_usage *a = &result->usage[0], *b = &result->usage[1];
    return (struct agent_usage){ .model_calls = a->model_calls + b->model_calls,
                                 .prompt_tokens = sum(a->prompt_tokens, b->prompt_tokens),
                                 .completion_tokens =
                                     sum(a->completion_tokens, b->completion_tokens),
                                 .model_ms = sum(a->model_ms, b->model_ms) };
}

static void show_vote(struct cli *cli, const struct consensus_result *result)
{
    const struct consensus_vote *vote = &result->vote;
    struct agent_usage both = usage_of_both(result);
    if (!vote->samples)
        return;
    output_notice(cli, "two agents:  %s (%u round%s, %s)",
                  result->text ? safe(cli, result->text, ANSWER_COLUMNS) : "(no consensus)",
                  result->rounds, result->rounds == 1 ? "" : "s",
                  cost(cli, &both, result->duration_ms));
    output_notice(cli, "vote of %u:   %s (%u of %u usable answers, %s)", vote->samples,
                  vote->text ? safe(cli, vote->text, ANSWER_COLUMNS) : "(no answer)", vote->agree,
                  vote->usable, cost(cli, &vote->usage, vote->duration_ms));
    if (vote->sha256 && result->sha256 && !text_equal(vote->sha256, result->sha256))
        output_notice(cli, "the vote is another answer than the one that was agreed on");
}

static const char *why(const struct consensus_result *result)
{
    switch (result->end) {
    case CONSENSUS_LOOP:
        return "the same two answers stood three times";
    case CONSENSUS_MAX_ROUNDS:
        return "no round is left";
    case CONSENSUS_UNREADABLE:
        return "neither said anything that can be read, several turns in a row";
    case CONSENSUS_AGENTS_LOST:
        return "an agent was lost";
    case CONSENSUS_CONSENSUS:
    case CONSENSUS_RUNNING:
        break;
    }
    return "";
}

static int show_disagreement(struct cli *cli, const struct consensus_result *result)
{
    static const char names[ROLE_SET_AGENTS] = { 'a', 'b' };
    output_notice(cli, "%s(No consensus)%s after %u round%s: %s", cli->style.yellow,
                  cli->style.reset, result->rounds, result->rounds == 1 ? "" : "s", why(result));
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        const struct standing *candidate = &result->candidates[i];
        output_notice(cli, "  agent %c: %s", names[i],
                      candidate->exists ? safe(cli, candidate->text, CANDIDATE_COLUMNS)
                                        : "no answer that counts");
    }
    if (result->err.code)
        (void)output_error(cli, &result->err);
    return consensus_exit_status(result);
}

/* A pipe gets the text and nothing else. */
static enum err_code show_text(struct cli *cli, const char *text, struct err *err)
{
    if (cli->answer_style.is_terminal && !cli->args->output)
        (void)output_line(cli, "%s=== FINAL TEXT ===%s", cli->answer_style.bold,
                          cli->answer_style.reset);
    return output_result_text(cli, text, err);
}

int consensus_output(struct cli *cli, const struct consensus_result *result, const char *run_id,
                     enum canonical_kind kind)
{
    struct err err = { 0 };
    if (cli->args->events || cli->args->json)
        return output_result_json(cli, consensus_result_to_json(result, run_id, kind),
                                  consensus_exit_status(result));
    if (result->end == CONSENSUS_CONSENSUS && show_text(cli, consensus_answer(result, kind), &err))
        return output_error(cli, &err);
    int status = result->end == CONSENSUS_CONSENSUS ? 0 : show_disagreement(cli, result);
    show_vote(cli, result);
    return status;
}
