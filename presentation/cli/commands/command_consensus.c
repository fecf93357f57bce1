/* `mistro consensus`: two agents until they agree on one text. */
#include "application/use_cases/reach_consensus.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/request_words.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/consensus_output.h"
#include "presentation/cli/output/table.h"
#include "presentation/cli/output/turn_output.h"
#include <string.h>
#include <unistd.h>

enum { ROLE_SET_FILE_MAX_BYTES = 1024 * 1024 };

/* With --task or --prompt standard input is not read: a pipe may never be closed. */
static enum err_code read_task(struct cli *cli, const char **out, struct err *err)
{
    const struct arguments *args = cli->args;
    const char *flag = args->task ? args->task : args->prompt;
    struct request_words words = { 0 };
    if ((args->task && args->prompt) || (flag && args->n_operands))
        return err_set(err, ERR_INVALID, 0, "the task is said twice");
    enum err_code r = flag ? ERR_NONE : request_words_read(cli, false, &words, err);
    if (r)
        return r;
    if (flag)
        words.message = flag;
    if (!words.message) {
        r = err_set(err, ERR_INVALID, 0, "no task was given");
        return err_hint(err, r, "try: mistro consensus --mock --task \"2+2\" --answer 4");
    }
    *out = words.attached ? arena_printf(cli->arena, "%s\n\n%s", words.message, words.attached)
                          : words.message;
    return ERR_NONE;
}

/* The file of a role set in a folder without settings, whose role sets come with their approval.
 * It was named, so it needs none; but it may not stand for one that is known already, whose name
 * means another one to the person. NULL: there is none. */
static const char *file_of_folder(struct cli *cli, const char *name)
{
    const char *path = arena_printf(cli->arena, "config/rolesets/%s.json", name);
    if (access("config/mistral_orchestrator.yml", F_OK) == 0 || access(path, R_OK) != 0 ||
        role_set_purpose(cli->services, cli->arena, name))
        return NULL;
    output_note(cli, "role set %s: %s of this folder", name, path);
    return path;
}

/* A name of a known role set has neither a slash nor the suffix .json. */
static enum err_code read_role_set(struct cli *cli, struct consensus_request *request,
                                   struct err *err)
{
    const char *name = cli->args->roleset;
    size_t length = 0;
    if (!name)
        return ERR_NONE;
    bool is_path = strchr(name, '/') || text_ends_with(name, ".json");
    const char *found = is_path ? NULL : file_of_folder(cli, name);
    if (!is_path && !found) {
        request->role_set = name;
        return ERR_NONE;
    }
    name = found ? found : name;
    enum err_code r = files_read(
        &(struct file_reader){ cli->console, cli->scope, cli->arena, ROLE_SET_FILE_MAX_BYTES },
        name, &request->role_set_text, &length, err);
    if (!r && strlen(request->role_set_text) != length)
        r = err_set(err, ERR_INVALID, 0, "%.200s is not text", name);
    if (!r && found && strstr(request->role_set_text, "base_url")) {
        r = err_set(err, ERR_INVALID, 0, "%s names an endpoint, to which the task would go", name);
        err_hint(err, r, "to take it all the same: --roleset ./%s", name);
    }
    const char *slash = strrchr(name, '/');
    request->role_set = slash ? slash + 1 : name;
    return r ? err_prefix(err, r, "role set") : ERR_NONE;
}

static enum err_code read_examples(struct cli *cli, struct consensus_request *request,
                                   struct err *err)
{
    const char *path = cli->args->examples, *text = NULL;
    size_t length = 0;
    struct document document = { 0 };
    if (!path)
        return ERR_NONE;
    enum err_code r = files_read(
        &(struct file_reader){ cli->console, cli->scope, cli->arena, CANDIDATE_MAX_EXAMPLE_BYTES },
        path, &text, &length, err);
    if (r)
        return err_prefix(err, r, "examples");
    r = documents_parse(cli->services->documents, text, length, cli->arena, &document, err);
    if (r)
        return err_prefix(err, r, "examples: %.200s", path);
    request->examples = document.value;
    return ERR_NONE;
}

