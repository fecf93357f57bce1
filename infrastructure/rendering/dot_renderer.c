/* Graphviz draws in a private folder: its source is written there, `dot` runs twice (vectors and
 * geometry, then pixels) or once (geometry alone), and the files are read within one bound for all
 * of them. */
#include "domain/base/text.h"
#include "infrastructure/rendering/picture_folder.h"
#include "infrastructure/rendering/rendering.h"
#include "infrastructure/runtime/bounded_child.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "dot"
#define SOURCE "figure.gv"
#define GEOMETRY "figure.json"
#define DEFAULT_DPI 144

enum { VERSION_BYTES = 64, MAX_STDOUT = 65536 };

struct dot_renderer {
    struct renderer base;
    struct uv_runtime *runtime;
    const struct settings *settings;
    char version[VERSION_BYTES]; /* "dot 2.43.0"; empty until it was asked */
};

/* Adds to a failure of the child what it means for a figure. */
static enum err_code explain(enum err_code r, struct err *err)
{
    err_prefix(err, r, PROGRAM);
    if (err && r == ERR_NOT_FOUND) /* the hint of the child speaks of PATH, which helps less */
        snprintf(err->hint, sizeof err->hint,
                 "install Graphviz (apt install graphviz), or name a program in figure.renderer");
    if (r == ERR_TIMEOUT)
        err_hint(err, r, "draw fewer nodes, or raise figure.render_seconds");
    if (r == ERR_LIMIT)
        err_hint(err, r, "draw fewer nodes, or raise figure.max_picture_bytes");
    if (r == ERR_FAILED)
        err_hint(err, r, "%s",
                 err && err->origin < 0 ? "Graphviz itself crashed: install another version of it, "
                                          "or raise figure.render_mb if it lacked memory"
                                        : "draw fewer nodes, or raise figure.render_mb");
    return r;
}

awaits static enum err_code run(struct dot_renderer *dot, const struct scope *sc,
                                const char *const *arguments, int64_t milliseconds,
                                struct buf *words, struct err *err)
{
    struct buf output;
    const struct settings *settings = dot->settings;
    buf_init(&output, MAX_STDOUT);
    struct bounded_child child = {
        .command = PROGRAM,
        .arguments = arguments,
        .milliseconds = milliseconds,
        .memory_bytes = (uint64_t)settings->figure_render_mb * 1048576,
        .file_bytes = (uint64_t)settings->figure_max_picture_bytes,
        .output = &output,
        .words = words,
    };
    enum err_code r = bounded_child_run(dot->runtime, sc, &child, err);
    buf_finish(&output);
    return r ? explain(r, err) : ERR_NONE;
}

/* "dot - graphviz version 2.43.0 (0)" */
static void read_version(struct dot_renderer *dot, const char *words)
{
    static const char before[] = "version ";
    const char *at = strstr(words, before);
    at = at ? at + strlen(before) : "";
    snprintf(dot->version, sizeof dot->version, PROGRAM "%s%.*s", *at ? " " : "",
             (int)strspn(at, "0123456789.~-abcdefghijklmnopqrstuvwxyz"), at);
    text_trim_broken_end(dot->version);
}

awaits static enum err_code available(struct renderer *r, struct scope *sc, struct err *err)
{
    static const char *const arguments[] = { "-V", NULL };
    struct dot_renderer *dot = (struct dot_renderer *)r;
    struct buf words;
    if (dot->version[0])
        return ERR_NONE;
    buf_init(&words, BOUNDED_CHILD_WORDS);
    enum err_code code =
        run(dot, sc, arguments, dot->settings->figure_render_seconds * 1000, &words, err);
    if (!code)
        read_version(dot, buf_string(&words));
    buf_finish(&words);
    return code;
}

/* One drawing: where it happens, and what time is left for it. */
struct drawing_run {
    struct dot_renderer *dot;
    struct scope *scope;
    struct picture_folder folder;
    struct arena *arena;
    int64_t until_ms;
};

static const char *output_option(struct drawing_run *drawing, const char *suffix)
{
    return arena_printf(drawing->arena, "-o%s/figure.%s", drawing->folder.path, suffix);
}

