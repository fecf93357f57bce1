/* Where the text of a picture lies, from what `dot -Tjson` wrote: boxes of nodes ("pos", "width",
 * "height") and the text operations of every element ("_ldraw_"). First all places are read, with
 * what goes beyond the picture or its own box; then nodes and free text (labels of edges and titles
 * of groups) are held against each other. */
#include "domain/figure/figure_geometry.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_findings.h"
#include <math.h>
#include <string.h>

/* Bounds of what is read; a figure of ours never has more. */
#define MAX_OBJECTS ((size_t)2 * (FIGURE_MAX_NODES + FIGURE_MAX_GROUPS))
#define MAX_EDGES ((size_t)2 * FIGURE_MAX_EDGES)
#define MAX_TEXTS ((size_t)4 * FIGURE_MAX_EDGES)
#define MAX_OPERATIONS 200 /* of one element */

#define POINTS_PER_INCH 72.0
#define TOLERANCE 2.0    /* points: text cannot be measured exactly */
#define PAGE_WIDTH 504.0 /* points between the margins of a page, 7 by 9½ inches */
#define PAGE_HEIGHT 684.0
#define SMALLEST_LETTER 4.5 /* points on that page */
#define ASCENT 0.8          /* of the size of a font */
#define DESCENT 0.2

struct text {
    struct figure_box box;
    const char *words;
    double size;
};

struct thing {
    struct figure_box box; /* of a node */
    const char *words;
};

struct geometry {
    struct figure_findings *findings;
    struct figure_box whole;
    struct thing *nodes;
    size_t n_nodes;
    struct text *texts; /* of edges and groups: what stands outside of nodes */
    size_t n_texts;
    double smallest; /* letter, in points */
};

/* n numbers separated by commas, as Graphviz writes them; false when there are more or fewer. */
static bool parse_numbers(const char *text, double *out, size_t n)
{
    for (size_t i = 0; text && i < n; i++) {
        char number[32];
        size_t length = strcspn(text, ",");
        if (length >= sizeof number || (i + 1 < n) != (text[length] == ','))
            return false;
        memcpy(number, text, length);
        number[length] = '\0';
        if (!text_to_double(number, &out[i]))
            return false;
        text += length + 1;
    }
    return text;
}

static bool parse_node(const json_t *object, struct figure_box *out)
{
    double place[2], width, height;
    if (!parse_numbers(json_get_string(object, "pos"), place, 2) ||
        !parse_numbers(json_get_string(object, "width"), &width, 1) ||
        !parse_numbers(json_get_string(object, "height"), &height, 1))
        return false;
    double x = width * POINTS_PER_INCH / 2, y = height * POINTS_PER_INCH / 2;
    *out = (struct figure_box){ place[0] - x, place[1] - y, place[0] + x, place[1] + y };
    return true;
}

static bool parse_box(const json_t *object, struct figure_box *out)
{
    double v[4];
    if (!parse_numbers(json_get_string(object, "bb"), v, 4))
        return false;
    *out = (struct figure_box){ v[0], v[1], v[2], v[3] };
    return true;
}

bool figure_geometry_find(const json_t *geometry, const char *name, struct figure_box *out)
{
    const json_t *objects = json_object_get(geometry, "objects"), *object;
    size_t i;
    if (!name)
        return parse_box(geometry, out);
    json_array_foreach (objects, i, object)
        if (text_equal(json_get_string(object, "name"), name))
            return parse_node(object, out) || parse_box(object, out);
    return false;
}

static bool is_within(const struct figure_box *inner, const struct figure_box *outer)
{
    return inner->left >= outer->left - TOLERANCE && inner->right <= outer->right + TOLERANCE &&
           inner->low >= outer->low - TOLERANCE && inner->high <= outer->high + TOLERANCE;
}

static bool overlap(const struct figure_box *a, const struct figure_box *b)
{
    return fmin(a->right, b->right) - fmax(a->left, b->left) > TOLERANCE &&
           fmin(a->high, b->high) - fmax(a->low, b->low) > TOLERANCE;
}

/* Where a text operation puts its words: pt is on the base line, at the side that align says. */
static struct text text_of(const json_t *operation, double size)
{
    const json_t *place = json_object_get(operation, "pt");
    const char *align = json_get_string(operation, "align");
    const char *words = json_get_string(operation, "text");
    double x = json_number_value(json_array_get(place, 0));
    double y = json_number_value(json_array_get(place, 1));
    double width = json_get_number(operation, "width", 0);
    double left = text_equal(align, "l") ? x : text_equal(align, "r") ? x - width : x - width / 2;
    return (struct text){ .box = { left, y - DESCENT * size, left + width, y + ASCENT * size },
                          .words = words ? words : "",
                          .size = size };
}

typedef void text_fn(struct geometry *geometry, const struct text *text);

static void each_text(struct geometry *geometry, const json_t *element, text_fn *fn)
{
    const json_t *list = json_object_get(element, "_ldraw_"), *operation;
    double size = 0;
    size_t i;
    json_array_foreach (list, i, operation) {
        const char *kind = json_get_string(operation, "op");
        if (i == MAX_OPERATIONS)
            break;
        if (text_equal(kind, "F"))
            size = json_get_number(operation, "size", 0);
        if (!text_equal(kind, "T"))
            continue;
        struct text text = text_of(operation, size);
        if (size > 0 && *text.words)
            fn(geometry, &text);
    }
}

