/* The inside of peer_mcp: rules say what a method is answered with (mcp.c), actions write that
 * (actions.c), on stdout or as the events of an HTTP answer (http.c). */
#ifndef TESTS_SUPPORT_PEERS_MCP_MCP_H
#define TESTS_SUPPORT_PEERS_MCP_MCP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { MAX_RULES = 64 };

struct rule {
    char method[64];
    unsigned nth, seen; /* nth 0: every time */
    const char *action;
};

/* In memory that all processes of a peer share. */
struct peer {
    struct rule rules[MAX_RULES];
    size_t n_rules;
    bool is_modern, is_stubborn, is_http;
    FILE *record;
    char latest_call[64]; /* its id, as JSON */
    int server;           /* over HTTP: the process that accepts */
};

/* One message of the client. */
void peer_serve(struct peer *peer, const char *line, size_t length);
void peer_perform(struct peer *peer, const char *action, const json_t *message);
void peer_flush(const struct peer *peer);
void peer_pause(long ms);
/* Accepts until it is ended; says its port on stdout first. */
void peer_serve_http(struct peer *peer);
/* Of the answer at hand: bytes, which become events line by line; what is in the place of a stream
 * of events; what was written so far; its end. */
void http_put(const char *bytes, size_t length);
void http_set_status(long status);
void http_flush(void);
void http_close(void);

#endif
