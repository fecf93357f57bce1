/* One answer that a schema describes, from an endpoint that may hold it to the schema, ignore or
 * refuse it. A schema is sent only where that helps; what the endpoint refuses of it is found,
 * replaced by "anything", noted in the reply and not sent again. Where no schema can be sent, the
 * request goes without: the prompt shows it as well, and the answer is checked. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_CONSTRAINED_CHAT_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_CONSTRAINED_CHAT_H

#include "infrastructure/models/endpoint/endpoint_model.h"

#define CONSTRAINED_CHAT_MAX_BAD_PARTS                                                             \
    4 /* looked for per request; then it goes without a schema                                     \
       */

/* The model is resolved, and the request has its turn. */
awaits MUST_CHECK enum err_code constrained_chat(struct endpoint_model *model, struct scope *scope,
                                                 const struct model_request *request,
                                                 struct arena *arena, struct model_reply *out,
                                                 struct err *err);

#endif
