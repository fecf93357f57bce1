#include "presentation/web/serve_web.h"
#include "domain/base/text.h"
#include "presentation/mcp/shared_tools.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A person who is served. */
struct guest {
    struct guest *next;
    struct serve *serve;
    char *name;
    struct tool_server *tools;
    struct shared_tools *shared;
    struct rpc_endpoint *endpoint;
};

struct serve {
    const struct serve_web_options *options;
    struct scope *scope;
    struct guest *guests;
    size_t n_guests;
};

static void answer_text(struct web_exchange *x, unsigned status, const struct web_header *header,
                        const char *text)
{
    const struct web_answer answer = { .status = status,
                                       .type = "text/plain; charset=utf-8",
                                       .headers = header,
                                       .n_headers = header ? 1 : 0,
                                       .bytes = text,
                                       .length = strlen(text) };
    web_answer(x, &answer);
}

static bool is_one_of(const char *names, const char *name, size_t length)
{
    for (const char *at = names + strspn(names, " "); *at;) {
        size_t n = strcspn(at, " ");
        if (n == length && strncasecmp(at, name, n) == 0)
            return true;
        at += n + strspn(at + n, " ");
    }
    return false;
}

/* Digits and dots, or what stands in brackets: no name that could lead somewhere else tomorrow. */
static bool is_number(const char *name, size_t length)
{
    size_t dots = 0;
    if (length > 2 && name[0] == '[' && name[length - 1] == ']')
        return strspn(name + 1, "0123456789abcdefABCDEF:.") == length - 2;
    for (size_t i = 0; i < length; i++) {
        dots += name[i] == '.';
        if (name[i] != '.' && (name[i] < '0' || name[i] > '9'))
            return false;
    }
    return dots == 3;
}

bool serve_web_knows_host(const char *host, const char *authority, bool is_loopback,
                          const char *also)
{
    static const char this_machine[] = "localhost 127.0.0.1 [::1]";
    const char *colon = strrchr(host, ':'), *bracket = strrchr(host, ']');
    const char *port = colon && (!bracket || colon > bracket) ? colon : host + strlen(host);
    size_t length = (size_t)(port - host);
    if (strcasecmp(host, authority) == 0 || is_one_of(also, host, strlen(host)) ||
        is_one_of(also, host, length))
        return true;
    if (strcmp(port, strrchr(authority, ':')) != 0)
        return false;
    return is_loopback ? is_one_of(this_machine, host, length) : is_number(host, length);
}

/* The page that a browser sends from has this server's name itself. */
static bool knows_origin(const struct serve *s, const char *origin)
{
    const char *host = text_starts_with(origin, "http://")    ? origin + 7
                       : text_starts_with(origin, "https://") ? origin + 8
                                                              : NULL;
    return host && serve_web_knows_host(host, web_server_authority(s->options->web),
                                        s->options->is_loopback, s->options->settings->http_hosts);
}

static bool is_addressed_well(const struct serve *s, struct web_exchange *x)
{
    const char *host = web_header(x, "Host"), *origin = web_header(x, "Origin");
    if (!host || !serve_web_knows_host(host, web_server_authority(s->options->web),
                                       s->options->is_loopback, s->options->settings->http_hosts))
        answer_text(x, 403, NULL, "this server does not go by the name in Host (http.hosts)\n");
    else if (origin && !knows_origin(s, origin))
        answer_text(x, 403, NULL, "requests of other origins are not taken (http.hosts)\n");
    else
        return true;
    return false;
}

/* The token of "Bearer TOKEN"; NULL for anything else. */
static const char *bearer(const struct web_exchange *x)
{
    static const char scheme[] = "Bearer ";
    const char *value = web_header(x, "Authorization");
    if (!value || strncasecmp(value, scheme, sizeof scheme - 1) != 0)
        return NULL;
    value += sizeof scheme - 1;
    return value + strspn(value, " ");
}

