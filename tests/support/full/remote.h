/* An MCP client under test with a scripted server behind a loopback URL: peer.h with
 * mock_endpoint.h as its server. Requests are numbered from 1, the handshake's included, so that
 * a script knows the ids it answers. */
#ifndef TESTS_SUPPORT_FULL_REMOTE_H
#define TESTS_SUPPORT_FULL_REMOTE_H

#include "tests/support/full/mock_endpoint.h"
#include "tests/support/full/peer.h"

#define REMOTE_JSON "application/json"
#define REMOTE_EVENTS "text/event-stream; charset=utf-8"
/* Answers to the handshake. A modern server that offers no list of tools is called at once, with
 * request 2; one that does is asked for it before the first call. */
#define REMOTE_DISCOVERED_WITH(capabilities)                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":\"era-1\",\"result\":{\"supportedVersions\":[\"2026-07-28\"],"    \
    "\"capabilities\":{" capabilities "}}}"
#define REMOTE_DISCOVERED REMOTE_DISCOVERED_WITH("")
#define REMOTE_INITIALIZED(version)                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":\"era-2\",\"result\":{\"protocolVersion\":\"" version             \
    "\",\"capabilities\":{\"tools\":{}}}}"
/* The answer to request n with this text. */
#define REMOTE_TEXT(n, text)                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":" n                                                               \
    ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}"

struct remote {
    struct peer peer;
    struct mock_endpoint *endpoint;
    char url[128];
};

void remote_init(struct remote *remote);
void remote_finish(struct remote *remote);
/* What a request of this method is answered with, after what was added for it before. */
void remote_answers(struct remote *remote, const char *method, struct mock_answer answer);
/* A server that was asked, and is modern. */
void remote_init_modern(struct remote *remote);
/* One that refuses the probe and gives a session, "s1". */
void remote_init_legacy(struct remote *remote, const char *initialized);
/* How many requests have this in their head or body. */
size_t remote_count(const struct remote *remote, const char *words);
/* The head of the first request with this method, or "". */
const char *remote_head_of(const struct remote *remote, const char *method);

#endif
