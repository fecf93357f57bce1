#include "infrastructure/checking/candidate_checker.h"
#include "domain/base/json.h"
#include "infrastructure/checking/candidate_check.h"
#include "infrastructure/runtime/worker.h"
#include "infrastructure/workspace/sql_child.h"
#include "infrastructure/workspace/sql_guard.h"
#include <stdlib.h>
#include <string.h>

struct pooled_checker {
    struct candidate_checker base;
    struct uv_runtime *runtime;
    const struct settings *settings;
    const char *child_program;
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

static void run_on_pool(void *argument)
{
    static enum err_code (*const checks[])(struct candidate_check *, struct err *) = {
        [CANONICAL_TEXT] = check_text_candidate,   [CANONICAL_CODE] = check_text_candidate,
        [CANONICAL_JSON] = check_json_candidate,   [CANONICAL_NUMBER] = check_number_candidate,
        [CANONICAL_REGEX] = check_regex_candidate, [CANONICAL_SQL] = check_sql_candidate,
    };
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
    job->result = checks[job->kind](&job->check, &job->err);
}

enum { ANSWER_MAX_BYTES = 65536 };

char *candidate_child_answer(const json_t *request)
{
    const char *candidate = json_get_string(request, "candidate");
    const char *examples = json_get_string(request, "examples");
    AUTO(check_job)
    job = { .kind = CANONICAL_SQL,
            .candidate = strdup(candidate ? candidate : ""),
            .examples = examples ? strdup(examples) : NULL };
    job.check.max_ms = json_get_int(request, "max_ms", 0);
    job.check.max_rows = (size_t)json_get_int(request, "max_rows", 0);
    run_on_pool(&job);
    json_auto_t *answer =
        json_pack("{ss*, sb, ss, ss}", "failure", job.check.failure, "invalid",
                  job.result != ERR_NONE, "message", job.err.message, "hint", job.err.hint);
    return json_print(answer);
}

/* A candidate that does not end in time has failed; that is not an error of the check. */
awaits static enum err_code run_in_child(struct pooled_checker *checker, struct scope *sc,
                                         struct check_job *job, struct err *err)
{
    json_auto_t *request = json_pack("{ss, ss*, sI, sI}", "candidate", job->candidate, "examples",
                                     job->examples, "max_ms", (json_int_t)job->check.max_ms,
                                     "max_rows", (json_int_t)job->check.max_rows);
    /* Filling the database and the statement may take max_ms each. */
    struct sql_child child = {
        .program = checker->child_program,
        .word = CANDIDATE_CHILD_WORD,
        .milliseconds = 2 * job->check.max_ms,
        .memory_bytes = SQL_MAX_MEMORY,
        .max_bytes = ANSWER_MAX_BYTES,
    };
    auto_str text = NULL;
    json_t *parsed = NULL;
    enum err_code r = sql_child_run(checker->runtime, sc, &child, request, &text, err);
    if (r == ERR_LIMIT)
        check_fails(&job->check, "it runs longer than %lld ms", (long long)job->check.max_ms);
    if (r)
        return r == ERR_LIMIT ? ERR_NONE : r;
    r = json_parse(text, strlen(text), JSON_OURS, &parsed, err);
    if (r)
        return r;
    const json_t *answer = arena_keep_json(&job->check.arena, parsed);
    job->check.failure = json_get_string(answer, "failure");
    if (!json_get_bool(answer, "invalid", false))
        return ERR_NONE;
    const char *hint = json_get_string(answer, "hint");
    job->result = err_set(&job->err, ERR_INVALID, 0, "%s", json_get_string(answer, "message"));
    if (*hint)
        err_hint(&job->err, job->result, "%s", hint);
    return ERR_NONE;
}

static enum err_code check(struct candidate_checker *c, struct scope *sc,
                           const struct candidate_trial *trial, struct arena *arena,
                           const char **out_failure, struct err *err)
{
    enum canonical_kind kind = trial->kind;
    struct pooled_checker *checker = (struct pooled_checker *)c;
    AUTO(check_job) job = { .kind = kind };
    /* Text, code, JSON and numbers were held against their kind when they were made canonical. */
    *out_failure = NULL;
    if (!trial->examples && kind != CANONICAL_REGEX && kind != CANONICAL_SQL)
        return ERR_NONE;
    job.check.max_ms = checker->settings->consensus_check_ms;
    job.check.max_rows = (size_t)checker->settings->consensus_check_rows;
    job.examples = trial->examples ? json_print(trial->examples) : NULL;
    if (job.examples && strlen(job.examples) > CANDIDATE_MAX_EXAMPLE_BYTES)
        return err_set(err, ERR_INVALID, 0, "examples: %zu bytes, at most %d are allowed",
                       strlen(job.examples), CANDIDATE_MAX_EXAMPLE_BYTES);
    job.candidate = strdup(trial->canonical);
    if (!job.candidate)
        abort();
    if (!checker->worker)
        checker->worker = worker_create(checker->runtime);
    enum err_code r = kind == CANONICAL_SQL && checker->child_program
                          ? run_in_child(checker, sc, &job, err)
                          : worker_run(checker->worker, sc, run_on_pool, &job, err);
    if (!r)
        r = job.result;
    if (!r && job.check.failure)
        *out_failure = arena_strdup(arena, job.check.failure);
    else if (r && err && job.result)
        *err = job.err;
    return r;
}

struct candidate_checker *candidate_checker_create(struct uv_runtime *runtime,
                                                   const struct settings *settings,
                                                   const char *child_program)
{
    static const struct candidate_checker_ops ops = { check };
    struct pooled_checker *checker = calloc(1, sizeof *checker);
    if (!checker)
        abort();
    checker->base.ops = &ops;
    checker->runtime = runtime;
    checker->settings = settings;
    checker->child_program = child_program;
    return &checker->base;
}

void candidate_checker_destroy(struct candidate_checker *c)
{
    struct pooled_checker *checker = (struct pooled_checker *)c;
    if (checker)
        worker_destroy(checker->worker);
    free(checker);
}
