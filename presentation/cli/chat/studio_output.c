#include "presentation/cli/chat/studio_output.h"
#include "domain/base/err_json.h"
#include "domain/base/json.h"
#include "presentation/cli/output.h"
#include <string.h>

#define STUDIO_OUTPUT_VERSION 1

static const char *status_name(enum studio_end end)
{
    static const char *const names[] = {
        [STUDIO_ANSWERED] = "completed", [STUDIO_RESET] = "reset", [STUDIO_FAILED] = "failed"
    };
    return names[end];
}

static const char *status_of(const struct studio_result *result)
{
    bool fails = result->end == STUDIO_ANSWERED && result->not_saved.code;
    return status_name(fails ? STUDIO_FAILED : result->end);
}

/* The same members in every object, so that a script needs no `if`. */
static json_t *object_of(const char *session_id, const struct studio_result *result)
{
    const struct image_prompt *image = &result->state.image;
    json_t *value = json_pack(
        "{s:i, s:s?, s:s, s:s, s:s, s:b, s:{s:I, s:f, s:I}, s:s?, s:s?, s:s?}", "version",
        STUDIO_OUTPUT_VERSION, "session_id", session_id, "status", status_of(result), "text",
        result->text ? result->text : "", "prompt", image->prompt, "generate_image",
        (int)image->generate_image, "settings", "steps", (json_int_t)image->steps, "cfg",
        image->cfg, "seed", (json_int_t)image->seed, "adjusted", result->adjusted, "image",
        result->image, "not_generated", result->not_generated);
    const struct err *why = result->err.code ? &result->err : &result->not_saved;
    bool saved = result->end != STUDIO_FAILED && !result->not_saved.code;
    json_object_set_new(value, "saved", session_id ? json_boolean(saved) : json_null());
    json_object_set_new(value, "error", why->code ? err_to_json(why) : json_null());
    return value;
}

static int exit_status(const struct studio_result *result)
{
    if (result->err.code)
        return err_exit_status(result->err.code);
    if (result->not_saved.code)
        return err_exit_status(result->not_saved.code);
    return result->end == STUDIO_ANSWERED ? 0 : err_exit_status(ERR_FAILED);
}

static enum err_code print_text(struct cli *cli, const struct studio_result *result,
                                bool already_shown, struct err *err)
{
    const char *text = result->text;
    return text && *text && !already_shown ? output_result_text(cli, text, err) : ERR_NONE;
}

static int print_turn(struct studio_view *view, struct cli *cli, const char *session_id,
                      const struct studio_result *result, bool already_shown)
{
    struct err err;
    int status = exit_status(result);
    if (cli->args->json)
        return output_result_json(cli, object_of(session_id, result), status);
    if (result->end != STUDIO_FAILED && print_text(cli, result, already_shown, &err))
        return output_error(cli, &err);
    studio_view_end_turn(view, result);
    if (result->err.code && result->end != STUDIO_RESET) /* whose sentence says it all (S4-40) */
        (void)output_error(cli, &result->err);
    return status;
}

int studio_output(struct studio_view *view, struct cli *cli, const char *session_id,
                  const struct studio_result *result, bool already_shown)
{
    int status = print_turn(view, cli, session_id, result, already_shown);
    if (result->not_saved.code)
        (void)output_error_text(cli, &result->not_saved);
    return status;
}

void studio_output_state(struct studio_view *view, struct cli *cli, const char *session_id,
                         const struct studio_state *state)
{
    const struct studio_result result = { .state = *state };
    studio_view_set(view, &state->image, true);
    if (cli->args->json)
        (void)output_result_json(cli, object_of(session_id, &result), 0);
}
