#include "tests/support/full/figure_bench.h"
#include "domain/base/json.h"
#include "infrastructure/config/config.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/test_assets.h"
#include <string.h>

void figure_bench_init(struct figure_bench *bench)
{
    *bench = (struct figure_bench){ .runtime = uv_runtime_create() };
    settings_init(&bench->settings);
}

void figure_bench_finish(struct figure_bench *bench)
{
    uv_runtime_destroy(bench->runtime);
    arena_finish(&bench->arena);
}

static enum err_code draw(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct figure_bench *bench = argument;
    bench->available = renderer_available(bench->renderer, scope, &bench->err);
    if (bench->is_cancelled)
        runtime_cancel(runtime, scope);
    bench->rendered = renderer_render(bench->renderer, scope, &bench->drawing, &bench->arena,
                                      &bench->picture, &bench->err);
    return ERR_NONE;
}

void figure_bench_draw(struct figure_bench *bench)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    (void)!uv_runtime_run(bench->runtime, &scope, draw, bench);
}

static void fail_with(const struct problems *problems)
{
    for (size_t i = 0; i < problems->n; i++)
        print_error("%s: %s\n", problems->list[i].path, problems->list[i].message);
    fail_msg("%zu problems", problems->n);
}

struct figure_graph figure_bench_graph(struct figure_bench *bench, const char *json)
{
    struct problems problems = { .arena = &bench->arena };
    struct figure_graph graph = { 0 };
    json_t *value;
    if (json_parse(json, strlen(json), JSON_OURS, &value, &bench->err))
        fail_msg("%s", bench->err.message);
    arena_keep_json(&bench->arena, value);
    if (!figure_graph_from_json(&bench->arena, value, &graph, &problems))
        fail_with(&problems);
    return graph;
}

struct figure_style figure_bench_style(struct figure_bench *bench, const char *name)
{
    struct problems problems = { .arena = &bench->arena };
    struct figure_style style = { 0 };
    struct document document;
    const char *text, *origin;
    if (assets_get(test_assets(), arena_printf(&bench->arena, FIGURE_STYLE_ASSET, name),
                   &bench->arena, &text, &origin, &bench->err) ||
        documents_parse(yaml_documents(), text, strlen(text), &bench->arena, &document,
                        &bench->err))
        fail_msg("%s", bench->err.message);
    if (!figure_style_from_json(&bench->arena, name, document.value, &style, &problems))
        fail_with(&problems);
    return style;
}
