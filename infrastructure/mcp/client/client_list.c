/* The lists of a server (tools, resources, templates, prompts), asked for page by page until the
 * server has no more, a bound is reached, or a cursor comes twice. A page that still holds is not
 * asked for (hint_cache.h). A list that was cut short is reported, and is not a failure.
 *
 * A cursor is worth something only within the session that gave it, and a list may change between
 * two pages so that the server refuses it. In either case the list is asked for from the start,
 * once. */
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_request.h"
#include "infrastructure/mcp/wire/header_parameters.h"
#include <string.h>

/* A list being fetched. It lies in the frame of the caller. */
struct pages {
    struct client_request request; /* of a page; what happened to one counts for all */
    /* The list is asked for from the start: what came before does not count. */
    void (*begin)(void *context);
    /* One page: the result of the method, and how long it holds by its own account. */
    enum err_code (*take)(void *context, const json_t *page, int64_t until_ms, struct err *err);
    void *context;

    json_t *cursor;     /* of the page that is next, or NULL */
    json_t *cursors;    /* those that were given so far */
    uint64_t n_changes; /* of the hints, when the page was asked for */
};

/* One of them as it came; the value is owned. */
struct page {
    struct pages *pages;
    json_t *value;
    size_t length; /* of its text */
    int64_t until_ms;
};

static void start_over(struct pages *pages)
{
    json_decref(pages->cursor);
    json_decref(pages->cursors);
    pages->cursor = NULL;
    pages->cursors = json_array();
    pages->begin(pages->context);
}

/* A page that is sent once more would be one of another session. */
static enum err_code prepare_page(void *context, bool is_again, struct arena *arena,
                                  struct err *err)
{
    (void)arena;
    (void)err;
    struct pages *pages = ((struct page *)context)->pages;
    if (is_again)
        start_over(pages);
    pages->n_changes = pages->request.client->hints.n_changes;
    return ERR_NONE;
}

static bool append_page_params(const struct client_request *x, struct buf *line)
{
    const json_t *cursor = ((const struct page *)x->context)->pages->cursor;
    return buf_puts(line, "{") &&
           (!x->is_modern || client_append_meta(x->client, line, ERA_NO_OFFER)) &&
           (!cursor || (buf_puts(line, x->is_modern ? ",\"cursor\":" : "\"cursor\":") &&
                        jsonrpc_append_json(line, cursor))) &&
           buf_puts(line, "}");
}

static enum err_code take_page_result(void *context, const struct result_outline *result,
                                      struct err *err)
{
    struct page *page = context;
    const struct settings *settings = page->pages->request.client->context.settings;
    enum err_code r = client_check_result_type(result, err);
    if (r)
        return r;
    page->length = result->text.length;
    return json_parse_message(result->text.text, result->text.length,
                              (size_t)settings->mcp_max_values, &page->value, err);
}

static bool has_bad_cursor(const struct pages *pages)
{
    return pages->cursor &&
           jsonrpc_error_code(pages->request.request.error) == JSONRPC_INVALID_PARAMS;
}

/* A server that goes on and cannot answer just now: what it said before is used. */
static bool use_old(struct pages *pages, const char *key, enum err_code r, struct page *out,
                    struct err *why)
{
    struct client *client = pages->request.client;
    const struct request *request = &pages->request.request;
    const struct hint_entry *known = hint_cache_find(&client->hints, request->method, key);
    bool was_turned_away = !request->id.number || (r == ERR_UNAVAILABLE && !request->was_sent);
    if (!known || !client_goes_on(client, pages->request.scope) || has_bad_cursor(pages) ||
        was_turned_away)
        return false;
    err_prefix(why, r, "%s: may be out of date", request->method);
    client_report(client, why);
    *out = (struct page){ .value = json_incref(known->value) };
    return true;
}

static char *page_key(const struct pages *pages)
{
    char *key = pages->cursor ? json_print(pages->cursor) : strdup("");
    if (!key)
        abort();
    return key;
}

awaits MUST_CHECK static enum err_code request_page(struct pages *pages, struct page *out,
                                                    struct err *err)
{
    struct client_request *x = &pages->request;
    x->request =
        (struct request){ .method = x->request.method, .silence_ms = client_silence_ms(x->client) };
    out->pages = pages;
    x->context = out;
    return client_request_run(x, err);
}

