/* The checks of a figure, in the order of the header: names that were lost, labels against the
 * words of the source, the parts of a graph, numbers of code, and the caption. What the geometry of
 * a picture shows is figure_geometry.c, the names in a text are figure_entities.c. */
#include "domain/figure/figure_findings.h"
#include "domain/base/text.h"
#include "domain/figure/figure_words.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_COLUMNS = 80,
    SHORTEST_TELLING_WORD = 3,
    SMALL_NUMBER = 12, /* whole numbers up to here count things and are not data */
    MAX_NUMBERS = 200000,
    NUMBER_BYTES = 40,
};

void figure_finding_add(struct figure_findings *findings, const char *rule,
                        enum figure_weight weight, const char *fix, const char *format, ...)
{
    char message[400];
    va_list arguments;
    bool is_critical = weight == FINDING_UNFAITHFUL || weight == FINDING_UNREADABLE;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_trim_broken_end(message);
    for (size_t i = 0; i < findings->n; i++) {
        struct figure_finding *same = &findings->list[i];
        if (strcmp(same->rule, rule) != 0 || strcmp(findings->causes[i], message) != 0)
            continue;
        same->is_critical = same->is_critical || is_critical;
        same->message = arena_printf(findings->arena, "%s (in %zu places)", message, ++same->count);
        return;
    }
    if (findings->n == FIGURE_MAX_FINDINGS) {
        findings->dropped++;
        return;
    }
    findings->causes[findings->n] = arena_strdup(findings->arena, message);
    findings->list[findings->n] = (struct figure_finding){
        .rule = rule,
        .is_critical = is_critical,
        .is_readability = weight == FINDING_UNREADABLE || weight == FINDING_HARD_TO_READ,
        .message = findings->causes[findings->n],
        .fix = fix,
        .count = 1,
    };
    findings->n++;
}

const char *figure_finding_name(struct figure_findings *findings, const char *text)
{
    return text_one_line(findings->arena, text, strlen(text), NAME_COLUMNS);
}

/* Whether the name stands in the text, as words of their own and in any case. */
static bool text_names(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strcasestr(text, name); at; at = strcasestr(at + 1, name)) {
        bool is_cut = (at > text && text_is_word_byte(at[-1]) && text_is_word_byte(name[0])) ||
                      (isalnum((unsigned char)at[length]) && at[length] != 's' &&
                       text_is_word_byte(name[length - 1]));
        if (!is_cut || (unsigned char)name[0] >= 0x80)
            return true;
    }
    return false;
}

void find_lost_entities(struct figure_findings *findings, const char *before, const char *after)
{
    size_t n = 0;
    const char **entities = figure_entities(findings->arena, before, &n);
    /* Where lines break does not matter to a name. */
    const char *kept = text_with_single_blanks(findings->arena, after, strlen(after));
    for (size_t i = 0; i < n; i++) {
        const char *name =
            text_with_single_blanks(findings->arena, entities[i], strlen(entities[i]));
        if (!text_names(kept, name))
            figure_finding_add(findings, "entity_lost", FINDING_UNFAITHFUL,
                               "write it again, in the same words", "\"%s\" was lost on the way",
                               figure_finding_name(findings, name));
    }
}

const char *figure_findings_print(const struct figure_findings *findings)
{
    const char *text = "";
    for (size_t i = 0; i < findings->n; i++) {
        const struct figure_finding *finding = &findings->list[i];
        text = arena_printf(findings->arena, "%s- %s%s: %s; %s\n", text,
                            finding->is_critical ? "critical, " : "",
                            finding->is_readability ? "readability" : "faithfulness",
                            finding->message, finding->fix ? finding->fix : "look at it");
    }
    if (findings->dropped)
        text = arena_printf(findings->arena, "%s- and %zu more\n", text, findings->dropped);
    return text;
}

json_t *figure_findings_to_json(const struct figure_finding *list, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array,
                              json_pack("{s:s, s:b, s:s, s:s, s:I, s:s*}", "rule", list[i].rule,
                                        "critical", (int)list[i].is_critical, "about",
                                        list[i].is_readability ? "readability" : "faithfulness",
                                        "message", list[i].message, "count",
                                        (json_int_t)list[i].count, "fix", list[i].fix));
    return array;
}

