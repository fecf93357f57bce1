/* Prompts are files (config/prompts/, also the user's own) with placeholders such as {message}.
 * Filling is one pass: what a value contains is text and is never looked at again, so neither a
 * person nor a tool can smuggle a placeholder in; control tokens of chat templates in values are
 * sanitized. An unknown placeholder is an error of the file. "{{" writes one brace; a brace
 * that starts no placeholder stays as it is. */
#ifndef APPLICATION_ORCHESTRATORS_PROMPT_TEMPLATE_H
#define APPLICATION_ORCHESTRATORS_PROMPT_TEMPLATE_H

#include "application/ports/assets.h"
#include "application/structured/prompt.h"
#include "domain/base/arena.h"

#define PROMPT_MAX_BYTES (4 * 1024 * 1024)

struct prompt_value {
    const char *name; /* without braces: small letters and '_' */
    const char *text;
    /* A value of several parts, each of which may have to leave the prompt; n_parts 0: the text is
     * meant, and stays. */
    const struct prompt_part *parts;
    size_t n_parts;
};

struct prompt_template {
    const char *text;
    const char *origin; /* for errors: the file, or "built in" */
};

/* Sets *out's parts: the text of the template and of plain values stays, the parts of the others
 * are as they came. ERR_INVALID names the file and the placeholder; ERR_LIMIT beyond
 * PROMPT_MAX_BYTES. */
MUST_CHECK
enum err_code prompt_fill(struct arena *arena, const struct prompt_template *template,
                          const struct prompt_value *values, size_t n, struct prompt *out,
                          struct err *err);
/* prompt_fill with a template of the assets, e.g. "config/prompts/intent.txt". */
MUST_CHECK
enum err_code prompt_load(struct arena *arena, struct assets *assets, const char *path,
                          const struct prompt_value *values, size_t n, struct prompt *out,
                          struct err *err);
/* The prompt as one text. */
MUST_CHECK
enum err_code prompt_load_text(struct arena *arena, struct assets *assets, const char *path,
                               const struct prompt_value *values, size_t n, const char **out,
                               struct err *err);

#endif