awaits static enum err_code run_until(struct drawing_run *drawing, const char *const *arguments,
                                      struct err *err)
{
    int64_t left = drawing->until_ms - runtime_now_ms(uv_runtime_port(drawing->dot->runtime));
    return run(drawing->dot, drawing->scope, arguments, left > 1 ? left : 1, NULL /* words */, err);
}

/* Draws the graph twice, because dots per inch are right for pixels but scale an SVG out of its
 * frame. Pixels of a picture that is larger than any page are made for one of 16 inches: those of
 * its own size take longer than all else. dpi 0: geometry alone. */
awaits static enum err_code run_all(struct drawing_run *drawing, unsigned dpi, struct err *err)
{
    const char *source = picture_folder_file(&drawing->folder, drawing->arena, SOURCE);
    const char *const geometry[] = { "-Tjson", output_option(drawing, "json"), source, NULL };
    const char *const vectors[] = { "-Tsvg",  output_option(drawing, "svg"),
                                    "-Tpdf",  output_option(drawing, "pdf"),
                                    "-Tjson", output_option(drawing, "json"),
                                    source,   NULL };
    const char *dots = arena_printf(drawing->arena, "-Gdpi=%u", dpi);
    const char *const pixels[] = { dots,   "-Gsize=16", "-Tpng", output_option(drawing, "png"),
                                   source, NULL };
    enum err_code r = run_until(drawing, dpi ? vectors : geometry, err);
    return r || !dpi ? r : run_until(drawing, pixels, err);
}

static enum err_code read_picture(struct drawing_run *drawing, bool only_geometry,
                                  struct picture *out, struct err *err)
{
    size_t length, room = (size_t)drawing->dot->settings->figure_max_picture_bytes;
    enum err_code r = picture_folder_read(&drawing->folder, GEOMETRY, room, drawing->arena,
                                          &out->geometry, &length, err);
    if (r || only_geometry)
        return r;
    return picture_folder_take(&drawing->folder, room - length, drawing->arena, out, err);
}

awaits static enum err_code draw(struct drawing_run *run, const struct drawing *drawing,
                                 struct picture *out, struct err *err)
{
    struct picture picture = { .renderer = arena_strdup(run->arena, run->dot->version) };
    unsigned dpi = drawing->dpi ? drawing->dpi : DEFAULT_DPI;
    enum err_code r = picture_folder_write(&run->folder, SOURCE, drawing->dot, err);
    if (!r)
        r = run_all(run, drawing->only_geometry ? 0 : dpi, err);
    if (!r)
        r = read_picture(run, drawing->only_geometry, &picture, err);
    if (!r)
        *out = picture;
    return r;
}

awaits static enum err_code render(struct renderer *r, struct scope *sc,
                                   const struct drawing *drawing, struct arena *arena,
                                   struct picture *out, struct err *err)
{
    struct dot_renderer *dot = (struct dot_renderer *)r;
    const struct settings *settings = dot->settings;
    if (drawing->script)
        return matplotlib_draw(dot->runtime, settings, sc, drawing->script, arena, out, err);
    if (!drawing->dot)
        return err_set(err, ERR_INVALID, 0, "Graphviz draws graphs, and there is none");
    enum err_code code = available(r, sc, err);
    if (code)
        return code;
    struct drawing_run run = {
        .dot = dot,
        .scope = sc,
        .arena = arena,
        .until_ms =
            runtime_now_ms(uv_runtime_port(dot->runtime)) + settings->figure_render_seconds * 1000,
    };
    code = picture_folder_create(&run.folder, err);
    if (!code)
        code = draw(&run, drawing, out, err);
    picture_folder_finish(&run.folder);
    return code;
}

static void destroy(struct renderer *r)
{
    free(r);
}

struct renderer *dot_renderer_create(struct uv_runtime *runtime, const struct settings *settings)
{
    static const struct renderer_ops ops = { .available = available,
                                             .render = render,
                                             .destroy = destroy };
    struct dot_renderer *dot = calloc(1, sizeof *dot);
    if (!dot)
        abort();
    dot->base.ops = &ops;
    dot->runtime = runtime;
    dot->settings = settings;
    return &dot->base;
}