/* Asks for a page unless it is known and still holds. */
awaits MUST_CHECK static enum err_code fetch_page(struct pages *pages, struct page *out,
                                                  struct err *err)
{
    struct client *client = pages->request.client;
    const char *method = pages->request.request.method;
    auto_str known_key = page_key(pages);
    const struct hint_entry *known = hint_cache_find(&client->hints, method, known_key);
    struct err why = { 0 };
    enum err_code r = scope_check(pages->request.scope, runtime_now_ms(client->runtime), err);
    if (r)
        return r;
    if (hint_entry_is_fresh(known, runtime_now_ms(client->runtime))) {
        *out = (struct page){ .value = json_incref(known->value), .until_ms = known->until_ms };
        return ERR_NONE;
    }
    r = request_page(pages, out, &why);
    int64_t now_ms = runtime_now_ms(client->runtime);
    auto_str key = page_key(pages);
    if (r && use_old(pages, key, r, out, &why))
        return ERR_NONE;
    if (r && err)
        *err = why;
    if (r || client->session.era != ERA_MODERN)
        return r;
    out->until_ms = now_ms + hint_ttl_ms(out->value);
    const struct hint_answer answer = {
        .method = method, .key = key, .value = out->value, .length = out->length
    };
    hint_cache_keep(&client->hints, &answer, now_ms, pages->n_changes);
    return ERR_NONE;
}

static bool was_given(const struct pages *pages, const json_t *cursor)
{
    for (size_t i = 0; i < json_array_size(pages->cursors); i++)
        if (json_equal(json_array_get(pages->cursors, i), cursor))
            return true;
    return false;
}

/* Notes the cursor of the next page; false when this was the last one. "" is a cursor. */
static bool has_next_page(struct pages *pages, const json_t *page)
{
    struct client *client = pages->request.client;
    const char *method = pages->request.request.method;
    size_t most = (size_t)client->context.settings->mcp_max_pages;
    struct err err;
    json_decref(pages->cursor);
    pages->cursor = json_incref(json_object_get(page, "nextCursor"));
    if (!json_is_string(pages->cursor))
        return false;
    if (was_given(pages, pages->cursor))
        err_set(&err, ERR_PROTOCOL, 0, "%s: a cursor came twice; the rest is left out", method);
    else if (json_array_size(pages->cursors) + 1 >= most)
        err_set(&err, ERR_LIMIT, 0, "%s: more than %zu pages (mcp.max_pages); the rest is left out",
                method, most);
    else
        return json_array_append(pages->cursors, pages->cursor) == 0;
    client_warn(client, &err);
    return false;
}

/* Calls begin, then take for every page. */
awaits MUST_CHECK static enum err_code fetch_pages(struct pages *pages, struct err *err)
{
    enum err_code r = ERR_NONE;
    bool has_more = true, has_started_over = false;
    pages->request.prepare = prepare_page;
    pages->request.append_params = append_page_params;
    pages->request.take = take_page_result;
    start_over(pages);
    while (has_more && !r) {
        struct page page = { 0 };
        r = fetch_page(pages, &page, err);
        bool is_refused = r && has_bad_cursor(pages);
        request_finish(&pages->request.request);
        if (!r)
            r = pages->take(pages->context, page.value, page.until_ms, err);
        if (!r)
            has_more = has_next_page(pages, page.value);
        json_decref(page.value);
        if (is_refused && !has_started_over) {
            hint_cache_drop(&pages->request.client->hints, pages->request.request.method);
            start_over(pages);
            has_started_over = true;
            r = ERR_NONE;
        }
    }
    json_decref(pages->cursor);
    json_decref(pages->cursors);
    return r;
}

/* The catalogue of tools that a list becomes. */
struct listing {
    struct client *client;
    struct tool_catalogue *catalogue;
    int64_t fresh_until_ms;
};

/* A definition is hashed, pinned and shown, so it may not have any length; and a tool whose
 * parameters cannot be put into the headers that it wants cannot be called. */
static enum err_code check_definition(const struct client *client, const json_t *definition,
                                      struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *name = json_get_string(definition, "name");
    size_t most = (size_t)client->context.settings->tools_max_definition_bytes;
    enum err_code r = ERR_NONE;
    if (tool_definition_bytes(definition) > most)
        r = err_set(err, ERR_LIMIT, 0,
                    "its definition has more than %zu bytes (tools.max_definition_bytes)", most);
    else if (client_sends_parameters(client))
        r = header_parameters_check(json_object_get(definition, "inputSchema"), err);
    return r && name
               ? err_prefix(err, r, "tool \"%s\"", text_one_line(&scratch, name, strlen(name), 60))
               : r;
}

