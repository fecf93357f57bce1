/* An error as the outside sees it: the error object of the command line, of results and of events.
 */
#ifndef DOMAIN_BASE_ERR_JSON_H
#define DOMAIN_BASE_ERR_JSON_H

#include "domain/base/err.h"
#include <jansson.h>

/* {"code","message"} and, where there are any, "hint" and "details":{"what"}. Owned by the caller.
 */
json_t *err_to_json(const struct err *err);

#endif
