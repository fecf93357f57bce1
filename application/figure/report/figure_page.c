/* The page from top to bottom: head, chosen picture, what a person has to look at, the rounds side
 * by side, scorecard, stages, and what the figure was made from. Every text from outside goes
 * through html_add_text. */
#include "application/figure/plot/plot_points.h"
#include "application/figure/plot/plot_titles.h"
#include "application/figure/report/figure_files_internal.h"
#include "domain/base/json.h"
#include "domain/text/html_page.h"
#include <stdio.h>
#include <string.h>

#define PAGE_MAX_BYTES ((size_t)512 * 1024 * 1024) /* every round with the largest picture */
#define STYLE "data/pages/figure.css"
#define SHOWN_POINTS 20

/* A summary that opens to a text. */
static void add_details(struct html_page *page, const char *summary, const char *text)
{
    if (!text || !*text)
        return;
    html_add_format(page, "<details><summary>%s</summary>\n", summary);
    html_add_element(page, "p", "text", text);
    html_add(page, "</details>\n");
}

static void add_tag(struct html_page *page, const char *class_name, const char *words)
{
    html_add_format(page, "<span class=\"tag %s\">%s</span>", class_name, words);
}

static void add_gate(struct html_page *page, bool reviewed, bool ok, const char *name)
{
    const char *class_name = !reviewed ? "warn" : ok ? "good" : "bad";
    const char *mark = !reviewed ? "unread" : ok ? "✓" : "✗";
    html_add_format(page, "<span class=\"tag %s\">%s %s</span>", class_name, name, mark);
}

static void add_head(struct html_page *page, const struct figure_round *round, bool is_best)
{
    const struct figure_critique *critique = &round->critique;
    html_add_format(page, "<div class=\"head\"><h2>Round %u</h2><span>", round->round);
    if (is_best)
        add_tag(page, "good", "chosen");
    add_gate(page, critique->reviewed, critique->faithfulness_ok, "faithful");
    add_gate(page, critique->reviewed, critique->readability_ok, "readable");
    if (critique->stop_flag)
        add_tag(page, "", "stop");
    html_add(page, "</span></div>\n");
}

/* The picture of a round as a link to its file STEM.svg; nothing where there is none. */
static void add_picture(struct html_page *page, const struct picture *picture, const char *stem,
                        const char *alt)
{
    /* SVG is the sharper of the formats that a browser shows. */
    bool has_svg = picture->bytes[PICTURE_SVG] != NULL;
    enum picture_format format = has_svg ? PICTURE_SVG : PICTURE_PNG;
    if (!picture->bytes[format])
        return;
    const char *suffix = picture_suffix(format);
    if (picture->lengths[format] > FIGURE_PAGE_MAX_PICTURE_BYTES) {
        html_add_format(page, "<p><a href=\"%s.%s\">%s.%s</a> is too large to show here.</p>\n",
                        stem, suffix, stem, suffix);
        return;
    }
    html_add_format(page, "<figure><a href=\"%s.%s\"><img alt=\"", stem, suffix);
    html_add_text(page, alt);
    html_add(page, "\" src=\"");
    html_add_data(page, has_svg ? "image/svg+xml" : "image/png", picture->bytes[format],
                  picture->lengths[format]);
    html_add(page, "\"></a></figure>\n");
}

static void add_formats(struct html_page *page, const struct picture *picture, unsigned round)
{
    bool is_first = true;
    for (enum picture_format format = PICTURE_SVG; format < PICTURE_N_FORMATS; format++) {
        const char *suffix = picture_suffix(format);
        if (!picture->bytes[format])
            continue;
        html_add_format(page, "%s<a href=\"round_%u.%s\">%s</a>",
                        is_first ? "<p class=\"soft\">" : " · ", round, suffix, suffix);
        is_first = false;
    }
    if (is_first)
        return;
    if (picture->renderer) {
        html_add(page, " · drawn by ");
        html_add_text(page, picture->renderer);
    }
    html_add(page, "</p>\n");
}

