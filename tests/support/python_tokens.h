/* Holds a script against the few kinds of tokens that mistro writes in Python: every string ends on
 * the line on which it began, escapes in it are whole, brackets match, and outside of strings and
 * comments there is nothing but printable ASCII. */
#ifndef TESTS_SUPPORT_PYTHON_TOKENS_H
#define TESTS_SUPPORT_PYTHON_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

/* *out_strings: how many strings there are outside of the docstring on top. */
bool python_tokens_balance(const char *script, size_t *out_strings);

#endif
