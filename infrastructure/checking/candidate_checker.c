#include "infrastructure/checking/candidate_checker.h"
#include "domain/base/json.h"
#include "infrastructure/checking/candidate_check.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

struct pooled_checker {
    struct candidate_checker base;
    struct uv_runtime *runtime;
    const struct settings *settings;
    struct worker *worker; /* made on first use */
};

/* What crosses to the pool: texts of its own, and what came of them. */
struct check_job {
    enum canonical_kind kind;
    char *candidate, *examples; /* owned; examples as JSON, or NULL */
    struct candidate_check check;
    enum err_code result;
    struct err err;
};

static void check_job_finish(struct check_job *job)
{
    arena_finish(&job->check.arena);
    free(job->candidate);
    free(job->examples);
}

static enum err_code (*check_of(enum canonical_kind kind))(struct candidate_check *, struct err *)
{
    static enum err_code (*const checks[])(struct candidate_check *, struct err *) = {
        [CANONICAL_TEXT] = check_text_candidate,   [CANONICAL_CODE] = check_text_candidate,
        [CANONICAL_JSON] = check_json_candidate,   [CANONICAL_NUMBER] = check_number_candidate,
        [CANONICAL_REGEX] = check_regex_candidate, [CANONICAL_SQL] = check_sql_candidate,
    };
    return checks[kind];
}

static void run_on_pool(void *argument)
{
    struct check_job *job = argument;
    json_t *examples = NULL;
    job->result = ERR_NONE;
    if (job->examples)
        job->result =
            json_parse(job->examples, strlen(job->examples), JSON_OURS, &examples, &job->err);
    if (job->result)
        return;
    job->check.examples = arena_keep_json(&job->check.arena, examples);
    job->check.candidate = job->candidate;
    job->result = check_of(job->kind)(&job->check, &job->err);
}

/* Text, code, JSON and numbers without examples are what their kind says already. */
static bool has_nothing_to_try(enum canonical_kind kind, const json_t *examples)
{
    return !examples && kind != CANONICAL_REGEX && kind != CANONICAL_SQL;
}

static enum err_code copy_examples(struct check_job *job, const json_t *examples, struct err *err)
{
    if (!examples)
        return ERR_NONE;
    job->examples = json_print(examples);
    size_t length = strlen(job->examples);
    if (length <= CANDIDATE_MAX_EXAMPLE_BYTES)
        return ERR_NONE;
    return err_set(err, ERR_INVALID, 0, "examples: %zu bytes, at most %d are allowed", length,
                   CANDIDATE_MAX_EXAMPLE_BYTES);
}

static enum err_code check(struct candidate_checker *c, struct scope *sc, enum canonical_kind kind,
                           const char *canonical, const json_t *examples, struct arena *arena,
                           const char **out_failure, struct err *err)
{
    struct pooled_checker *checker = (struct pooled_checker *)c;
    AUTO(check_job) job = { .kind = kind };
    if (has_nothing_to_try(kind, examples)) {
        *out_failure = NULL;
        return ERR_NONE;
    }
    job.check.max_ms = checker->settings->consensus_check_ms;
    job.check.max_rows = (size_t)checker->settings->consensus_check_rows;
    enum err_code r = copy_examples(&job, examples, err);
    if (r)
        return r;
    job.candidate = strdup(canonical);
    if (!job.candidate)
        abort();
    if (!checker->worker)
        checker->worker = worker_create(checker->runtime);
    r = worker_run(checker->worker, sc, run_on_pool, &job, err);
    if (!r)
        r = job.result;
    if (!r)
        *out_failure = job.check.failure ? arena_strdup(arena, job.check.failure) : NULL;
    else if (err && job.result)
        *err = job.err;
    return r;
}

struct candidate_checker *candidate_checker_create(struct uv_runtime *runtime,
                                                   const struct settings *settings)
{
    static const struct candidate_checker_ops ops = { check };
    struct pooled_checker *checker = calloc(1, sizeof *checker);
    if (!checker)
        abort();
    checker->base.ops = &ops;
    checker->runtime = runtime;
    checker->settings = settings;
    return &checker->base;
}

void candidate_checker_destroy(struct candidate_checker *c)
{
    struct pooled_checker *checker = (struct pooled_checker *)c;
    if (checker)
        worker_destroy(checker->worker);
    free(checker);
}
