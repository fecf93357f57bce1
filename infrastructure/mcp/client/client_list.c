#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "infrastructure/mcp/client/client_headers.h"
#include "infrastructure/mcp/client/client_pages.h"

/* One list being fetched, page by page. */
struct listing {
    struct client *client;
    struct tool_catalogue *catalogue;
    int64_t fresh_until_ms;
};

/* One bad definition does not hide the others. */
static void add_tools(struct listing *listing, const json_t *tools)
{
    struct client *client = listing->client;
    size_t i, most = (size_t)client->options.settings->tools_max_per_server;
    json_t *definition;
    struct err err;
    json_array_foreach (tools, i, definition) {
        if (listing->catalogue->n_tools >= most) {
            err_set(&err, ERR_LIMIT, 0, "more than %zu tools; the rest is left out", most);
            client_warn(client, &err);
            return;
        }
        enum err_code r = client_headers_check(client, definition, &err);
        if (!r)
            r = tool_catalogue_add(listing->catalogue, definition, &err);
        if (r) {
            err_prefix(&err, r, "a tool is left out");
            client_report(client, &err);
        }
    }
}

static void begin_list(void *context)
{
    struct listing *listing = context;
    tool_catalogue_unref(listing->catalogue);
    listing->catalogue = tool_catalogue_create(listing->client->options.config->name);
    listing->fresh_until_ms = INT64_MAX;
}

/* The list is as fresh as its oldest page. */
static enum err_code take_page(void *context, const json_t *page, int64_t until_ms, struct err *err)
{
    struct listing *listing = context;
    const json_t *tools = json_object_get(page, "tools");
    if (!json_is_array(tools))
        return err_set(err, ERR_PROTOCOL, 0, "the answer has no array of tools");
    add_tools(listing, tools);
    if (until_ms < listing->fresh_until_ms)
        listing->fresh_until_ms = until_ms;
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code fetch_list(struct listing *listing, struct scope *scope,
                                                  struct err *err)
{
    struct pages pages = {
        .client = listing->client,
        .scope = scope,
        .method = "tools/list",
        .begin = begin_list,
        .take = take_page,
        .context = listing,
    };
    begin_list(listing);
    return listing->client->session.has_tools ? client_fetch_pages(&pages, err) : ERR_NONE;
}

awaits MUST_CHECK static enum err_code fetch(struct client *client, struct scope *scope,
                                             struct err *err)
{
    struct listing listing = { .client = client };
    client_watch_open(client);
    /* What is announced from here on may not be in the answer. */
    client->is_stale = false;
    enum err_code r = fetch_list(&listing, scope, err);
    if (r == ERR_NONE) {
        tool_catalogue_unref(client->catalogue);
        client->catalogue = tool_catalogue_ref(listing.catalogue);
        client->fresh_until_ms = listing.fresh_until_ms;
    }
    client->is_stale = client->is_stale || r;
    tool_catalogue_unref(listing.catalogue);
    return err_prefix(err, r, "tools/list");
}

/* A server that runs and cannot list its tools just now is used as it was known: the next list
 * asks again. */
awaits MUST_CHECK static enum err_code refresh(struct client *client, struct scope *scope,
                                               struct err *err)
{
    struct err why = { 0 };
    enum err_code r = fetch(client, scope, &why);
    bool goes_on = connection_is_open(client->connection) &&
                   scope_check(scope, runtime_now_ms(client->runtime), NULL) == ERR_NONE;
    if (r && client->catalogue && goes_on) {
        err_prefix(&why, r, "the list of tools may be out of date");
        client_report(client, &why);
        return ERR_NONE;
    }
    if (r && err)
        *err = why;
    return r;
}

/* Legacy lists hold until a change is announced; modern ones say how long they do, unless changes
 * are announced. */
static bool is_fresh(const struct client *client)
{
    return client->catalogue && !client->is_stale && connection_is_open(client->connection) &&
           (client_watch_hears_tools(client) ||
            runtime_now_ms(client->runtime) < client->fresh_until_ms);
}

awaits MUST_CHECK static enum err_code fetch_unless_fresh(struct client *client,
                                                          struct scope *scope, struct err *err)
{
    if (is_fresh(client))
        return ERR_NONE;
    enum err_code r = client_ensure_started(client, scope, err);
    if (r)
        return r;
    r = task_lock_take(&client->list_lock, client->options.runtime, scope, err);
    if (r)
        return r;
    if (!is_fresh(client))
        r = refresh(client, scope, err);
    task_lock_release(&client->list_lock);
    return r;
}

enum err_code client_list(struct tool_server *server, struct scope *scope,
                          struct tool_catalogue **out, struct err *err)
{
    struct client *client = client_of(server);
    enum err_code r = fetch_unless_fresh(client, scope, err);
    if (r == ERR_NONE)
        *out = tool_catalogue_ref(client->catalogue);
    return r;
}
