/* Whatever comes over HTTP: requests for MCP, one after the other to the same sessions, and for
 * pages. Each that its handler is done with was answered, nothing crashes, and no text that was
 * sent comes back as markup. Requests are parted by U+001E; each is a line with method and target,
 * lines with headers, an empty line, and the body. "Mcp-Session-Id: %" names the latest session. */
#include "domain/base/json.h"
#include "infrastructure/mcp/server/http_endpoint.h"
#include "infrastructure/mock/mock_server.h"
#include "infrastructure/runtime/system_ports.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "presentation/mcp/serve_tools.h"
#include "presentation/mcp/shared_tools.h"
#include "presentation/web/serve_web.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/fakes/fake_rpc_exchange.h"
#include "tests/unit/presentation/web/pages_bench.h"

#define MARK "<zq" /* no page has such an element of its own */
#define FIXTURE                                                                                    \
    "{\"version\":\"1\",\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\","       \
    "\"properties\":{\"text\":{\"type\":\"string\",\"x-mcp-header\":\"Text\"}}},\"replies\":"      \
    "[{\"text\":\"{args.text}\",\"logs\":[{\"level\":\"warning\",\"text\":\"x\"}]}]}],"            \
    "\"resources\":[{\"uri\":\"test://a\",\"name\":\"a\",\"text\":\"b\"}],"                        \
    "\"prompts\":[{\"name\":\"p\",\"messages\":[{\"role\":\"user\",\"text\":\"hi\"}]}]}"

enum { MAX_REQUESTS = 8, TURNS = 40, STREAMED = 5 };

struct request {
    const char *method, *target, *body;
    struct web_header headers[FAKE_RPC_EXCHANGE_MAX_HEADERS];
    size_t n_headers;
};

struct dialogue {
    struct arena arena;
    struct request requests[MAX_REQUESTS];
    size_t n;
    struct settings settings;
    struct replay_store replays;
    struct uv_runtime *uv;
    struct shared_tools *shared;
    struct rpc_endpoint *endpoint;
    char session[80];
};

struct client {
    struct dialogue *of;
    struct fake_rpc_exchange x;
    bool is_done;
};

/* The text up to a mark, which is cut off; *rest is what follows. */
static char *take(char **rest, const char *mark)
{
    char *begin = *rest, *end = strstr(begin, mark);
    *rest = end ? end + strlen(mark) : begin + strlen(begin);
    if (end)
        *end = '\0';
    return begin;
}

static void read_request(struct request *request, char *text)
{
    char *head = take(&text, "\n\n"), *line = take(&head, "\n");
    request->body = text;
    request->method = take(&line, " ");
    request->target = line;
    while (*head && request->n_headers < FAKE_RPC_EXCHANGE_MAX_HEADERS) {
        char *value = take(&head, "\n"), *name = take(&value, ": ");
        request->headers[request->n_headers++] = (struct web_header){ name, value };
    }
}

static const char *header_of(const struct request *request, const char *name)
{
    for (size_t i = 0; i < request->n_headers; i++)
        if (strcasecmp(request->headers[i].name, name) == 0)
            return request->headers[i].value;
    return NULL;
}

static void serve(void *context, struct scope *scope, struct rpc *rpc)
{
    struct dialogue *c = context;
    const struct serve_options options = { .name = "fuzz", .version = "1", .ids = system_ids() };
    struct tool_server *view = shared_tools_view(c->shared);
    (void)!serve_tools(uv_runtime_port(c->uv), scope, rpc, view, &options, NULL);
    tool_server_destroy(view);
}

static enum err_code work(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct client *client = argument;
    (void)runtime;
    (void)scope;
    rpc_endpoint_answer(client->of->endpoint, &client->x.base);
    client->is_done = true;
    return ERR_NONE;
}