static const char *name(struct geometry *geometry, const char *words)
{
    return figure_finding_name(geometry->findings, words);
}

static void check_place(struct geometry *geometry, const struct text *text)
{
    if (geometry->smallest <= 0 || text->size < geometry->smallest)
        geometry->smallest = text->size;
    if (!is_within(&text->box, &geometry->whole))
        figure_finding_add(geometry->findings, "text_outside", FINDING_UNREADABLE,
                           "shorten the label", "\"%s\" goes beyond the edge of the picture",
                           name(geometry, text->words));
}

static void take_node_text(struct geometry *geometry, const struct text *text)
{
    struct thing *node = &geometry->nodes[geometry->n_nodes - 1];
    if (!*node->words)
        node->words = text->words;
    check_place(geometry, text);
    if (!is_within(&text->box, &node->box))
        figure_finding_add(geometry->findings, "text_clipped", FINDING_UNREADABLE,
                           "shorten the label", "\"%s\" is larger than its box",
                           name(geometry, text->words));
}

static void take_free_text(struct geometry *geometry, const struct text *text)
{
    check_place(geometry, text);
    if (geometry->n_texts < MAX_TEXTS)
        geometry->texts[geometry->n_texts++] = *text;
}

/* Nodes have a place, groups a box. */
static void read_objects(struct geometry *geometry, const json_t *objects)
{
    const json_t *object;
    size_t i;
    json_array_foreach (objects, i, object) {
        struct thing node = { .words = "" };
        if (i == MAX_OBJECTS)
            break;
        if (!parse_node(object, &node.box)) {
            each_text(geometry, object, take_free_text);
            continue;
        }
        geometry->nodes[geometry->n_nodes++] = node;
        each_text(geometry, object, take_node_text);
    }
}

static void check_nodes(struct geometry *geometry)
{
    for (size_t i = 0; i < geometry->n_nodes; i++)
        for (size_t other = i + 1; other < geometry->n_nodes; other++)
            if (overlap(&geometry->nodes[i].box, &geometry->nodes[other].box))
                figure_finding_add(geometry->findings, "nodes_overlap", FINDING_UNREADABLE,
                                   "shorten the labels, or draw fewer nodes",
                                   "the boxes of \"%s\" and \"%s\" overlap",
                                   name(geometry, geometry->nodes[i].words),
                                   name(geometry, geometry->nodes[other].words));
}

static void check_text(struct geometry *geometry, size_t i)
{
    const struct text *text = &geometry->texts[i];
    for (size_t n = 0; n < geometry->n_nodes; n++)
        if (overlap(&text->box, &geometry->nodes[n].box))
            figure_finding_add(geometry->findings, "text_overlaps", FINDING_UNREADABLE,
                               "shorten the label or leave it out", "\"%s\" lies on \"%s\"",
                               name(geometry, text->words),
                               name(geometry, geometry->nodes[n].words));
    for (size_t other = i + 1; other < geometry->n_texts; other++)
        if (overlap(&text->box, &geometry->texts[other].box))
            figure_finding_add(geometry->findings, "text_overlaps", FINDING_UNREADABLE,
                               "shorten the labels or leave one out", "\"%s\" lies on \"%s\"",
                               name(geometry, text->words),
                               name(geometry, geometry->texts[other].words));
}

/* How high the smallest letter is once the picture was scaled to a page. */
static void check_size(struct geometry *geometry)
{
    double width = geometry->whole.right - geometry->whole.left;
    double height = geometry->whole.high - geometry->whole.low;
    double scale = fmin(1, fmin(PAGE_WIDTH / width, PAGE_HEIGHT / height));
    double letter = geometry->smallest * scale;
    if (geometry->smallest > 0 && width > 0 && height > 0 && letter < SMALLEST_LETTER)
        figure_finding_add(geometry->findings, "picture_too_large", FINDING_HARD_TO_READ,
                           width > height ? "let it run from top to bottom, or draw fewer nodes"
                                          : "let it run from left to right, or draw fewer nodes",
                           "on a page its letters are %.1f points high: it is %.0f by %.0f inches",
                           letter, width / POINTS_PER_INCH, height / POINTS_PER_INCH);
}

void find_geometry_faults(struct figure_findings *findings, const json_t *graph)
{
    struct geometry geometry = { .findings = findings };
    const json_t *edges = json_object_get(graph, "edges");
    double v[4], pad = 0;
    if (!parse_numbers(json_get_string(graph, "bb"), v, 4))
        return;
    /* The frame around what is drawn, which "bb" leaves out. */
    if (!parse_numbers(json_get_string(graph, "pad"), &pad, 1) || pad <= 0 || pad >= 10)
        pad = 0;
    double frame = pad * POINTS_PER_INCH;
    geometry.whole = (struct figure_box){ v[0] - frame, v[1] - frame, v[2] + frame, v[3] + frame };
    geometry.nodes = arena_array(findings->arena, struct thing, MAX_OBJECTS);
    geometry.texts = arena_array(findings->arena, struct text, MAX_TEXTS);
    read_objects(&geometry, json_object_get(graph, "objects"));
    for (size_t i = 0; i < json_array_size(edges) && i < MAX_EDGES; i++)
        each_text(&geometry, json_array_get(edges, i), take_free_text);
    check_nodes(&geometry);
    for (size_t i = 0; i < geometry.n_texts; i++)
        check_text(&geometry, i);
    check_size(&geometry);
}
