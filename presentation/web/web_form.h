/* Fields as a browser sends them, behind '?' or as the body of a form
 * (application/x-www-form-urlencoded). Pure. */
#ifndef PRESENTATION_WEB_WEB_FORM_H
#define PRESENTATION_WEB_WEB_FORM_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

#define WEB_FORM_MAX_FIELDS 100

struct web_field {
    const char *name, *value;
};

struct web_form {
    struct web_field fields[WEB_FORM_MAX_FIELDS];
    size_t n;
};

/* Names and values lie in the arena. False: an escape is none, they are no UTF-8 or hold U+0000, or
 * there are too many. */
bool web_form_read(struct arena *arena, const char *text, size_t length, struct web_form *out);
/* Of the first field of that name; NULL: there is none. */
const char *web_form_get(const struct web_form *form, const char *name);
/* The text as a part of a query, or of a path. In the arena. */
const char *web_form_escape(struct arena *arena, const char *text);

#endif