/* Code and prompts are shown as they are; a path says nothing that the picture does not. */
static void add_artifact(struct html_page *page, const struct figure_artifact *artifact)
{
    bool is_code = artifact->type == FIGURE_ARTIFACT_CODE_TEXT;
    if (artifact->type == FIGURE_ARTIFACT_IMAGE_PATH)
        return;
    html_add(page, is_code ? "<details><summary>The script</summary>\n"
                           : "<p class=\"box warn\">Not drawn: a description for someone who "
                             "draws.</p>\n");
    html_add(page, "<pre tabindex=\"0\" dir=\"auto\">"); /* it scrolls, also by keys */
    html_add_text(page, artifact->value);
    html_add(page, "</pre>\n");
    html_add(page, is_code ? "</details>\n" : "");
}

/* What stands at x: a bin from edge to edge, the name of a place, a number or a time. */
static const char *x_text(struct arena *arena, const struct plot_points *points,
                          const struct plot_point *point)
{
    const char *from =
        json_is_string(point->x) ? json_string_value(point->x) : json_print_in(arena, point->x);
    if (points->edges)
        return arena_printf(arena, "%s – %.15g", from, points->edges[point->place + 1]);
    return points->has_places ? points->places[point->place] : from;
}

static void add_points(struct html_page *page, struct arena *arena, const struct plot_spec *spec,
                       const struct plot_data *data)
{
    struct plot_points points;
    plot_points_init(arena, spec, data, &points);
    html_add(page, "<div class=\"wide points\"><table><thead><tr>");
    html_add_element(page, "th", "", plot_x_title(arena, spec));
    html_add_element(page, "th", "", plot_y_title(arena, spec));
    if (spec->color)
        html_add_element(page, "th", "", plot_series_title(arena, spec));
    html_add(page, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < points.n && i < SHOWN_POINTS; i++) {
        html_add(page, "<tr>");
        html_add_element(page, "td", "", x_text(arena, &points, &points.list[i]));
        html_add_format(page, "<td class=\"number\">%.10g</td>",
                        json_number_value(points.list[i].y));
        if (spec->color)
            html_add_element(page, "td", "", points.series[points.list[i].series]);
        html_add(page, "</tr>\n");
    }
    html_add(page, "</tbody></table></div>\n");
    if (points.n > SHOWN_POINTS)
        html_add_format(page, "<p class=\"soft\">The first %d of %zu values.</p>\n", SHOWN_POINTS,
                        points.n);
}

/* What a plot would show where there is no picture of it. */
static void add_table(struct html_page *page, const struct figure_result *result, size_t at)
{
    AUTO(arena) arena = { 0 };
    struct plot_spec spec;
    struct problems problems = { .arena = &arena };
    const struct picture *picture = result->pictures ? &result->pictures[at] : NULL;
    const struct figure_round *round = &result->log.rounds[at];
    if (result->input.mode != FIGURE_MODE_PLOT_CODE || !round->drawn || !result->data ||
        (picture && (picture->bytes[PICTURE_SVG] || picture->bytes[PICTURE_PNG])) ||
        !plot_spec_from_json(&arena, round->drawn, result->data, &spec, &problems))
        return;
    html_add(page,
             "<p class=\"box warn\">There is no picture of it: the note of the visualizer says "
             "why. With Debian's package <code>python3-matplotlib</code> the script draws "
             "it: <code>python3 figure.py figure.png</code></p>\n");
    add_points(page, &arena, &spec, result->data);
}

static void add_findings(struct html_page *page, const struct figure_round *round)
{
    html_add(page, "<h3>Found by the checks</h3>\n");
    if (!round->n_findings) {
        html_add(page, "<p class=\"soft\">nothing</p>\n");
        return;
    }
    html_add(page, "<ul>\n");
    for (size_t i = 0; i < round->n_findings; i++) {
        const struct figure_finding *finding = &round->findings[i];
        html_add(page, "<li dir=\"auto\">");
        add_tag(page, finding->is_critical ? "bad" : "warn",
                finding->is_readability ? "readability" : "faithfulness");
        html_add(page, " ");
        html_add_text(page, finding->message);
        if (finding->fix) {
            html_add(page, "<span class=\"soft\">; ");
            html_add_text(page, finding->fix);
            html_add(page, "</span>");
        }
        html_add(page, "</li>\n");
    }
    html_add(page, "</ul>\n");
}

