/* Is a tool still the one its caller was written against? `call --schema` and pins ask this. Pure.
 *
 * The expected definition is an object with inputSchema (as `tool --json` or a server gives it,
 * also wrapped as {"definition": …}), or an input schema itself. Strict: every member that is
 * given equals the server's. Compatible: what was a valid call still is, as far as properties,
 * their types, their choices and what is required can tell. */
#ifndef APPLICATION_TOOLS_DEFINITION_CHECK_H
#define APPLICATION_TOOLS_DEFINITION_CHECK_H

#include "domain/base/problem.h"
#include "domain/tool/tool.h"

enum schema_mode { SCHEMA_MODE_STRICT, SCHEMA_MODE_COMPATIBLE };

/* True when it is; else every difference is in problems. */
bool definition_matches(const struct tool *tool, const json_t *expected, enum schema_mode mode,
                        struct problems *problems);
/* definition_matches as an error: ERR_MISMATCH says the first difference. expected NULL expects
 * nothing. */
MUST_CHECK
enum err_code definition_require(const struct tool *tool, const json_t *expected,
                                 enum schema_mode mode, struct err *err);

#endif
