/* What the log and whoever watches a run see of a result: all of a small one, the beginning of a
 * large one. */
#ifndef DOMAIN_TOOL_RESULT_PREVIEW_H
#define DOMAIN_TOOL_RESULT_PREVIEW_H

#include "domain/tool/step_result.h"

#define RESULT_PREVIEW_WHOLE_BYTES (16 * 1024) /* up to here nothing is left out */
#define RESULT_PREVIEW_TEXT_BYTES 512

/* Owned by the caller. Of a large result {"content", "isError"?, "cut": true}, where the content is
 * what its first text begins with. */
json_t *result_preview(const struct step_result *result);

#endif
