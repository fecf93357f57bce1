/* The program is run once for each drawing, with a request on its stdin; what it writes is told by
 * its bytes: a picture, or an artifact of code. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_stage.h"
#include "domain/figure/picture_bytes.h"
#include "infrastructure/models/launch/launch_command.h"
#include "infrastructure/rendering/rendering.h"
#include "infrastructure/runtime/bounded_child.h"
#include <stdlib.h>
#include <string.h>

struct command_renderer {
    struct renderer base;
    struct uv_runtime *runtime;
    const struct settings *settings;
};

/* Only a run shows whether the program works: it may be a script that needs more than itself. */
static enum err_code available(struct renderer *r, struct scope *sc, struct err *err)
{
    (void)r, (void)sc, (void)err;
    return ERR_NONE;
}

static char *print_request(const struct drawing *drawing)
{
    json_auto_t *request = json_object();
    const char *key;
    const json_t *member;
    json_each_member (drawing->input, key, member) {
        json_object_set_new(request, key, json_share(member));
    }
    if (drawing->drawn)
        json_object_set_new(request, "drawn", json_share(drawing->drawn));
    if (drawing->dot)
        json_object_set_new(request, "dot", json_string(drawing->dot));
    return json_print(request);
}

static enum err_code take_picture(enum picture_kind kind, const struct buf *output,
                                  struct arena *arena, struct picture *out, struct err *err)
{
    static const enum picture_format formats[] = { [PICTURE_KIND_SVG] = PICTURE_SVG,
                                                   [PICTURE_KIND_PNG] = PICTURE_PNG,
                                                   [PICTURE_KIND_PDF] = PICTURE_PDF };
    const char *fault = picture_fault(output->bytes, output->length);
    if (fault)
        return err_set(err, ERR_PROTOCOL, 0, "it wrote %s", fault);
    out->bytes[formats[kind]] = arena_strndup(arena, output->bytes, output->length);
    out->lengths[formats[kind]] = output->length;
    return ERR_NONE;
}

/* {"artifact":{"type":"code_text","value":…}}, as the Visualizer answers. */
static enum err_code take_code(const struct buf *output, struct arena *arena, struct picture *out,
                               struct err *err)
{
    json_t *value = NULL;
    enum err_code r = json_parse(buf_string(output), output->length, JSON_FOREIGN, &value, NULL);
    const json_t *artifact = json_object_get(arena_keep_json(arena, value), "artifact");
    const char *type = json_get_string(artifact, "type");
    const char *code = json_get_string(artifact, "value");
    if (r || !text_equal(type, figure_artifact_name(FIGURE_ARTIFACT_CODE_TEXT)) || !code || !*code)
        return err_hint(err,
                        err_set(err, ERR_PROTOCOL, 0,
                                "it wrote neither a picture nor an artifact of type code_text"),
                        "it is to write a PNG, SVG or PDF to its stdout, and nothing else");
    if (strlen(code) > FIGURE_MAX_TEXT_BYTES)
        return err_set(err, ERR_LIMIT, 0, "its code is longer than %d bytes",
                       FIGURE_MAX_TEXT_BYTES);
    out->code = code;
    return ERR_NONE;
}

/* No limit of memory: runtimes of languages reserve more than they use, and a person chose it. */
awaits static enum err_code render(struct renderer *r, struct scope *sc,
                                   const struct drawing *drawing, struct arena *arena,
                                   struct picture *out, struct err *err)
{
    const struct command_renderer *command = (struct command_renderer *)r;
    const struct settings *settings = command->settings;
    const char *name = launch_command_program(&settings->renderer);
    struct picture picture = { .renderer = text_one_line(arena, name, strlen(name), 80) };
    AUTO(buf) output = { 0 };
    if (!drawing->dot && !drawing->input && !drawing->drawn)
        return err_set(err, ERR_INVALID, 0, "there is nothing to draw");
    auto_str request = print_request(drawing);
    buf_init(&output, (size_t)settings->figure_max_picture_bytes);
    struct bounded_child child = {
        .command = settings->renderer.words[0],
        .arguments = settings->renderer.words + 1,
        .input = request,
        .milliseconds = settings->figure_render_seconds * 1000,
        .output = &output,
    };
    enum err_code code = bounded_child_run(command->runtime, sc, &child, err);
    if (!code) {
        enum picture_kind kind = picture_kind_of(buf_string(&output), output.length);
        code = kind == PICTURE_KIND_NONE ? take_code(&output, arena, &picture, err)
                                         : take_picture(kind, &output, arena, &picture, err);
    }
    if (!code) {
        *out = picture;
        return ERR_NONE;
    }
    err_prefix(err, code, "figure.renderer %s", picture.renderer);
    if (code == ERR_TIMEOUT)
        err_hint(err, code, "raise figure.render_seconds");
    if (code == ERR_LIMIT)
        err_hint(err, code, "raise figure.max_picture_bytes");
    return code;
}

static void destroy(struct renderer *r)
{
    free(r);
}

struct renderer *command_renderer_create(struct uv_runtime *runtime,
                                         const struct settings *settings)
{
    static const struct renderer_ops ops = { .available = available,
                                             .render = render,
                                             .destroy = destroy };
    struct command_renderer *command = calloc(1, sizeof *command);
    if (!command)
        abort();
    command->base = (struct renderer){ .ops = &ops, .takes_plots = true };
    command->runtime = runtime;
    command->settings = settings;
    return &command->base;
}
