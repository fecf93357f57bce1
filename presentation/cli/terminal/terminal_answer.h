/* What a person types into a field of a form, as the value it means. Pure. */
#ifndef PRESENTATION_CLI_TERMINAL_TERMINAL_ANSWER_H
#define PRESENTATION_CLI_TERMINAL_TERMINAL_ANSWER_H

#include "application/ports/user.h"

/* A number, a word for yes or no, a choice by its number, its value or its title, several of them
 * with commas between. NULL when it is none; owned by the caller. */
json_t *terminal_answer_parse(const struct form_field *field, const char *line);
/* What is typed there, in a few words. */
const char *terminal_answer_wanted(enum form_kind kind);

#endif
