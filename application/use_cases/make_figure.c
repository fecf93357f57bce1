#include "application/use_cases/make_figure.h"
#include "application/figure/references/reference_pool.h"
#include "application/figure/report/figure_files.h"
#include "application/orchestrators/turn_result.h"
#include "application/structured/model_call.h"
#include "application/use_cases/figure_options.h"
#include "application/use_cases/runs/job.h"
#include "domain/base/text.h"
#include <string.h>

#define RUN_KIND "figure"

/* What one figure needs besides the job. */
struct making {
    struct services *services;
    const struct figure_request *request;
    struct arena *arena;
    struct job job;
    struct reference_pool pool;
    struct figure_style style;
    struct engine engine;
    struct figure figure;
    struct figure_input input;
    struct artifact_folder *folder;
};

static enum err_code find_model(struct making *making, struct err *err)
{
    struct services *services = making->services;
    enum model_choice choice = MODEL_CHOICE_NAMED;
    struct model_status status = { 0 };
    struct model *model = NULL;
    enum err_code r = services_model(services, &making->job.scope, &model, &choice, err);
    if (!r && model)
        r = model_check(model, &making->job.scope, making->arena, &status, err);
    if (r || !model)
        return model_failure(r, err);
    making->engine = (struct engine){ .model = model,
                                      .runtime = services->runtime,
                                      .settings = services->settings,
                                      .journal = &making->job.journal };
    making->figure.engine = &making->engine;
    making->figure.model = status.model ? status.model : services->settings->model_name;
    making->figure.can_see = status.sees;
    return ERR_NONE;
}

static enum err_code open_tools(struct making *making, struct err *err)
{
    if (!*making->services->settings->figure_image_tool)
        return ERR_NONE;
    enum err_code r = job_open_tools(&making->job, NULL, err);
    if (r)
        return r;
    making->figure.toolbox = making->job.toolbox;
    making->figure.invoker = &making->job.invoker;
    return ERR_NONE;
}

static void prepare_input(struct making *making)
{
    const struct figure_request *request = making->request;
    making->input = (struct figure_input){
        .source_context = request->source_context,
        .communicative_intent =
            request->communicative_intent ? request->communicative_intent : request->caption,
        .caption = request->caption,
        .mode = request->mode,
        .pool = making->pool.entries,
        .n_pool = making->pool.n,
    };
}

static void prepare_figure(struct making *making)
{
    struct services *services = making->services;
    const struct figure_request *request = making->request;
    unsigned rounds =
        request->max_rounds ? request->max_rounds : (unsigned)services->settings->figure_max_rounds;
    making->figure = (struct figure){
        .runtime = services->runtime,
        .journal = &making->job.journal,
        .assets = services->assets,
        .settings = services->settings,
        .style = &making->style,
        .data = request->data,
        .max_rounds = rounds,
        .refs = request->refs,
        .n_refs = request->n_refs,
        .folder = making->folder ? making->folder->path : "",
    };
    for (size_t i = 0; i < making->pool.n_warnings; i++)
        journal_warn(&making->job.journal, "references: %s", making->pool.warnings[i]);
    prepare_input(making);
}

static enum err_code run(struct making *making, struct figure_result *out, struct err *err)
{
    struct figure *figure = &making->figure;
    prepare_figure(making);
    enum err_code r = find_model(making, err);
    if (!r)
        r = open_tools(making, err);
    if (!r)
        r = services_renderer(making->services, &figure->renderer, err);
    if (!r)
        r = services_new_index(making->services, &figure->index, err);
    if (!r)
        r = figure_run(figure, &making->job.scope, making->arena, &making->input, out, err);
    tool_index_destroy(figure->index);
    return r;
}

/* Writes all files, or none of them. */
static enum err_code write_files(struct making *making, const struct figure_result *result,
                                 const char **out_folder, struct err *err)
{
    size_t n = 0;
    enum err_code r = ERR_NONE;
    *out_folder = "";
    if (!making->folder)
        return ERR_NONE;
    const char *path = arena_strdup(making->arena, making->folder->path);
    struct figure_file *files = figure_files(making->arena, result, &making->style, &n);
    for (size_t i = 0; !r && i < n; i++)
        r = artifact_put(making->folder, &making->job.scope, files[i].name, files[i].bytes,
                         files[i].length, err);
    if (r)
        return r;
    r = artifact_folder_commit(steal(&making->folder), &making->job.scope, err);
    if (!r)
        *out_folder = path;
    return r;
}

static enum run_status status_of(const struct figure_result *result)
{
    return figure_is_usable(result) ? RUN_COMPLETED : RUN_FAILED;
}

static enum err_code run_job(struct making *making, struct figure_result *out,
                             const char **out_folder, const char **out_run_id, struct err *err)
{
    struct job *job = &making->job;
    struct figure_result result = { 0 };
    struct err why = { 0 };
    enum err_code r = job_begin(job, making->services, making->job.scope.parent, making->arena,
                                RUN_KIND, NULL, making->request->caption, err);
    if (r)
        return r;
    r = run(making, &result, &why);
    if (!r)
        r = write_files(making, &result, out_folder, &why);
    r = job_code(job, r, &why);
    *out_run_id = arena_strdup(making->arena, job->journal.run_id);
    job_end(job, r ? run_status_of(r) : status_of(&result), r ? &why : &result.err);
    if (!r)
        *out = result;
    else if (err)
        *err = why;
    return r;
}

static enum err_code prepare(struct making *making, struct scope *scope, struct err *err)
{
    struct services *services = making->services;
    const struct figure_request *request = making->request;
    enum err_code r = figure_request_check(making->arena, services, request, err);
    if (!r)
        r = reference_pool_load(services->assets, making->arena, &making->pool, err);
    if (!r)
        r = figure_refs_check(making->arena, &making->pool, request, err);
    if (!r)
        r = figure_style_load(making->arena, services, request->style, &making->style, err);
    if (r || !request->out)
        return r;
    if (!services->artifacts)
        return err_set(err, ERR_INVALID, 0, "no files can be written here");
    const char *name =
        request->name ? request->name : figure_case_name(making->arena, request->caption);
    struct artifact_place place = { request->out, name, request->out_follows_no_links };
    return artifacts_open(services->artifacts, scope, &place, &making->folder, err);
}

enum err_code make_figure(struct services *services, struct scope *scope, struct arena *arena,
                          const struct figure_request *request, struct figure_result *out,
                          const char **out_folder, const char **out_run_id, struct err *err)
{
    struct making *making = arena_new(arena, struct making);
    *making = (struct making){ .services = services, .request = request, .arena = arena };
    making->job.scope.parent = scope;
    enum err_code r = prepare(making, scope, err);
    if (!r)
        r = run_job(making, out, out_folder, out_run_id, err);
    artifact_folder_discard(making->folder);
    return r;
}
