#include "application/use_cases/make_figure.h"
#include "application/figure/plot/plot.h"
#include "application/figure/references/reference_pool.h"
#include "application/figure/report/figure_files.h"
#include "application/runs/run_session.h"
#include "application/use_cases/figure_options.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* One figure on its way. */
struct making {
    struct figure_request request;
    const struct figure_folder *before; /* that is continued; or NULL */
    struct reference_pool pool;
    struct figure_style style;
    struct artifact_folder *folder;
    struct figure_result result;
    const char *folder_path; /* of the files that were written; "" for none */
};

static struct figure_input input_of(const struct making *making)
{
    const struct figure_request *request = &making->request;
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
    const struct figure_request *request = &making->request;
    const struct figure_input input = input_of(making);
    struct run_model model;
    struct figure figure = {
        .session = session,
        .style = &making->style,
        .page = figure_page_of(request->width, making->style.name),
        .data = request->data,
        .max_rounds =
            request->max_rounds ? request->max_rounds : (unsigned)settings->figure_max_rounds,
        .refs = request->refs,
        .n_refs = request->n_refs,
        .as_list = request->as_list,
        .wants_picture = request->wants_picture || request->out,
        .folder = making->folder ? making->folder->path : NULL,
        .feedback = request->feedback,
    };
    if (making->before) {
        figure.before = &making->before->result;
        figure.max_rounds += (unsigned)figure.before->log.n_rounds;
    }
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

/* As plot_table_from_text reads it again. */
static json_t *data_to_json(const struct plot_data *data)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < data->n_columns; i++)
        json_array_append_new(columns, json_string(data->columns[i].name));
    return json_pack("{s:o, s:O, s:o*}", "columns", columns, "rows", data->rows, "origin",
                     json_string(data->origin));
}

/* NULL: it is no table. */
static const struct plot_data *data_from_json(struct arena *arena, const json_t *value)
{
    struct plot_data *data = arena_new(arena, struct plot_data);
    const char *text = json_print_in(arena, value), *origin = json_get_string(value, "origin");
    struct err err;
    bool is_table = text && !plot_table_from_text(arena, text, strlen(text), SIZE_MAX,
                                                  origin ? origin : "the data", data, &err);
    return is_table ? data : NULL;
}

static json_t *request_to_json(const struct figure_request *request)
{
    json_t *refs = json_array();
    for (size_t i = 0; i < request->n_refs; i++)
        json_array_append_new(refs, json_string(request->refs[i]));
    return json_pack(
        "{s:s, s:s, s:s*, s:s, s:s*, s:o*, s:o, s:b, s:b, s:i, s:s*, s:b, s:s*, s:s*}",
        "source_context", request->source_context, "caption", request->caption, "intent",
        request->communicative_intent, "mode", figure_mode_name(request->mode), "style",
        request->style, "data", request->data ? data_to_json(request->data) : NULL, "refs", refs,
        "as_list", (int)request->as_list, "wants_picture", (int)request->wants_picture,
        "max_rounds", (int)request->max_rounds, "out", request->out, "follows_no_links",
        (int)request->out_follows_no_links, "name", request->name, "width", request->width);
}

/* Writes all files, or none of them; none where nothing was drawn. */
static enum err_code write_files(struct making *making, struct scope *scope, struct arena *arena,
                                 struct err *err)
{
    size_t n = 0;
    enum err_code r = ERR_NONE;
    if (!making->folder || !making->result.log.n_rounds)
        return ERR_NONE;
    const char *path = arena_strdup(arena, making->folder->path);
    struct figure_request asked = making->request;
    asked.out = asked.name = NULL; /* the folder may be moved */
    asked.style = making->style.name;
    const json_t *request = arena_keep_json(arena, request_to_json(&asked));
    struct figure_file *files =
        figure_files(arena, &making->result, &making->style, request, making->before, &n);
    for (size_t i = 0; !r && i < n; i++)
        r = artifact_put(making->folder, scope, files[i].name, files[i].bytes, files[i].length,
                         err);
    if (r)
        return r;
    r = artifact_folder_commit(steal(&making->folder), scope, err);
    if (!r)
        making->folder_path = path;
    return r;
}

static enum err_code run(struct run_session *session, void *context, struct err *err)
{
    struct making *making = context;
    enum err_code r = draw(session, making, err);
    if (!r)
        r = write_files(making, &session->scope, session->arena, err);
    if (r)
        return r;
    session->status = figure_is_usable(&making->result) ? RUN_COMPLETED : RUN_FAILED;
    session->why = making->result.err;
    return ERR_NONE;
}

