/* Draws. Graphviz' `dot` or matplotlib as a bounded child (infrastructure/rendering/), or a program
 * that the settings name (figure.renderer), which may draw what it likes of what it is told. */
#ifndef APPLICATION_PORTS_RENDERER_H
#define APPLICATION_PORTS_RENDERER_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct renderer;

/* X(format, suffix) */
#define PICTURE_FORMATS(X)                                                                         \
    X(SVG, "svg")                                                                                  \
    X(PNG, "png")                                                                                  \
    X(PDF, "pdf")

enum picture_format {
#define X(format, suffix) PICTURE_##format,
    PICTURE_FORMATS(X)
#undef X
};
#define PICTURE_N_FORMATS (PICTURE_PDF + 1)

static inline const char *picture_suffix(enum picture_format format)
{
    static const char *const suffixes[] = {
#define X(format, suffix) suffix,
        PICTURE_FORMATS(X)
#undef X
    };
    return suffixes[format];
}

/* What is to be drawn. */
struct drawing {
    const char *dot;    /* a graph in Graphviz' language, made by application/figure/dot/graph_dot.h
                           only; NULL for a plot */
    const char *script; /* of a plot, made by application/figure/plot/plot.h only, since it is run;
                           NULL: none is */
    unsigned dpi;       /* of a PNG: that of the style */
    const json_t *input; /* the Visualizer's {description_t, mode, round}; for a program only */
    const json_t *drawn; /* the typed graph or plot spec behind it, or NULL; likewise */
    bool only_geometry;  /* of a graph: no picture is made, only its geometry; not for a program */
};

struct picture {
    const char *bytes[PICTURE_N_FORMATS]; /* NULL for a format that was not made; in the arena */
    size_t lengths[PICTURE_N_FORMATS];
    const char *geometry; /* JSON text of `dot -Tjson`; NULL of a renderer that has none */
    const char *source;   /* the drawing's dot, kept by who asked for it; or NULL */
    const char *renderer; /* "dot 2.43.0" */
    const char *code;     /* of a program that answered code_text and no picture; or NULL */
};

struct renderer_ops {
    /* All mandatory. */
    enum err_code (*available)(struct renderer *r, struct scope *sc, struct err *err);
    enum err_code (*render)(struct renderer *r, struct scope *sc, const struct drawing *drawing,
                            struct arena *arena, struct picture *out, struct err *err);
    void (*destroy)(struct renderer *r);
};

struct renderer {
    const struct renderer_ops *ops;
    bool takes_plots; /* a program of the settings: it is told plot_code as well as diagram_image */
};

/* ERR_NOT_FOUND: the program is not installed, with what to do in the hint. */
awaits MUST_CHECK static inline enum err_code renderer_available(struct renderer *r,
                                                                 struct scope *sc, struct err *err)
{
    return r->ops->available(r, sc, err);
}
/* ERR_NOT_FOUND: no program; ERR_TIMEOUT, ERR_LIMIT: bounds of figure.*; ERR_FAILED: it refused;
 * ERR_PROTOCOL: what it wrote is not a picture. */
awaits MUST_CHECK static inline enum err_code renderer_render(struct renderer *r, struct scope *sc,
                                                              const struct drawing *drawing,
                                                              struct arena *arena,
                                                              struct picture *out, struct err *err)
{
    return r->ops->render(r, sc, drawing, arena, out, err);
}
static inline void renderer_destroy(struct renderer *r)
{
    if (r)
        r->ops->destroy(r);
}

#endif
