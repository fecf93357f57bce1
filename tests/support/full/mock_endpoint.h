/* A server on a loopback port, on the loop of the test itself: answers come from a script,
 * whole or in pieces of any size, and it notes what it was asked and whether the client hung up. */
#ifndef TESTS_SUPPORT_FULL_MOCK_ENDPOINT_H
#define TESTS_SUPPORT_FULL_MOCK_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

struct uv_runtime;
struct mock_endpoint;

#define MOCK_ENDPOINT_MAX 256

struct mock_request;

struct mock_answer {
    const char *path; /* the request's must begin so; borrowed, as are when and body */
    const char *when; /* must be somewhere in the request's body; NULL: any */
    const char *with; /* must be somewhere in its head; NULL: any */
    const char *type; /* of the body; NULL: text/plain */
    int status;       /* 0 = 200 */
    const char *body;
    size_t body_length; /* 0 = strlen */
    size_t piece;       /* bytes per write; 0 = all at once */
    int every_ms;       /* between two pieces */
    bool endless;       /* the body comes again and again */
    bool raw;           /* body is the whole response, status line and headers included */
    const char *header; /* one more header line, "Retry-After: 1\r\n"; or NULL */
    bool silent;        /* the connection stays open after the body, and nothing comes */
    bool keeps;         /* the connection takes further requests after the answer */
    bool reset;         /* the connection is closed before any answer */
    /* Comes then on the connection that last stayed open after its answer; or NULL. */
    const char *elsewhere;
    bool ends_elsewhere; /* … which is closed after that */
    /* Not NULL: makes the whole response, as raw; borrowed until the next request. */
    const char *(*respond)(void *context, const struct mock_request *request);
    void *context;
    unsigned times; /* 0 = once; the last answer of a path that is left is kept for ever */
};

struct mock_request {
    char path[128];
    char authorization[128]; /* "" when there is none */
    char *head;              /* request line and headers; owned by the endpoint */
    char *body;              /* owned by the endpoint */
};

struct mock_endpoint *mock_endpoint_create(struct uv_runtime *runtime);
void mock_endpoint_destroy(struct mock_endpoint *endpoint);
/* "http://127.0.0.1:PORT" */
const char *mock_endpoint_url(const struct mock_endpoint *endpoint);
/* Answers of one path are used in the order in which they were added. */
void mock_endpoint_add(struct mock_endpoint *endpoint, struct mock_answer answer);
size_t mock_endpoint_requests(const struct mock_endpoint *endpoint,
                              const struct mock_request **out_requests);
/* Connections that the client closed before the answer had ended. */
size_t mock_endpoint_hung_up(const struct mock_endpoint *endpoint);
/* Connections that were ever made. */
size_t mock_endpoint_connections(const struct mock_endpoint *endpoint);
/* Most requests that were being answered at the same time. */
size_t mock_endpoint_most_at_once(const struct mock_endpoint *endpoint);

#endif
