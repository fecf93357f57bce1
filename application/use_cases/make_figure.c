#include "application/use_cases/make_figure.h"
#include "application/figure/references/reference_pool.h"
#include "application/figure/report/figure_files.h"
#include "application/runs/run_session.h"
#include "application/use_cases/figure_options.h"
#include "domain/base/text.h"
#include <string.h>

/* One figure on its way. */
struct making {
    const struct figure_request *request;
    struct reference_pool pool;
    struct figure_style style;
    struct artifact_folder *folder;
    struct figure_result result;
    const char *folder_path; /* of the files that were written; "" for none */
    const char *run_id;
};

static struct figure_input input_of(const struct making *making)
{
    const struct figure_request *request = making->request;
    return (struct figure_input){
        .source_context = request->source_context,
        .communicative_intent =
            request->communicative_intent ? request->communicative_intent : request->caption,
        .caption = request->caption,
        .mode = request->mode,
        .pool = making->pool.entries,
        .n_pool = making->pool.n,
    };
}

/* Model, tool, renderer and index are what the figure needs beside the request. */
static enum err_code draw(struct run_session *session, struct making *making, struct err *err)
{
    struct services *services = session->services;
    const struct settings *settings = services->settings;
    const struct figure_request *request = making->request;
    const struct figure_input input = input_of(making);
    struct run_model model;
    struct figure figure = {
        .session = session,
        .style = &making->style,
        .data = request->data,
        .max_rounds =
            request->max_rounds ? request->max_rounds : (unsigned)settings->figure_max_rounds,
        .refs = request->refs,
        .n_refs = request->n_refs,
        .folder = making->folder ? making->folder->path : "",
    };
    for (size_t i = 0; i < making->pool.n_warnings; i++)
        journal_warn(&session->journal, "references: %s", making->pool.warnings[i]);
    enum err_code r = run_session_model(session, &model, err);
    if (!r && model.engine.model) {
        figure.engine = &model.engine;
        figure.model = model.status.model ? model.status.model : settings->model_name;
        figure.can_see = model.status.sees;
    }
    if (!r && *settings->figure_image_tool)
        r = run_session_open_tools(session, NULL, err);
    if (!r)
        r = services_renderer(services, &figure.renderer, err);
    if (!r)
        r = services_new_index(services, &figure.index, err);
    if (!r)
        r = figure_run(&figure, &input, &making->result, err);
    tool_index_destroy(figure.index);
    return r;
}

/* Writes all files, or none of them. */
static enum err_code write_files(struct run_session *session, struct making *making,
                                 struct err *err)
{
    size_t n = 0;
    enum err_code r = ERR_NONE;
    if (!making->folder)
        return ERR_NONE;
    const char *path = arena_strdup(session->arena, making->folder->path);
    struct figure_file *files = figure_files(session->arena, &making->result, &making->style, &n);
    for (size_t i = 0; !r && i < n; i++)
        r = artifact_put(making->folder, &session->scope, files[i].name, files[i].bytes,
                         files[i].length, err);
    if (r)
        return r;
    r = artifact_folder_commit(steal(&making->folder), &session->scope, err);
    if (!r)
        making->folder_path = path;
    return r;
}

static enum err_code run(struct run_session *session, void *context, struct err *err)
{
    struct making *making = context;
    making->run_id = arena_strdup(session->arena, session->journal.run_id);
    enum err_code r = draw(session, making, err);
    if (!r)
        r = write_files(session, making, err);
    if (r)
        return r;
    session->status = figure_is_usable(&making->result) ? RUN_COMPLETED : RUN_FAILED;
    session->why = making->result.err;
    return ERR_NONE;
}

static enum err_code prepare(struct making *making, struct services *services, struct scope *scope,
                             struct arena *arena, struct err *err)
{
    const struct figure_request *request = making->request;
    enum err_code r = figure_request_check(services, request, err);
    if (!r)
        r = reference_pool_load(services->assets, arena, &making->pool, err);
    if (!r)
        r = figure_refs_check(arena, &making->pool, request, err);
    if (!r)
        r = figure_style_load(arena, services, request->style, &making->style, err);
    if (r || !request->out)
        return r;
    if (!services->artifacts)
        return err_set(err, ERR_INVALID, 0, "no files can be written here");
    const char *name = request->name ? request->name : figure_case_name(arena, request->caption);
    struct artifact_place place = { request->out, name, request->out_follows_no_links };
    return artifacts_open(services->artifacts, scope, &place, &making->folder, err);
}

enum err_code make_figure(struct services *services, struct scope *scope, struct arena *arena,
                          const struct figure_request *request, struct made_figure *out,
                          struct err *err)
{
    const struct run_options options = { .kind = "figure", .title = request->caption };
    struct making *making = arena_new(arena, struct making);
    *making = (struct making){ .request = request, .folder_path = "" };
    enum err_code r = prepare(making, services, scope, arena, err);
    if (!r)
        r = run_session_do(services, scope, arena, &options, run, making, err);
    artifact_folder_discard(making->folder);
    if (r)
        return r;
    *out = (struct made_figure){ making->result, making->folder_path, making->run_id };
    return ERR_NONE;
}