/* One bad definition does not hide the others. */
static void add_tools(struct listing *listing, const json_t *tools)
{
    struct client *client = listing->client;
    size_t i, most = (size_t)client->context.settings->tools_max_per_server;
    json_t *definition;
    struct err err;
    json_array_foreach (tools, i, definition) {
        if (listing->catalogue->n_tools >= most) {
            err_set(&err, ERR_LIMIT, 0, "more than %zu tools; the rest is left out", most);
            client_warn(client, &err);
            return;
        }
        enum err_code r = check_definition(client, definition, &err);
        if (!r)
            r = tool_catalogue_add(listing->catalogue, definition, &err);
        if (r) {
            err_prefix(&err, r, "a tool is left out");
            (r == ERR_LIMIT ? client_warn : client_report)(client, &err);
        }
    }
}

static void begin_tools(void *context)
{
    struct listing *listing = context;
    tool_catalogue_unref(listing->catalogue);
    listing->catalogue = tool_catalogue_create(listing->client->config->name);
    listing->fresh_until_ms = INT64_MAX;
}

/* The list is as fresh as its oldest page. */
static enum err_code take_tools(void *context, const json_t *page, int64_t until_ms,
                                struct err *err)
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

awaits MUST_CHECK static enum err_code fetch_tools(struct client *client, struct scope *scope,
                                                   struct err *err)
{
    struct listing listing = { .client = client };
    struct pages pages = {
        .request = { .client = client, .scope = scope, .request.method = "tools/list" },
        .begin = begin_tools,
        .take = take_tools,
        .context = &listing,
    };
    client_watch_open(client);
    /* What is announced from here on may not be in the answer. */
    client->is_stale = false;
    begin_tools(&listing);
    enum err_code r = client->session.has_tools ? fetch_pages(&pages, err) : ERR_NONE;
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
    enum err_code r = fetch_tools(client, scope, &why);
    if (r && client->catalogue && client_goes_on(client, scope)) {
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
    r = task_lock_take(&client->list_lock, client->context.runtime, scope, err);
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

static const char *const list_methods[OFFERING_KINDS] = { "resources/list",
                                                          "resources/templates/list",
                                                          "prompts/list" };

/* The offerings that a list becomes. */
struct offering_listing {
    struct client *client;
    enum offering_kind kind;
    struct offerings *out;
    size_t n_before; /* in *out, of other kinds */
    bool is_full;
};

static void begin_offerings(void *context)
{
    struct offering_listing *listing = context;
    listing->out->n = listing->n_before;
    listing->is_full = false;
}

/* One bad definition does not hide the others. */
static void add_offering(struct offering_listing *listing, json_t *definition)
{
    struct err err;
    enum err_code r = offerings_add(listing->out, listing->kind, definition, &err);
    if (r) {
        err_prefix(&err, r, "%s: left out", list_methods[listing->kind]);
        client_report(listing->client, &err);
    }
}

static enum err_code take_offerings(void *context, const json_t *page, int64_t until_ms,
                                    struct err *err)
{
    (void)until_ms;
    struct offering_listing *listing = context;
    const char *member = offering_list_member(listing->kind);
    size_t i, most = (size_t)listing->client->context.settings->tools_max_per_server;
    const json_t *definitions = json_object_get(page, member);
    json_t *definition;
    struct err full;
    if (!json_is_array(definitions))
        return err_set(err, ERR_PROTOCOL, 0, "the answer has no array of %s", member);
    json_array_foreach (definitions, i, definition) {
        if (listing->out->n - listing->n_before < most) {
            add_offering(listing, definition);
        } else if (!listing->is_full) {
            listing->is_full = true;
            err_set(&full, ERR_LIMIT, 0, "%s: more than %zu entries; the rest is left out",
                    list_methods[listing->kind], most);
            client_warn(listing->client, &full);
        }
    }
    return ERR_NONE;
}

enum err_code client_offerings(struct tool_server *server, struct scope *scope,
                               enum offering_kind kind, struct offerings *out, struct err *err)
{
    struct client *client = client_of(server);
    struct offering_listing listing = {
        .client = client, .kind = kind, .out = out, .n_before = out->n
    };
    struct pages pages = {
        .request = { .client = client, .scope = scope, .request.method = list_methods[kind] },
        .begin = begin_offerings,
        .take = take_offerings,
        .context = &listing,
    };
    struct err why = { 0 };
    enum err_code r = client_ensure_started(client, scope, err);
    if (!r)
        r = client_check_offers(client, kind, err);
    if (r)
        return r;
    client_watch_open(client);
    r = fetch_pages(&pages, &why);
    if (r)
        out->n = listing.n_before;
    /* A server may have resources and never have heard of templates. */
    if (!r || (kind == OFFERING_TEMPLATE && why.origin == JSONRPC_METHOD_NOT_FOUND))
        return ERR_NONE;
    if (err)
        *err = why;
    return err_prefix(err, r, "%s", list_methods[kind]);
}
