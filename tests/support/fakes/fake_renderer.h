/* A renderer that draws nothing: what it answers is set beforehand, and what it was asked is kept.
 * As it is, its pictures are the smallest that picture_fault finds nothing wrong with. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_RENDERER_H
#define TESTS_SUPPORT_FAKES_FAKE_RENDERER_H

#include "application/ports/renderer.h"
#include "application/ports/runtime.h"

#define FAKE_RENDERER_NAME "fake 1.0"

struct fake_renderer {
    struct renderer base;
    enum err_code available, fails; /* ERR_NONE: it works */
    unsigned fails_from;            /* the first call, from 0, that gives `fails` */
    const char *geometry;           /* NULL: an empty graph's */
    const char *code;               /* answered instead of a picture */
    const char *png;                /* NULL: the smallest */
    size_t png_length;
    const char *svg; /* likewise */
    size_t svg_length;
    struct runtime *runtime;  /* of the clock by which it takes so long, or NULL */
    int64_t measuring_ms;     /* for geometry alone */
    unsigned n_calls;         /* for a picture */
    unsigned n_measured;      /* geometries, those that were not finished as well */
    const char *dot, *script; /* of the last call; in its arena */
    unsigned dpi;
};

void fake_renderer_init(struct fake_renderer *fake);

#endif
