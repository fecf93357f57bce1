/* The transport to a server behind a URL: Streamable HTTP (MCP specification, "Transports"), each
 * message a POST of its own. What a request is answered with, as JSON or as a stream of events,
 * belongs to that request; closing its stream cancels it where the revision says so. With the older
 * revisions there is a session, which the server may give up, a stream for what belongs to no
 * request, and streams that are resumed where they broke off. Redirects stay within the origin. Or
 * HTTP+SSE of 2024-11-05, where all answers come on one stream.
 *
 * Nothing is loaded or opened before the first message. */
#ifndef INFRASTRUCTURE_MCP_HTTP_HTTP_TRANSPORT_H
#define INFRASTRUCTURE_MCP_HTTP_HTTP_TRANSPORT_H

#include "application/settings.h"
#include "infrastructure/mcp/wire/transport.h"

#define HTTP_CONNECT_TIMEOUT_MS 10000
/* Of one message. */
#define HTTP_MAX_REDIRECTS 3
/* How often in a row a stream is opened again without a message on it. */
#define HTTP_MAX_RESUMPTIONS 5
/* The wait before that, unless the server names one, and the longest it may name. */
#define HTTP_RESUME_MS 1000
#define HTTP_MAX_RESUME_MS (5 * 60 * 1000)
/* How long the first requests wait for the stream that listens: what a server asks on it before it
 * stands is lost, and some do not answer at all before they have something to say. */
#define HTTP_LISTEN_MS 500
/* How long a stream may stay open after its answer; one that ends itself leaves a connection to
 * use again. */
#define HTTP_LINGER_MS 1000
/* How often in a row a request is sent again to a server that asks for that later, and the longest
 * it may ask for. */
#define HTTP_MAX_WAITS 3
#define HTTP_MAX_WAIT_MS (30 * 1000)
/* How long requests on their way may be turned away or answered when their session is lost. */
#define HTTP_SESSION_END_MS 1000
/* Messages on their way at the same time. */
#define HTTP_MAX_EXCHANGES 1024

struct http_client;
struct oauth;
struct uv_runtime;

/* All are borrowed; the http client may be shared. oauth: the login whose token goes with every
 * request; NULL: there is none. */
struct transport *http_transport_create(struct uv_runtime *runtime, struct http_client *http,
                                        struct oauth *oauth, const struct server_config *config,
                                        const struct settings *settings);

#endif
