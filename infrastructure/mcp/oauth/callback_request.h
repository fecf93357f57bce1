/* The one HTTP request that a login waits for, and the small pages that answer it and others. Pure
 * functions over bytes. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_CALLBACK_REQUEST_H
#define INFRASTRUCTURE_MCP_OAUTH_CALLBACK_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum callback_reply {
    CALLBACK_DONE,
    CALLBACK_NOT_OURS,  /* 400: the answer to no login of ours */
    CALLBACK_NOT_FOUND, /* 404 */
    CALLBACK_NO_METHOD, /* 405 */
    CALLBACK_TOO_LONG,  /* 431 */
};

/* Whether the head of a request is there as a whole. */
bool callback_request_is_whole(const char *bytes, size_t length);
/* The query of a GET of the callback's path; *out_reply says what else it is where that fails. */
bool callback_request_query(const char *bytes, size_t length, const char **out_query,
                            size_t *out_length, enum callback_reply *out_reply);
/* A whole response, of static life. */
const char *callback_reply_text(enum callback_reply reply);

#endif