static struct figure_request request_from_json(struct arena *arena, const json_t *value)
{
    const json_t *given = json_object_get(value, "refs");
    const char **refs = arena_array(arena, const char *, json_array_size(given) + 1);
    struct figure_request request = {
        .source_context = json_get_string(value, "source_context"),
        .caption = json_get_string(value, "caption"),
        .communicative_intent = json_get_string(value, "intent"),
        .style = json_get_string(value, "style"),
        .data = data_from_json(arena, json_object_get(value, "data")),
        .refs = refs,
        .n_refs = json_array_size(given),
        .as_list = json_get_bool(value, "as_list", false),
        .wants_picture = json_get_bool(value, "wants_picture", false),
        .max_rounds = (unsigned)json_get_int(value, "max_rounds", 0),
        .out = json_get_string(value, "out"),
        .out_follows_no_links = json_get_bool(value, "follows_no_links", false),
        .name = json_get_string(value, "name"),
        .width = json_get_string(value, "width"),
    };
    for (size_t i = 0; i < request.n_refs; i++)
        refs[i] = json_string_value(json_array_get(given, i));
    (void)figure_mode_parse(json_get_string(value, "mode"), &request.mode);
    return request;
}

/* "0 (drawn, 2 findings), 1 (drawn, approved, 0 findings)" */
static const char *rounds_in_words(struct arena *arena, const struct figure_round_log *log)
{
    const char *text = "";
    for (size_t i = 0; i < log->n_rounds; i++) {
        const struct figure_round *round = &log->rounds[i];
        bool is_approved = round->critique.reviewed && round->critique.stop_flag;
        text =
            arena_printf(arena, "%s%s%zu (%s%s, %zu finding%s)", text, i ? ", " : "", i,
                         round->rendered ? "drawn" : "not drawn", is_approved ? ", approved" : "",
                         round->n_findings, round->n_findings == 1 ? "" : "s");
    }
    return text;
}

/* Reads the figure that is there, which says all that the request does not. */
static enum err_code take_up(struct making *making, struct arena *arena, struct err *err)
{
    const struct figure_request given = making->request;
    struct figure_folder *before = arena_new(arena, struct figure_folder);
    const struct figure_round_log *log = &before->result.log;
    enum err_code r = figure_folder_read(arena, given.files, given.n_files, before, err);
    struct figure_request kept = request_from_json(arena, before->request);
    if (!r && !(kept.source_context && kept.caption && kept.style))
        r = err_set(err, ERR_INVALID, 0, "request.json: not as mistro writes it");
    else if (!r && !given.feedback && (given.round < 0 || given.round >= (int64_t)log->n_rounds))
        r = err_set(err, ERR_NOT_FOUND, 0, "no such round; there are: %s",
                    rounds_in_words(arena, log));
    else if (!r && given.feedback && log->n_rounds + FIGURE_MAX_ROUNDS > FIGURE_MAX_LOGGED_ROUNDS)
        r = err_set(err, ERR_INVALID, 0, "too many rounds to add more: %zu", log->n_rounds);
    if (r)
        return err_prefix(err, r, "%.200s/%.120s", given.out, given.name);
    kept.mode = log->mode;
    kept.max_rounds = given.max_rounds;
    kept.feedback = given.feedback;
    kept.out = given.out;
    kept.name = given.name;
    making->request = kept;
    making->before = before;
    before->result.input = input_of(making);
    making->result = before->result;
    if (!given.feedback)
        figure_show_round(arena, &making->result, (size_t)given.round, /* by_person= */ true);
    return ERR_NONE;
}

static enum err_code prepare(struct making *making, struct services *services, struct scope *scope,
                             struct arena *arena, struct err *err)
{
    const struct figure_request *request = &making->request;
    enum err_code r = request->files ? take_up(making, arena, err) : ERR_NONE;
    if (!r)
        r = figure_request_check(services, request, err);
    if (!r && !making->before)
        r = reference_pool_load(services->assets, arena, &making->pool, err);
    if (!r && !making->before)
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

struct figure_request figure_request_kept(struct arena *arena, const struct resumption *resumed)
{
    struct figure_request request = request_from_json(arena, resumed->job.request);
    request.resumed = resumed;
    return request;
}

enum err_code make_figure(struct services *services, struct scope *scope, struct arena *arena,
                          const struct figure_request *request, struct made_figure *out,
                          struct err *err)
{
    struct making *making = arena_new(arena, struct making);
    struct job job = { .kind = RUN_KIND_OF_FIGURES,
                       .asks_model = true,
                       .resumed = request->resumed,
                       .keeps_nothing = request->feedback != NULL,
                       .work = run,
                       .context = making,
                       .end = &out->end };
    *making = (struct making){ .request = *request, .folder_path = "" };
    *out = (struct made_figure){ .folder = "", .end.run_id = "" };
    enum err_code r = prepare(making, services, scope, arena, err);
    if (!r && request->files && !request->feedback) {
        r = write_files(making, scope, arena, err);
    } else if (!r) {
        if (!request->resumed && !request->feedback)
            job.request = request_to_json(request);
        r = job_do(services, scope, arena, &job, NULL, making->request.caption, err);
    }
    artifact_folder_discard(making->folder);
    if (r)
        return r;
    out->result = making->result;
    out->style = making->style;
    out->folder = making->folder_path;
    return ERR_NONE;
}
