/* The person, when there is one: typed forms and approvals. Headless, present() is false and
 * whatever would need a person fails closed. */
#ifndef APPLICATION_PORTS_USER_H
#define APPLICATION_PORTS_USER_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include "domain/tool/tool.h"
#include <jansson.h>
#include <stdbool.h>

struct user;

enum form_kind { FORM_TEXT, FORM_INTEGER, FORM_NUMBER, FORM_BOOLEAN, FORM_CHOICE, FORM_CHOICES };

struct form_field {
    const char *key, *label;
    const char *note; /* what is wanted, for people; may be NULL */
    enum form_kind kind;
    const char *const *choices; /* the answer is one (FORM_CHOICE), or an array of some */
    const char *const *titles;  /* how people see the choices; NULL: as they are */
    size_t n_choices;
    const json_t *fallback; /* prefilled; NULL = none */
    bool required;
};

struct form {
    const char *title;     /* who asks, and what for */
    const char *message;   /* the words of the server that asks; may be NULL */
    const char *recipient; /* who gets the answers. Then the person may decline before they see the
                            * fields, and sees the answers before they go. NULL: mistro itself */
    const struct form_field *fields;
    size_t n_fields;
    /* May be NULL. Says what is wrong with an answer, in the arena, and then the field is asked
     * for again; NULL when it is fine. */
    const char *(*check)(const void *context, struct arena *arena, size_t field,
                         const json_t *answer);
    const void *context;
};

/* A question with yes or no about something that a server wants, which the person sees in full. */
struct confirmation {
    const char *title;           /* who asks, and what for; may be NULL */
    const char *message;         /* the words of the server; may be NULL */
    const char *url;             /* a page, which is not opened by being shown; may be NULL */
    size_t host_at, host_length; /* what to look at in the URL */
    const char *const *warnings;
    size_t n_warnings;
    const char *question; /* one line that ends with '?' */
};

struct approval_request {
    const struct tool *tool;
    const json_t *arguments;
    const char *reason; /* why it is asked: the rule, or the default */
    const char *always; /* what APPROVAL_ALWAYS allows beyond calling it; NULL: nothing */
};

enum approval_answer { APPROVAL_NO, APPROVAL_ONCE, APPROVAL_SESSION, APPROVAL_ALWAYS };

struct user_ops {
    /* All mandatory. */
    bool (*present)(struct user *u);
    enum err_code (*ask)(struct user *u, struct scope *sc, const struct form *form,
                         struct arena *arena, json_t **out_answers, struct err *err);
    enum err_code (*confirm)(struct user *u, struct scope *sc,
                             const struct confirmation *confirmation, struct err *err);
    enum err_code (*approve)(struct user *u, struct scope *sc,
                             const struct approval_request *request, enum approval_answer *out,
                             struct err *err);
};

struct user {
    const struct user_ops *ops;
};

static inline bool user_present(struct user *u)
{
    return u->ops->present(u);
}
/* Answers by key, valid for their fields; in the arena. ERR_DENIED when the person declines,
 * ERR_UNAVAILABLE when they leave a form with a recipient without a word. */
awaits MUST_CHECK static inline enum err_code user_ask(struct user *u, struct scope *sc,
                                                       const struct form *form, struct arena *arena,
                                                       json_t **out_answers, struct err *err)
{
    return u->ops->ask(u, sc, form, arena, out_answers, err);
}
/* ERR_NONE: yes; ERR_DENIED: no; ERR_UNAVAILABLE when they leave without a word. */
awaits MUST_CHECK static inline enum err_code user_confirm(struct user *u, struct scope *sc,
                                                           const struct confirmation *confirmation,
                                                           struct err *err)
{
    return u->ops->confirm(u, sc, confirmation, err);
}
awaits MUST_CHECK static inline enum err_code user_approve(struct user *u, struct scope *sc,
                                                           const struct approval_request *request,
                                                           enum approval_answer *out,
                                                           struct err *err)
{
    return u->ops->approve(u, sc, request, out, err);
}

#endif
