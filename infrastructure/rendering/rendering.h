/* What draws: Graphviz, or a program of the settings (application/ports/renderer.h). */
#ifndef INFRASTRUCTURE_RENDERING_RENDERING_H
#define INFRASTRUCTURE_RENDERING_RENDERING_H

#include "application/ports/renderer.h"
#include "application/settings.h"

struct uv_runtime;

/* `dot` of PATH for graphs, and for the script of a plot a `python3` of PATH that has matplotlib.
 * Settings: figure.render_seconds, render_mb, max_picture_bytes. Nothing is started before the
 * first call. */
struct renderer *dot_renderer_create(struct uv_runtime *runtime, const struct settings *settings);

/* The script, which must be mistro's own, as SVG, PNG and PDF. ERR_NOT_FOUND: there is no
 * matplotlib, with Debian's package in the hint. */
awaits MUST_CHECK enum err_code matplotlib_draw(struct uv_runtime *runtime,
                                                const struct settings *settings,
                                                struct scope *scope, const char *script,
                                                struct arena *arena, struct picture *out,
                                                struct err *err);

/* The program of figure.renderer, which must be set. It reads one JSON object on stdin: the
 * Visualizer's input {description_t, mode, round}, the typed graph or plot spec as "drawn", and
 * "dot" where there is one; and writes a PNG, SVG or PDF to stdout, or the stage's output
 * {"artifact":{"type":"code_text","value":…}}. */
struct renderer *command_renderer_create(struct uv_runtime *runtime,
                                         const struct settings *settings);

#endif
