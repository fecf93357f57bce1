/* `mistro serve … --http`. Loopback is open to every user of this machine, so there is a token in
 * any case but with --open; it is made anew at each start. */
#include "presentation/cli/commands/served.h"
#include "presentation/cli/output.h"
#include "presentation/web/serve_web.h"
#include <string.h>

struct http_service {
    struct cli *cli;
    struct served *served;
    struct tool_server *first;        /* made before anybody asks; NULL once somebody has it */
    char token_hash[DIGEST_HEX_SIZE]; /* "" for none */
};

static bool is_token(const struct http_service *s, const char *token)
{
    char hash[DIGEST_HEX_SIZE];
    unsigned difference = 0;
    digest_sha256(s->cli->services->digest, token, strlen(token), hash);
    for (size_t i = 0; i < sizeof hash; i++)
        difference |= (unsigned char)hash[i] ^ (unsigned char)s->token_hash[i];
    return difference == 0;
}

static bool identify(void *context, const char *token, struct visitor *out)
{
    struct http_service *s = context;
    *out = (struct visitor){ .name = "", .is_admin = true, .services = s->cli->services };
    return !*s->token_hash || (token && is_token(s, token));
}

static enum err_code tools_of(void *context, const struct visitor *visitor,
                              struct tool_server **out, struct err *err)
{
    struct http_service *s = context;
    if (s->first && visitor->services == s->cli->services) {
        *out = s->first;
        s->first = NULL;
        return ERR_NONE;
    }
    return s->served->make(s->cli, visitor->services, s->served, out, err);
}

static struct rpc_endpoint *endpoint(void *context, const struct rpc_endpoint_options *options)
{
    struct cli *cli = ((struct http_service *)context)->cli;
    return cli->host->ops->rpc_endpoint(cli->host, options);
}

/* 144 bits, of ids that have 24 characters each of which some are the time. */
static const char *make_token(struct http_service *s)
{
    struct cli *cli = s->cli;
    char a[ID_SIZE], b[ID_SIZE], c[ID_SIZE];
    const char *seed =
        arena_printf(cli->arena, "%s%s%s", ids_fresh(cli->services->ids, a),
                     ids_fresh(cli->services->ids, b), ids_fresh(cli->services->ids, c));
    char hex[DIGEST_HEX_SIZE];
    const char *token = arena_strndup(
        cli->arena, digest_sha256(cli->services->digest, seed, strlen(seed), hex), 48);
    digest_sha256(cli->services->digest, token, strlen(token), s->token_hash);
    return token;
}

awaits static enum err_code serve_at(struct http_service *s, struct web_server *web,
                                     bool is_loopback, struct err *err)
{
    struct cli *cli = s->cli;
    const struct serve_web_options options = { .runtime = cli->services->runtime,
                                               .settings = cli->services->settings,
                                               .web = web,
                                               .is_loopback = is_loopback,
                                               .serve = s->served->options,
                                               .identify = identify,
                                               .tools_of = tools_of,
                                               .endpoint = endpoint,
                                               .context = s };
    const char *authority = web_server_authority(web);
    output_line(cli, "http://%s" SERVE_WEB_MCP_PATH, authority);
    if (!cli->args->open)
        output_line(cli, "http://%s/login?token=%s", authority, make_token(s));
    return serve_web(&options, cli->scope, err);
}

enum err_code serve_http(struct cli *cli, struct served *served, struct err *err)
{
    struct http_service s = { .cli = cli, .served = served };
    struct web_server *web = NULL;
    bool is_loopback = false;
    enum err_code r = cli->host->ops->listen(cli->host, cli->args->http, &web, &is_loopback, err);
    if (r)
        return r;
    if (!is_loopback && cli->args->open)
        r = err_set(err, ERR_DENIED, 0, "--open is for addresses that only this machine reaches");
    if (!r)
        r = served->make(cli, cli->services, served, &s.first, err);
    if (!r)
        r = serve_at(&s, web, is_loopback, err);
    if (s.first) {
        tool_server_close(s.first, cli->scope);
        tool_server_destroy(s.first);
    }
    web_server_destroy(web);
    return r;
}
