/* What went wrong, said once, in a value that lies in the caller's frame. It never allocates.
 *
 * A code is a decision: its receiver knows whether to retry, ask, give up or cancel, and
 * which exit status the command ends with. The message is one line, lower case, outermost context
 * first ("server files: tools/call read_file: no answer for 30 s"). The hint is the sentence that
 * tells a person what to do next. Functions that can fail for more than one reason return
 * enum err_code (0 is success) and take struct err * last; NULL means that the code is enough.
 * A tool's own failure is not an err: it is data (tool/step_result.h). */
#ifndef DOMAIN_BASE_ERR_H
#define DOMAIN_BASE_ERR_H

#include "domain/base/attributes.h"
#include <jansson.h>
#include <stdbool.h>

/* X(code, name on the wire, worth retrying, exit status of a command that ends with it) */
#define ERR_CODES(X)                                                                               \
    X(NONE, "none", false, 0)                                                                      \
    X(CANCELLED, "cancelled", false, 130)     /* a person asked for the end */                     \
    X(TIMEOUT, "timeout", true, 3)            /* silence, or a deadline */                         \
    X(INVALID, "invalid", false, 2)           /* the caller's input or configuration is wrong */   \
    X(NOT_FOUND, "not_found", false, 2)       /* nothing has that name */                          \
    X(UNAVAILABLE, "unavailable", true, 3)    /* not reachable, or gone */                         \
    X(PROTOCOL, "protocol", false, 3)         /* the peer broke the rules */                       \
    X(AUTH, "auth", false, 4)                 /* authentication needed */                          \
    X(DENIED, "denied", false, 6)             /* policy or person said no */                       \
    X(BAD_PLAN, "bad_plan", false, 7)         /* a plan that may not run */                        \
    X(LIMIT, "limit", false, 8)               /* a bound of the settings was reached */            \
    X(MISMATCH, "mismatch", false, 9)         /* a tool definition is not the expected one */      \
    X(FAILED, "failed", false, 1)             /* the task was tried and did not succeed */         \
    X(CHECK_FAILED, "check_failed", false, 1) /* what a step gave is not what its plan wants */    \
    X(UNGROUNDED, "ungrounded", false, 1)     /* an answer claims what no tool did or looked up */ \
    X(INTERNAL, "internal", false, 1)         /* our own fault */

enum err_code {
#define X(code, name, retry, status) ERR_##code,
    ERR_CODES(X)
#undef X
};

struct err {
    enum err_code code;
    int origin;        /* the foreign number: errno, CURLcode, JSON-RPC code; 0 when none */
    char message[480]; /* UTF-8, outermost context first */
    char hint[240];    /* what to do next; empty when nothing sensible can be said */
    char what[24];     /* the kind of thing concerned ("tool", "server", "model"); may be empty */
    bool is_outcome_unknown; /* what failed may have taken effect all the same */
};

/* Fills *err (NULL is fine; what else it held is gone) and returns code, so that
 * `return err_set(err, ERR_TIMEOUT, 0, "no answer for %d s", s);` reads as one step. */
enum err_code err_set(struct err *err, enum err_code code, int origin, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Puts context and ": " in front of the message on its way up; keeps origin and hint. The code is
 * normally the one that came; passing another converts the failure into what it means here. */
enum err_code err_prefix(struct err *err, enum err_code code, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* ERR_INVALID: what begins as was typed is not one thing. what: "runs"; the hint has the ids, as
 * many of them as there is room for. */
enum err_code err_ambiguous(struct err *err, const char *what, const char *typed,
                            const char *const *ids, size_t n);

/* Adds the sentence that says what to do next; returns code. An earlier hint is kept: the
 * function nearest to the cause knows best. */
enum err_code err_hint(struct err *err, enum err_code code, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Names the kind of thing concerned, for "details":{"what":…}; returns code. */
enum err_code err_about(struct err *err, enum err_code code, const char *what);

/* Says that the request went out and was not answered, so that it may have taken effect, with the
 * message so far as the reason; returns code. */
enum err_code err_outcome_unknown(struct err *err, enum err_code code);

const char *err_name(enum err_code code);
enum err_code err_code_named(
    const char *name); /* ERR_NONE: none has that name, which may be NULL */
bool err_worth_retrying(enum err_code code);
int err_exit_status(enum err_code code);

/* As the outside sees it, in results, events and on the command line: {"code","message"} and, where
 * there are any, "hint", "details":{"what"} and "outcome". Owned by the caller. */
json_t *err_to_json(const struct err *err);
/* The same back; message: in the place of its own, or NULL. Returns the code, ERR_NONE where it
 * tells of none, with *err as it was. */
enum err_code err_from_json(const json_t *value, const char *message, struct err *err);

#if defined __clang_analyzer__ && !defined ERR_IMPLEMENTATION
/* clang-tidy reads one file at a time and would think that an error, once set, may be none. */
#define err_set(err, code, ...) (err_set(err, code, __VA_ARGS__), code)
#define err_prefix(err, code, ...) (err_prefix(err, code, __VA_ARGS__), code)
#define err_hint(err, code, ...) (err_hint(err, code, __VA_ARGS__), code)
#endif

#endif
