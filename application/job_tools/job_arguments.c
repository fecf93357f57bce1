#include "application/job_tools/job_arguments.h"
#include "domain/base/json.h"

enum err_code job_take_text(const json_t *arguments, const char *key, const char **out,
                            struct err *err)
{
    const json_t *value = json_object_get(arguments, key);
    if (json_string_has_nul(value))
        return err_set(err, ERR_INVALID, 0, "/%s: U+0000 is not allowed", key);
    *out = json_string_value(value);
    return ERR_NONE;
}