/* A client waits for as many turns of the loop as any answer here takes, and goes. */
static void ask_mcp(struct dialogue *c, struct scope *scope, const struct request *request)
{
    struct runtime *runtime = uv_runtime_port(c->uv);
    struct client client = { .of = c };
    fake_rpc_exchange_init(&client.x, request->method, request->body);
    client.x.n_headers = 0;
    for (size_t i = 0; i < request->n_headers; i++)
        fake_rpc_exchange_set(
            &client.x, request->headers[i].name,
            strcmp(request->headers[i].value, "%") == 0 ? c->session : request->headers[i].value);
    struct task *task = runtime_spawn(runtime, scope, work, &client);
    for (int i = 0; i < TURNS && !client.is_done; i++)
        (void)!runtime_sleep(runtime, scope, 0, NULL);
    bool has_stayed = client.is_done;
    client.x.base.is_gone = !has_stayed;
    runtime_cancel(runtime, &client.x.scope);
    (void)runtime_wait(runtime, task);
    if (has_stayed && !client.x.base.is_answered)
        abort();
    if (*client.x.session_id)
        memcpy(c->session, client.x.session_id, sizeof c->session);
    fake_rpc_exchange_finish(&client.x);
}

static void ask_page(struct pages_bench *bench, const struct request *request)
{
    fake_exchange_finish(&bench->x);
    fake_exchange_init(&bench->x, request->method, request->target, request->body);
    bench->x.cookie = header_of(request, "Cookie");
    bench->x.content_type = header_of(request, "Content-Type");
    bench->x.last_event_id = header_of(request, "Last-Event-ID");
    bench->x.goes_after = STREAMED;
    const char *token = pages_cookie_token(&bench->x.base, &bench->arena);
    const struct visitor *visitor = text_equal(token, "right-token") ? &bench->visitor : NULL;
    bool is_page = pages_answer(bench->pages, &bench->own->scope, &bench->x.base, visitor);
    if (is_page != bench->x.base.is_answered || strstr(buf_string(&bench->x.body), MARK))
        abort();
}

static enum err_code converse(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct dialogue *c = argument;
    struct tool_server *tools = NULL;
    json_auto_t *fixture = NULL;
    if (json_parse(FIXTURE, strlen(FIXTURE), JSON_FOREIGN, &fixture, NULL) ||
        mock_server_create(runtime, "mock", fixture, &tools, NULL))
        abort();
    const struct rpc_endpoint_options options = {
        .tools = tools, .is_modern = true, .is_legacy = true, .serve = serve, .context = c
    };
    c->shared = shared_tools_create(tools);
    c->endpoint = http_endpoint_create(c->uv, &c->settings, &c->replays, &options);
    for (size_t i = 0; i < c->n; i++)
        if (text_starts_with(c->requests[i].target, "/mcp"))
            ask_mcp(c, scope, &c->requests[i]);
    rpc_endpoint_close(c->endpoint);
    shared_tools_destroy(c->shared);
    tool_server_close(tools, scope);
    tool_server_destroy(tools);
    return ERR_NONE;
}

/* A name that somebody else can own is none of this server's. */
static void check_host(const char *host)
{
    if (host && serve_web_knows_host(host, "127.0.0.1:80", true, "mistro.example") &&
        strcasestr(host, "evil"))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dialogue c = { 0 };
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    void *bench = NULL;
    char *rest = arena_strndup(&c.arena, (const char *)data, size);
    settings_init(&c.settings);
    while (*rest && c.n < MAX_REQUESTS)
        read_request(&c.requests[c.n++], take(&rest, "\x1e"));
    (void)set_up(&bench);
    log_run(((struct pages_bench *)bench)->own, (struct run){ .id = "r1", .title = MARK ">" }, 0);
    for (size_t i = 0; i < c.n; i++) {
        check_host(header_of(&c.requests[i], "Host"));
        if (!text_starts_with(c.requests[i].target, "/mcp"))
            ask_page(bench, &c.requests[i]);
    }
    (void)tear_down(&bench);
    c.uv = uv_runtime_create();
    if (uv_runtime_run(c.uv, &scope, converse, &c))
        abort();
    uv_runtime_destroy(c.uv);
    arena_finish(&c.arena);
    return 0;
}
