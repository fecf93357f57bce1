/* What a form about a run brings. Everything is checked before anything begins; what begins is a
 * task of the server, so that it goes on when the browser is gone. */
#include "application/use_cases/mistral_chat.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/web/pages_internal.h"
#include <string.h>

static enum err_code resume(struct pages_job *job, struct scope *scope)
{
    struct turn_result result;
    const struct resume_request request = { .run_id = job->run_id,
                                            .uncertain = UNCERTAIN_ASK,
                                            .answers = job->answers,
                                            .results = job->results,
                                            .retries_failed = job->retries_failed };
    return resume_run(job->services, scope, &job->arena, &request, &result, &job->err);
}

static enum err_code answer_turn(struct pages_job *job, struct scope *scope)
{
    struct turn_result result;
    size_t n = 0;
    struct turn_answer *answers =
        arena_array(&job->arena, struct turn_answer, json_object_size(job->answers) + 1);
    const char *key;
    const json_t *value;
    json_each_member (job->answers, key, value)
        answers[n++] = (struct turn_answer){ key, json_string_value(value) };
    const struct turn_request request = { .session_id = job->session_id,
                                          .answers = answers,
                                          .n_answers = n };
    struct mistral_chat *chat = mistral_chat_create(job->services);
    enum err_code r = mistral_chat_turn(chat, scope, &job->arena, &request, &result, &job->err);
    mistral_chat_destroy(chat);
    return r;
}

static enum err_code carry_out(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct pages_job *job = argument;
    const struct visitors *visitors = job->pages->options.visitors;
    (void)runtime;
    enum err_code r = job->session_id ? answer_turn(job, scope) : resume(job, scope);
    job->err.code = r;
    job->is_done = true;
    visitors->release(visitors->context, job->services);
    return r;
}

static bool is_under_way(const struct pages_job *job)
{
    return job->run_id && !job->is_done;
}

/* A run is its own, and a turn that answers it is of the same session. */
static bool is_about(const struct pages_job *job, const struct page_run *run)
{
    const struct run *logged = run->recorded.run;
    return job->run_id && text_equal(job->person, run->of->name) &&
           (text_equal(job->run_id, logged->id) ||
            (is_under_way(job) && job->session_id &&
             text_equal(job->session_id, logged->session_id)));
}

struct pages_job *page_job(struct pages *pages, const struct page_run *run)
{
    struct pages_job *found = NULL;
    for (size_t i = 0; i < PAGES_MAX_ANSWERS; i++)
        if (is_about(&pages->jobs[i], run) && (!found || is_under_way(&pages->jobs[i])))
            found = &pages->jobs[i];
    return found;
}

/* A place for one more; NULL: all are taken. What failed before is forgotten, first that about the
 * same run. */
static struct pages_job *free_place(struct pages *pages, const struct page_run *run)
{
    struct pages_job *found = NULL;
    for (size_t i = 0; i < PAGES_MAX_ANSWERS; i++) {
        struct pages_job *job = &pages->jobs[i];
        if (is_under_way(job))
            continue;
        if (is_about(job, run)) {
            found = job;
            break;
        }
        found = !found || (found->run_id && !job->run_id) ? job : found;
    }
    if (!found)
        return NULL;
    if (found->task) /* it has ended: nothing is waited for */
        (void)runtime_wait(pages->options.runtime, found->task);
    arena_finish(&found->arena);
    *found = (struct pages_job){ .pages = pages };
    return found;
}

/* What the form says, by the keys of what was asked. */
struct said {
    json_t *answers, *results; /* in the arena */
    const char *wrong;         /* why it cannot be taken; NULL: it can */
};

/* The value of a field whose name ends with the number of its question; "" where there is none. */
static const char *field_of(struct page_request *request, const char *name, size_t at)
{
    const char *key = arena_printf(&request->arena, "%s%zu", name, at);
    const char *value = web_form_get(&request->form, key);
    return value ? value : "";
}

static void read_result(struct page_request *request, const char *key, size_t at, struct said *said)
{
    const char *text = field_of(request, "result", at), *path = key + strlen(UNCERTAIN_KEY);
    json_t *value = NULL;
    struct err err;
    if (!text[strspn(text, " \t\r\n")] || !text_starts_with(key, UNCERTAIN_KEY))
        return;
    if (json_parse(text, strlen(text), JSON_OURS, &value, &err))
        said->wrong = arena_printf(&request->arena, "The result is no JSON: %s", err.message);
    else
        json_object_set_new(said->results, path, value);
}

