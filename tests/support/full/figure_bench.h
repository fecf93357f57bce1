/* What tests of figures need: the styles as they are embedded, graphs from JSON text, and a run of
 * a renderer on a loop of its own. */
#ifndef TESTS_SUPPORT_FULL_FIGURE_BENCH_H
#define TESTS_SUPPORT_FULL_FIGURE_BENCH_H

#include "application/ports/renderer.h"
#include "application/settings.h"
#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_style.h"
#include "infrastructure/runtime/uv_runtime.h"

struct figure_bench {
    struct arena arena;
    struct settings settings;
    struct uv_runtime *runtime;
    struct renderer *renderer; /* whose is of the test */
    struct drawing drawing;
    struct picture picture;
    enum err_code available, rendered;
    struct err err;
    bool is_cancelled; /* the scope is, before it draws */
};

void figure_bench_init(struct figure_bench *bench);
void figure_bench_finish(struct figure_bench *bench);

/* Asks whether the renderer is available, and lets it draw bench->drawing. */
void figure_bench_draw(struct figure_bench *bench);

/* Text that is wrong fails the test with its problems. */
struct figure_graph figure_bench_graph(struct figure_bench *bench, const char *json);
/* name: of config/styles. */
struct figure_style figure_bench_style(struct figure_bench *bench, const char *name);

#endif
