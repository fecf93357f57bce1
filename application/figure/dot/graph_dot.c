#include "application/figure/dot/graph_dot.h"
#include "application/figure/dot/graph_dot_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MARGIN_INCHES 0.25

void dot_put(struct dot_writing *writing, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (length > 0)
        (void)!buf_append(&writing->out, text,
                          (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void dot_put_label(struct dot_writing *writing, const struct dot_label *label, bool left)
{
    (void)!dot_label_write(&writing->out, label, left);
}

const char *dot_color(struct dot_writing *writing, struct figure_color color)
{
    return arena_printf(writing->arena, "\"#%02x%02x%02x\"", (unsigned)color.red,
                        (unsigned)color.green, (unsigned)color.blue);
}

static const struct figure_look *look_of(const struct figure_style *style,
                                         const struct figure_node *node)
{
    switch (node->emphasis) {
    case FIGURE_EMPHASIS_ACCENT:
        return &style->accent;
    case FIGURE_EMPHASIS_MUTED:
        return &style->muted;
    case FIGURE_EMPHASIS_NORMAL:
        break;
    }
    return &style->roles[node->role];
}

void dot_put_look(struct dot_writing *writing, const struct figure_node *node)
{
    const struct figure_look *look = look_of(writing->style, node);
    dot_put(writing, " fillcolor=%s color=%s fontcolor=%s", dot_color(writing, look->fill),
            dot_color(writing, look->stroke), dot_color(writing, look->text));
}

/* Whoever has not the style's font has one of the others, whose letters are no wider. */
static const char *fonts(struct dot_writing *writing)
{
    static const char *const families[] = { "DejaVu Sans", "Helvetica", "Arial" };
    const char *own = writing->style->font, *all = own;
    for (size_t i = 0; i < ARRAY_LENGTH(families); i++)
        if (strcmp(families[i], own) != 0)
            all = arena_printf(writing->arena, "%s,%s", all, families[i]);
    return arena_printf(writing->arena, "\"%s,sans-serif\"", all);
}

void dot_put_defaults(struct dot_writing *writing, const char *extra)
{
    const struct figure_style *style = writing->style;
    const char *font = fonts(writing);
    dot_put(writing, "  graph [bgcolor=%s pad=%.2f outputorder=edgesfirst fontname=%s%s];\n",
            dot_color(writing, style->background), MARGIN_INCHES, font, extra);
    dot_put(writing, "  node [fontname=%s fontsize=%.1f penwidth=%.2f];\n", font, style->font_size,
            style->line_width);
    dot_put(writing,
            "  edge [fontname=%s fontsize=%.1f penwidth=%.2f color=%s fontcolor=%s "
            "arrowsize=0.8];\n",
            font, style->edge_font_size, style->line_width, dot_color(writing, style->edge),
            dot_color(writing, style->edge_text));
}

const char *graph_dot(struct arena *arena, const struct figure_graph *graph,
                      const struct figure_style *style)
{
    struct dot_writing writing = { .arena = arena, .graph = graph, .style = style };
    buf_init(&writing.out, SIZE_MAX);
    dot_put(&writing, "digraph figure {\n");
    if (graph->kind == FIGURE_SEQUENCE)
        dot_put_sequence(&writing);
    else
        dot_put_flow(&writing);
    dot_put(&writing, "}\n");
    const char *text = arena_strdup(arena, buf_string(&writing.out));
    buf_finish(&writing.out);
    return text;
}
