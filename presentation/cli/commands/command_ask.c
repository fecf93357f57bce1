/* `mistro ask` and `mistro plan`: one request in words. */
#include "application/use_cases/make_plan.h"
#include "application/use_cases/mistral_chat.h"
#include "application/use_cases/sessions.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/request_words.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/turn_output.h"
#include <string.h>

static enum err_code read_answers(struct cli *cli, struct turn_request *request, struct err *err)
{
    size_t n = cli->args->answers.n;
    struct turn_answer *answers = arena_array(cli->arena, struct turn_answer, n);
    for (size_t i = 0; i < n; i++) {
        const char *word = cli->args->answers.values[i], *equals = strchr(word, '=');
        if (!equals || equals == word)
            return err_set(err, ERR_INVALID, 0, "--answer %.60s: write KEY=VALUE", word);
        answers[i].key = arena_strndup(cli->arena, word, (size_t)(equals - word));
        answers[i].value = equals + 1;
    }
    request->answers = answers;
    request->n_answers = n;
    return ERR_NONE;
}

static enum err_code make_request(struct cli *cli, struct turn_request *request, struct err *err)
{
    const struct arguments *args = cli->args;
    *request = (struct turn_request){ .no_session = args->no_session, .dry_run = args->dry_run };
    enum err_code r = choose_session(cli->services, cli->scope, cli->arena, args->session,
                                     args->continue_last, &request->session_id, err);
    if (!r)
        r = read_answers(cli, request, err);
    struct request_words words = { 0 };
    if (!r)
        r = request_words_read(cli, request->n_answers > 0, &words, err);
    if (!r && request->n_answers && words.message)
        return err_set(err, ERR_INVALID, 0, "answer by --answer or in words, not both at once");
    request->message = words.message;
    request->attached = words.attached;
    if (!r && !request->message && !request->n_answers) {
        r = err_set(err, ERR_INVALID, 0, "nothing was asked");
        return err_hint(err, r, "try: mistro ask \"list the files here\"");
    }
    return r;
}

int command_ask(struct cli *cli)
{
    struct turn_request request;
    struct turn_result result;
    struct err err = { 0 };
    if (make_request(cli, &request, &err))
        return output_error(cli, &err);
    struct mistral_chat *chat = mistral_chat_create(cli->services);
    cli->lines->stream_answer = !cli->args->json && !cli->args->events && !cli->args->output;
    enum err_code r = mistral_chat_turn(chat, cli->scope, cli->arena, &request, &result, &err);
    bool streamed =
        event_lines_end_answer(cli->lines, !r && (!result.err.code || turn_has_answer(&result)));
    int status = r ? turn_output_failed(cli, &result, &err) : turn_output(cli, &result, streamed);
    mistral_chat_destroy(chat);
    return status;
}

/* A plan whose session was not saved is printed and fails. */
static int end_plan(struct cli *cli, const struct turn_result *result, int status)
{
    turn_output_not_saved(cli, result);
    return status ? status : turn_exit_status(result);
}

static int print_plan(struct cli *cli, const json_t *plan)
{
    struct err err;
    const char *text = NULL;
    if (cli->args->events || cli->args->json)
        return output_result_json(cli, json_share(plan), 0);
    if (documents_print_yaml(cli->services->documents, plan, cli->arena, &text, &err) ||
        output_bytes(cli, text, strlen(text), &err))
        return output_error(cli, &err);
    return 0;
}

/* "plan check a.yml" would be a request like any other, and its answer says nothing about a.yml. */
static bool means_plans(const struct arguments *args)
{
    static const char *const words[] = { "check", "graph", "list", "save" };
    return args->n_operands == 2 && text_is_one_of(args->operands[0], words, ARRAY_LENGTH(words)) &&
           !strpbrk(args->operands[1], " \t\n");
}

int command_plan(struct cli *cli)
{
    struct turn_request request;
    struct turn_result result;
    struct err err = { 0 };
    const json_t *plan = NULL;
    if (means_plans(cli->args))
        return command_misused(
            cli, "plan",
            arena_printf(
                cli->arena, "a request is one text in quotes; did you mean: mistro plans %s %s",
                cli->args->operands[0], text_shell_word(cli->arena, cli->args->operands[1])));
    if (make_request(cli, &request, &err))
        return output_error(cli, &err);
    request.plan_only = true;
    struct mistral_chat *chat = mistral_chat_create(cli->services);
    enum err_code r = make_plan(chat, cli->scope, cli->arena, &request, &result, &plan, &err);
    int status = r      ? output_error(cli, &err)
                 : plan ? end_plan(cli, &result, print_plan(cli, plan))
                        : turn_output(cli, &result, false);
    mistral_chat_destroy(chat);
    return status;
}
