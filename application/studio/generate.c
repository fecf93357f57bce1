#include "application/runs/kept_call.h"
#include "application/studio/studio.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* NULL where the text has no visible line. */
static const char *first_line(struct arena *arena, const char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strcspn(text, "\r\n");
    return length ? text_one_line(arena, text, length, IMAGE_MADE_MAX_COLUMNS) : NULL;
}

static const char *address_of(struct arena *arena, const json_t *block)
{
    const json_t *resource = json_object_get(block, "resource");
    const char *uri = json_get_string(resource ? resource : block, "uri");
    return uri ? first_line(arena, uri) : NULL;
}

/* Of base64 text: three bytes of four characters, without what fills the last group. */
static size_t decoded_bytes(const char *base64)
{
    size_t length = strlen(base64);
    while (length && base64[length - 1] == '=')
        length--;
    return length * 3 / 4;
}

static const char *size_of(struct arena *arena, const json_t *block)
{
    const char *data = json_get_string(block, "data"), *type = json_get_string(block, "mimeType");
    if (!data)
        return NULL;
    if (!type)
        type = "image";
    return arena_printf(arena, "%s %s bytes", text_one_line(arena, type, strlen(type), 80),
                        text_grouped(arena, decoded_bytes(data)));
}

/* The first block of which `say` has something to say. */
static const char *first_said(struct arena *arena, const json_t *content,
                              const char *(*say)(struct arena *arena, const json_t *block))
{
    const json_t *block;
    size_t i;
    json_array_foreach ((json_t *)(uintptr_t)content, i, block) {
        const char *said = say(arena, block);
        if (said)
            return said;
    }
    return NULL;
}

const char *image_made_text(struct arena *arena, const struct step_result *made)
{
    const char *said = first_line(arena, step_result_text(arena, made));
    if (!said)
        said = first_said(arena, step_result_content(made), address_of);
    if (!said)
        said = first_said(arena, step_result_content(made), size_of);
    return said ? said : "an image";
}

#define NO_IMAGE_TOOL                                                                              \
    "no tool is configured that makes images; name one with studio.image_tool: server/tool"
enum { TOOL_ERROR_COLUMNS = 300, ARGUMENT_NAME_COLUMNS = 60, ARGUMENT_NAMES_COLUMNS = 160 };

static const json_t *property_of(const struct tool *tool, const char *name)
{
    return json_object_get(json_object_get(tool->input_schema, "properties"), name);
}

/* A setting that is empty passes nothing; neither does one whose argument the tool has not. */
static bool takes(const struct tool *tool, const char *name)
{
    return *name && property_of(tool, name);
}

/* A tool that knows no -1 draws its own seed when it gets none. */
static bool takes_seed(const struct tool *tool, const char *name, int64_t seed)
{
    if (!takes(tool, name))
        return false;
    double low = json_get_number(property_of(tool, name), "minimum", IMAGE_SEED_RANDOM);
    return seed != IMAGE_SEED_RANDOM || low <= IMAGE_SEED_RANDOM;
}

/* "text, steps, seed", cut where it gets long. In the arena. */
static const char *argument_names(struct arena *arena, const json_t *properties)
{
    const char *names = "", *name;
    const json_t *property;
    json_each_member (properties, name, property)
        names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
                             text_one_line(arena, name, strlen(name), ARGUMENT_NAME_COLUMNS));
    return text_one_line(arena, names, strlen(names), ARGUMENT_NAMES_COLUMNS);
}

/* A tool that does not take the prompt would draw anything. One whose schema names no arguments
 * takes what it gets. */
static enum err_code check_prompt_argument(struct arena *arena, const struct settings *settings,
                                           const struct tool *tool, struct err *err)
{
    const char *name = settings->studio_prompt_argument;
    const json_t *properties = json_object_get(tool->input_schema, "properties");
    if (!*name || !json_object_size(properties) || json_object_get(properties, name))
        return ERR_NONE;
    err_set(err, ERR_INVALID, 0, "studio.prompt_argument: %.200s takes no argument \"%.60s\"",
            tool->full_name, name);
    return err_hint(err, ERR_INVALID, "it takes %s", argument_names(arena, properties));
}

/* In the arena. */
static const json_t *make_arguments(struct arena *arena, const struct settings *settings,
                                    const struct tool *tool, const struct image_prompt *image)
{
    json_t *arguments = arena_keep_json(arena, json_object());
    if (*settings->studio_prompt_argument)
        json_object_set_new(arguments, settings->studio_prompt_argument,
                            json_string(image->prompt));
    if (takes(tool, settings->studio_steps_argument))
        json_object_set_new(arguments, settings->studio_steps_argument,
                            json_integer((json_int_t)image->steps));
    if (takes(tool, settings->studio_cfg_argument))
        json_object_set_new(arguments, settings->studio_cfg_argument, json_real(image->cfg));
    if (takes_seed(tool, settings->studio_seed_argument, image->seed))
        json_object_set_new(arguments, settings->studio_seed_argument,
                            json_integer((json_int_t)image->seed));
    return arguments;
}

static enum err_code call(struct run_session *session, const struct tool *tool,
                          const json_t *arguments, struct step_result *out, struct err *err)
{
    struct invoke_outcome outcome = { 0 };
    struct arena *arena = session->arena;
    enum err_code r = kept_call(session, "image", tool, arguments, &outcome, err);
    if (r)
        return r;
    *out = outcome.result;
    if (!outcome.result.is_error)
        return ERR_NONE;
    const char *text = step_result_text(arena, &outcome.result);
    return err_set(err, ERR_FAILED, 0, "%.200s: %s", tool->full_name,
                   *text ? text_one_line(arena, text, strlen(text), TOOL_ERROR_COLUMNS)
                         : "the tool says that it failed");
}

enum err_code studio_generate(struct run_session *session, const struct image_prompt *image,
                              struct studio_result *out, struct err *err)
{
    struct arena *arena = session->arena;
    struct journal *journal = &session->journal;
    const struct settings *settings = session->services->settings;
    const struct tool *tool = NULL;
    struct step_result made = { 0 };
    if (!session->toolbox || !*settings->studio_image_tool) {
        out->not_generated = NO_IMAGE_TOOL;
        return ERR_NONE;
    }
    enum err_code r = toolbox_find(session->toolbox, &session->scope, settings->studio_image_tool,
                                   &tool, /* out_server */ NULL, err);
    if (r)
        return err_prefix(err, r, "studio.image_tool");
    r = check_prompt_argument(arena, settings, tool, err);
    if (r)
        return r;
    const json_t *arguments = make_arguments(arena, settings, tool, image);
    journal_emit(journal, EVENT_GENERATION_STARTED,
                 json_pack("{s:s, s:o}", "tool", tool->full_name, "args", json_share(arguments)));
    r = call(session, tool, arguments, &made, err);
    if (r)
        return r;
    out->image = image_made_text(arena, &made);
    journal_emit(journal, EVENT_IMAGE_READY,
                 json_pack("{s:s, s:s, s:o}", "tool", tool->full_name, "image", out->image,
                           "result", journal_result(journal, &made)));
    return ERR_NONE;
}
