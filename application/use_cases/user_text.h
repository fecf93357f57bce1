/* What every text of a user must be before a job starts with it: within its bound, and UTF-8. */
#ifndef APPLICATION_USE_CASES_USER_TEXT_H
#define APPLICATION_USE_CASES_USER_TEXT_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <stdint.h>

/* what is the word for it in the error: "task". ERR_LIMIT or ERR_INVALID. */
MUST_CHECK
enum err_code user_text_check(const char *text, const char *what, int64_t max_bytes,
                              struct err *err);

#endif
