/* What is to be drawn, in words that leave nothing open. */
#include "application/figure/plot/plot.h"
#include "application/figure/stages/stage.h"
#include "application/figure/text_graph/text_graph.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_words.h"
#include <stdio.h>
#include <string.h>

enum { SHOWN_GRAPH_BYTES = 3000, NAMED_PARTS = 6, INTENT_COLUMNS = 300 };

static json_t *input_of(const struct figure_work *work)
{
    const struct figure_input *input = work->input;
    json_t *examples = json_array();
    for (size_t i = 0; i < work->n_examples; i++)
        json_array_append_new(examples, json_pack("{s:s, s:s}", "id", work->examples[i]->id,
                                                  "summary", work->examples[i]->summary));
    return json_pack("{s:s, s:s, s:s, s:o}", "source_context", input->source_context,
                     "communicative_intent", input->communicative_intent, "caption", input->caption,
                     "retrieved_examples", examples);
}

static const char *example_in_words(struct arena *arena, const struct figure_reference *entry)
{
    const char *graph = entry->graph ? json_print_in(arena, entry->graph) : "";
    size_t length = text_cut(graph, strlen(graph), SHOWN_GRAPH_BYTES);
    return arena_printf(arena, "- %s (%s): %s\n%.*s\n", entry->id, entry->diagram_type,
                        entry->summary, (int)length, graph);
}

/* The examples as a model learns from them: what each shows, and its graph. Where the context has
 * no room they are dropped before anything of the text is, the nearest last. */
static struct prompt_value examples_of(const struct figure_work *work)
{
    static const enum prompt_keep keeps[] = { PROMPT_DROP_LAST, PROMPT_DROP_SOON };
    size_t n = work->n_examples;
    struct prompt_part *parts = arena_array(work->arena, struct prompt_part, n + 1);
    for (size_t i = 0; i < n; i++)
        parts[i] = (struct prompt_part){
            .text = example_in_words(work->arena, work->examples[i]),
            .keep = i < ARRAY_LENGTH(keeps) ? keeps[i] : PROMPT_DROP_FIRST,
            .what = "references",
        };
    return (
        struct prompt_value){ .name = "examples", .text = "none\n", .parts = parts, .n_parts = n };
}

/* The columns of a plot: what the text does not say of the data. */
static struct prompt_value columns_of(const struct figure_work *work)
{
    const struct plot_data *data = work->figure->data;
    struct prompt_part *part = arena_new(work->arena, struct prompt_part);
    *part = (struct prompt_part){
        .text = data ? fence_text(work->arena, plot_data_in_words(work->arena, data)) : "none",
        .keep = PROMPT_DROP_LAST,
        .what = "columns",
        .instead = "(no room for them)",
    };
    return (struct prompt_value){ .name = "columns", .parts = part, .n_parts = 1 };
}

/* What may be wrong with the caption; NULL where it names something of the text or of the data. */
static const char *doubt_of(const struct figure_work *work)
{
    const struct plot_data *data = work->figure->data;
    const char *known = work->input->source_context;
    if (data)
        known = arena_printf(work->arena, "%s\n%s", known, plot_data_in_words(work->arena, data));
    return caption_doubt(work->arena, work->input->caption, known);
}

/* What the figure is taken to show where nobody has said so. */
static const char *assumption(const struct figure_work *work, const char *doubt,
                              const char *description)
{
    const struct figure_input *input = work->input;
    size_t n = 0;
    const char **names = figure_entities(work->arena, description, &n);
    const char *parts = n ? "" : "what the text says";
    for (size_t i = 0; i < n && i < NAMED_PARTS; i++)
        parts = arena_printf(work->arena, "%s%s\"%s\"", parts, i ? ", " : "", names[i]);
    const char *said = arena_printf(work->arena, "%s; the figure shows %s%s", doubt, parts,
                                    n > NAMED_PARTS ? " and more" : "");
    const char *intent = input->communicative_intent;
    if (text_equal(intent, input->caption))
        return arena_printf(work->arena, "%s.", said);
    return arena_printf(work->arena, "%s (intent: %s).", said,
                        text_one_line(work->arena, intent, strlen(intent), INTENT_COLUMNS));
}

/* Nothing assumed is what a plan without that member says. */
static const json_t *fill_in(void *context, struct arena *arena, const json_t *value)
{
    (void)context;
    return stage_filled_in(arena, value, "assumption_block", "");
}

static bool check_plan(void *context, const json_t *value, struct problems *problems)
{
    (void)context;
    stage_want_words(value, "initial_description", problems);
    return problems->n == 0;
}

