#include "application/journal.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/text/redact.h"
#include "domain/tool/step_result.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert(ID_SIZE <= RUN_ID_MAX, "a fresh id is a run id");

void journal_init(struct journal *journal, struct runtime *runtime,
                  struct run_repository *repository, struct digest *digest, struct ids *ids,
                  bool store_text)
{
    *journal = (struct journal){
        .runtime = runtime, .repository = repository, .digest = digest, .store_text = store_text
    };
    ids_fresh(ids, journal->run_id);
}

void journal_add_observer(struct journal *journal, struct observer *observer)
{
    assert(journal->n_observers < JOURNAL_MAX_OBSERVERS);
    journal->observers[journal->n_observers++] = observer;
}

static bool is_too_long(const json_t *value)
{
    return json_is_string(value) && json_string_length(value) > JOURNAL_MAX_FIELD_BYTES;
}

/* Nearly always false, and then nothing is copied. */
static bool holds_long_text(json_t *value)
{
    size_t i;
    const char *key;
    json_t *element;
    json_array_foreach (value, i, element) {
        if (holds_long_text(element))
            return true;
    }
    json_object_foreach (value, key, element) {
        if (holds_long_text(element))
            return true;
    }
    return is_too_long(value);
}

static json_t *shortened_text(const json_t *string)
{
    AUTO(arena) scratch = { 0 };
    const char *text = json_string_value(string);
    size_t length = json_string_length(string);
    size_t kept = text_cut(text, length, JOURNAL_MAX_FIELD_BYTES);
    const char *start = arena_strndup(&scratch, text, kept);
    return json_string(arena_printf(&scratch, "%s… [%zu" JOURNAL_CUT_END, start, length));
}

/* The value with its long texts cut, which are not copied in full on the way. */
static json_t *shortened(const json_t *value)
{
    size_t i;
    const char *key;
    const json_t *element;
    if (is_too_long(value))
        return shortened_text(value);
    if (!json_is_array(value) && !json_is_object(value))
        return json_share(value);
    json_t *copy = json_is_array(value) ? json_array() : json_object();
    json_array_foreach (value, i, element)
        json_array_append_new(copy, shortened(element));
    json_each_member (value, key, element)
        json_object_set_new(copy, key, shortened(element));
    return copy;
}

/* What may be shown and kept of the data: no secrets, no endless texts. Owned by the caller. */
static json_t *presentable(const json_t *data)
{
    json_t *clean = redact_json(data);
    if (!holds_long_text(clean))
        return clean;
    json_t *copy = shortened(clean);
    json_decref(clean);
    return copy;
}

/* What the log has of the data: the words of the user and of the model, and the arguments that are
 * made of them, only as hash and size, where texts are not stored. Observers of the run see them.
 * Owned by the caller. */
static json_t *loggable(struct journal *journal, json_t *data)
{
    static const char *const wordy[] = { "primary_goal", "parameters", "unclear_aspects", "plan",
                                         "questions",    "problems",   "explanation",     "prompt",
                                         "image",        "args" };
    if (journal->store_text)
        return json_incref(data);
    json_t *copy = json_copy(data);
    for (size_t i = 0; i < ARRAY_LENGTH(wordy); i++) {
        const json_t *value = json_object_get(data, wordy[i]);
        if (value)
            json_object_set_new(copy, wordy[i], journal_value(journal, value));
    }
    return copy;
}

void journal_emit(struct journal *journal, enum event_kind kind, json_t *data)
{
    json_auto_t *raw = data ? data : json_object();
    json_auto_t *clean = presentable(raw);
    json_auto_t *logged = NULL;
    bool kept = event_is_kept(kind);
    struct event event = { .run_id = journal->run_id,
                           .number = kept ? ++journal->last_number : 0,
                           .time_ms = runtime_wall_ms(journal->runtime),
                           .kind = kind,
                           .data = clean };
    for (size_t i = 0; i < journal->n_observers; i++)
        observer_observe(journal->observers[i], &event);
    if (!kept || !journal->repository)
        return;
    logged = loggable(journal, clean);
    event.data = logged;
    run_repository_append(journal->repository, &event);
}

