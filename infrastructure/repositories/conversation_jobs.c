#include "infrastructure/repositories/conversation_jobs.h"
#include "domain/base/json.h"
#include "infrastructure/runtime/worker.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct conversation_jobs {
    struct conversation_repository base;
    struct conversation_store *store;
    struct worker *worker;
    bool owns_worker;
};

/* One operation; lies in the frame of the task that waits for it. */
struct conversation_job {
    struct conversation_store *store;
    const char *id;
    struct buf text; /* in */
    int64_t loaded_version_ms;
    size_t n;                  /* messages to be loaded */
    struct stored_text loaded; /* out */
    struct arena arena;        /* of the job alone */
    struct conversation_summary *list;
    size_t n_list;
};

static void conversation_job_finish(struct conversation_job *job)
{
    buf_finish(&job->text);
    stored_text_finish(&job->loaded);
    arena_finish(&job->arena);
}

static struct conversation_jobs *jobs_of(struct conversation_repository *r)
{
    return (struct conversation_jobs *)r;
}

static struct conversation_job job_of(struct conversation_repository *r, const char *id)
{
    struct conversation_job job = { .store = jobs_of(r)->store, .id = id };
    buf_init(&job.text, job.store->max_bytes);
    stored_text_init(&job.loaded, job.store->max_bytes);
    return job;
}

static enum err_code check_id(const char *id, struct err *err)
{
    if (conversation_id_is_valid(id))
        return ERR_NONE;
    err_set(err, ERR_INVALID, 0, "not a valid conversation id: \"%.80s\"", id ? id : "");
    return err_hint(err, ERR_INVALID, "use 1 to %d letters, digits, \"-\" and \"_\"",
                    CONVERSATION_ID_MAX);
}

void stored_text_init(struct stored_text *stored, size_t max_bytes)
{
    buf_init(&stored->text, max_bytes);
    buf_init(&stored->lines, CONVERSATION_LINES_MAX(max_bytes));
}

void stored_text_finish(struct stored_text *stored)
{
    buf_finish(&stored->text);
    buf_finish(&stored->lines);
}

enum err_code conversation_is_too_large(const char *id, size_t bytes, size_t max_bytes,
                                        struct err *err)
{
    err_set(err, ERR_LIMIT, 0, "conversation %s has %zu bytes, more than %zu", id, bytes,
            max_bytes);
    return err_hint(err, ERR_LIMIT,
                    "begin a new one, or raise storage.max_conversation_bytes in the settings");
}

static enum err_code print_into(const char *id, const char *text, struct buf *out, struct err *err)
{
    if (buf_puts(out, text) && buf_puts(out, "\n"))
        return ERR_NONE;
    return conversation_is_too_large(id, strlen(text) + 1, out->max_bytes, err);
}

enum err_code conversation_print(const struct conversation *conversation, struct buf *out,
                                 struct err *err)
{
    json_auto_t *value = conversation_to_json(conversation);
    auto_str text = json_print_pretty(value);
    return print_into(conversation->id, text, out, err);
}

enum err_code conversation_print_end(const struct conversation *conversation, size_t from,
                                     struct buf *out, struct err *err)
{
    json_auto_t *value = conversation_end_to_json(conversation, from);
    auto_str text = json_print(value);
    return print_into(conversation->id, text, out, err);
}

enum err_code conversation_parse(struct arena *arena, const char *text, size_t length,
                                 struct conversation **out, struct err *err)
{
    json_t *value;
    enum err_code r = json_parse(text, length, JSON_OURS, &value, err);
    if (r)
        return r == ERR_LIMIT ? err_set(err, ERR_INVALID, 0, "nested too deeply") : r;
    return conversation_from_json(arena, arena_keep_json(arena, value), out, err);
}

static enum err_code join_line(struct arena *arena, const char *line, size_t length,
                               struct conversation **whole, struct err *err)
{
    struct conversation *part;
    enum err_code r = conversation_parse(arena, line, length, &part, err);
    if (r)
        return r;
    if (!*whole)
        *whole = part;
    else if (part->updated_at_ms > (*whole)->updated_at_ms &&
             !conversation_join(arena, *whole, part))
        return err_set(err, ERR_INVALID, 0, "it does not follow what is before it");
    return ERR_NONE;
}

enum err_code conversation_parse_stored(struct arena *arena, const struct stored_text *stored,
                                        struct conversation **out, struct err *err)
{
    struct conversation *whole = NULL;
    const char *at = buf_string(&stored->lines), *end = at + stored->lines.length;
    enum err_code r = ERR_NONE;
    if (stored->text.length || !stored->lines.length)
        r = conversation_parse(arena, buf_string(&stored->text), stored->text.length, &whole, err);
    for (size_t number = 1; !r && at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        r = join_line(arena, at, length, &whole, err);
        if (r)
            err_prefix(err, r, "line %zu of what was added", number);
        at += length + 1;
    }
    assert(r || whole);
    if (!r)
        *out = whole;
    return r;
}

