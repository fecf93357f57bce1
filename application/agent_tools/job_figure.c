#include "application/agent_tools/job_arguments.h"
#include "application/agent_tools/job_requests.h"
#include "application/figure/report/figure_files.h"
#include "application/use_cases/make_figure.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* Who calls may be a model: a folder below the current one, and nowhere else. What a link on the
 * way leads to is seen only when the folder is opened (out_follows_no_links). */
static enum err_code check_folder(const char *path, struct err *err)
{
    bool climbs = text_equal(path, "..") || text_starts_with(path, "../") ||
                  text_ends_with(path, "/..") || strstr(path, "/../");
    if (path[0] != '/' && !climbs)
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "/out_dir: not below the current folder");
    return err_hint(err, r, "give a relative path without \"..\"");
}

static enum err_code read_request(const json_t *arguments, struct figure_request *out,
                                  struct err *err)
{
    enum err_code r = job_take_text(arguments, "source_context", &out->source_context, err);
    if (!r)
        r = job_take_text(arguments, "caption", &out->caption, err);
    if (!r)
        r = job_take_text(arguments, "communicative_intent", &out->communicative_intent, err);
    if (!r)
        r = job_take_text(arguments, "style", &out->style, err);
    if (!r)
        r = job_take_text(arguments, "out_dir", &out->out, err);
    if (!r && out->out)
        r = check_folder(out->out, err);
    out->out_follows_no_links = true;
    out->mode = FIGURE_MODE_DIAGRAM_IMAGE;
    out->max_rounds = (unsigned)json_get_int(arguments, "max_rounds", 0);
    return r;
}

static bool may_stand(const struct figure_result *result)
{
    return result->end != FIGURE_END_STAGE_FAILED && result->log.n_rounds;
}

static const char *text_of(struct arena *arena, const struct figure_result *result,
                           const char *folder)
{
    if (!may_stand(result))
        return arena_printf(arena, "no figure: %s", result->err.message);
    const struct figure_round *best = &result->log.rounds[result->best];
    return arena_printf(arena, "%s after %zu round%s%s%s%s\n%s", figure_end_name(result->end),
                        result->log.n_rounds, result->log.n_rounds == 1 ? "" : "s",
                        result->manual_review_required ? ", a person should look at it" : "",
                        *folder ? ", in " : "", folder, best->description_t);
}

enum err_code job_figure(struct services *services, struct scope *scope, struct arena *arena,
                         const json_t *arguments, struct step_result *out, struct err *err)
{
    struct figure_request request = { 0 };
    struct figure_result result = { 0 };
    const char *folder = "", *run_id = "";
    enum err_code r = read_request(arguments, &request, err);
    if (!r)
        r = make_figure(services, scope, arena, &request, &result, &folder, &run_id, err);
    if (r)
        return r;
    step_result_from_text(arena, text_of(arena, &result, folder),
                          figure_result_to_json(&result, run_id, folder), !may_stand(&result), out);
    return ERR_NONE;
}
