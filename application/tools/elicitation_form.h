/* The form that a server asks to be filled in (MCP elicitation): its schema, a flat object, becomes
 * the fields of a struct form; what is typed is held against the field's own schema and format, so
 * that a person is asked again rather than a server served with what it cannot use. The schema is
 * foreign: what a form cannot show is refused as a whole, because half a form is a wrong question.
 */
#ifndef APPLICATION_TOOLS_ELICITATION_FORM_H
#define APPLICATION_TOOLS_ELICITATION_FORM_H

#include "application/ports/user.h"

#define ELICITATION_MAX_FIELDS 40
#define ELICITATION_MAX_CHOICES 200 /* of one field */

struct elicitation_field; /* the schema behind a field of the form */

struct elicitation_form {
    struct form form; /* title, message and recipient are the caller's to set */
    const json_t *schema;
    struct elicitation_field *fields;
    bool asks_for_secret; /* by the names of its fields */
};

/* schema is borrowed and must outlive the form, which stays where it is; the rest lives in the
 * arena. Defaults that do not fit their own field are left out. ERR_INVALID: no flat object of
 * texts, numbers, truth values and choices; ERR_LIMIT: more fields or choices than may be. */
MUST_CHECK
enum err_code elicitation_form_init(const json_t *schema, struct arena *arena,
                                    struct elicitation_form *out, struct err *err);
void elicitation_form_finish(struct elicitation_form *form);

/* Whether the answers fit the schema as a whole; ERR_INVALID says why not. */
MUST_CHECK
enum err_code elicitation_form_check(const struct elicitation_form *form, struct arena *arena,
                                     const json_t *answers, struct err *err);
/* The answers for the log: those to fields whose names say that they are secret are not in it.
 * Owned by the caller. */
json_t *elicitation_form_loggable(const struct elicitation_form *form, const json_t *answers);

/* The formats that an elicitation may ask of a text (email, uri, date, date-time): whether the text
 * fits, as anything does that is not known. JSON Schema leaves formats to its reader; here a person
 * gets to know what is wrong before it is sent. */
bool elicitation_format_fits(const char *format, const char *text);

#endif