static void read_answers(struct page_request *request, const struct waiting *waiting,
                         struct said *said)
{
    size_t i;
    const json_t *question;
    json_array_foreach (json_object_get(waiting->asked[0], "questions"), i, question) {
        const char *key = json_get_string(question, "key");
        const char *other = field_of(request, "other", i), *text = field_of(request, "answer", i);
        text = *other ? other : text;
        if (!key || !*text)
            continue;
        json_object_set_new(said->answers, key, json_string(text));
        read_result(request, key, i, said);
    }
    if (!json_object_size(said->answers))
        said->wrong = "No question was answered.";
}

static bool is_asked(const struct waiting *waiting, const char *path, const char *hash)
{
    for (size_t i = 0; path && hash && i < waiting->n; i++)
        if (text_equal(json_get_string(waiting->asked[i], "path"), path) &&
            text_equal(json_get_string(waiting->asked[i], "hash"), hash))
            return true;
    return false;
}

static struct said what_was_said(struct page_request *request, const struct waiting *waiting)
{
    struct arena *arena = &request->arena;
    struct said said = { .answers = arena_keep_json(arena, json_object()),
                         .results = arena_keep_json(arena, json_object()) };
    const char *path = web_form_get(&request->form, "path");
    const char *hash = web_form_get(&request->form, "hash");
    if (waiting->kind == WAITING_ANSWER)
        read_answers(request, waiting, &said);
    else if (waiting->kind == WAITING_APPROVAL && !is_asked(waiting, path, hash))
        said.wrong = "Other calls were approved than those that it waits for. Look at them again.";
    else if (waiting->kind == WAITING_APPROVAL)
        json_object_set_new(said.answers, arena_printf(arena, APPROVE_KEY "%s", path),
                            json_string(hash));
    return said;
}

static void begin_job(struct pages_job *job, const struct page_run *run,
                      const struct waiting *waiting, const struct said *said)
{
    struct pages *pages = job->pages;
    const struct run *logged = run->recorded.run;
    job->services = run->of->services;
    memcpy(job->person, run->of->name, sizeof job->person);
    pages->options.visitors->hold(pages->options.visitors->context, job->services);
    job->run_id = arena_strdup(&job->arena, logged->id);
    job->session_id = waiting->is_of_session ? arena_strdup(&job->arena, logged->session_id) : NULL;
    job->answers = arena_keep_json(&job->arena, json_share(said->answers));
    job->results = arena_keep_json(&job->arena, json_share(said->results));
    job->retries_failed = waiting->retries_failed;
    job->task = runtime_spawn(pages->options.runtime, &pages->scope, carry_out, job);
}

/* Nothing waits between the last look at what is under way and the beginning of the answer, so that
 * of two that come at once one is the second. */
static void take(struct page_request *request, const struct page_run *run,
                 const struct waiting *waiting)
{
    struct pages *pages = request->pages;
    const struct run *logged = run->recorded.run;
    const char *number = web_form_get(&request->form, "event");
    const char *right = arena_printf(&request->arena, "%llu", (unsigned long long)waiting->number);
    const struct pages_job *job = page_job(pages, run);
    if ((job && is_under_way(job)) || waiting->kind == WAITING_NOT || !text_equal(number, right)) {
        page_say(request, 409, "Answered already",
                 "It was answered meanwhile, or asks something else now. Nothing was done twice: "
                 "look at the run again.");
        return;
    }
    const struct said said = what_was_said(request, waiting);
    if (said.wrong) {
        page_say(request, waiting->kind == WAITING_APPROVAL ? 409 : 400, "Not answered",
                 said.wrong);
        return;
    }
    struct pages_job *place = free_place(pages, run);
    if (!place) {
        page_say(
            request, 503, "Too much at once",
            "As many answers are being carried out as may be at once. Nothing was done: answer "
            "again in a moment.");
        return;
    }
    begin_job(place, run, waiting, &said);
    page_redirect(request, page_path_of_run(request, run->of->name, logged->id, ""), NULL);
}

void page_take_answer(struct page_request *request, const char *id)
{
    struct page_run run = { 0 };
    if (!page_takes_form(request) ||
        !page_find_run(request, id, web_form_get(&request->form, "person"), &run) ||
        !page_read_run(request, &run))
        return;
    const struct run *logged = run.recorded.run;
    struct waiting waiting = waiting_of(logged, run.recorded.events, run.recorded.n_events);
    if (waiting.is_of_session &&
        waiting_went_on(run.of->services, request->scope, &request->arena, logged))
        waiting.kind = WAITING_NOT;
    take(request, &run, &waiting);
}