static void add_critique(struct html_page *page, const struct figure_round *round)
{
    html_add_format(page, "<h3>%s</h3>\n", round->before_feedback ? "A person" : "Critic");
    if (!round->critique.reviewed)
        html_add(page, "<p class=\"box warn\">No model has reviewed it: this is no "
                       "approval.</p>\n");
    html_add_element(page, "p", "text", round->critique.critic_suggestions);
}

static void add_round(struct html_page *page, const struct figure_result *result, size_t at)
{
    const struct figure_round *round = &result->log.rounds[at];
    bool is_best = at == result->best;
    char stem[32];
    snprintf(stem, sizeof stem, "round_%u", round->round);
    html_add(page, is_best ? "<article class=\"best\">\n" : "<article>\n");
    add_head(page, round, is_best);
    if (result->pictures) {
        if (result->log.n_rounds > 1)
            add_picture(page, &result->pictures[at], stem, stem);
        add_formats(page, &result->pictures[at], round->round);
    }
    add_table(page, result, at);
    add_artifact(page, &round->artifact);
    add_findings(page, round);
    add_critique(page, round);
    add_details(page, "What was to be drawn", round->description_t);
    add_details(page, "What was to be drawn next", round->critique.revised_description);
    html_add(page, "</article>\n");
}

static const char *end_sentence(enum figure_end end)
{
    static const char *const sentences[] = {
        [FIGURE_END_APPROVED] = "The critic approved it",
        [FIGURE_END_CHECKED] = "Checked by rules: no model has reviewed it",
        [FIGURE_END_MAX_ROUNDS] = "All rounds were used",
        [FIGURE_END_NO_PROGRESS] = "Stopped: the description did not change any more",
        [FIGURE_END_CRITIC_LOST] = "Stopped: the critic gave nothing useful",
        [FIGURE_END_RENDER_LOST] = "Stopped: a later round could not be drawn",
        [FIGURE_END_STAGE_FAILED] = "Stopped: a stage gave nothing",
    };
    return sentences[end];
}

static void add_header(struct html_page *page, const struct figure_result *result,
                       const struct figure_style *style)
{
    bool is_ready = figure_is_ready(result);
    html_add(page, "<header>\n");
    html_add_element(page, "h1", "", result->input.caption);
    html_add_format(page, "<p><span class=\"tag %s\">%s</span>", is_ready ? "good" : "warn",
                    is_ready ? "ready for publishing" : "not ready for publishing");
    html_add_format(page, "<span class=\"tag\">%s</span>", figure_mode_name(result->input.mode));
    html_add_format(page, "<span class=\"tag\">%zu of at most %u rounds</span>",
                    result->log.n_rounds, result->log.max_rounds);
    html_add(page, "<span class=\"tag\">style ");
    html_add_text(page, style->name);
    html_add(page, "</span></p>\n<p>");
    if (result->chosen_by_person)
        html_add_format(page, "A person chose round %zu; the rounds ended as %s.", result->best,
                        figure_end_name(result->end));
    else
        html_add_format(page, "%s.", end_sentence(result->end));
    if (result->end == FIGURE_END_STAGE_FAILED) {
        html_add(page, " ");
        html_add_text(page, result->err.message);
    }
    html_add(page, "</p>\n</header>\n");
}

/* The chosen picture as large as there is room, and below it what stands against it. */
static void add_figure(struct html_page *page, const struct figure_result *result)
{
    if (result->pictures)
        add_picture(page, &result->pictures[result->best], "figure", result->input.caption);
    if (!result->manual_review_required)
        return;
    html_add(page, "<div class=\"box warn\"><strong>A person has to look at it.</strong>");
    html_add_element(page, "p", "text", result->unresolved);
    html_add(page, "</div>\n");
}

