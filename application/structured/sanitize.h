/* Text that people, tools, servers and files wrote, on its way into a prompt: control tokens of
 * chat templates are broken up and invisible characters left out, so that the text is harmless to a
 * chat template and a model reads what a person would see.
 *
 * llama.cpp (and Ollama, which runs it) turns the spelling of a control token inside a message
 * into the token itself, so a file that contains "[/INST]" could end the turn it is quoted in and
 * begin one of its own. A blank after the bracket keeps the text readable and breaks the spelling.
 * What takes no place on a screen (escape sequences, bidi controls, tags, zero width; text_sight
 * says what stays) is left out: it would cost tokens, and instructions can be hidden in it. Never
 * used on the prompts of mistro itself. Pure. */
#ifndef APPLICATION_STRUCTURED_SANITIZE_H
#define APPLICATION_STRUCTURED_SANITIZE_H

#include "domain/base/arena.h"

/* In the arena; the text itself when there is nothing to change. */
const char *sanitize_text(struct arena *arena, const char *text);
/* The text between two lines of backticks, more of them than stand together anywhere in what
 * sanitize_text makes of it: nothing in it can end the quotation and go on in mistro's words. The
 * text itself is not changed. In the arena. */
const char *fence_text(struct arena *arena, const char *text);
/* For text that is quoted within a line: one line is returned as it is, more are fenced. */
const char *fence_lines(struct arena *arena, const char *text);

/* The bytes of the control token that begins here; 0 when none does. */
size_t control_token_length(const char *at);

#endif
