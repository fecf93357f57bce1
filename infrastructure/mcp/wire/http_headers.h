/* The headers of MCP over HTTP (MCP specification, "Transports"): what is written into them, and
 * what may be read out of them. Pure functions over text. */
#ifndef INFRASTRUCTURE_MCP_WIRE_HTTP_HEADERS_H
#define INFRASTRUCTURE_MCP_WIRE_HTTP_HEADERS_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

/* A session's id is opaque, but not endless. */
#define HTTP_MAX_SESSION_ID_BYTES 1024

/* Of the headers that hold arguments of a call (header_parameters.h). */
#define HEADER_PARAMETER_PREFIX "Mcp-Param-"

enum http_media { HTTP_MEDIA_NONE, HTTP_MEDIA_JSON, HTTP_MEDIA_EVENTS, HTTP_MEDIA_OTHER };

/* The text as a header's value: as it is, or in the base64 form where a header would not keep it.
 * The empty text takes the base64 form too, which survives proxies better than nothing. */
const char *http_header_value(struct arena *arena, const char *text, size_t length);
/* The text that a header's value stands for, in the arena; NULL where it is no such value. A NUL
 * that base64 hides is not taken, nor is base64 that leaves out padding or has blanks. */
const char *http_header_text(struct arena *arena, const char *value);
/* Whether a configured line "Name: value" names a header that belongs to the protocol. */
bool http_header_is_ours(const char *line);
bool http_header_is(const char *name, size_t length, const char *expected);
/* What a Content-Type says, whatever its parameters are. */
enum http_media http_media_of(const char *value, size_t length);
/* The session's id in the arena; NULL when it is not visible ASCII or too long. A server sent it
 * twice, joined by a comma: the first counts. */
const char *http_session_id(struct arena *arena, const char *value, size_t length);

#endif
