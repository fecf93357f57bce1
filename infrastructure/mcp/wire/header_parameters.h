/* Parameters of a tool that a modern server behind a URL wants in headers as well, so that a
 * proxy before it can tell calls apart without reading them: the schema says
 * `"x-mcp-header": "Region"`, the call carries `Mcp-Param-Region: eu`. A server turns away a call
 * whose headers differ from its arguments, so a schema that says it wrongly, or where it cannot
 * hold for every call, makes the tool unusable. Pure functions over JSON. */
#ifndef INFRASTRUCTURE_MCP_WIRE_HEADER_PARAMETERS_H
#define INFRASTRUCTURE_MCP_WIRE_HEADER_PARAMETERS_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stddef.h>

/* Of one tool. */
#define HEADER_PARAMETERS_MAX 64
/* Of a value in its header, in the base64 form where that is needed. */
#define HEADER_PARAMETER_MAX_BYTES 8192

/* ERR_PROTOCOL says what is wrong with the tool of this input schema; ERR_LIMIT: more than
 * HEADER_PARAMETERS_MAX. */
MUST_CHECK
enum err_code header_parameters_check(const json_t *schema, struct err *err);
/* The names that a schema gives to headers ("Region"), at most HEADER_PARAMETERS_MAX; borrowed. */
size_t header_parameters_names(const json_t *schema, const char *out[static HEADER_PARAMETERS_MAX]);
/* The lines "Mcp-Param-Region: eu" for a call with these arguments (may be NULL), in the arena, and
 * none for what is absent, null or of another type than its schema says. The schema was checked.
 * ERR_LIMIT: a value is too long for a header. */
MUST_CHECK
enum err_code header_parameters_lines(struct arena *arena, const json_t *schema,
                                      const json_t *arguments, const char *const **out_lines,
                                      size_t *out_n, struct err *err);

#endif
