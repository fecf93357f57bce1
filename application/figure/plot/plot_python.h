/* Values as literals of Python. Text is quoted so that nothing in it can end the string: quotes,
 * backslashes, angle brackets, control characters and whatever a screen shows nothing of become
 * escapes. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_PYTHON_H
#define APPLICATION_FIGURE_PLOT_PLOT_PYTHON_H

#include "domain/base/buf.h"
#include <jansson.h>

/* The buffer must be one without a bound. text: valid UTF-8; a byte that is not becomes U+FFFD. */
void plot_python_text(struct buf *out, const char *text);
void plot_python_texts(struct buf *out, const char *const *texts, size_t n);
/* A number, or a text. */
void plot_python_value(struct buf *out, const json_t *value);

#endif
