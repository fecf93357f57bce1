#include "infrastructure/mcp/client/client_pages.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "infrastructure/mcp/client/client_internal.h"
#include <string.h>

/* One of them as it came; the value is owned. */
struct page {
    size_t max_values;
    json_t *value;
    size_t length; /* of its text */
    int64_t until_ms;
};

static enum err_code take_result(void *context, const struct result_outline *result,
                                 struct err *err)
{
    struct page *page = context;
    enum err_code r = client_check_outline_type(result, err);
    if (r)
        return r;
    page->length = result->text.length;
    return json_parse_message(result->text.text, result->text.length, page->max_values,
                              &page->value, err);
}

awaits MUST_CHECK static enum err_code request_page(struct pages *pages, json_t *cursor,
                                                    struct page *out, struct err *err)
{
    struct client *client = pages->client;
    out->max_values = (size_t)client->options.settings->mcp_max_values;
    struct request request = { .method = pages->method,
                               .silence_ms = client_silence_ms(client),
                               .on_result = take_result,
                               .context = out };
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
    pages->has_bad_cursor = cursor && jsonrpc_error_code(request.error) == JSONRPC_INVALID_PARAMS;
    pages->is_unseen = (r == ERR_UNAVAILABLE && !request_was_sent(&request)) ||
                       connection_authorize(client->connection, &request, pages->scope,
                                            &pages->was_authorized, &r, err) ||
                       client_revision_was_refused(client, request.error);
    request_finish(&request);
    return r;
}

/* A server that goes on and cannot answer just now: what it said before is used. */
static bool use_old(struct pages *pages, const char *key, enum err_code r, struct page *out,
                    struct err *why)
{
    struct client *client = pages->client;
    const struct hint_entry *known = hint_cache_find(&client->hints, pages->method, key);
    bool goes_on = connection_is_open(client->connection) &&
                   scope_check(pages->scope, runtime_now_ms(client->runtime), NULL) == ERR_NONE;
    if (!known || !goes_on || pages->has_bad_cursor || pages->is_unseen)
        return false;
    err_prefix(why, r, "%s: may be out of date", pages->method);
    client_report(client, why);
    *out = (struct page){ .value = json_incref(known->value) };
    return true;
}

/* Unless it is known and still holds. */
awaits MUST_CHECK static enum err_code fetch_page(struct pages *pages, json_t *cursor,
                                                  struct page *out, struct err *err)
{
    struct client *client = pages->client;
    auto_str key = cursor ? json_print(cursor) : strdup("");
    const struct hint_entry *known = hint_cache_find(&client->hints, pages->method, key);
    uint64_t n_changes = client->hints.n_changes;
    struct err why = { 0 };
    enum err_code r = scope_check(pages->scope, runtime_now_ms(client->runtime), err);
    if (r)
        return r;
    if (hint_entry_is_fresh(known, runtime_now_ms(client->runtime))) {
        *out = (struct page){ .value = json_incref(known->value), .until_ms = known->until_ms };
        return ERR_NONE;
    }
    r = request_page(pages, cursor, out, &why);
    int64_t now_ms = runtime_now_ms(client->runtime);
    if (r && use_old(pages, key, r, out, &why))
        return ERR_NONE;
    if (r && err)
        *err = why;
    if (r || client->session.era != ERA_MODERN)
        return r;
    out->until_ms = now_ms + hint_ttl_ms(out->value);
    hint_cache_keep(&client->hints, pages->method, key, out->value, NULL, out->length, now_ms,
                    n_changes);
    return ERR_NONE;
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
    client_warn(client, &err);
    return false;
}

awaits MUST_CHECK static enum err_code fetch_all(struct pages *pages, struct err *err)
{
    json_auto_t *cursor = NULL;
    bool more = true;
    while (more) {
        struct page page = { 0 };
        enum err_code r = fetch_page(pages, cursor, &page, err);
        json_auto_t *value = page.value;
        if (!r)
            r = pages->take(pages->context, value, page.until_ms, err);
        if (r)
            return r;
        json_decref(cursor);
        cursor = json_incref(json_object_get(value, "nextCursor"));
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
    if (!r || !pages->has_bad_cursor)
        return r;
    hint_cache_drop(&pages->client->hints, pages->method);
    return fetch_from_start(pages, err);
}
