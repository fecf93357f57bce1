#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "infrastructure/mcp/client_internal.h"

/* One list being fetched, page by page. */
struct listing {
    struct client *client;
    struct scope *scope;
    struct tool_catalogue *catalogue;
    json_t *cursors; /* those asked for so far */
    int64_t fresh_until_ms;
    bool has_bad_cursor; /* the server refused one that it had given */
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
            client_report(client, &err);
            return;
        }
        enum err_code r = tool_catalogue_add(listing->catalogue, definition, &err);
        if (r) {
            err_prefix(&err, r, "a tool is left out");
            client_report(client, &err);
        }
    }
}

/* A page is as fresh as it says; the list is as fresh as its oldest page. */
static void note_freshness(struct listing *listing, const json_t *page)
{
    double ttl_ms = json_get_number(page, "ttlMs", 0);
    if (!(ttl_ms > 0))
        ttl_ms = 0;
    if (ttl_ms > CLIENT_MAX_TTL_MS)
        ttl_ms = CLIENT_MAX_TTL_MS;
    int64_t until_ms = runtime_now_ms(listing->client->runtime) + (int64_t)ttl_ms;
    if (until_ms < listing->fresh_until_ms)
        listing->fresh_until_ms = until_ms;
}

awaits MUST_CHECK static enum err_code fetch_page(struct listing *listing, json_t *cursor,
                                                  json_t **out_page, struct err *err)
{
    struct client *client = listing->client;
    struct request request = { .method = "tools/list", .silence_ms = client_silence_ms(client) };
    AUTO(buf) line;
    buf_init(&line, (size_t)client->options.settings->mcp_max_message_bytes);
    bool is_modern = client->session.era == ERA_MODERN;
    bool fits = connection_begin(client->connection, &request, &line) &&
                buf_puts(&line, ",\"params\":{") &&
                (!is_modern || buf_printf(&line, "\"_meta\":{%s}", era_meta_members())) &&
                (!cursor || (buf_puts(&line, is_modern ? ",\"cursor\":" : "\"cursor\":") &&
                             jsonrpc_append_json(&line, cursor))) &&
                buf_puts(&line, "}}\n");
    if (!fits)
        return err_set(err, ERR_LIMIT, 0, "the cursor is longer than mcp.max_message_bytes");
    enum err_code r = connection_post(client->connection, &request, &line, err);
    if (r == ERR_NONE)
        r = connection_await(client->connection, &request, listing->scope, err);
    *out_page = steal(&request.result);
    listing->has_bad_cursor = cursor && jsonrpc_error_code(request.error) == JSONRPC_INVALID_PARAMS;
    request_finish(&request);
    return r;
}

static bool was_asked(const struct listing *listing, const json_t *cursor)
{
    for (size_t i = 0; i < json_array_size(listing->cursors); i++)
        if (json_equal(json_array_get(listing->cursors, i), cursor))
            return true;
    return false;
}

/* Notes the cursor of the next page; false when this was the last one. "" is a cursor. */
static bool has_next_page(struct listing *listing, json_t *cursor)
{
    struct client *client = listing->client;
    size_t most = (size_t)client->options.settings->mcp_max_pages;
    struct err err;
    if (!json_is_string(cursor))
        return false;
    if (was_asked(listing, cursor))
        err_set(&err, ERR_PROTOCOL, 0, "tools/list: a cursor came twice; the rest is left out");
    else if (json_array_size(listing->cursors) + 1 >= most)
        err_set(&err, ERR_LIMIT, 0, "tools/list: more than %zu pages; the rest is left out", most);
    else
        return json_array_append(listing->cursors, cursor) == 0;
    client_report(client, &err);
    return false;
}

awaits MUST_CHECK static enum err_code fetch_pages(struct listing *listing, struct err *err)
{
    json_auto_t *cursor = NULL;
    bool more = true;
    while (more) {
        json_auto_t *page = NULL;
        enum err_code r = fetch_page(listing, cursor, &page, err);
        if (r)
            return r;
        const json_t *tools = json_object_get(page, "tools");
        if (!json_is_array(tools))
            return err_set(err, ERR_PROTOCOL, 0, "the answer has no array of tools");
        add_tools(listing, tools);
        note_freshness(listing, page);
        json_decref(cursor);
        cursor = json_incref(json_object_get(page, "nextCursor"));
        more = has_next_page(listing, cursor);
    }
    return ERR_NONE;
}

static void forget_pages(struct listing *listing)
{
    json_decref(listing->cursors);
    tool_catalogue_unref(listing->catalogue);
    listing->cursors = NULL;
    listing->catalogue = NULL;
}

/* Every page. A list may change between two of them so that the cursor is worth nothing any more:
 * then it is asked for from the start, once. */
awaits MUST_CHECK static enum err_code fetch_list(struct listing *listing, struct err *err)
{
    enum err_code r = ERR_PROTOCOL;
    listing->has_bad_cursor = true;
    for (int attempt = 0; r && listing->has_bad_cursor && attempt < 2; attempt++) {
        forget_pages(listing);
        listing->catalogue = tool_catalogue_create(listing->client->options.config->name);
        listing->cursors = json_array();
        listing->fresh_until_ms = INT64_MAX;
        listing->has_bad_cursor = false;
        r = listing->client->session.has_tools ? fetch_pages(listing, err) : ERR_NONE;
    }
    return r;
}

awaits MUST_CHECK static enum err_code fetch(struct client *client, struct scope *scope,
                                             struct err *err)
{
    struct listing listing = { .client = client, .scope = scope };
    client_watch_tools(client);
    /* What is announced from here on may not be in the answer. */
    client->is_stale = false;
    enum err_code r = fetch_list(&listing, err);
    if (r == ERR_NONE) {
        tool_catalogue_unref(client->catalogue);
        client->catalogue = tool_catalogue_ref(listing.catalogue);
        client->fresh_until_ms = listing.fresh_until_ms;
    }
    client->is_stale = client->is_stale || r;
    forget_pages(&listing);
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
    bool is_announced = client->session.era == ERA_LEGACY || client->is_subscribed;
    return client->catalogue && !client->is_stale && connection_is_open(client->connection) &&
           (is_announced || runtime_now_ms(client->runtime) < client->fresh_until_ms);
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
