/* figure.image_tool: an MCP tool that draws, or writes the script of a plot. */
#include "application/figure/stages/draw.h"
#include "application/runs/kept_call.h"
#include "application/tools/toolbox.h"
#include "domain/base/base64.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/picture_bytes.h"
#include <stdlib.h>
#include <string.h>

enum { TOOL_ERROR_COLUMNS = 300 };

static const enum picture_format formats[] = { [PICTURE_KIND_SVG] = PICTURE_SVG,
                                               [PICTURE_KIND_PNG] = PICTURE_PNG,
                                               [PICTURE_KIND_PDF] = PICTURE_PDF };

/* The bytes tell what kind of picture it is, not what the tool says. NULL, or why it is not one. */
static const char *take_bytes(struct stage_run *run, struct sketch *sketch, const char *bytes,
                              size_t length)
{
    struct arena *arena = run->work->arena;
    enum picture_kind kind = picture_kind_of(bytes, length);
    int64_t most = work_settings(run->work)->figure_max_picture_bytes;
    if ((int64_t)length > most)
        return arena_printf(arena, "the picture has more than %lld bytes", (long long)most);
    if (kind == PICTURE_KIND_NONE)
        return "what the tool gave is not an SVG, PNG or PDF";
    const char *fault = picture_fault(bytes, length);
    if (fault)
        return fault;
    sketch->picture.bytes[formats[kind]] = arena_strndup(arena, bytes, length);
    sketch->picture.lengths[formats[kind]] = length;
    sketch->picture.renderer = work_settings(run->work)->figure_image_tool;
    sketch_take_picture(run, sketch);
    return NULL;
}

static const char *take_block(struct stage_run *run, struct sketch *sketch, const json_t *block)
{
    const json_t *resource = json_object_get(block, "resource");
    const json_t *from = resource ? resource : block;
    const char *data = json_get_string(from, resource ? "blob" : "data");
    const char *text = json_get_string(from, "text");
    if (text)
        return take_bytes(run, sketch, text, strlen(text));
    size_t length = 0;
    auto_str bytes = data ? base64_decode(data, &length) : NULL;
    return bytes ? take_bytes(run, sketch, bytes, length) : "the tool gave no picture";
}

static void take_picture(struct stage_run *run, struct sketch *sketch,
                         const struct step_result *result)
{
    const json_t *content = step_result_content(result);
    const char *problem = "the tool gave no picture";
    for (size_t i = 0; problem && i < json_array_size(content); i++)
        problem = take_block(run, sketch, json_array_get(content, i));
    if (problem)
        sketch_in_words(run, sketch, problem, run->work->description);
}

static void take_code(struct stage_run *run, struct sketch *sketch,
                      const struct step_result *result)
{
    const char *text = step_result_text(run->work->arena, result), *why = NULL;
    if (!sketch_take_code(run, sketch, text, "the tool", &why))
        sketch_in_words(run, sketch, why, run->work->description);
}

static enum err_code call(struct stage_run *run, struct scope *scope, struct step_result *out,
                          struct err *err)
{
    struct figure *figure = run->work->figure;
    const struct tool *tool = NULL;
    struct invoke_outcome outcome = { 0 };
    json_t *arguments = arena_keep_json(run->work->arena, json_object());
    json_object_set_new(arguments, work_settings(run->work)->figure_image_argument,
                        json_string(run->work->description));
    enum err_code r = toolbox_find(figure->session->toolbox, scope,
                                   figure->session->services->settings->figure_image_tool, &tool,
                                   NULL /* server */, err);
    if (r)
        return err_prefix(err, r, "figure.image_tool");
    r = kept_call(figure->session, arena_printf(run->work->arena, "round%u", run->record.round),
                  tool, arguments, &outcome, err);
    *out = outcome.result;
    return r;
}

/* A tool that fails costs the picture. A wrong name or argument, a refusal and an end of the scope
 * are errors of the figure, at once and not after all rounds. */
enum err_code draw_with_tool(struct stage_run *run, struct scope *scope, struct sketch *out,
                             struct err *err)
{
    struct step_result result = { 0 };
    struct sketch sketch = { 0 };
    enum err_code r = call(run, scope, &result, err);
    bool is_ours = r == ERR_CANCELLED || r == ERR_NOT_FOUND || r == ERR_INVALID || r == ERR_DENIED;
    if (r && (is_ours || run_session_check(run->work->figure->session, NULL)))
        return r;
    run->record.model = r ? NULL : work_settings(run->work)->figure_image_tool;
    const char *said = r ? err->message : "";
    if (!r && result.is_error)
        said = step_result_text(run->work->arena, &result);
    if (r || result.is_error)
        sketch_in_words(run, &sketch,
                        text_one_line(run->work->arena, said, strlen(said), TOOL_ERROR_COLUMNS),
                        run->work->description);
    else if (run->work->input->mode == FIGURE_MODE_PLOT_CODE)
        take_code(run, &sketch, &result);
    else
        take_picture(run, &sketch, &result);
    *out = sketch;
    return ERR_NONE;
}
