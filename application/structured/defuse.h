/* Makes untrusted text harmless to a chat template, and what a model reads of it what a person
 * would see.
 *
 * llama.cpp (and Ollama, which runs it) turns the spelling of a control token inside a message
 * into the token itself, so a file that contains "[/INST]" could end the turn it is quoted in and
 * begin one of its own. A blank after the bracket keeps the text readable and breaks the spelling.
 * What takes no place on a screen (escape sequences, bidi controls, tags, zero width; text_sight
 * says what stays) is left out: it would cost tokens, and instructions can be hidden in it.
 * For what people, tools and files said; never for the prompts of mistro itself. Pure. */
#ifndef APPLICATION_STRUCTURED_DEFUSE_H
#define APPLICATION_STRUCTURED_DEFUSE_H

#include "domain/base/arena.h"

/* In the arena; the text itself when there is nothing to defuse. */
const char *defuse_text(struct arena *arena, const char *text);
/* The text between two lines of backticks, more of them than stand together anywhere in the text
 * once it is defused: nothing in it can end the quotation and go on in mistro's words. Not defused;
 * in the arena. */
const char *defuse_fence(struct arena *arena, const char *text);
/* The same for text that is quoted within a line: one line is returned as it is. */
const char *defuse_fence_lines(struct arena *arena, const char *text);

#endif
