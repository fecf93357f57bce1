/* HTTP requests as calls that look blocking: libcurl's multi interface on the runtime's loop.
 *
 * A request runs until its response has ended, a callback has had enough, nothing came for too
 * long, or the scope ends; when the call returns, the request is gone, and unless it ended by
 * itself so is its connection (with HTTP/2, its stream of it), which is how a server learns that
 * no one waits any more. Only http and https; no redirect is followed; certificates are verified,
 * by what the system trusts or SSL_CERT_FILE and SSL_CERT_DIR name; proxies are those of the
 * environment, but never for this machine. Requests run side by side and reuse connections, and
 * share one where the server speaks HTTP/2.
 *
 * http_client_begin is the same without a task that waits: the caller is called back, keeps
 * its own clock, and may begin and stop requests inside of any callback. */
#ifndef INFRASTRUCTURE_NET_HTTP_CLIENT_H
#define INFRASTRUCTURE_NET_HTTP_CLIENT_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of all headers of a response together. */
#define HTTP_MAX_HEADER_BYTES 65536

struct http_client;
struct http_transfer;
struct uv_runtime;

/* Nothing is loaded or opened before the first request. */
struct http_client *http_client_create(struct uv_runtime *runtime);
/* No request may be left. NULL is fine. */
void http_client_destroy(struct http_client *client);

/* Where a request may go, judged by the address that is really connected to, so that no name can
 * be made to mean something else in between. Where a proxy of the environment connects for us, its
 * own address is not judged and the one behind it not known: then the scheme and a host that is
 * itself an address or this machine are judged, and the rest is the proxy's to refuse. With a
 * bounded reach no connection is shared with other requests. */
enum http_reach {
    HTTP_ANYWHERE, /* the user named the URL */
    HTTP_PUBLIC,   /* a server named it: no loopback, private, link-local or other special address,
                    * and https only */
    HTTP_HERE_TOO, /* a server on this machine named it: loopback as well, and http there */
};

/* Callbacks run on the loop's stack: they must not wait. */
struct http_request {
    const char *url;
    enum http_reach reach;
    const char *method; /* NULL: as the body says */
    /* A POST, sent once at most; NULL: a GET. Borrowed until the call returns. */
    const char *body;
    size_t body_length;
    const char *content_type;   /* of the body; NULL: JSON */
    const char *bearer;         /* a token, or NULL; appears in no message */
    const char *accept;         /* NULL: anything */
    const char *unix_socket;    /* path to connect to instead of the host; or NULL */
    const char *const *headers; /* further lines "Name: value"; they appear in no message */
    size_t n_headers;
    int64_t connect_timeout_ms;
    /* How long nothing may come: headers as a whole, then bytes of the body. Callbacks may change
     * it, from then on. */
    int64_t silence_ms;
    int64_t total_ms; /* 0 = no bound but the scope's */
    size_t max_bytes; /* of the response */
    bool closes;      /* the connection behind it, however long the server would keep it */
    /* Every header line with its name and value, before on_headers. May be NULL. */
    void (*on_header)(void *context, const char *name, size_t name_length, const char *value,
                      size_t value_length);
    /* When they are there, however long the body is in coming; once. May be NULL. */
    void (*on_headers)(void *context, int status);
    /* False: enough. */
    bool (*on_bytes)(void *context, const char *bytes, size_t length);
    void *context;
};

struct http_response {
    int status;
    bool stopped;           /* by on_bytes */
    bool was_sent;          /* some of the request went out */
    int64_t retry_after_ms; /* as the server asks; -1 when it does not */
};

/* ERR_NONE whatever the status is. ERR_UNAVAILABLE: no connection, or it was lost. ERR_TIMEOUT:
 * silent for too long. ERR_LIMIT: a longer response. ERR_INVALID: no URL. ERR_DENIED: beyond its
 * reach. *out is filled in any case; status is 0 when there was no response. */
awaits MUST_CHECK enum err_code http_client_perform(struct http_client *client,
                                                    const struct scope *scope,
                                                    struct http_request *request,
                                                    struct http_response *out, struct err *err);

/* Whether a page at this URL, which another program will open, is within reach: its host is judged
 * and, unless a proxy is in between, every address that the name has at this moment. ERR_DENIED: it
 * is not. A name that cannot be resolved within ten seconds is left to that other program. */
awaits MUST_CHECK enum err_code http_client_check(struct http_client *client,
                                                  const struct scope *scope, const char *url,
                                                  enum http_reach reach, struct err *err);

/* Called once, on the loop's stack, as the last for a request; afterwards it may be released. why
 * is as http_client_perform returns it, code ERR_NONE included, and ERR_CANCELLED after a stop. */
typedef void http_done_fn(void *context, const struct http_response *response,
                          const struct err *why);

/* Begins a request and returns at once; on_done is called later with the request's context, never
 * from within. The request is borrowed until then. Its silence is not watched. */
MUST_CHECK
enum err_code http_client_begin(struct http_client *client, struct http_request *request,
                                http_done_fn *on_done, struct http_transfer **out, struct err *err);
/* Ends it early: on_done is called within this call or, inside of a callback, right after that. */
void http_client_stop(struct http_transfer *transfer);

#endif
