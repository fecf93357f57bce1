/* `mistro plans`: files of plans looked at, none of them run. */
#include "application/use_cases/plan_graph.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/plan_text.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include <string.h>

enum { SHOWN_COLUMNS = 600 };

static const char *shown(struct cli *cli, const char *text)
{
    return text ? text_one_line(cli->arena, text, strlen(text), SHOWN_COLUMNS) : "";
}

/* A file that a plan uses, which is named relative to the plan's folder. */
static const char *file_beside(struct cli *cli, const char *plan, const char *file)
{
    const char *slash = strrchr(plan, '/');
    return slash ? arena_printf(cli->arena, "%.*s/%s", (int)(slash - plan), plan, file) : file;
}

/* "plan.yml:12:5: s2 /path: …", where editors and other programs look for a place. */
static void print_problems(struct cli *cli, const char *file, struct problems *problems)
{
    for (size_t i = 0; i < problems->n; i++) {
        const struct problem *problem = &problems->list[i];
        const char *place =
            problem->line ? arena_printf(cli->arena, ":%d:%d", problem->line, problem->column) : "";
        const char *in = problem->file ? file_beside(cli, file, problem->file) : file;
        (void)output_line(cli, "%s%s: %s%s%s", shown(cli, in), place,
                          shown(cli, problem_print(problems, problem)), problem->fix ? "; " : "",
                          shown(cli, problem->fix));
    }
    if (problems->dropped)
        (void)output_line(cli, "%s: and %zu more", shown(cli, file), problems->dropped);
}

static const char *counted(struct arena *arena, size_t n, const char *what)
{
    return arena_printf(arena, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void print_checked(struct cli *cli, const char *file, const struct checked_plan *plan)
{
    size_t n = plan->problems->n + plan->problems->dropped;
    size_t n_unknown = plan->unknown->n + plan->unknown->dropped;
    const char *steps = counted(cli->arena, plan->plan ? plan->plan->n_steps : 0, "step");
    const char *unknown = "";
    print_problems(cli, file, plan->problems);
    if (cli->args->verbose)
        print_problems(cli, file, plan->unknown);
    if (n_unknown)
        unknown = arena_printf(cli->arena, ", %s of unknown type%s",
                               counted(cli->arena, n_unknown, "reference"),
                               cli->args->verbose ? "" : " (-v lists them)");
    (void)output_line(cli, "%s: %s, %s%s", shown(cli, file), steps,
                      n ? counted(cli->arena, n, "problem") : "no problem", unknown);
    if (plan->warning)
        output_warning(cli, plan->warning);
    if (plan->err.code)
        (void)output_error_text(cli, &plan->err);
}

static json_t *checked_to_json(const struct cli *cli, const char *file,
                               const struct checked_plan *plan)
{
    size_t n_steps = plan->plan ? plan->plan->n_steps : 0;
    size_t n_unknown = plan->unknown->n + plan->unknown->dropped;
    json_t *value =
        json_pack("{s:s, s:I, s:o, s:I}", "file", file, "steps", (json_int_t)n_steps, "problems",
                  problems_to_json(plan->problems), "unknown_types", (json_int_t)n_unknown);
    if (plan->problems->dropped)
        json_object_set_new(value, "more", json_integer((json_int_t)plan->problems->dropped));
    if (cli->args->verbose)
        json_object_set_new(value, "unknown", problems_to_json(plan->unknown));
    if (plan->warning)
        json_object_set_new(value, "warning", json_string(plan->warning));
    if (plan->err.code)
        json_object_set_new(value, "error", json_string(plan->err.message));
    return value;
}

/* A plan that may not run decides, then a server that could not be had. */
static int status_of(const struct checked_plan *plans, size_t n)
{
    enum err_code code = ERR_NONE;
    for (size_t i = 0; i < n; i++) {
        if (plans[i].problems->n)
            return err_exit_status(ERR_BAD_PLAN);
        code = code ? code : plans[i].err.code;
    }
    return err_exit_status(code);
}

static int report(struct cli *cli, const char *const *files, const struct checked_plan *plans,
                  size_t n)
{
    int status = status_of(plans, n);
    if (!cli->args->json) {
        for (size_t i = 0; i < n; i++)
            print_checked(cli, files[i], &plans[i]);
        return status;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, checked_to_json(cli, files[i], &plans[i]));
    return output_status_json(cli, json_pack("{s:i, s:o}", "version", 1, "plans", list), status);
}

static int check(struct cli *cli, const char *const *files, size_t n)
{
    struct err err = { 0 };
    json_t *vars = NULL;
    struct plan_text *texts = arena_array(cli->arena, struct plan_text, n + 1);
    struct checked_plan *plans = arena_array(cli->arena, struct checked_plan, n + 1);
    enum err_code r = plan_vars_read(cli, NULL, &vars, &err);
    for (size_t i = 0; !r && i < n; i++)
        r = plan_text_read(cli, files[i], &texts[i], &err);
    const struct check_plans_request request = {
        .texts = texts, .n = n, .vars = vars, .is_offline = cli->args->offline
    };
    if (!r)
        r = check_plans(cli->services, cli->scope, cli->arena, &request, plans, &err);
    for (size_t i = 0; !r && i < n; i++)
        if (plans[i].plan && !plans[i].err.code)
            (void)plan_max_steps_refused(cli, plans[i].plan->version, &plans[i].err);
    return r ? output_error(cli, &err) : report(cli, files, plans, n);
}

static bool form_of(const char *name, enum plan_graph_form *out)
{
    static const char *const names[] = {
#define X(form, name) name,
        PLAN_GRAPH_FORMS(X)
#undef X
    };
    int at = text_find(name ? name : "text", names, ARRAY_LENGTH(names));
    *out = at < 0 ? PLAN_GRAPH_TEXT : (enum plan_graph_form)at;
    return at >= 0;
}

static int graph(struct cli *cli, const char *file)
{
    enum plan_graph_form form;
    struct linked_plan linked = { 0 };
    struct problems problems = { .arena = cli->arena };
    struct plan *plan = NULL;
    struct err err = { 0 };
    const char *drawn = NULL;
    if (!form_of(cli->args->as, &form))
        return command_misused(cli, "plans", "--as takes text, svg, mermaid or dot");
    enum err_code r = plan_linked_read(cli, file, &linked, &problems, &err);
    if (!r && (problems.n || !plan_from_json(cli->arena, linked.value, &plan, &problems))) {
        r = err_set(&err, ERR_BAD_PLAN, 0, "%.200s: %s", file,
                    problem_print(&problems, problems.list));
        (void)err_hint(&err, r, "mistro plans check %s lists all that is wrong",
                       text_shell_word(cli->arena, file));
    }
    if (!r)
        r = plan_graph_print(cli->services, cli->scope, cli->arena, plan, form, &drawn, &err);
    if (!r)
        r = output_result_text(cli, drawn, &err);
    return r ? output_error(cli, &err) : 0;
}

/* A plan among other files: an object with steps, or a list of steps. */
static bool is_plan(const json_t *value)
{
    return json_is_array(json_object_get(value, "steps")) ||
           json_object_get(json_array_get(value, 0), "tool");
}

static void add_to_list(struct cli *cli, const char *path, json_t *list, struct table *table)
{
    struct plan_text text;
    struct document document = { 0 };
    struct err err = { 0 };
    enum err_code r = plan_text_read(cli, path, &text, &err);
    if (!r)
        r = documents_parse(cli->services->documents, text.text, text.length, cli->arena, &document,
                            &err);
    if (r)
        output_note(cli, "%s: %s", shown(cli, path), shown(cli, err.message));
    if (r || !is_plan(document.value))
        return;
    const json_t *steps = json_object_get(document.value, "steps");
    size_t n = json_array_size(steps ? steps : document.value);
    const char *base = strrchr(path, '/'), *goal = json_get_string(document.value, "goal");
    base = base ? base + 1 : path;
    const char *name = arena_strndup(cli->arena, base, (size_t)(strrchr(base, '.') - base));
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I}", "file", path, "name", name,
                                          "goal", goal ? goal : "", "steps", (json_int_t)n));
    table_row(table, name, counted(cli->arena, n, "step"), goal);
}

