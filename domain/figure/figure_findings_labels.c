/* What stands in the picture against what was to be in it. */
#include "domain/base/text.h"
#include "domain/figure/figure_finding.h"
#include "domain/figure/figure_words.h"
#include <ctype.h>
#include <string.h>

enum { SHORTEST_TELLING_WORD = 3 };

struct label_check {
    struct figure_findings *findings;
    const struct figure_graph *graph;
    const char *description, *source, *caption;
    struct figure_vocabulary known;     /* of source and caption */
    struct figure_vocabulary described; /* of the description */
};

static const char *all_labels(const struct label_check *check)
{
    struct arena *arena = check->findings->arena;
    const struct figure_graph *graph = check->graph;
    struct buf text;
    buf_init(&text, SIZE_MAX);
    bool fits = true;
    for (size_t i = 0; i < graph->n_nodes; i++)
        fits = fits && buf_puts(&text, graph->nodes[i].label) && buf_puts(&text, "\n");
    for (size_t i = 0; i < graph->n_edges; i++)
        fits = fits && buf_puts(&text, graph->edges[i].label) && buf_puts(&text, "\n");
    for (size_t i = 0; i < graph->n_groups; i++)
        fits = fits && buf_puts(&text, graph->groups[i].label) && buf_puts(&text, "\n");
    const char *labels = arena_strndup(arena, buf_string(&text), text.length);
    buf_finish(&text);
    return fits ? labels : "";
}

/* A name that both texts have and the caption has not must be in the picture; that the whole
 * figure is about it, the caption says already. */
static void check_entity(const struct label_check *check, const char *labels, const char *name)
{
    if (figure_text_names(labels, name) || figure_text_names(check->caption, name) ||
        !figure_text_names(check->source, name))
        return;
    bool is_certain = figure_word_is_name(name);
    figure_finding_add(
        check->findings, "entity_missing", is_certain ? FINDING_UNFAITHFUL : FINDING_DOUBTFUL,
        "give it a node or name it at an edge", "\"%s\" is described but not in the picture",
        figure_finding_name(check->findings, name));
}

/* Words of the label that tell something, and how many of them the source has. */
static void count_words(const struct label_check *check, const char *label, size_t *out_telling,
                        size_t *out_known, size_t *out_described)
{
    struct figure_words words = figure_words_read(check->findings->arena, label);
    *out_telling = *out_known = *out_described = 0;
    for (size_t i = 0; i < words.n; i++) {
        const char *word = words.list[i].text;
        bool is_telling = text_code_points(word, strlen(word)) >= SHORTEST_TELLING_WORD &&
                          !figure_word_is_common(word);
        if (!is_telling)
            continue;
        (*out_telling)++;
        *out_known += figure_vocabulary_knows(&check->known, word);
        *out_described += figure_vocabulary_knows(&check->described, word);
    }
}

static void check_label(const struct label_check *check, const char *label, bool is_edge)
{
    size_t telling, known, described;
    if (!*label || strcasestr(check->source, label))
        return;
    count_words(check, label, &telling, &known, &described);
    if (known == telling)
        return;
    bool is_invented = known == 0 && described < telling && !is_edge;
    figure_finding_add(check->findings, "label_invented",
                       is_invented ? FINDING_UNFAITHFUL : FINDING_DOUBTFUL,
                       "use the words of the source", "the source does not say \"%s\"",
                       figure_finding_name(check->findings, label));
}

void find_label_faults(struct figure_findings *findings, const struct figure_graph *graph,
                       const char *description, const char *source_context, const char *caption)
{
    struct arena *arena = findings->arena;
    const char *const given[] = { source_context, caption };
    struct label_check check = { .findings = findings,
                                 .graph = graph,
                                 .description = description,
                                 .source = source_context,
                                 .caption = caption,
                                 .known = figure_vocabulary_of(arena, given, 2),
                                 .described = figure_vocabulary_of(arena, &description, 1) };
    const char *labels = all_labels(&check);
    size_t n = 0;
    const char **entities = figure_entities(arena, description, &n);
    for (size_t i = 0; i < n; i++)
        check_entity(&check, labels, entities[i]);
    for (size_t i = 0; i < graph->n_nodes; i++)
        check_label(&check, graph->nodes[i].label, false);
    for (size_t i = 0; i < graph->n_groups; i++)
        check_label(&check, graph->groups[i].label, false);
    for (size_t i = 0; i < graph->n_edges; i++)
        check_label(&check, graph->edges[i].label, true);
}

/* "Figure 3", "Fig. 2a" at the start of a label. */
static bool is_numbered_figure(const char *label)
{
    static const char *const words[] = { "figure", "fig.", "fig", "abbildung", "abb." };
    label += strspn(label, " \t\n");
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        size_t length = strlen(words[i]);
        if (strncasecmp(label, words[i], length) != 0)
            continue;
        const char *rest = label + length;
        size_t blanks = strspn(rest, " \t\n");
        if (isdigit((unsigned char)rest[blanks]))
            return true;
    }
    return false;
}

static void check_caption(struct figure_findings *findings, const char *label, const char *caption)
{
    if (is_numbered_figure(label))
        figure_finding_add(findings, "caption_in_picture", FINDING_UNREADABLE,
                           "leave numbers of figures to the page it stands on",
                           "the picture says \"%s\"", figure_finding_name(findings, label));
    else if (*caption && strcasecmp(label, caption) == 0)
        figure_finding_add(findings, "caption_in_picture", FINDING_HARD_TO_READ,
                           "leave the caption to the page it stands on",
                           "the picture repeats its caption");
}

void find_caption_in_picture(struct figure_findings *findings, const struct figure_graph *graph,
                             const char *caption)
{
    for (size_t i = 0; i < graph->n_nodes; i++)
        check_caption(findings, graph->nodes[i].label, caption);
    for (size_t i = 0; i < graph->n_groups; i++)
        check_caption(findings, graph->groups[i].label, caption);
    for (size_t i = 0; i < graph->n_edges; i++)
        check_caption(findings, graph->edges[i].label, caption);
}