static const char *run_title(struct arena *arena, const struct journal *journal, const char *title)
{
    if (!title || !journal->store_text)
        return "";
    const char *clean = redact_text(arena, title);
    return arena_strndup(arena, clean, text_cut(clean, strlen(clean), RUN_TITLE_MAX));
}

void journal_begin(struct journal *journal, const char *kind, const char *session_id,
                   const char *title, json_t *meta)
{
    AUTO(arena) scratch = { 0 };
    json_auto_t *raw = meta ? meta : json_object();
    json_auto_t *clean = presentable(raw);
    journal->run = (struct run){ .id = journal->run_id,
                                 .kind = kind,
                                 .session_id = session_id,
                                 .title = title,
                                 .started_at_ms = runtime_wall_ms(journal->runtime),
                                 .status = RUN_RUNNING };
    journal->began_ms = runtime_now_ms(journal->runtime);
    struct run begun = journal->run;
    begun.title = run_title(&scratch, journal, title);
    begun.meta = clean;
    if (journal->repository)
        run_repository_begin(journal->repository, &begun);
    journal_emit(journal, EVENT_RUN_STARTED,
                 json_pack("{s:s, s:s*, s:s, s:O}", "kind", kind, "session_id", session_id, "title",
                           begun.title, "meta", clean));
}

void journal_resume(struct journal *journal, const struct run *logged)
{
    const char *before = run_status_name(logged->status);
    snprintf(journal->run_id, sizeof journal->run_id, "%s", logged->id);
    journal->last_number = logged->n_events;
    journal->began_ms = runtime_now_ms(journal->runtime);
    journal->run = *logged;
    journal->run.id = journal->run_id;
    journal->run.status = RUN_RUNNING;
    journal->run.stats = NULL;
    journal->run.finished_at_ms = 0;
    if (journal->repository)
        run_repository_finish(journal->repository, &journal->run);
    journal_emit(journal, EVENT_RUN_RESUMED, json_pack("{s:s}", "status", before));
}

void journal_warn(struct journal *journal, const char *format, ...)
{
    char text[JOURNAL_MAX_WARNING_BYTES + 1];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_trim_broken_end(text);
    journal_emit(journal, EVENT_WARNING, json_pack("{s:s}", "text", text));
}

json_t *journal_text(struct journal *journal, const char *text)
{
    char hash[DIGEST_HEX_SIZE];
    size_t length = strlen(text);
    digest_sha256(journal->digest, text, length, hash);
    json_t *value = json_pack("{s:s, s:I}", "sha256", hash, "bytes", (json_int_t)length);
    if (journal->store_text)
        json_object_set_new(value, "text", json_string(text));
    return value;
}

json_t *journal_value(struct journal *journal, const json_t *value)
{
    if (journal->store_text || !value)
        return json_share(value);
    auto_str text = json_print_sorted(value);
    return journal_text(journal, text);
}

json_t *journal_result(struct journal *journal, const struct step_result *result)
{
    return journal->store_text ? result_preview(result) : journal_text(journal, result->bytes);
}

enum err_code journal_sync(struct journal *journal, struct scope *scope, struct err *err)
{
    if (!journal->repository)
        return ERR_NONE;
    return run_repository_sync(journal->repository, scope, err);
}

enum err_code journal_end(struct journal *journal, struct scope *scope, enum run_status status,
                          const struct err *why, struct err *err)
{
    /* The wall clock may have been set meanwhile; no run ends before its time has passed. */
    int64_t took_ms = runtime_now_ms(journal->runtime) - journal->began_ms;
    int64_t wall_ms = runtime_wall_ms(journal->runtime);
    int64_t earliest_ms = journal->run.started_at_ms + took_ms;
    journal->run.status = status;
    journal->run.finished_at_ms = wall_ms > earliest_ms ? wall_ms : earliest_ms;
    json_t *data = json_pack("{s:s, s:I}", "status", run_status_name(status), "duration_ms",
                             (json_int_t)took_ms);
    if (why && why->code)
        json_object_set_new(data, "error", err_to_json(why));
    journal_emit(journal, EVENT_RUN_FINISHED, data);
    if (journal->repository)
        run_repository_finish(journal->repository, &journal->run);
    return journal_sync(journal, scope, err);
}