enum err_code conversation_check_version(const char *id, int64_t stored_version_ms,
                                         int64_t loaded_version_ms, struct err *err)
{
    const char *what = "was changed meanwhile";
    if (stored_version_ms < 0 && !loaded_version_ms)
        return ERR_NONE;
    if (stored_version_ms >= 0 && stored_version_ms == loaded_version_ms)
        return ERR_NONE;
    if (stored_version_ms < 0)
        what = "was removed meanwhile";
    else if (!loaded_version_ms)
        what = "exists already";
    err_set(err, ERR_MISMATCH, 0, "conversation %s %s", id, what);
    return err_hint(err, ERR_MISMATCH, "load it again");
}

struct conversation_summary conversation_summarise(struct arena *arena,
                                                   const struct conversation *conversation)
{
    return (struct conversation_summary){
        .id = arena_strdup(arena, conversation->id),
        .label = conversation_label(arena, conversation),
        .created_at_ms = conversation->created_at_ms,
        .updated_at_ms = conversation->updated_at_ms,
        .n_messages = conversation->n_messages,
        .kind = conversation_kind(conversation),
        .last_request = conversation_last_request(arena, conversation),
        .folder = arena_strdup(arena, conversation_folder(conversation))
    };
}

enum err_code conversation_parse_column(struct arena *arena, const char *text, json_t **out,
                                        struct err *err)
{
    *out = NULL;
    if (!text)
        return ERR_NONE;
    enum err_code r = json_parse(text, strlen(text), JSON_OURS, out, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "damaged row");
    arena_keep_json(arena, *out);
    return ERR_NONE;
}

struct conversation_summary conversation_summarise_row(struct arena *arena,
                                                       const struct conversation_row *row,
                                                       const char *place)
{
    AUTO(arena) scratch = { 0 }; /* a context may be large */
    struct message said[] = {
        { .role = MESSAGE_USER, .content = row->first_request },
        { .role = MESSAGE_USER, .content = row->last_request },
    };
    struct err why = { 0 };
    struct conversation c = { .id = row->id,
                              .title = row->title,
                              .created_at_ms = row->created_at_ms,
                              .updated_at_ms = row->updated_at_ms,
                              .messages = said,
                              .n_messages = row->first_request ? 2 : 0 };
    enum err_code r = conversation_parse_column(&scratch, row->context, &c.context, &why);
    struct conversation_summary summary = conversation_summarise(arena, &c);
    summary.n_messages = row->n_messages;
    if (r) {
        summary.kind = NULL;
        summary.damage = arena_printf(arena, "%s: %s", place, why.message);
    }
    return summary;
}

static enum err_code save_job(void *argument, struct err *err)
{
    struct conversation_job *job = argument;
    return job->store->ops->save(job->store, job->id, job->text.bytes, job->text.length,
                                 job->loaded_version_ms, err);
}

static enum err_code jobs_save(struct conversation_repository *r, struct scope *sc,
                               const struct conversation *c, int64_t loaded_version_ms,
                               struct err *err)
{
    AUTO(conversation_job) job = job_of(r, c->id);
    job.loaded_version_ms = loaded_version_ms;
    enum err_code code = check_id(c->id, err);
    if (!code)
        code = conversation_print(c, &job.text, err);
    return code ? code : worker_try(jobs_of(r)->worker, sc, save_job, &job, err);
}

static enum err_code append_job(void *argument, struct err *err)
{
    struct conversation_job *job = argument;
    return job->store->ops->append(job->store, job->id, job->text.bytes, job->text.length,
                                   job->loaded_version_ms, err);
}

static enum err_code jobs_append(struct conversation_repository *r, struct scope *sc,
                                 const struct conversation *c, size_t from,
                                 int64_t loaded_version_ms, struct err *err)
{
    AUTO(conversation_job) job = job_of(r, c->id);
    job.loaded_version_ms = loaded_version_ms;
    enum err_code code = check_id(c->id, err);
    if (!code)
        code = conversation_print_end(c, from, &job.text, err);
    return code ? code : worker_try(jobs_of(r)->worker, sc, append_job, &job, err);
}

static enum err_code load_job(void *argument, struct err *err)
{
    struct conversation_job *job = argument;
    return job->store->ops->load(job->store, job->id, job->n, &job->loaded, err);
}

