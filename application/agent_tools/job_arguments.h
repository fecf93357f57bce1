/* Arguments of a tool as C has them. */
#ifndef APPLICATION_AGENT_TOOLS_JOB_ARGUMENTS_H
#define APPLICATION_AGENT_TOOLS_JOB_ARGUMENTS_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <jansson.h>

/* ERR_INVALID where U+0000 would cut it. *out is NULL when it is missing. */
MUST_CHECK
enum err_code job_take_text(const json_t *arguments, const char *key, const char **out,
                            struct err *err);

/* The name of a model, which comes from a model or another host: never a file ("script:FILE"). */
MUST_CHECK
enum err_code job_take_model(const json_t *arguments, const char *key, const char **out,
                             struct err *err);

#endif