/* Whether a word says something of the matter. */
static bool is_telling(const char *word)
{
    return text_code_points(word, strlen(word)) >= SHORTEST_TELLING_WORD &&
           !figure_word_is_common(word);
}

/* What stands in the picture against what was to be in it. */
struct label_check {
    struct figure_findings *findings;
    const char *source, *caption;
    struct figure_vocabulary known;     /* of source and caption */
    struct figure_vocabulary described; /* of the description */
};

static const char *all_labels(struct arena *arena, const struct figure_graph *graph)
{
    AUTO(buf) text;
    buf_init(&text, SIZE_MAX);
    bool fits = true;
    for (size_t i = 0; i < graph->n_nodes; i++)
        fits = fits && buf_printf(&text, "%s\n%s\n", graph->nodes[i].label,
                                  graph->nodes[i].sub_label ? graph->nodes[i].sub_label : "");
    for (size_t i = 0; i < graph->n_edges; i++)
        fits = fits && buf_printf(&text, "%s\n", graph->edges[i].label);
    for (size_t i = 0; i < graph->n_groups; i++)
        fits = fits && buf_printf(&text, "%s\n", graph->groups[i].label);
    return fits ? arena_strdup(arena, buf_string(&text)) : "";
}

/* A name that description and source have must be in the picture, unless the caption has it: then
 * the whole figure is about it. */
static void check_entity(const struct label_check *check, const char *labels, const char *name)
{
    if (text_names(labels, name) || text_names(check->caption, name) ||
        !text_names(check->source, name))
        return;
    bool is_certain = figure_word_is_name(name);
    figure_finding_add(
        check->findings, "entity_missing", is_certain ? FINDING_UNFAITHFUL : FINDING_DOUBTFUL,
        "give it a node or name it at an edge", "\"%s\" is described but not in the picture",
        figure_finding_name(check->findings, name));
}

static void check_label(const struct label_check *check, const char *label, bool is_edge)
{
    size_t telling = 0, known = 0, described = 0;
    if (!label || !*label || strcasestr(check->source, label) ||
        (is_edge && text_is_listed(" yes no ", label, strlen(label)))) /* of a decision */
        return;
    struct figure_words words = figure_words_read(check->findings->arena, label);
    for (size_t i = 0; i < words.n; i++) {
        const char *word = words.list[i].text;
        if (!is_telling(word))
            continue;
        telling++;
        known += figure_vocabulary_knows(&check->known, word);
        described += figure_vocabulary_knows(&check->described, word);
    }
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
                                 .source = source_context,
                                 .caption = caption,
                                 .known = figure_vocabulary_of(arena, given, 2),
                                 .described = figure_vocabulary_of(arena, &description, 1) };
    const char *labels = all_labels(arena, graph);
    size_t n = 0;
    const char **entities = figure_entities(arena, description, &n);
    for (size_t i = 0; i < n; i++)
        check_entity(&check, labels, entities[i]);
    for (size_t i = 0; i < graph->n_nodes; i++)
        check_label(&check, graph->nodes[i].label, false);
    for (size_t i = 0; i < graph->n_nodes; i++)
        check_label(&check, graph->nodes[i].sub_label, false);
    for (size_t i = 0; i < graph->n_groups; i++)
        check_label(&check, graph->groups[i].label, false);
    for (size_t i = 0; i < graph->n_edges; i++)
        check_label(&check, graph->edges[i].label, true);
}

/* What stands behind "Figure 3:" or "Fig. 2a" at the start of a label; NULL where there is no such
 * number. */
static const char *behind_number(const char *label)
{
    static const char *const words[] = { "figure", "fig.", "fig", "abbildung", "abb." };
    label += strspn(label, " \t\n");
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        size_t length = strlen(words[i]);
        if (strncasecmp(label, words[i], length) != 0)
            continue;
        const char *rest = label + length + strspn(label + length, " \t\n");
        if (!isdigit((unsigned char)*rest))
            continue;
        rest += strspn(rest, "0123456789");
        while (*rest == '.' && isdigit((unsigned char)rest[1]))
            rest += 1 + strspn(rest + 1, "0123456789");
        return rest + (isalpha((unsigned char)*rest) && !isalnum((unsigned char)rest[1]));
    }
    return NULL;
}

