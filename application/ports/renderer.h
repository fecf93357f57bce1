/* Draws. Graphviz' `dot` as a bounded child (infrastructure/rendering/), or a program that the
 * settings name. One run gives all formats of one graph. */
#ifndef APPLICATION_PORTS_RENDERER_H
#define APPLICATION_PORTS_RENDERER_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
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

struct picture {
    const char *bytes[PICTURE_N_FORMATS]; /* NULL for a format that was not made; in the arena */
    size_t lengths[PICTURE_N_FORMATS];
    const char *geometry; /* JSON text of `dot -Tjson`; NULL of a renderer that has none */
    const char *renderer; /* "dot 2.43.0" */
};

struct renderer_ops {
    /* All mandatory. */
    enum err_code (*available)(struct renderer *r, struct scope *sc, struct err *err);
    enum err_code (*render)(struct renderer *r, struct scope *sc, const char *dot,
                            struct arena *arena, struct picture *out, struct err *err);
    void (*destroy)(struct renderer *r);
};

struct renderer {
    const struct renderer_ops *ops;
};

/* ERR_NOT_FOUND: the program is not installed, with what to do in the hint. */
awaits MUST_CHECK static inline enum err_code renderer_available(struct renderer *r,
                                                                 struct scope *sc, struct err *err)
{
    return r->ops->available(r, sc, err);
}
/* dot: a graph in Graphviz' language, made by application/figure/graph_dot.h and nobody else.
 * ERR_NOT_FOUND: no program; ERR_TIMEOUT, ERR_LIMIT: bounds of figure.*; ERR_FAILED: it refused. */
awaits MUST_CHECK static inline enum err_code renderer_render(struct renderer *r, struct scope *sc,
                                                              const char *dot, struct arena *arena,
                                                              struct picture *out, struct err *err)
{
    return r->ops->render(r, sc, dot, arena, out, err);
}
static inline void renderer_destroy(struct renderer *r)
{
    if (r)
        r->ops->destroy(r);
}

#endif
