#include "presentation/cli/output/plan_outputs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/output/table.h"
#include <stdint.h>
#include <string.h>

const char *plan_outputs_misused(const struct arguments *args)
{
    static const char *const forms[] = { "text", "json", "table" };
    if (args->as && !text_is_one_of(args->as, forms, ARRAY_LENGTH(forms)))
        return "--as takes text, json or table";
    return args->as && (args->json || args->events)
               ? "--as is a form of its own, without --json and --events"
               : NULL;
}

/* NULL: no step succeeded, or the value is beyond its bound. */
static const json_t *last_value(struct arena *arena, const struct turn_result *result)
{
    size_t n = result->plan ? plan_n_before_finally(result->plan) : result->n_steps;
    for (size_t i = n; i-- > 0;) {
        const struct step_outcome *step = &result->steps[i];
        if (step->has_result && (step->state == STEP_OK || step->state == STEP_CACHED))
            return step_result_data(arena, &step->result);
    }
    return NULL;
}

static const char *text_of(struct arena *arena, const json_t *value)
{
    return json_is_string(value) ? json_string_value(value)
           : value               ? json_print_in(arena, value)
                                 : "";
}

/* The names of the members of all objects of the list, in their order: a set. NULL: an element is
 * no object, or there are too many. Owned by the caller. */
static json_t *columns_of(const json_t *list)
{
    json_t *columns = json_object();
    size_t i;
    const char *name;
    const json_t *row, *cell;
    bool fits = true;
    json_array_foreach (list, i, row) {
        json_each_member (row, name, cell)
            json_object_set_new(columns, name, json_true());
        fits = json_is_object(row) && json_object_size(columns) <= TABLE_MAX_COLUMNS;
        if (!fits)
            break;
    }
    if (fits && json_object_size(columns))
        return columns;
    json_decref(columns);
    return NULL;
}

static void add_cells(struct table *table, const json_t *columns, const json_t *row)
{
    const char *cells[TABLE_MAX_COLUMNS], *name;
    const json_t *always;
    size_t n = 0;
    json_each_member (columns, name, always)
        cells[n++] = row ? text_of(table->arena, json_object_get(row, name)) : name;
    table_cells(table, cells);
}

static bool is_of_scalars(const json_t *list)
{
    size_t i;
    const json_t *element;
    json_array_foreach (list, i, element) {
        if (json_is_object(element) || json_is_array(element))
            return false;
    }
    return json_is_array(list);
}

static const char *print_table(struct cli *cli, const json_t *value)
{
    struct table table;
    size_t i;
    const json_t *row;
    json_auto_t *columns = columns_of(value);
    bool has_lines = is_of_scalars(value);
    if (!columns && !has_lines)
        return text_of(cli->arena, value);
    table_init(&table, cli->arena, columns ? json_object_size(columns) : 1);
    table.folds = true;
    if (columns)
        add_cells(&table, columns, NULL);
    json_array_foreach (value, i, row) {
        if (columns)
            add_cells(&table, columns, row);
        else
            table_cells(&table, &(const char *){ text_of(cli->arena, row) });
    }
    bool is_shown = cli->answer_style.is_terminal && !cli->args->output;
    return table_text(&table, is_shown ? console_columns(cli->console) : SIZE_MAX);
}

static const char *print_tables(struct cli *cli, const json_t *outputs)
{
    const char *all = "", *name;
    const json_t *value;
    bool has_headings = json_object_size(outputs) > 1;
    json_each_member (outputs, name, value) {
        const char *text = print_table(cli, value);
        bool ends = !*text || text_ends_with(text, "\n");
        const char *heading =
            has_headings ? arena_printf(cli->arena, "%s%s:\n", *all ? "\n" : "", name) : "";
        all = arena_printf(cli->arena, "%s%s%s%s", all, heading, text, ends ? "" : "\n");
    }
    return all;
}

const char *plan_outputs_text(struct cli *cli, const struct turn_result *result)
{
    const char *form = cli->args->as;
    const json_t *outputs = result->outputs;
    if (!form || strcmp(form, "text") == 0 || result->analyst || result->dry_run)
        return NULL;
    const json_t *value = outputs ? outputs : last_value(cli->arena, result);
    if (strcmp(form, "table") == 0)
        return outputs                ? print_tables(cli, outputs)
               : json_is_array(value) ? print_table(cli, value)
                                      : NULL;
    auto_str text = cli->answer_style.is_terminal && !cli->args->output ? json_print_pretty(value)
                                                                        : json_print(value);
    return value ? arena_strdup(cli->arena, text) : NULL;
}
