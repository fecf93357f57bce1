/* Approvals in one small file, {"version":1,"approvals":[{"kind","subject","hash"}]}. It is read
 * again for every question, because another mistro may have added to it. A damaged file approves
 * nothing, and is reported. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/locked_json.h"
#include "infrastructure/repositories/repository_create.h"
#include <stdlib.h>
#include <string.h>

static const struct locked_json_form form = {
    .what = "approvals",
    .hint = "it stays as it is: mend it or move it away",
    .member = "approvals",
    .type = JSON_ARRAY,
    .max_bytes = APPROVALS_MAX_BYTES,
};

struct json_approval_repository {
    struct approval_repository base;
    struct locked_json files;
    char *name;
};

/* A question; lies in the frame of the task that waits for the answer. */
struct question {
    const struct json_approval_repository *repository;
    const struct approval *approval;
    bool has;
};

static struct json_approval_repository *repository_of(struct approval_repository *r)
{
    return (struct json_approval_repository *)r;
}

static bool contains(const json_t *approvals, const struct approval *approval)
{
    size_t i;
    const json_t *entry;
    json_array_foreach (approvals, i, entry) {
        if (text_equal(json_get_string(entry, "kind"), approval->kind) &&
            text_equal(json_get_string(entry, "subject"), approval->subject) &&
            text_equal(json_get_string(entry, "hash"), approval->hash))
            return true;
    }
    return false;
}

static enum err_code has_job(void *argument, struct err *err)
{
    struct question *question = argument;
    const struct json_approval_repository *r = question->repository;
    json_auto_t *approvals = NULL;
    enum err_code code = locked_json_read(&r->files, r->name, &approvals, err);
    question->has = !code && contains(approvals, question->approval);
    return code;
}

static enum err_code json_has(struct approval_repository *base, struct scope *sc,
                              const struct approval *approval, bool *out_has, struct err *err)
{
    struct json_approval_repository *r = repository_of(base);
    struct question question = { .repository = r, .approval = approval };
    enum err_code code = worker_try(r->files.worker, sc, has_job, &question, err);
    if (!code)
        *out_has = question.has;
    return code;
}

static json_t *entry_of(const struct approval *approval)
{
    return json_pack("{s:s, s:s, s:s}", "kind", approval->kind, "subject", approval->subject,
                     "hash", approval->hash);
}

static bool add_entry(void *context, json_t *approvals)
{
    const struct approval *approval = context;
    return !contains(approvals, approval) &&
           json_array_append_new(approvals, entry_of(approval)) == 0;
}

static enum err_code json_add(struct approval_repository *base, struct scope *sc,
                              const struct approval *approval, struct err *err)
{
    struct json_approval_repository *r = repository_of(base);
    json_auto_t *entry = entry_of(approval);
    if (!entry)
        return err_set(err, ERR_INVALID, 0, "approvals: the text is not valid UTF-8");
    struct approval copy = *approval;
    return locked_json_change(&r->files, sc, r->name, add_entry, &copy, err);
}

static void json_destroy(struct approval_repository *base)
{
    struct json_approval_repository *r = repository_of(base);
    locked_json_finish(&r->files);
    free(r->name);
    free(r);
}

static const struct approval_repository_ops json_ops = {
    .has = json_has,
    .add = json_add,
    .destroy = json_destroy,
};

struct approval_repository *json_approval_repository_create(struct uv_runtime *runtime,
                                                            const char *file)
{
    struct json_approval_repository *r = calloc(1, sizeof *r);
    const char *slash = strrchr(file, '/');
    auto_str folder = slash ? strndup(file, (size_t)(slash - file)) : strdup(".");
    char *name = strdup(slash ? slash + 1 : file);
    if (!r || !folder || !name)
        abort();
    r->base.ops = &json_ops;
    r->files = locked_json_of(runtime, folder, &form);
    r->name = name;
    return &r->base;
}
