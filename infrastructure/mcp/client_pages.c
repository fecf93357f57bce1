#include "infrastructure/mcp/client_pages.h"
#include "domain/base/json.h"
#include "infrastructure/mcp/client_internal.h"

awaits MUST_CHECK static enum err_code fetch_page(struct pages *pages, json_t *cursor,
                                                  json_t **out_page, struct err *err)
{
    struct client *client = pages->client;
    struct request request = { .method = pages->method, .silence_ms = client_silence_ms(client) };
    AUTO(buf) line;
    buf_init(&line, (size_t)client->options.settings->mcp_max_message_bytes);
    bool is_modern = client->session.era == ERA_MODERN;
    bool fits = connection_begin(client->connection, &request, &line) &&
                buf_puts(&line, ",\"params\":{") &&
                (!is_modern || client_append_meta(client, &line, ERA_NO_OFFER)) &&
                (!cursor || (buf_puts(&line, is_modern ? ",\"cursor\":" : "\"cursor\":") &&
                             jsonrpc_append_json(&line, cursor))) &&
                buf_puts(&line, "}}\n");
    if (!fits)
        return err_set(err, ERR_LIMIT, 0, "the cursor is longer than mcp.max_message_bytes");
    enum err_code r = connection_post(client->connection, &request, &line, err);
    if (r == ERR_NONE)
        r = connection_await(client->connection, &request, pages->scope, err);
    *out_page = steal(&request.result);
    pages->has_bad_cursor = cursor && jsonrpc_error_code(request.error) == JSONRPC_INVALID_PARAMS;
    pages->is_unseen = r == ERR_UNAVAILABLE && !request_was_sent(&request);
    request_finish(&request);
    return r;
}

static bool was_asked(const struct pages *pages, const json_t *cursor)
{
    for (size_t i = 0; i < json_array_size(pages->cursors); i++)
        if (json_equal(json_array_get(pages->cursors, i), cursor))
            return true;
    return false;
}

/* Notes the cursor of the next page; false when this was the last one. "" is a cursor. */
static bool has_next_page(struct pages *pages, json_t *cursor)
{
    struct client *client = pages->client;
    size_t most = (size_t)client->options.settings->mcp_max_pages;
    struct err err;
    if (!json_is_string(cursor))
        return false;
    if (was_asked(pages, cursor))
        err_set(&err, ERR_PROTOCOL, 0, "%s: a cursor came twice; the rest is left out",
                pages->method);
    else if (json_array_size(pages->cursors) + 1 >= most)
        err_set(&err, ERR_LIMIT, 0, "%s: more than %zu pages; the rest is left out", pages->method,
                most);
    else
        return json_array_append(pages->cursors, cursor) == 0;
    client_report(client, &err);
    return false;
}

awaits MUST_CHECK static enum err_code fetch_all(struct pages *pages, struct err *err)
{
    json_auto_t *cursor = NULL;
    bool more = true;
    while (more) {
        json_auto_t *page = NULL;
        enum err_code r = fetch_page(pages, cursor, &page, err);
        if (!r)
            r = pages->take(pages->context, page, err);
        if (r)
            return r;
        json_decref(cursor);
        cursor = json_incref(json_object_get(page, "nextCursor"));
        more = has_next_page(pages, cursor);
    }
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code fetch_from_start(struct pages *pages, struct err *err)
{
    json_auto_t *cursors = json_array();
    pages->cursors = cursors;
    pages->has_bad_cursor = pages->is_unseen = false;
    pages->begin(pages->context);
    enum err_code r = fetch_all(pages, err);
    pages->cursors = NULL;
    return r;
}

enum err_code client_fetch_pages(struct pages *pages, struct err *err)
{
    enum err_code r = fetch_from_start(pages, err);
    if (r && pages->is_unseen) {
        r = client_ensure_started(pages->client, pages->scope, err);
        return r ? r : fetch_from_start(pages, err);
    }
    return r && pages->has_bad_cursor ? fetch_from_start(pages, err) : r;
}
