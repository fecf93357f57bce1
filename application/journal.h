/* The one way a run leaves a trace. What is worth knowing is emitted as an event; the
 * journal numbers and time-stamps it, redacts secrets, tells the observers at once and queues it
 * for the run log. Emitting never waits; journal_sync does, and is called before something is
 * acknowledged that must not be lost, and before a call that may not be repeated is sent. */
#ifndef APPLICATION_JOURNAL_H
#define APPLICATION_JOURNAL_H

#include "application/ports/digest.h"
#include "application/ports/ids.h"
#include "application/ports/observer.h"
#include "application/ports/runtime.h"
#include "application/trace.h"
#include "domain/base/arena.h"
#include "domain/entities/event.h"
#include "domain/entities/run.h"
#include "domain/repositories/run_repository.h"
#include "domain/tool/step_result.h"

#define JOURNAL_MAX_OBSERVERS 4
#define JOURNAL_MAX_FIELD_BYTES (1024 * 1024) /* longer texts are cut, with a mark */
#define JOURNAL_CUT_END " bytes in all]"      /* ends such a mark */
#define JOURNAL_MAX_WARNING_BYTES 2000

struct journal {
    struct runtime *runtime;
    struct run_repository *repository; /* NULL: nothing is kept */
    struct digest *digest;
    struct observer *observers[JOURNAL_MAX_OBSERVERS];
    size_t n_observers;
    bool store_text; /* false: texts of prompts and answers are kept as hash and size */
    char run_id[RUN_ID_MAX];
    struct trace trace; /* set by whoever begins a run that calls tools; empty: none is told */
    struct run run;     /* as begun; strings are the caller's until the end */
    int64_t began_ms;   /* by the clock that nobody sets */
    uint64_t last_number;
};

/* runtime and digest are required; the run id is fresh. */
void journal_init(struct journal *journal, struct runtime *runtime,
                  struct run_repository *repository, struct digest *digest, struct ids *ids,
                  bool store_text);
void journal_add_observer(struct journal *journal, struct observer *observer);

/* Goes on with a run of the log, under its id and behind its events: emits run_resumed in the place
 * of run_started. *logged and its strings must live as long as the journal. */
void journal_resume(struct journal *journal, const struct run *logged);
/* Emits run_started. kind, session_id, title and meta (stolen, may be NULL) as in struct run; the
 * title is redacted and cut here, and left empty where store_text is off. */
void journal_begin(struct journal *journal, const char *kind, const char *session_id,
                   const char *title, json_t *meta);
/* Steals data (NULL is {}). */
void journal_emit(struct journal *journal, enum event_kind kind, json_t *data);
/* A warning for people: event `warning` with {text}. */
void journal_warn(struct journal *journal, const char *format, ...) PRINTF_LIKE(2, 3);
/* {"text":…,"sha256":…,"bytes":…} of a prompt or an answer, without the text where store_text is
 * off. Owned by the caller. */
json_t *journal_text(struct journal *journal, const char *text);
/* A value that the outside gave, arguments or a result, as the log may have it: a reference to
 * itself, or, where store_text is off, hash and size of its text with sorted keys. Owned by the
 * caller; NULL for NULL. */
json_t *journal_value(struct journal *journal, const json_t *value);
/* As journal_value, for a tool's result: its preview, or hash and size of its text as received. */
json_t *journal_result(struct journal *journal, const struct step_result *result);
awaits MUST_CHECK enum err_code journal_sync(struct journal *journal, struct scope *scope,
                                             struct err *err);
/* Emits run_finished and waits until all is on disk. */
awaits MUST_CHECK enum err_code journal_end(struct journal *journal, struct scope *scope,
                                            enum run_status status, const struct err *why,
                                            struct err *err);

#endif