static int list_of_plans(struct cli *cli, const char *folder)
{
    static const char *const endings[] = { ".json", ".yaml", ".yml" };
    const char **names = NULL;
    size_t n = 0;
    struct err err = { 0 };
    struct table table;
    json_t *list = json_array();
    table_init(&table, cli->arena, 3);
    enum err_code r =
        files_list(cli->arena, folder, endings, ARRAY_LENGTH(endings), &names, &n, &err);
    for (size_t i = 0; !r && i < n; i++)
        add_to_list(cli,
                    strcmp(folder, ".") == 0 ? names[i]
                                             : arena_printf(cli->arena, "%s/%s", folder, names[i]),
                    list, &table);
    if (!r && cli->args->json)
        return output_status_json(cli, json_pack("{s:i, s:o}", "version", 1, "plans", list), 0);
    json_decref(list);
    if (r)
        return output_error(cli, &err);
    (void)table_print(&table, cli);
    return 0;
}

int command_plans(struct cli *cli)
{
    const struct arguments *args = cli->args;
    const char *what = args->n_operands ? args->operands[0] : "list";
    size_t n = args->n_operands ? args->n_operands - 1 : 0;
    bool checks = strcmp(what, "check") == 0;
    if ((args->offline || args->vars.n) && !checks)
        return command_misused(cli, "plans", "--offline and --var belong to check");
    bool saves = strcmp(what, "save") == 0;
    if ((args->as || (args->output && !saves)) && strcmp(what, "graph") != 0)
        return command_misused(cli, "plans", "--as belongs to graph, -o to graph and save");
    if (checks && n)
        return check(cli, args->operands + 1, n);
    if (strcmp(what, "graph") == 0 && n == 1)
        return graph(cli, args->operands[1]);
    if (strcmp(what, "list") == 0 && n <= 1)
        return list_of_plans(cli, n ? args->operands[1] : ".");
    if (saves && (n == 2 || (n == 1 && args->output)))
        return command_plans_save(cli, args->operands[1], n == 2 ? args->operands[2] : NULL);
    return command_misused(cli, "plans",
                           "check FILE…, graph FILE, save RUN NAME, or list with a folder at most");
}

int command_schema(struct cli *cli)
{
    const struct arguments *args = cli->args;
    const char *text = NULL, *origin = NULL;
    struct err err = { 0 };
    if (args->n_operands != 1 || strcmp(args->operands[0], "plan") != 0)
        return command_misused(cli, "schema", "there is a schema of plan");
    if (assets_get(cli->services->assets, "data/schemas/plan.json", cli->arena, &text, &origin,
                   &err) ||
        output_result_text(cli, text, &err))
        return output_error(cli, &err);
    return 0;
}
