#include "application/figure/report/figure_page.h"
#include "application/figure/report/figure_evidence.h"
#include "application/figure/report/figure_page_look.h"
#include "application/figure/report/figure_page_round.h"
#include "domain/base/json.h"
#include <string.h>

#define PAGE_MAX_BYTES ((size_t)512 * 1024 * 1024) /* every round with the largest picture */

/* Nothing is fetched and nothing runs. */
#define POLICY                                                                                     \
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "              \
    "form-action 'none'"

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

static void add_top(struct html_page *page, const struct figure_result *result)
{
    html_add(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n"
                   "<meta name=\"referrer\" content=\"no-referrer\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<title>");
    html_add_text(page, result->input.caption);
    html_add(page, "</title>\n<style>\n");
    html_add(page, figure_page_look);
    html_add(page, "</style>\n</head>\n<body>\n");
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
    html_add_format(page, "</span></p>\n<p>%s.", end_sentence(result->end));
    if (result->end == FIGURE_END_STAGE_FAILED) {
        html_add(page, " ");
        html_add_text(page, result->err.message);
    }
    html_add(page, "</p>\n");
    if (result->manual_review_required) {
        html_add(page, "<div class=\"box warn\"><strong>A person has to look at it.</strong>");
        html_add_element(page, "p", "text", result->unresolved);
        html_add(page, "</div>\n");
    }
    html_add(page, "</header>\n");
}

/* The chosen picture as large as there is room: side by side, wide ones get small. */
static void add_chosen(struct html_page *page, const struct figure_result *result)
{
    if (result->log.n_rounds > 1 && result->pictures && result->best < result->log.n_rounds)
        figure_page_picture(page, &result->pictures[result->best], "figure");
}

static void add_score(struct html_page *page, const char *name, const json_t *one)
{
    const json_t *issue;
    size_t i;
    int score = (int)json_get_int(one, "score", 0);
    html_add_format(page,
                    "<tr><th>%s</th><td class=\"number\">%d</td><td><meter min=\"0\" max=\"100\" "
                    "low=\"50\" high=\"80\" optimum=\"100\" value=\"%d\"></meter></td><td>",
                    name, score, score);
    html_add_text(page, json_get_string(one, "evidence"));
    if (json_array_size(json_object_get(one, "issues")))
        html_add(page, "<ul>");
    json_array_foreach (json_object_get(one, "issues"), i, issue) {
        html_add(page, "<li dir=\"auto\">");
        html_add_text(page, json_string_value(issue));
        html_add(page, "</li>");
    }
    html_add(page, json_array_size(json_object_get(one, "issues")) ? "</ul></td></tr>\n"
                                                                   : "</td></tr>\n");
}

static void add_scorecard(struct html_page *page, const json_t *scorecard)
{
    static const char *const names[] = { "faithfulness", "conciseness", "readability",
                                         "aesthetics" };
    html_add(page, "<section><h2>Scorecard</h2>\n<div class=\"wide\"><table><thead><tr><th></th>"
                   "<th>score</th><th></th><th>evidence and issues</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        add_score(page, names[i], json_object_get(scorecard, names[i]));
    html_add(page, "</tbody></table></div>\n");
    html_add_element(page, "p", "soft",
                     json_get_string(json_object_get(scorecard, "overall"), "notes"));
    html_add(page, "</section>\n");
}

static void add_stages(struct html_page *page, const struct figure_result *result)
{
    html_add(page, "<section><h2>Stages</h2>\n<div class=\"wide\"><table><thead><tr><th>stage</th>"
                   "<th>round</th><th>by</th><th>ms</th><th>note</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < result->n_stages; i++) {
        const struct figure_stage_record *record = &result->stages[i];
        bool is_looped = record->stage >= STAGE_VISUALIZER;
        html_add_format(page, "<tr><th>%s</th><td>", figure_stage_name(record->stage));
        if (is_looped)
            html_add_format(page, "%u", record->round);
        html_add(page, "</td><td>");
        html_add_text(page, record->by_rules || !record->model ? "rules" : record->model);
        html_add_format(page, "</td><td class=\"number\">%lld</td><td dir=\"auto\">",
                        (long long)record->duration_ms);
        html_add_text(page, record->note);
        html_add(page, "</td></tr>\n");
    }
    html_add(page, "</tbody></table></div></section>\n");
}

static void add_origin(struct html_page *page, const struct figure_result *result)
{
    html_add(page, "<section><h2>Made from</h2>\n");
    html_add(page, "<p class=\"soft\">What it is to show</p>\n");
    html_add_element(page, "p", "text", result->input.communicative_intent);
    figure_page_details(page, "The text", result->input.source_context);
    html_add(page, "<p><a href=\"01_input.json\">input</a> · ");
    if (result->log.n_rounds)
        html_add(page, "<a href=\"05_round_log.json\">round log</a> · ");
    html_add(page, "<a href=\"stages.json\">stages</a> · <a href=\"scorecard.json\">scorecard"
                   "</a></p></section>\n");
}

const char *figure_page(struct arena *arena, const struct figure_result *result,
                        const struct figure_style *style, const json_t *scorecard)
{
    AUTO(html_page) page;
    html_page_init(&page, PAGE_MAX_BYTES);
    add_top(&page, result);
    add_header(&page, result, style);
    html_add(&page, "<main>\n");
    add_chosen(&page, result);
    html_add(&page, "<div class=\"rounds\">\n");
    for (size_t i = 0; i < result->log.n_rounds; i++)
        figure_page_round(&page, result, i);
    html_add(&page, "</div>\n");
    add_scorecard(&page, scorecard);
    add_stages(&page, result);
    add_origin(&page, result);
    html_add(&page, "</main>\n<footer class=\"soft\"><p>Made by mistro. This page fetches nothing "
                    "and runs no script.</p></footer>\n</body>\n</html>\n");
    return page.fits ? arena_strdup(arena, buf_string(&page.out))
                     : "<!DOCTYPE html><title>too large</title><p>The page would be too large.\n";
}
