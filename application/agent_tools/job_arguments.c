#include "application/agent_tools/job_arguments.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

enum err_code job_take_text(const json_t *arguments, const char *key, const char **out,
                            struct err *err)
{
    const json_t *value = json_object_get(arguments, key);
    if (json_string_has_nul(value))
        return err_set(err, ERR_INVALID, 0, "/%s: U+0000 is not allowed", key);
    *out = json_string_value(value);
    return ERR_NONE;
}

enum err_code job_take_model(const json_t *arguments, const char *key, const char **out,
                             struct err *err)
{
    const char *name = NULL;
    enum err_code r = job_take_text(arguments, key, &name, err);
    if (r)
        return r;
    if (name && text_starts_with(name, "script:"))
        return err_set(err, ERR_INVALID, 0, "/%s: the name of a model is expected", key);
    *out = name;
    return ERR_NONE;
}
