/* Where the text of a picture lies, from what `dot -Tjson` wrote: boxes of nodes ("pos", "width",
 * "height"), frames ("bb"), routes of edges ("pos") and the text operations of every element
 * ("_ldraw_"). First all places are read, with what goes beyond the picture or its own box; then
 * nodes, frames, routes and free text (labels of edges and titles of groups) are held against each
 * other. */
#include "domain/figure/figure_geometry.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_findings.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bounds of what is read; a figure of ours never has more. */
#define MAX_OBJECTS ((size_t)2 * (FIGURE_MAX_NODES + FIGURE_MAX_GROUPS))
#define MAX_EDGES ((size_t)2 * FIGURE_MAX_EDGES)
#define MAX_TEXTS ((size_t)4 * FIGURE_MAX_EDGES)
#define MAX_OPERATIONS 200 /* of one element */

#define POINTS_PER_INCH 72.0
#define TOLERANCE 2.0   /* points: text cannot be measured exactly */
#define MAX_PIECES 8000 /* of all routes; what exceeds it is not looked at */
#define CURVE_PIECES 8
/* What makes a picture worse, against each other. */
#define COST_CRITICAL 400.0
#define COST_FINDING 60.0
#define COST_TOO_SMALL 300.0 /* for each point below FIGURE_SMALLEST_LETTER */
#define COST_SMALL 6.0       /* for each point below GOOD_LETTER */
#define GOOD_LETTER 9.0
#define COST_LONG 40.0 /* for each time that the longer side is too long */
#define COST_UNFIT 10.0
#define COST_CROSSING 4.0
#define COST_BEND 1.0
#define COST_WHITE 30.0 /* for a picture of white space alone */

#define ASCENT 0.8 /* of the size of a font */
#define DESCENT 0.2

struct text {
    struct figure_box box;
    const char *words;
    double size;
};

struct thing {
    struct figure_box box; /* of a node */
    const char *words;
    int64_t id; /* Graphviz' own */
};

/* A straight piece of an edge's route. */
struct piece {
    struct figure_segment line;
    size_t edge;
    int64_t tail, head;
};