/* A word that names no kind of agent is the name of a model. */
static void read_agents(const struct arguments *args, struct consensus_request *request)
{
    const char *words[ROLE_SET_AGENTS] = { args->agent_a, args->agent_b };
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        request->agents[i] = args->mock ? AGENT_MOCK_RULE : AGENT_MODEL;
        if (words[i] && !agent_kind_parse(words[i], &request->agents[i])) {
            request->agents[i] = AGENT_MODEL;
            request->models[i] = words[i];
        }
    }
}

static enum err_code read_mock_answer(const struct arguments *args,
                                      struct consensus_request *request, struct err *err)
{
    bool is_mock =
        request->agents[0] != AGENT_MODEL || request->agents[1] != AGENT_MODEL || args->mock;
    bool has_rule = request->agents[0] == AGENT_MOCK_RULE || request->agents[1] == AGENT_MOCK_RULE;
    if (args->answers.n > 1)
        return err_set(err, ERR_INVALID, 0, "the mocks have one --answer");
    if (args->answers.n && !is_mock)
        return err_set(err, ERR_INVALID, 0, "--answer is what a mock says: add --mock");
    if (!args->answers.n && has_rule) {
        enum err_code r = err_set(err, ERR_INVALID, 0, "a mock_rule needs something to say");
        return err_hint(err, r, "add: --answer TEXT");
    }
    request->mock_answer = args->answers.n ? args->answers.values[0] : NULL;
    return ERR_NONE;
}

static enum err_code read_request(struct cli *cli, struct consensus_request *request,
                                  struct err *err)
{
    const struct arguments *args = cli->args;
    *request = (struct consensus_request){ .out = args->out };
    read_agents(args, request);
    enum err_code r = read_mock_answer(args, request, err);
    if (!r)
        r = arguments_count("--max-rounds", args->max_rounds, CONTROLLER_MAX_ROUNDS,
                            &request->max_rounds, err);
    if (!r)
        r = arguments_count("--vote", args->vote, CONSENSUS_MAX_VOTES, &request->vote, err);
    if (!r)
        r = read_role_set(cli, request, err);
    if (!r)
        r = read_examples(cli, request, err);
    return r ? r : read_task(cli, &request->task, err);
}

static int show_role_sets(struct cli *cli)
{
    struct err err = { 0 };
    const char **names = NULL;
    size_t n = 0;
    if (cli->args->n_operands || cli->args->output)
        return command_misused(cli, "consensus", "the list takes neither a task nor -o");
    if (list_role_sets(cli->services, cli->arena, &names, &n, &err))
        return output_error(cli, &err);
    struct table table;
    json_auto_t *all = json_array();
    table_init(&table, cli->arena, 2);
    for (size_t i = 0; i < n; i++) {
        const char *purpose = role_set_purpose(cli->services, cli->arena, names[i]);
        json_array_append_new(all,
                              json_pack("{s:s, s:s*}", "name", names[i], "description", purpose));
        table_row(&table, names[i], purpose ? purpose : "(it cannot be read)");
    }
    if (cli->args->json)
        return !output_json(cli, all);
    return !table_print(&table, cli);
}

static int play(struct cli *cli, const struct consensus_request *request)
{
    struct reached_consensus reached;
    struct err err = { 0 };
    enum err_code r =
        reach_consensus(cli->services, cli->scope, cli->arena, request, &reached, &err);
    int status = r ? output_error(cli, &err)
                   : consensus_output(cli, &reached.result, reached.run_id, reached.kind);
    turn_output_resumption(cli, reached.end.run_id, reached.end.is_resumable);
    return status;
}

int command_consensus(struct cli *cli)
{
    struct consensus_request request;
    struct err err = { 0 };
    if (cli->args->list || text_equal(cli->args->roleset, "list"))
        return show_role_sets(cli);
    return read_request(cli, &request, &err) ? output_error(cli, &err) : play(cli, &request);
}