/* Only what a mark sets apart: "Figure 8 knot" has no number. */
static void drop_number(const char **label)
{
    const char *rest = *label ? behind_number(*label) : NULL;
    size_t marks = rest ? strspn(rest, ":.") : 0;
    if (marks && rest[marks + strspn(rest + marks, " \t\n")])
        *label = rest + marks + strspn(rest + marks, " \t\n");
}

void figure_graph_drop_numbers(struct figure_graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        drop_number(&graph->nodes[i].label);
        drop_number(&graph->nodes[i].sub_label);
    }
    for (size_t i = 0; i < graph->n_groups; i++)
        drop_number(&graph->groups[i].label);
    for (size_t i = 0; i < graph->n_edges; i++)
        drop_number(&graph->edges[i].label);
}

static void check_caption(struct figure_findings *findings, const char *label, const char *caption)
{
    if (!label)
        return;
    if (behind_number(label))
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
    for (size_t i = 0; i < graph->n_nodes; i++) {
        check_caption(findings, graph->nodes[i].label, caption);
        check_caption(findings, graph->nodes[i].sub_label, caption);
    }
    for (size_t i = 0; i < graph->n_groups; i++)
        check_caption(findings, graph->groups[i].label, caption);
    for (size_t i = 0; i < graph->n_edges; i++)
        check_caption(findings, graph->edges[i].label, caption);
}

/* The parts of a graph: union-find over the indices of nodes. */
static size_t root_of(size_t *parents, size_t i)
{
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

static void join_ends(const struct figure_graph *graph, size_t *parents, bool *has_edge)
{
    for (size_t i = 0; i < graph->n_edges; i++) {
        int from = figure_graph_find(graph, graph->edges[i].from);
        int to = figure_graph_find(graph, graph->edges[i].to);
        if (from < 0 || to < 0)
            continue;
        has_edge[from] = has_edge[to] = true;
        parents[root_of(parents, (size_t)from)] = root_of(parents, (size_t)to);
    }
}

static void find_lonely_nodes(struct figure_findings *findings, const struct figure_graph *graph,
                              const bool *has_edge)
{
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (!has_edge[i] && graph->nodes[i].role != FIGURE_ROLE_NOTE)
            figure_finding_add(findings, "node_unconnected", FINDING_DOUBTFUL,
                               "connect it as the text says, or leave it out",
                               "\"%s\" is connected with nothing",
                               figure_finding_name(findings, graph->nodes[i].label));
}

static void find_islands(struct figure_findings *findings, const struct figure_graph *graph,
                         size_t *parents, const bool *has_edge)
{
    size_t islands = 0;
    for (size_t i = 0; i < graph->n_nodes; i++)
        islands += has_edge[i] && root_of(parents, i) == i;
    if (islands > 1)
        figure_finding_add(findings, "islands", FINDING_DOUBTFUL,
                           "say how the parts belong together",
                           "the picture falls into %zu parts that are not connected", islands);
}

static void find_twins(struct figure_findings *findings, const struct figure_graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        size_t n = 0;
        bool is_first = true;
        for (size_t k = 0; k < graph->n_nodes; k++) {
            bool is_same = strcasecmp(graph->nodes[i].label, graph->nodes[k].label) == 0 &&
                           text_equal(graph->nodes[i].sub_label, graph->nodes[k].sub_label);
            n += is_same;
            is_first = is_first && !(is_same && k < i);
        }
        if (is_first && n > 1)
            figure_finding_add(findings, "label_twice", FINDING_HARD_TO_READ,
                               "make them one node, or tell them apart",
                               "%zu nodes are called \"%s\"", n,
                               figure_finding_name(findings, graph->nodes[i].label));
    }
}

void find_graph_faults(struct figure_findings *findings, const struct figure_graph *graph)
{
    size_t n = graph->n_nodes;
    if (n == 0) {
        figure_finding_add(findings, "graph_empty", FINDING_UNFAITHFUL,
                           "draw what the text speaks of", "there is nothing in the picture");
        return;
    }
    find_twins(findings, graph);
    if (graph->n_edges == 0)
        return;
    size_t *parents = arena_array(findings->arena, size_t, n);
    bool *has_edge = arena_array(findings->arena, bool, n);
    for (size_t i = 0; i < n; i++)
        parents[i] = i;
    join_ends(graph, parents, has_edge);
    find_lonely_nodes(findings, graph, has_edge);
    find_islands(findings, graph, parents, has_edge);
}

