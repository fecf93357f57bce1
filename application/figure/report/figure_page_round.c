#include "application/figure/report/figure_page_round.h"
#include "application/figure/report/figure_page.h"
#include <stdio.h>

void figure_page_details(struct html_page *page, const char *summary, const char *text)
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
    html_add_format(page, "<span class=\"tag %s\">%s %s</span>",
                    !reviewed ? "warn"
                    : ok      ? "good"
                              : "bad",
                    name,
                    !reviewed ? "unread"
                    : ok      ? "✓"
                              : "✗");
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

/* The formats a browser shows, the sharper one first. */
static bool pick_format(const struct picture *picture, enum picture_format *out,
                        const char **out_type)
{
    bool has_svg = picture->bytes[PICTURE_SVG] != NULL;
    *out = has_svg ? PICTURE_SVG : PICTURE_PNG;
    *out_type = has_svg ? "image/svg+xml" : "image/png";
    return picture->bytes[*out] != NULL;
}

void figure_page_picture(struct html_page *page, const struct picture *picture, const char *stem)
{
    enum picture_format format;
    const char *type;
    if (!pick_format(picture, &format, &type))
        return;
    const char *suffix = picture_suffix(format);
    if (picture->lengths[format] > FIGURE_PAGE_MAX_PICTURE_BYTES) {
        html_add_format(page, "<p><a href=\"%s.%s\">%s.%s</a> is too large to show here.</p>\n",
                        stem, suffix, stem, suffix);
        return;
    }
    html_add_format(page, "<figure><a href=\"%s.%s\"><img alt=\"%s\" src=\"", stem, suffix, stem);
    html_add_data(page, type, picture->bytes[format], picture->lengths[format]);
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
    if (artifact->type == FIGURE_ARTIFACT_IMAGE_PATH)
        return;
    if (artifact->type == FIGURE_ARTIFACT_IMAGE_PROMPT)
        html_add(page, "<p class=\"box warn\">Not drawn: a description for somebody who draws.</p>"
                       "\n");
    html_add_element(page, "pre", "", artifact->value);
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

static void add_critique(struct html_page *page, const struct figure_critique *critique)
{
    html_add(page, "<h3>Critic</h3>\n");
    if (!critique->reviewed)
        html_add(page, "<p class=\"box warn\">No model has reviewed it: this is no "
                       "approval.</p>\n");
    html_add_element(page, "p", "text", critique->critic_suggestions);
}

void figure_page_round(struct html_page *page, const struct figure_result *result, size_t at)
{
    const struct figure_round *round = &result->log.rounds[at];
    bool is_best = at == result->best;
    char stem[32];
    snprintf(stem, sizeof stem, "round_%u", round->round);
    html_add(page, is_best ? "<article class=\"best\">\n" : "<article>\n");
    add_head(page, round, is_best);
    if (result->pictures) {
        figure_page_picture(page, &result->pictures[at], stem);
        add_formats(page, &result->pictures[at], round->round);
    }
    add_artifact(page, &round->artifact);
    add_findings(page, round);
    add_critique(page, &round->critique);
    figure_page_details(page, "What was to be drawn", round->description_t);
    figure_page_details(page, "What the critic asked for next",
                        round->critique.revised_description);
    html_add(page, "</article>\n");
}