static enum err_code check_loaded(const struct conversation *c, const char *id, size_t n,
                                  struct err *err)
{
    if (strcmp(c->id, id) != 0)
        return err_set(err, ERR_INVALID, 0, "conversation_id is \"%s\"", c->id);
    if (c->n_earlier && c->n_messages < n)
        return err_set(err, ERR_INVALID, 0, "its first %zu messages are missing", c->n_earlier);
    return ERR_NONE;
}

static enum err_code jobs_get_recent(struct conversation_repository *r, struct scope *sc,
                                     const char *id, size_t n, struct arena *arena,
                                     struct conversation **out, struct err *err)
{
    AUTO(conversation_job) job = job_of(r, id);
    struct conversation *c = NULL;
    job.n = n;
    enum err_code code = check_id(id, err);
    if (code)
        return code;
    code = worker_try(jobs_of(r)->worker, sc, load_job, &job, err);
    if (!code)
        code = conversation_parse_stored(arena, &job.loaded, &c, err);
    if (!code)
        code = check_loaded(c, id, n, err);
    if (code == ERR_INVALID) {
        err_prefix(err, code, "conversation %s is damaged", id);
        return err_hint(err, code, "it stays as it is in %s: mend it or move it away",
                        jobs_of(r)->store->place);
    }
    if (code)
        return code;
    conversation_keep_recent(c, n);
    *out = c;
    return ERR_NONE;
}

static enum err_code jobs_get_by_id(struct conversation_repository *r, struct scope *sc,
                                    const char *id, struct arena *arena, struct conversation **out,
                                    struct err *err)
{
    return jobs_get_recent(r, sc, id, CONVERSATION_WHOLE, arena, out, err);
}

static enum err_code list_job(void *argument, struct err *err)
{
    struct conversation_job *job = argument;
    return job->store->ops->list(job->store, &job->arena, &job->list, &job->n_list, err);
}

static int newest_first(const void *a, const void *b)
{
    const struct conversation_summary *left = a, *right = b;
    if (left->updated_at_ms != right->updated_at_ms)
        return left->updated_at_ms < right->updated_at_ms ? 1 : -1;
    return strcmp(left->id, right->id);
}

static enum err_code jobs_get_all(struct conversation_repository *r, struct scope *sc,
                                  struct arena *arena, struct conversation_summary **out,
                                  size_t *out_n, struct err *err)
{
    AUTO(conversation_job) job = job_of(r, NULL);
    enum err_code code = worker_try(jobs_of(r)->worker, sc, list_job, &job, err);
    if (code)
        return code;
    struct conversation_summary *list =
        arena_array(arena, struct conversation_summary, job.n_list + 1);
    for (size_t i = 0; i < job.n_list; i++) {
        list[i] = job.list[i];
        list[i].id = arena_strdup(arena, list[i].id);
        list[i].label = arena_strdup(arena, list[i].label);
        list[i].last_request = arena_strdup(arena, list[i].last_request);
        list[i].folder = arena_strdup(arena, list[i].folder);
        list[i].damage = list[i].damage ? arena_strdup(arena, list[i].damage) : NULL;
    }
    qsort(list, job.n_list, sizeof *list, newest_first);
    *out = list;
    *out_n = job.n_list;
    return ERR_NONE;
}

static enum err_code remove_job(void *argument, struct err *err)
{
    struct conversation_job *job = argument;
    return job->store->ops->remove(job->store, job->id, err);
}

static enum err_code jobs_remove(struct conversation_repository *r, struct scope *sc,
                                 const char *id, struct err *err)
{
    AUTO(conversation_job) job = job_of(r, id);
    enum err_code code = check_id(id, err);
    return code ? code : worker_try(jobs_of(r)->worker, sc, remove_job, &job, err);
}

static void jobs_destroy(struct conversation_repository *r)
{
    struct conversation_jobs *jobs = jobs_of(r);
    if (jobs->owns_worker)
        worker_destroy(jobs->worker);
    jobs->store->ops->destroy(jobs->store);
    free(jobs);
}

static const struct conversation_repository_ops jobs_ops = {
    .save = jobs_save,
    .append = jobs_append,
    .get_by_id = jobs_get_by_id,
    .get_recent = jobs_get_recent,
    .get_all = jobs_get_all,
    .remove = jobs_remove,
    .destroy = jobs_destroy,
};

struct conversation_repository *conversation_jobs_create(struct uv_runtime *runtime,
                                                         struct worker *worker,
                                                         struct conversation_store *store)
{
    struct conversation_jobs *jobs = calloc(1, sizeof *jobs);
    if (!jobs)
        abort();
    jobs->base.ops = &jobs_ops;
    jobs->store = store;
    jobs->worker = worker ? worker : worker_create(runtime);
    jobs->owns_worker = !worker;
    return &jobs->base;
}
