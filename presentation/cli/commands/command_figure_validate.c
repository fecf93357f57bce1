/* `mistro figure validate` and `validate-log`: files made elsewhere against the contracts between
 * the stages. No model, no server. The verdict is what was asked for: it goes to stdout. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/stage_contract.h"
#include "presentation/cli/command.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include <string.h>

enum { PAYLOAD_MAX_BYTES = 16 * 1024 * 1024, MAX_ROUNDS = 1000000 };

/* The value belongs to the command. NULL in, NULL out. */
awaits MUST_CHECK static enum err_code read_value(struct cli *cli, const char *file,
                                                  const json_t **out, struct err *err)
{
    const char *text;
    size_t length;
    json_t *value = NULL;
    *out = NULL;
    if (!file)
        return ERR_NONE;
    enum err_code r =
        files_read(&(struct file_reader){ cli->console, cli->scope, cli->arena, PAYLOAD_MAX_BYTES },
                   file, &text, &length, err);
    if (r)
        return r;
    const char *name = strcmp(file, "-") == 0 ? "standard input" : file;
    if (!text_is_utf8(text, length))
        r = err_set(err, ERR_INVALID, 0, "not UTF-8");
    if (!r)
        r = json_parse(text, length, JSON_OURS, &value, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "%.200s", name);
    *out = arena_keep_json(cli->arena, value);
    return ERR_NONE;
}

static void print_problems(struct cli *cli, struct problems *problems)
{
    for (size_t i = 0; i < problems->n; i++) {
        const struct problem *problem = &problems->list[i];
        const char *line = problem_print(problems, problem);
        const char *fix = problem->fix ? problem->fix : "";
        (void)output_line(cli, "- %s%s%s%s%s", text_one_line(cli->arena, line, strlen(line), 600),
                          *fix ? cli->answer_style.dim : "", *fix ? "; " : "", fix,
                          *fix ? cli->answer_style.reset : "");
    }
    if (problems->dropped)
        (void)output_line(cli, "- and more");
}

static json_t *problems_json(const struct problems *problems)
{
    json_t *list = problems_to_json(problems);
    for (size_t i = 0; i < problems->n; i++)
        if (problems->list[i].rule)
            json_object_set_new(json_array_get(list, i), "rule",
                                json_string(problems->list[i].rule));
    return list;
}

static int report_stage(struct cli *cli, enum figure_stage stage, struct problems *problems)
{
    bool is_valid = problems->n == 0;
    int status = is_valid ? 0 : err_exit_status(ERR_FAILED);
    const char *role = figure_stage_name(stage);
    if (cli->args->json)
        return output_status_json(cli,
                                  json_pack("{s:s, s:b, s:o}", "role", role, "valid", (int)is_valid,
                                            "problems", problems_json(problems)),
                                  status);
    (void)(is_valid ? output_line(cli, "OK: %s payload is valid.", role)
                    : output_line(cli, "ERROR: validation failed"));
    print_problems(cli, problems);
    return status;
}

static enum err_code parse_role(const char *role, enum figure_stage *out, struct err *err)
{
#define X(stage, name) name,
    static const char *const names[] = { FIGURE_STAGES(X) };
#undef X
    size_t nearest;
    if (figure_stage_parse(role, out))
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "figure validate: no stage \"%.60s\"", role);
    if (text_nearest(role, names, ARRAY_LENGTH(names), &nearest, 1))
        return err_hint(err, r, "did you mean --role %s?", names[nearest]);
    return err_hint(err, r, "the stages: retriever, planner, stylist, visualizer, critic");
}

int command_figure_validate(struct cli *cli)
{
    struct err err = { 0 };
    enum figure_stage stage;
    const json_t *input, *output;
    struct problems problems = { .arena = cli->arena };
    const struct arguments *args = cli->args;
    if (!args->role || (!args->input && !args->output))
        return command_misused(cli, "figure",
                               "validate wants --role ROLE, and --input FILE or --output FILE");
    if (text_equal(args->input, "-") && text_equal(args->output, "-"))
        return command_misused(cli, "figure", "only one of the two can be standard input");
    enum err_code r = parse_role(args->role, &stage, &err);
    if (!r)
        r = read_value(cli, args->input, &input, &err);
    if (!r)
        r = read_value(cli, args->output, &output, &err);
    if (r)
        return output_error(cli, &err);
    (void)stage_contract_check(stage, input, output, &problems);
    return report_stage(cli, stage, &problems);
}

static int report_log(struct cli *cli, struct round_log_verdict verdict, struct problems *problems)
{
    if (cli->args->json) {
        json_auto_t *value =
            json_pack("{s:b, s:b, s:o}", "well_formed", (int)verdict.well_formed, "complete",
                      (int)verdict.complete, "problems", problems_json(problems));
        (void)output_json(cli, value);
    } else if (verdict.complete) {
        (void)output_line(cli, "OK: round log is valid.\nwell-formed: yes, complete: yes");
    } else {
        (void)output_line(cli, "ERROR: round log validation failed");
        print_problems(cli, problems);
        (void)output_line(cli, "well-formed: %s, complete: no", verdict.well_formed ? "yes" : "no");
    }
    return verdict.complete ? 0 : err_exit_status(ERR_FAILED);
}

int command_figure_validate_log(struct cli *cli)
{
    struct err err = { 0 };
    unsigned max_rounds = 0;
    const json_t *log;
    struct problems problems = { .arena = cli->arena };
    if (cli->args->n_operands != 2)
        return command_misused(cli, "figure", "validate-log wants one file");
    enum err_code r =
        arguments_count("--max-rounds", cli->args->max_rounds, MAX_ROUNDS, &max_rounds, &err);
    if (!r)
        r = read_value(cli, cli->args->operands[1], &log, &err);
    if (r)
        return output_error(cli, &err);
    struct round_log_verdict verdict =
        round_log_check(log, max_rounds, cli->args->allow_description_drift, &problems);
    return report_log(cli, verdict, &problems);
}
