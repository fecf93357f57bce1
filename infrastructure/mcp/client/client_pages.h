/* A list of an MCP server, asked for page by page until the server has no more, a bound is
 * reached, or a cursor comes twice. A page that still holds is not asked for (hint_cache.h). It
 * lies in the frame of whoever asks. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_CLIENT_PAGES_H
#define INFRASTRUCTURE_MCP_CLIENT_CLIENT_PAGES_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <jansson.h>

struct client;

struct pages {
    struct client *client;
    struct scope *scope;
    const char *method; /* of static life */
    /* The list is asked for from the start: what came before counts no more. */
    void (*begin)(void *context);
    /* One page: the result of the method, and how long it holds by its own account. */
    enum err_code (*take)(void *context, const json_t *page, int64_t until_ms, struct err *err);
    void *context;

    /* Private. */
    json_t *cursors;     /* those asked for so far */
    bool has_bad_cursor; /* the server refused one that it had given */
    bool is_unseen;      /* the server turned the request away: its session was over, or a token */
    bool was_authorized; /* there was no token that it takes, and another was got */
};

/* Calls begin, then take for every page. A list may change between two of them so that the cursor
 * is worth nothing any more: then it is asked for from the start, once, as it is when the server's
 * session is over. A list that was cut short is reported, and no failure. */
awaits MUST_CHECK enum err_code client_fetch_pages(struct pages *pages, struct err *err);

#endif