struct geometry {
    struct figure_findings *findings;
    struct figure_box whole;
    struct thing *nodes;
    size_t n_nodes;
    struct text *texts; /* of edges and groups: what stands outside of nodes */
    size_t n_texts;
    struct figure_box *frames;
    size_t n_frames;
    struct figure_segment *lines; /* of the pieces */
    struct piece *pieces;
    size_t n_pieces;
    size_t n_bent;   /* edges that are no straight line */
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

/* Cuts the part of the line between *low and *high, in parts of its length, at one side of a box.
 */
static bool clip(double from, double length, double side, bool is_low, double *low, double *high)
{
    double at = (side - from) / length;
    if (length == 0)
        return is_low ? from > side : from < side;
    if ((length > 0) == is_low)
        *low = fmax(*low, at);
    else
        *high = fmin(*high, at);
    return *low < *high;
}

bool figure_line_meets(const struct figure_segment *line, const struct figure_box *box,
                       double margin)
{
    double low = 0, high = 1, width = line->x2 - line->x1, height = line->y2 - line->y1;
    return box->right > box->left && clip(line->x1, width, box->left - margin, true, &low, &high) &&
           clip(line->x1, width, box->right + margin, false, &low, &high) &&
           clip(line->y1, height, box->low - margin, true, &low, &high) &&
           clip(line->y1, height, box->high + margin, false, &low, &high);
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

bool figure_box_is_within(const struct figure_box *inner, const struct figure_box *outer,
                          double tolerance)
{
    return inner->left >= outer->left - tolerance && inner->right <= outer->right + tolerance &&
           inner->low >= outer->low - tolerance && inner->high <= outer->high + tolerance;
}

bool figure_boxes_overlap(const struct figure_box *a, const struct figure_box *b, double tolerance)
{
    return fmin(a->right, b->right) - fmax(a->left, b->left) > tolerance &&
           fmin(a->high, b->high) - fmax(a->low, b->low) > tolerance;
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
    if (!figure_box_is_within(&text->box, &geometry->whole, TOLERANCE))
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
    if (!figure_box_is_within(&text->box, &node->box, TOLERANCE))
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
        struct thing node = { .words = "", .id = json_get_int(object, "_gvid", -1) };
        if (i == MAX_OBJECTS)
            break;
        if (text_equal(json_get_string(object, "style"), "invis"))
            continue;
        if (!parse_node(object, &node.box)) {
            each_text(geometry, object, take_free_text);
            geometry->n_frames += parse_box(object, &geometry->frames[geometry->n_frames]);
            continue;
        }
        geometry->nodes[geometry->n_nodes++] = node;
        each_text(geometry, object, take_node_text);
    }
}

static size_t cut_curve(double p[4][2], struct figure_segment *out, size_t max)
{
    struct figure_segment piece = { .x2 = p[0][0], .y2 = p[0][1] };
    size_t n = 0;
    for (; n < CURVE_PIECES && n < max; n++) {
        double t = (double)(n + 1) / CURVE_PIECES, u = 1 - t;
        double share[4] = { u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t };
        piece = (struct figure_segment){ .x1 = piece.x2, .y1 = piece.y2 };
        for (int k = 0; k < 4; k++) {
            piece.x2 += share[k] * p[k][0];
            piece.y2 += share[k] * p[k][1];
        }
        out[n] = piece;
    }
    return n;
}

size_t figure_route_read(const char *route, struct figure_segment *out, size_t max)
{
    double p[4][2];
    size_t n = 0, n_points = 0;
    for (const char *at = route ? route : ""; *at;) {
        char *end = NULL;
        bool is_tip = *at == 'e' || *at == 's';
        p[n_points][0] = strtod(at + (is_tip ? 2 : 0), &end);
        p[n_points][1] = *end == ',' ? strtod(end + 1, NULL) : 0;
        at += strcspn(at, " ");
        at += strspn(at, " ");
        if (is_tip || ++n_points < 4)
            continue;
        n += cut_curve(p, out + n, max - n);
        memcpy(p[0], p[3], sizeof p[0]);
        n_points = 1;
    }
    return n;
}

/* At which side of a line a point lies, and twice the area that it makes with it. */
static double turn(const struct figure_segment *line, double x, double y)
{
    return (line->x2 - line->x1) * (y - line->y1) - (line->y2 - line->y1) * (x - line->x1);
}

static void read_route(struct geometry *geometry, const json_t *edge, size_t nth)
{
    struct figure_segment *pieces = geometry->lines + geometry->n_pieces;
    size_t n =
        figure_route_read(json_get_string(edge, "pos"), pieces, MAX_PIECES - geometry->n_pieces);
    double bend = 0;
    if (n == 0)
        return;
    struct figure_segment whole = { pieces[0].x1, pieces[0].y1, pieces[n - 1].x2,
                                    pieces[n - 1].y2 };
    for (size_t i = 0; i < n; i++) {
        geometry->pieces[geometry->n_pieces++] =
            (struct piece){ .line = pieces[i],
                            .edge = nth,
                            .tail = json_get_int(edge, "tail", -1),
                            .head = json_get_int(edge, "head", -1) };
        bend = fmax(bend, fabs(turn(&whole, pieces[i].x1, pieces[i].y1)));
    }
    double x = whole.x2 - whole.x1, y = whole.y2 - whole.y1;
    geometry->n_bent += bend > TOLERANCE * sqrt(x * x + y * y);
}

static void check_nodes(struct geometry *geometry)
{
    for (size_t i = 0; i < geometry->n_nodes; i++)
        for (size_t other = i + 1; other < geometry->n_nodes; other++)
            if (figure_boxes_overlap(&geometry->nodes[i].box, &geometry->nodes[other].box,
                                     TOLERANCE))
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
        if (figure_boxes_overlap(&text->box, &geometry->nodes[n].box, TOLERANCE))
            figure_finding_add(geometry->findings, "text_overlaps", FINDING_UNREADABLE,
                               "shorten the label or leave it out", "\"%s\" lies on \"%s\"",
                               name(geometry, text->words),
                               name(geometry, geometry->nodes[n].words));
    for (size_t other = i + 1; other < geometry->n_texts; other++)
        if (figure_boxes_overlap(&text->box, &geometry->texts[other].box, TOLERANCE))
            figure_finding_add(geometry->findings, "text_overlaps", FINDING_UNREADABLE,
                               "shorten the labels or leave one out", "\"%s\" lies on \"%s\"",
                               name(geometry, text->words),
                               name(geometry, geometry->texts[other].words));
}

/* A route through the middle of a node; where it passes a corner, most shapes have none. */
static void check_routes(struct geometry *geometry, const struct thing *node)
{
    double inside = -fmin(node->box.right - node->box.left, node->box.high - node->box.low) / 4;
    for (size_t i = 0; i < geometry->n_pieces; i++) {
        const struct piece *piece = &geometry->pieces[i];
        if (piece->tail == node->id || piece->head == node->id ||
            !figure_line_meets(&piece->line, &node->box, inside))
            continue;
        figure_finding_add(geometry->findings, "edge_through_node", FINDING_HARD_TO_READ,
                           "draw fewer edges", "an edge runs through \"%s\"",
                           name(geometry, node->words));
        return;
    }
}

/* What runs through a text, or NULL. */
static const char *find_line(const struct geometry *geometry, const struct text *text)
{
    for (size_t i = 0; i < geometry->n_pieces; i++)
        if (figure_line_meets(&geometry->pieces[i].line, &text->box, -TOLERANCE))
            return "an edge";
    for (size_t i = 0; i < geometry->n_frames; i++)
        if (figure_boxes_overlap(&text->box, &geometry->frames[i], TOLERANCE) &&
            !figure_box_is_within(&text->box, &geometry->frames[i], TOLERANCE))
            return "the frame of a group";
    return NULL;
}

static void check_lines(struct geometry *geometry)
{
    for (size_t i = 0; i < geometry->n_texts; i++) {
        const char *line = find_line(geometry, &geometry->texts[i]);
        if (line)
            figure_finding_add(geometry->findings, "text_struck", FINDING_HARD_TO_READ,
                               "shorten the label or leave it out", "%s runs through \"%s\"", line,
                               name(geometry, geometry->texts[i].words));
    }
    for (size_t i = 0; i < geometry->n_nodes; i++)
        check_routes(geometry, &geometry->nodes[i]);
}

static double side_of(double from, double to)
{
    return to > from ? to - from : 1;
}

/* How high the smallest letter is as printed; where there is no text, it is as large as can be. */
static double printed_letter(const struct geometry *geometry, const struct figure_page *page)
{
    double scale = page->width / side_of(geometry->whole.left, geometry->whole.right);
    if (page->height > 0)
        scale = fmin(scale, page->height / side_of(geometry->whole.low, geometry->whole.high));
    return geometry->smallest > 0 ? geometry->smallest * fmin(scale, 1) : INFINITY;
}

static void check_size(struct geometry *geometry, const struct figure_page *page)
{
    double width = side_of(geometry->whole.left, geometry->whole.right);
    double height = side_of(geometry->whole.low, geometry->whole.high);
    double letter = printed_letter(geometry, page);
    if (letter < FIGURE_SMALLEST_LETTER)
        figure_finding_add(geometry->findings, "picture_too_large", FINDING_HARD_TO_READ,
                           "draw fewer nodes, or shorten the labels",
                           "printed %.1f inches wide its letters are %.1f points high: it is %.0f "
                           "by %.0f inches",
                           page->width / POINTS_PER_INCH, letter, width / POINTS_PER_INCH,
                           height / POINTS_PER_INCH);
}

/* False where it is no geometry. */
static bool read_geometry(struct geometry *geometry, const json_t *graph)
{
    struct arena *arena = geometry->findings->arena;
    const json_t *edges = json_object_get(graph, "edges");
    double pad = 0;
    if (!parse_box(graph, &geometry->whole))
        return false;
    /* The frame around what is drawn, which "bb" leaves out. */
    if (!parse_numbers(json_get_string(graph, "pad"), &pad, 1) || pad <= 0 || pad >= 10)
        pad = 0;
    geometry->whole.left -= pad * POINTS_PER_INCH;
    geometry->whole.low -= pad * POINTS_PER_INCH;
    geometry->whole.right += pad * POINTS_PER_INCH;
    geometry->whole.high += pad * POINTS_PER_INCH;
    geometry->nodes = arena_array(arena, struct thing, MAX_OBJECTS);
    geometry->frames = arena_array(arena, struct figure_box, MAX_OBJECTS);
    geometry->texts = arena_array(arena, struct text, MAX_TEXTS);
    geometry->lines = arena_array(arena, struct figure_segment, MAX_PIECES);
    geometry->pieces = arena_array(arena, struct piece, MAX_PIECES);
    read_objects(geometry, json_object_get(graph, "objects"));
    for (size_t i = 0; i < json_array_size(edges) && i < MAX_EDGES; i++) {
        each_text(geometry, json_array_get(edges, i), take_free_text);
        read_route(geometry, json_array_get(edges, i), i);
    }
    return true;
}

static void check_all(struct geometry *geometry, const struct figure_page *page)
{
    check_nodes(geometry);
    for (size_t i = 0; i < geometry->n_texts; i++)
        check_text(geometry, i);
    check_lines(geometry);
    check_size(geometry, page);
}

void find_geometry_faults(struct figure_findings *findings, const json_t *graph,
                          const struct figure_page *page)
{
    struct geometry geometry = { .findings = findings };
    if (read_geometry(&geometry, graph))
        check_all(&geometry, page);
}

static bool cross(const struct figure_segment *a, const struct figure_segment *b)
{
    return (turn(a, b->x1, b->y1) < 0) != (turn(a, b->x2, b->y2) < 0) &&
           (turn(b, a->x1, a->y1) < 0) != (turn(b, a->x2, a->y2) < 0);
}

/* Whether two edges begin or end at the same node. */
static bool meet(const struct piece *a, const struct piece *b)
{
    return a->tail >= 0 &&
           (a->tail == b->tail || a->tail == b->head || a->head == b->tail || a->head == b->head);
}

static size_t count_crossings(const struct geometry *geometry)
{
    size_t n = 0;
    for (size_t i = 0; i < geometry->n_pieces; i++)
        for (size_t k = 0; geometry->pieces[k].edge < geometry->pieces[i].edge; k++)
            n += !meet(&geometry->pieces[i], &geometry->pieces[k]) &&
                 cross(&geometry->pieces[i].line, &geometry->pieces[k].line);
    return n;
}

static double filled_part(const struct geometry *geometry)
{
    double area = 0;
    for (size_t i = 0; i < geometry->n_nodes; i++)
        area += (geometry->nodes[i].box.right - geometry->nodes[i].box.left) *
                (geometry->nodes[i].box.high - geometry->nodes[i].box.low);
    return area / (side_of(geometry->whole.left, geometry->whole.right) *
                   side_of(geometry->whole.low, geometry->whole.high));
}

double figure_geometry_cost(struct arena *arena, const json_t *graph,
                            const struct figure_page *page, bool *out_fits)
{
    struct figure_findings *findings = arena_new(arena, struct figure_findings);
    struct geometry geometry = { .findings = findings };
    double cost = 0;
    findings->arena = arena;
    *out_fits = read_geometry(&geometry, graph);
    if (!*out_fits)
        return INFINITY;
    check_all(&geometry, page);
    for (size_t i = 0; i < findings->n; i++)
        cost += findings->list[i].is_critical ? COST_CRITICAL : COST_FINDING;
    double width = side_of(geometry.whole.left, geometry.whole.right);
    double height = side_of(geometry.whole.low, geometry.whole.high);
    double aspect = fmax(width / height, height / width);
    double letter = printed_letter(&geometry, page);
    *out_fits = findings->n == 0 && aspect <= FIGURE_MAX_ASPECT;
    return cost + (*out_fits ? 0 : COST_UNFIT) +
           COST_TOO_SMALL * fmax(0, FIGURE_SMALLEST_LETTER - letter) +
           COST_SMALL * fmax(0, GOOD_LETTER - letter) +
           COST_LONG * fmax(0, aspect - FIGURE_MAX_ASPECT) +
           COST_CROSSING * (double)count_crossings(&geometry) +
           COST_BEND * (double)geometry.n_bent + COST_WHITE * (1 - filled_part(&geometry));
}
