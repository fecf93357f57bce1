#include "presentation/web/serve_web.h"
#include "domain/base/text.h"
#include "presentation/mcp/shared_tools.h"
#include "presentation/web/pages.h"
#include "presentation/web/rate_limit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CROWDED "too many persons at once: come again in a moment\n"

/* A person who has tools. */
struct guest {
    struct guest *next;
    struct serve *serve;
    char *name;
    struct services *services; /* held */
    struct tool_server *tools;
    struct shared_tools *shared;
    struct rpc_endpoint *endpoint;
    size_t n_users; /* requests that are being answered */
    int64_t used_ms;
};

struct serve {
    const struct serve_web_options *options;
    struct scope *scope;
    struct pages *pages;
    struct rate_limit *limit;
    struct guest *guests;
    size_t n_guests;
    struct visit *visits;
};

/* A request that is being answered. */
struct visit {
    struct visit *next;
    struct serve *serve;
    const char *token;      /* its client was let in by; NULL: without one */
    struct visitor visitor; /* where somebody is known */
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
    /* Who asks at the port that http has by itself leaves it out (RFC 9110, 4.2.1). */
    if (strcmp(*port ? port : ":80", strrchr(authority, ':')) != 0)
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

awaits static void close_guest(struct serve *s, struct guest *guest)
{
    const struct visitors *visitors = &s->options->visitors;
    rpc_endpoint_close(guest->endpoint);
    shared_tools_destroy(guest->shared);
    tool_server_close(guest->tools, s->scope);
    tool_server_destroy(guest->tools);
    visitors->release(visitors->context, guest->services);
    free(guest->name);
    free(guest);
}

/* Who has nothing running and asked for nothing for the longest time leaves. False: all of them
 * have something running. */
awaits static bool let_one_go(struct serve *s)
{
    struct guest **oldest = NULL;
    for (struct guest **at = &s->guests; *at; at = &(*at)->next)
        if (!(*at)->n_users && !shared_tools_are_busy((*at)->shared) &&
            (!oldest || (*at)->used_ms < (*oldest)->used_ms))
            oldest = at;
    if (!oldest)
        return false;
    struct guest *leaving = *oldest;
    *oldest = leaving->next;
    s->n_guests--;
    close_guest(s, leaving);
    return true;
}

static struct guest *make_guest(struct serve *s, const struct visitor *visitor,
                                struct tool_server *tools)
{
    const struct serve_web_options *options = s->options;
    struct guest *guest = calloc(1, sizeof *guest);
    if (!guest || !(guest->name = strdup(visitor->name)))
        abort();
    const struct rpc_endpoint_options endpoint = { .tools = tools,
                                                   .is_modern = options->serve.eras != SERVE_LEGACY,
                                                   .is_legacy = options->serve.eras != SERVE_MODERN,
                                                   .serve = serve_client,
                                                   .context = guest };
    guest->serve = s;
    guest->services = visitor->services;
    options->visitors.hold(options->visitors.context, guest->services);
    guest->tools = tools;
    guest->shared = shared_tools_create(tools);
    guest->endpoint = options->endpoint(options->context, &endpoint);
    guest->next = s->guests;
    s->guests = guest;
    s->n_guests++;
    return guest;
}

/* The person's tools. Making them may wait, and meanwhile another request of the same person may
 * have made some: then those count. */
awaits static enum err_code guest_of(struct serve *s, const struct visitor *visitor,
                                     struct guest **out, struct err *err)
{
    struct tool_server *tools = NULL;
    *out = find_guest(s, visitor->name);
    if (*out)
        return ERR_NONE;
    while (s->n_guests >= SERVE_WEB_MAX_GUESTS)
        if (!let_one_go(s))
            return err_set(err, ERR_LIMIT, 0, CROWDED);
    enum err_code r = s->options->tools_of(s->options->context, visitor, &tools, err);
    if (r)
        return r;
    *out = find_guest(s, visitor->name);
    if (!*out) {
        *out = make_guest(s, visitor, tools);
        return ERR_NONE;
    }
    tool_server_close(tools, s->scope);
    tool_server_destroy(tools);
    return ERR_NONE;
}

awaits static void answer_mcp(struct serve *s, struct web_exchange *x,
                              const struct visitor *visitor)
{
    struct guest *guest = NULL;
    struct err err;
    if (guest_of(s, visitor, &guest, &err)) {
        answer_text(x, 503, &(struct web_header){ "Retry-After", "5" }, err.message);
        return;
    }
    guest->n_users++;
    rpc_endpoint_answer(guest->endpoint, x);
    guest->n_users--;
    guest->used_ms = runtime_now_ms(s->options->runtime);
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
    return text_is_one_of(method, known, ARRAY_LENGTH(known));
}

/* So that slow requests of one person do not take all connections. Who started the server shares
 * them with nobody. */
static bool is_beyond_share(const struct serve *s, const char *name)
{
    int64_t n = 0;
    for (const struct visit *at = *name ? s->visits : NULL; at; at = at->next)
        n += strcmp(at->visitor.name, name) == 0;
    return n > s->options->settings->http_requests_at_once;
}

/* Whether the person has not come too often; else that was answered. */
static bool is_within_limit(struct serve *s, struct web_exchange *x, const char *name, bool is_mcp)
{
    char seconds[24];
    int64_t retry = 1;
    x->is_beyond_share = is_beyond_share(s, name);
    bool is_within = rate_limit_take(s->limit, name, runtime_now_ms(s->options->runtime), &retry);
    if (is_within && (is_mcp || !x->is_beyond_share)) /* MCP says itself what it cannot begin */
        return true;
    snprintf(seconds, sizeof seconds, "%lld", (long long)retry);
    answer_text(x, 429, &(struct web_header){ "Retry-After", seconds },
                is_within
                    ? "too many requests of yours are being answered (http.requests_at_once)\n"
                    : "too many requests in a minute (http.requests_per_minute)\n");
    return false;
}

/* visitor: NULL where nobody is known. */
awaits static void answer(struct serve *s, struct web_exchange *x, const struct visitor *visitor)
{
    const char *token = bearer(x);
    bool is_mcp = strcmp(x->path, SERVE_WEB_MCP_PATH) == 0;
    if (visitor && !is_within_limit(s, x, visitor->name, is_mcp))
        return;
    if (is_mcp && visitor)
        answer_mcp(s, x, visitor);
    else if (is_mcp || (token && !visitor))
        answer_unknown(x, token);
    else if (!pages_answer(s->pages, x->scope, x, visitor))
        answer_text(x, 404, NULL, "there is nothing here\n");
}

/* A cookie counts for pages alone: a browser sends it with whatever another page makes it ask. */
static const char *token_of(struct web_exchange *x, struct arena *arena)
{
    bool is_page = strcmp(x->path, SERVE_WEB_MCP_PATH) != 0;
    return is_page && !web_header(x, "Authorization") ? pages_cookie_token(x, arena) : bearer(x);
}

/* Its token may have been revoked, or have expired, since. Where that cannot be found out, it is
 * asked again later. */
awaits static bool may_stay(const struct web_exchange *x)
{
    const struct visit *visit = x->let_in_by;
    const struct visitors *visitors = &visit->serve->options->visitors;
    struct visitor visitor;
    bool is_known = false;
    if (visitors->identify(visitors->context, x->scope, visit->token, &visitor, &is_known, NULL))
        return true;
    if (is_known)
        visitors->release(visitors->context, visitor.services);
    return is_known;
}

static void handle(void *context, struct scope *scope, struct web_exchange *x)
{
    struct serve *s = context;
    const struct visitors *visitors = &s->options->visitors;
    struct err err;
    bool is_known = false;
    AUTO(arena) arena = { 0 };
    if (!is_addressed_well(s, x))
        return;
    if (!knows_method(x->method)) {
        answer_text(x, 405, &(struct web_header){ "Allow", "GET, HEAD, POST, DELETE" },
                    "no such method\n");
        return;
    }
    struct visit visit = { .serve = s, .token = token_of(x, &arena) }, **at = &s->visits;
    enum err_code r =
        visitors->identify(visitors->context, scope, visit.token, &visit.visitor, &is_known, &err);
    if (r) {
        bool is_crowded = r == ERR_LIMIT;
        answer_text(x, is_crowded ? 503 : 500,
                    is_crowded ? &(struct web_header){ "Retry-After", "5" } : NULL,
                    is_crowded ? CROWDED : "who you are cannot be found out now\n");
        return;
    }
    x->may_stay = may_stay;
    x->let_in_by = &visit;
    visit.next = s->visits;
    s->visits = &visit;
    answer(s, x, is_known ? &visit.visitor : NULL);
    while (*at != &visit)
        at = &(*at)->next;
    *at = visit.next;
    if (is_known)
        visitors->release(visitors->context, visit.visitor.services);
}

enum err_code serve_web(const struct serve_web_options *options, struct scope *scope,
                        struct err *err)
{
    /* Answers from pages go on while the server drains. */
    struct scope work = { .deadline_ms = SCOPE_NO_DEADLINE, .last_of = scope };
    const struct pages_options pages = { .runtime = options->runtime,
                                         .scope = &work,
                                         .digest = options->digest,
                                         .ids = options->ids,
                                         .visitors = &options->visitors };
    struct serve s = { .options = options,
                       .scope = scope,
                       .pages = pages_create(&pages),
                       .limit = rate_limit_create(options->settings->http_requests_per_minute) };
    enum err_code r = web_server_serve(options->web, scope, handle, &s, err);
    pages_destroy(s.pages);
    for (struct guest *at = s.guests, *next; at; at = next) {
        next = at->next;
        close_guest(&s, at);
    }
    rate_limit_destroy(s.limit);
    return r;
}