/* What rules read in the text, for work->rules_graph. ERR_FAILED where they do not understand it,
 * and neither a list of its sentences will do nor a tool that draws from words. */
static enum err_code read_text(struct stage_run *run, struct err *err)
{
    struct figure_work *work = run->work;
    const char *text = work->input->source_context, *note = NULL;
    struct figure_graph *graph = arena_new(work->arena, struct figure_graph);
    if (!text_graph(work->arena, text, graph, &note)) {
        if (!work->figure->as_list && !*work_settings(work)->figure_image_tool) {
            enum err_code r = err_set(err, ERR_FAILED, 0, "the text is not drawn: %s", note);
            return err_hint(err, r,
                            "draw it with a model, write it as arrows, a line each (A -> B), or "
                            "take the list of its sentences: --as-list");
        }
        stage_note(run, note);
        text_graph_of_sentences(work->arena, text, graph, &note);
    }
    if (note)
        stage_note(run, note);
    work->rules_graph = graph;
    return ERR_NONE;
}

static enum err_code by_rules(struct stage_run *run, json_t **out, struct err *err)
{
    struct figure_work *work = run->work;
    if (work->input->mode == FIGURE_MODE_PLOT_CODE) {
        *out = json_pack(
            "{s:s}", "initial_description",
            arena_printf(work->arena, "A plot of the data for: %s", work->input->caption));
        return ERR_NONE;
    }
    enum err_code r = read_text(run, err);
    if (r)
        return r;
    *out = json_pack("{s:s}", "initial_description",
                     figure_graph_describe(work->arena, work->rules_graph));
    return ERR_NONE;
}

/* A doubtful caption ends no figure: what the Planner leaves open is said for it. */
static void say_assumption(struct stage_run *run, const char *doubt, json_t *output)
{
    const char *block = json_get_string(output, "assumption_block");
    if (!doubt || (block && !figure_same_words(block, "")))
        return;
    const char *said = assumption(run->work, doubt, json_get_string(output, "initial_description"));
    json_object_set_new(output, "assumption_block", json_string(said));
    if (run->record.model)
        stage_note(run, "the assumption is mistro's own, the planner gave none");
}

/* With few references near the text the plan says that it had little to go by. */
static void add_uncertainty(const struct figure_work *work, json_t *output)
{
    if (!text_equal(work->retrieval_confidence, "low"))
        return;
    const char *block = json_get_string(output, "assumption_block");
    const char *note = arena_printf(work->arena,
                                    "%s%sUncertain: few references were near to this text, so the "
                                    "form of the figure is a guess.",
                                    block ? block : "", block && *block ? " " : "");
    json_object_set_new(output, "assumption_block", json_string(note));
}

static enum err_code plan(struct stage_run *run, struct scope *scope, json_t **out, struct err *err)
{
    struct figure_work *work = run->work;
    const struct figure_input *input = work->input;
    const char *doubt = doubt_of(work);
    const json_t *value;
    const struct stage_question question = {
        .contract = "figure_planner",
        .values = { { .name = "source", .text = fence_text(work->arena, input->source_context) },
                    { .name = "intent", .text = input->communicative_intent },
                    { .name = "caption", .text = input->caption },
                    { .name = "mode", .text = figure_mode_name(input->mode) },
                    { .name = "doubt", .text = doubt ? doubt : "none" },
                    columns_of(work),
                    examples_of(work) },
        .n_values = 7,
        .normalise = fill_in,
        .cross_check = check_plan,
    };
    enum err_code r = stage_ask(run, scope, &question, &value, err);
    /* Nothing of the text is cut: what is left out of it would be missing in the figure. */
    if (r == ERR_LIMIT)
        snprintf(err->hint, sizeof err->hint,
                 "give a shorter text, raise model.context_tokens, or draw by rules: -m none");
    if (!r && !value)
        r = by_rules(run, out, err);
    else if (!r)
        *out = json_deep_copy(value);
    if (!r)
        say_assumption(run, doubt, *out);
    return r;
}

/* The Planner is never skipped: a model that gave no plan ends the figure. */
enum err_code planner_run(struct figure_work *work, struct scope *scope, struct err *err)
{
    json_t *output = NULL;
    struct stage_run run = stage_begin(work, STAGE_PLANNER, 0, input_of(work));
    enum err_code r = plan(&run, scope, &output, err);
    if (r)
        return r;
    add_uncertainty(work, output);
    work->initial_description =
        arena_strdup(work->arena, json_get_string(output, "initial_description"));
    work->assumption_block = arena_strdup(work->arena, json_get_string(output, "assumption_block"));
    work->description = work->initial_description;
    stage_end(&run, output);
    return ERR_NONE;
}