static void serve_client(void *context, struct scope *scope, struct rpc *rpc)
{
    struct guest *guest = context;
    const struct serve_web_options *options = guest->serve->options;
    struct tool_server *view = shared_tools_view(guest->shared);
    struct err err;
    (void)!serve_tools(options->runtime, scope, rpc, view, &options->serve, &err);
    tool_server_destroy(view);
}

static struct guest *find_guest(const struct serve *s, const char *name)
{
    struct guest *at = s->guests;
    while (at && strcmp(at->name, name) != 0)
        at = at->next;
    return at;
}

static enum err_code add_guest(struct serve *s, const struct visitor *visitor, struct guest **out,
                               struct err *err)
{
    const struct serve_web_options *options = s->options;
    struct tool_server *tools = NULL;
    if (s->n_guests == SERVE_WEB_MAX_GUESTS)
        return err_set(err, ERR_LIMIT, 0, "too many persons at once");
    enum err_code r = options->tools_of(options->context, visitor, &tools, err);
    if (r)
        return r;
    struct guest *guest = calloc(1, sizeof *guest);
    if (!guest || !(guest->name = strdup(visitor->name)))
        abort();
    const struct rpc_endpoint_options endpoint = { .tools = tools,
                                                   .is_modern = options->serve.eras != SERVE_LEGACY,
                                                   .is_legacy = options->serve.eras != SERVE_MODERN,
                                                   .serve = serve_client,
                                                   .context = guest };
    guest->serve = s;
    guest->tools = tools;
    guest->shared = shared_tools_create(tools);
    guest->endpoint = options->endpoint(options->context, &endpoint);
    guest->next = s->guests;
    s->guests = guest;
    s->n_guests++;
    *out = guest;
    return ERR_NONE;
}

awaits static void answer_mcp(struct serve *s, struct web_exchange *x,
                              const struct visitor *visitor)
{
    struct guest *guest = find_guest(s, visitor->name);
    struct err err;
    if (!guest && add_guest(s, visitor, &guest, &err))
        answer_text(x, 503, NULL, err.message);
    else
        rpc_endpoint_answer(guest->endpoint, x);
}

static void answer_unknown(struct web_exchange *x, const char *token)
{
    const struct web_header challenge = { "WWW-Authenticate",
                                          token ? "Bearer realm=\"mistro\", error=\"invalid_token\""
                                                : "Bearer realm=\"mistro\"" };
    answer_text(x, 401, &challenge, "a token is needed (mistro serve token add)\n");
}

/* Those that mean something somewhere here. */
static bool knows_method(const char *method)
{
    static const char *const known[] = { "GET", "HEAD", "POST", "DELETE" };
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (strcmp(known[i], method) == 0)
            return true;
    return false;
}

static void handle(void *context, struct scope *scope, struct web_exchange *x)
{
    struct serve *s = context;
    struct visitor visitor = { .name = "" };
    (void)scope;
    if (!is_addressed_well(s, x))
        return;
    if (!knows_method(x->method)) {
        answer_text(x, 405, &(struct web_header){ "Allow", "GET, HEAD, POST, DELETE" },
                    "no such method\n");
        return;
    }
    const char *token = bearer(x);
    bool is_known = s->options->identify(s->options->context, token, &visitor);
    if (strcmp(x->path, SERVE_WEB_MCP_PATH) != 0)
        answer_text(x, 404, NULL, "there is nothing here\n");
    else if (!is_known)
        answer_unknown(x, token);
    else
        answer_mcp(s, x, &visitor);
}

awaits static void close_guests(struct serve *s)
{
    for (struct guest *at = s->guests, *next; at; at = next) {
        next = at->next;
        rpc_endpoint_close(at->endpoint);
        shared_tools_destroy(at->shared);
        tool_server_close(at->tools, s->scope);
        tool_server_destroy(at->tools);
        free(at->name);
        free(at);
    }
}

enum err_code serve_web(const struct serve_web_options *options, struct scope *scope,
                        struct err *err)
{
    struct serve s = { .options = options, .scope = scope };
    enum err_code r = web_server_serve(options->web, scope, handle, &s, err);
    close_guests(&s);
    return r;
}