static void add_score(struct html_page *page, const char *name, const json_t *one)
{
    const json_t *issue;
    size_t i;
    int score = (int)json_get_int(one, "score", 0);
    html_add_format(page,
                    "<div><h3>%s: %d</h3><meter aria-label=\"%s\" min=\"0\" max=\"100\" "
                    "low=\"50\" high=\"80\" optimum=\"100\" value=\"%d\"></meter>\n",
                    name, score, name, score);
    html_add_element(page, "p", "", json_get_string(one, "evidence"));
    html_add(page, json_array_size(json_object_get(one, "issues")) ? "<ul>" : "");
    json_array_foreach (json_object_get(one, "issues"), i, issue)
        html_add_element(page, "li", "", json_string_value(issue));
    html_add(page, i ? "</ul></div>\n" : "</div>\n");
}

static void add_scorecard(struct html_page *page, const json_t *scorecard)
{
    static const char *const names[] = { "faithfulness", "conciseness", "readability",
                                         "aesthetics" };
    html_add(page, "<section><h2>Scorecard</h2>\n<div class=\"scores\">\n");
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        add_score(page, names[i], json_object_get(scorecard, names[i]));
    html_add(page, "</div>\n");
    html_add_element(page, "p", "soft",
                     json_get_string(json_object_get(scorecard, "overall"), "notes"));
    html_add(page, "</section>\n");
}

static void add_stages(struct html_page *page, const struct figure_result *result)
{
    json_auto_t *stages = figure_stages_to_json(result, true);
    const json_t *record;
    size_t i;
    html_add(page, "<section><h2>Stages</h2>\n<ol class=\"stages\">\n");
    json_array_foreach (stages, i, record) {
        const char *model = json_get_string(record, "model");
        enum figure_stage stage = STAGE_RETRIEVER;
        (void)figure_stage_parse(json_get_string(record, "stage"), &stage);
        html_add_format(page, "<li><strong>%s", figure_stage_name(stage));
        if (stage >= STAGE_VISUALIZER)
            html_add_format(page, " %d", (int)json_get_int(record, "round", 0));
        html_add(page, "</strong> <span>");
        html_add_text(page, model ? model : "rules");
        html_add_format(page, "</span> <span>%lld ms</span> <span class=\"soft\" dir=\"auto\">",
                        (long long)json_get_int(record, "ms", 0));
        html_add_text(page, json_get_string(record, "note"));
        html_add(page, "</span></li>\n");
    }
    html_add(page, "</ol></section>\n");
}

static void add_origin(struct html_page *page, const struct figure_result *result)
{
    html_add(page, "<section><h2>Made from</h2>\n");
    html_add(page, "<p class=\"soft\">What it is to show</p>\n");
    html_add_element(page, "p", "text", result->input.communicative_intent);
    for (size_t i = 0; i < result->n_stages; i++)
        add_details(page, "What was assumed",
                    json_get_string(result->stages[i].output, "assumption_block"));
    add_details(page, "The text", result->input.source_context);
    html_add(page, "<p><a href=\"01_input.json\">input</a> · ");
    html_add(page, "<a href=\"05_round_log.json\">round log</a> · ");
    html_add(page, "<a href=\"stages.json\">stages</a> · <a href=\"scorecard.json\">scorecard"
                   "</a></p></section>\n");
}

const char *figure_page(struct arena *arena, const struct figure_result *result,
                        const struct figure_style *style, const json_t *scorecard)
{
    AUTO(html_page) page;
    html_page_init(&page, PAGE_MAX_BYTES);
    html_page_begin(&page, result->input.caption, STYLE);
    add_header(&page, result, style);
    html_add(&page, "<main>\n");
    add_figure(&page, result);
    html_add(&page, "<div class=\"rounds\">\n");
    for (size_t i = 0; i < result->log.n_rounds; i++)
        add_round(&page, result, i);
    html_add(&page, "</div>\n");
    add_scorecard(&page, scorecard);
    add_stages(&page, result);
    add_origin(&page, result);
    html_add(&page, "</main>\n");
    html_page_end(&page);
    return page.fits ? arena_strdup(arena, buf_string(&page.out))
                     : "<!DOCTYPE html><title>too large</title><p>The page would be too large.\n";
}
