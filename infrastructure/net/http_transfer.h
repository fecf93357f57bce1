/* The inside of the HTTP client, shared by its two files: http_client.c (many transfers on one
 * loop) and http_transfer.c (one request, and what comes back). */
#ifndef INFRASTRUCTURE_NET_HTTP_TRANSFER_H
#define INFRASTRUCTURE_NET_HTTP_TRANSFER_H

#include "infrastructure/net/curl_library.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/net/http_destination.h"
#include "infrastructure/runtime/completion.h"

/* One request in flight: in the frame of the task that waits for it, or on its own when there is
 * none. */
struct http_transfer {
    struct http_client *client;
    const struct curl_library *curl;
    struct uv_runtime *runtime;
    struct http_request *request;
    struct http_response *response;
    struct http_response own_response; /* of one that no task awaits */
    http_done_fn *on_done;             /* NULL: a task awaits the completion */
    struct http_destination destination;
    CURL *easy;
    struct curl_slist *headers;
    struct completion completion;
    CURLcode result;
    char words[CURL_ERROR_SIZE]; /* libcurl's own about what went wrong with TLS */
    int64_t until_ms;
    size_t bytes, header_bytes;
    bool told_headers, heard_headers, too_long, too_many_headers;
    bool is_added;   /* to libcurl */
    bool is_lost;    /* the connection, after it was sent */
    bool is_stopped; /* by its owner */
    struct http_transfer *next;
};

/* The client, the request and where the response goes are set. ERR_INVALID: of no such request.
 * ERR_DENIED: beyond its reach. */
MUST_CHECK
enum err_code http_transfer_check(struct http_transfer *transfer, struct err *err);
/* It was checked. */
void http_transfer_init(struct http_transfer *transfer);
/* It was removed from libcurl before. */
void http_transfer_finish(struct http_transfer *transfer);
/* Tells the status, unless the body did. */
void http_transfer_tell_headers(struct http_transfer *transfer);
/* What its result means. */
MUST_CHECK
enum err_code http_transfer_outcome(const struct http_transfer *transfer, struct err *err);

#endif
