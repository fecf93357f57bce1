/* The tools `consensus` and `figure`. Without agreement, or without a figure that may stand, the
 * result is the tool's own failure; its text says how far it came. */
#include "application/agent_tools/agent_tools_internal.h"
#include "application/figure/report/figure_files.h"
#include "application/use_cases/make_figure.h"
#include "application/use_cases/reach_consensus.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define MAX_CANDIDATE_BYTES 2000 /* of what an agent stood for, in the text of a result */

enum err_code job_take_text(const json_t *arguments, const char *key, const char **out,
                            struct err *err)
{
    const json_t *value = json_object_get(arguments, key);
    if (json_string_has_nul(value))
        return err_set(err, ERR_INVALID, 0, "/%s: U+0000 is not allowed", key);
    *out = json_string_value(value);
    return ERR_NONE;
}

/* The name of a model, which comes from a model or another host: never a file ("script:FILE"). */
static enum err_code take_model(const json_t *arguments, const char *key, const char **out,
                                struct err *err)
{
    enum err_code r = job_take_text(arguments, key, out, err);
    if (!r && *out && text_starts_with(*out, "script:"))
        r = err_set(err, ERR_INVALID, 0, "/%s: the name of a model is expected", key);
    return r;
}

static enum err_code read_consensus(const json_t *arguments, struct consensus_request *out,
                                    struct err *err)
{
    enum err_code r = job_take_text(arguments, "task", &out->task, err);
    if (!r)
        r = job_take_text(arguments, "role_set", &out->role_set, err);
    if (!r)
        r = take_model(arguments, "model_a", &out->models[0], err);
    if (!r)
        r = take_model(arguments, "model_b", &out->models[1], err);
    out->examples = json_object_get(arguments, "examples");
    return r;
}

static const char *candidate_text(struct arena *arena, const struct standing *candidate)
{
    if (!candidate->exists)
        return "no answer that counts";
    size_t length = strlen(candidate->text);
    size_t shown = text_cut(candidate->text, length, MAX_CANDIDATE_BYTES);
    return arena_printf(arena, "%.*s%s", (int)shown, candidate->text, shown < length ? " …" : "");
}

static const char *consensus_text(struct arena *arena, const struct consensus_result *result,
                                  enum canonical_kind kind)
{
    if (result->end == CONSENSUS_CONSENSUS)
        return consensus_answer(result, kind);
    const char *why = result->err.code ? result->err.message : consensus_end_name(result->end);
    return arena_printf(arena, "no consensus after %u round%s (%s)\nagent a: %s\nagent b: %s",
                        result->rounds, result->rounds == 1 ? "" : "s", why,
                        candidate_text(arena, &result->candidates[0]),
                        candidate_text(arena, &result->candidates[1]));
}

enum err_code job_consensus(struct services *services, struct scope *scope, struct arena *arena,
                            const json_t *arguments, struct step_result *out, struct err *err)
{
    struct consensus_request request = { 0 };
    struct reached_consensus reached;
    enum err_code r = read_consensus(arguments, &request, err);
    if (!r)
        r = reach_consensus(services, scope, arena, &request, &reached, err);
    if (r)
        return r;
    step_result_from_text(arena, consensus_text(arena, &reached.result, reached.kind),
                          consensus_result_to_json(&reached.result, reached.run_id, reached.kind),
                          reached.result.end != CONSENSUS_CONSENSUS, out);
    return ERR_NONE;
}

/* The caller may be a model, so files go to a folder below the current one and nowhere else. Where
 * a link on the way leads is seen only when the folder is opened (out_follows_no_links). */
static enum err_code check_folder(const char *path, struct err *err)
{
    bool climbs = text_equal(path, "..") || text_starts_with(path, "../") ||
                  text_ends_with(path, "/..") || strstr(path, "/../");
    if (path[0] != '/' && !climbs)
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "/out_dir: not below the current folder");
    return err_hint(err, r, "give a relative path without \"..\"");
}

static enum err_code read_figure(const json_t *arguments, struct figure_request *out,
                                 struct err *err)
{
    const struct {
        const char *key, **text;
    } texts[] = { { "source_context", &out->source_context },
                  { "caption", &out->caption },
                  { "communicative_intent", &out->communicative_intent },
                  { "style", &out->style },
                  { "width", &out->width },
                  { "out_dir", &out->out } };
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < ARRAY_LENGTH(texts); i++)
        r = job_take_text(arguments, texts[i].key, texts[i].text, err);
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

static const char *figure_text(struct arena *arena, const struct figure_result *result,
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
    struct made_figure made;
    enum err_code r = read_figure(arguments, &request, err);
    if (!r)
        r = make_figure(services, scope, arena, &request, &made, err);
    if (r)
        return r;
    step_result_from_text(arena, figure_text(arena, &made.result, made.folder),
                          figure_result_to_json(&made.result, made.end.run_id, made.folder),
                          !may_stand(&made.result), out);
    return ERR_NONE;
}
