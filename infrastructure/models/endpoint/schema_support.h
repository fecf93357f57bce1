/* What an endpoint does with a schema, found out by asking for a word that nobody would say unless
 * the schema made them: once per endpoint and model, remembered. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_SCHEMA_SUPPORT_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_SCHEMA_SUPPORT_H

#include "infrastructure/models/endpoint/endpoint_model.h"

#define SCHEMA_PROBE_MAX_TOKENS 32
#define SCHEMA_PROBE_MAX_BYTES 512 /* for endpoints that count no tokens */

/* What is known without asking. */
enum model_schema_support schema_support_known(const struct endpoint_model *model);
/* Asks where it is not known. MODEL_SCHEMA_UNKNOWN when the answer tells nothing, as of a model
 * that thinks first. Silence is bounded as for `request`, which is about to be made. */
awaits MUST_CHECK enum err_code schema_support_find(struct endpoint_model *model,
                                                    struct scope *scope,
                                                    const struct model_request *request,
                                                    enum model_schema_support *out,
                                                    struct err *err);

#endif