struct numbers {
    double *list;
    size_t n, capacity;
};

static bool is_name_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The next number from *at on that does not belong to a name or to a "#rrggbb"; *out_start is where
 * it begins, and *at moves behind it. */
static bool next_number(const char *text, const char **at, const char **out_start, double *out)
{
    for (const char *p = *at; *p; p++) {
        bool starts = isdigit((unsigned char)*p) &&
                      (p == text || (!is_name_letter(p[-1]) && p[-1] != '.' && p[-1] != '#'));
        if (!starts)
            continue;
        char *end = NULL;
        *out = strtod(p, &end);
        if (end == p || is_name_letter(*end)) {
            while (is_name_letter(*p))
                p++;
            p--;
            continue;
        }
        *out_start = p;
        *at = end;
        return true;
    }
    return false;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct numbers numbers_of(struct arena *arena, const char *text)
{
    struct numbers numbers = { 0 };
    const char *at = text, *start;
    double value;
    while (numbers.n < MAX_NUMBERS && next_number(text, &at, &start, &value))
        *arena_push(arena, numbers.list, numbers.n, numbers.capacity) = value;
    if (numbers.n)
        qsort(numbers.list, numbers.n, sizeof *numbers.list, by_size);
    return numbers;
}

/* Whether the number is the value of "figsize=", "dpi=" and the like: how it looks, not what it
 * says. */
static bool sets_the_look(const char *code, const char *start)
{
    static const char *const looks[] = { "figsize",  "dpi",    "size", "width",    "height",
                                         "alpha",    "pad",    "loc",  "rotation", "bins",
                                         "fontsize", "zorder", "lw",   "ms",       "linewidth",
                                         "capsize",  "spacing" };
    const char *equals = start;
    while (equals > code && equals[-1] != '\n' && equals[-1] != '=')
        equals--;
    if (equals == code || equals[-1] != '=')
        return false;
    const char *end = equals - 1;
    while (end > code && (end[-1] == ' ' || end[-1] == '"' || end[-1] == '\'' || end[-1] == ']'))
        end--;
    for (size_t i = 0; i < ARRAY_LENGTH(looks); i++) {
        size_t length = strlen(looks[i]);
        if ((size_t)(end - code) >= length && strncmp(end - length, looks[i], length) == 0)
            return true;
    }
    return false;
}

void find_foreign_numbers(struct figure_findings *findings, const char *code, const char *source)
{
    struct numbers known = numbers_of(findings->arena, source);
    const char *at = code, *start;
    double value;
    for (size_t n = 0; n < MAX_NUMBERS && next_number(code, &at, &start, &value); n++) {
        bool is_small = value <= SMALL_NUMBER && floor(value) == value;
        bool is_known = known.n && bsearch(&value, known.list, known.n, sizeof value, by_size);
        if (is_small || is_known || sets_the_look(code, start))
            continue;
        size_t length = (size_t)(at - start);
        figure_finding_add(findings, "number_foreign", FINDING_UNFAITHFUL,
                           "take every number from the data",
                           "neither text nor data have the number %.*s",
                           (int)(length > NUMBER_BYTES ? NUMBER_BYTES : length), start);
    }
}

static bool shares_a_word(struct arena *arena, const char *caption, const char *source)
{
    struct figure_vocabulary known = figure_vocabulary_of(arena, &source, 1);
    struct figure_words words = figure_words_read(arena, caption);
    for (size_t i = 0; i < words.n; i++) {
        const char *word = words.list[i].text;
        if (is_telling(word) && figure_vocabulary_knows(&known, word))
            return true;
    }
    return false;
}

const char *caption_doubt(struct arena *arena, const char *caption, const char *source_context)
{
    if (strchr(caption, '?') || strstr(caption, "؟") || strstr(caption, "？"))
        return "The caption asks instead of saying";
    if (strcasestr(caption, " either ") || strcasestr(caption, " and/or ") ||
        strcasestr(caption, " or maybe ") || strcasestr(caption, "tbd"))
        return "The caption leaves open what is meant";
    if (!shares_a_word(arena, caption, source_context))
        return "The caption names nothing of the text";
    return NULL;
}
