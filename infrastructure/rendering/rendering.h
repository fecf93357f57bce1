/* What draws: Graphviz, or a program of the settings (application/ports/renderer.h). */
#ifndef INFRASTRUCTURE_RENDERING_RENDERING_H
#define INFRASTRUCTURE_RENDERING_RENDERING_H

#include "application/ports/renderer.h"
#include "application/settings.h"

struct uv_runtime;

/* `dot` of PATH. Settings: figure.render_seconds, render_mb, max_picture_bytes. Nothing is started
 * before the first call. */
struct renderer *dot_renderer_create(struct uv_runtime *runtime, const struct settings *settings);

/* The program of figure.renderer, which must be set. It reads one JSON object on stdin: the
 * Visualizer's input {description_t, mode, round}, the typed graph or plot spec as "drawn", and
 * "dot" where there is one; and writes a PNG, SVG or PDF to stdout, or the stage's output
 * {"artifact":{"type":"code_text","value":…}}. */
struct renderer *command_renderer_create(struct uv_runtime *runtime,
                                         const struct settings *settings);

#endif
