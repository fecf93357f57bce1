#include "application/use_cases/user_text.h"
#include "domain/base/text.h"
#include <string.h>

enum err_code user_text_check(const char *text, const char *what, int64_t max_bytes,
                              struct err *err)
{
    size_t length = strlen(text);
    if ((int64_t)length > max_bytes)
        return err_set(err, ERR_LIMIT, 0, "the %s has %zu bytes, at most %lld are allowed", what,
                       length, (long long)max_bytes);
    if (!text_is_utf8(text, length))
        return err_set(err, ERR_INVALID, 0, "the %s is not valid UTF-8", what);
    return ERR_NONE;
}
