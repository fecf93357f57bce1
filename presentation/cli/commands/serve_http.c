/* `mistro serve … --http`. Loopback is open to every user of this machine, so there is a token in
 * any case but with --open: that of a person, or, where there are none, one that is made anew at
 * each start. */
#include "presentation/cli/commands/served.h"
#include "presentation/cli/output.h"
#include "presentation/web/serve_web.h"
#include <string.h>

struct http_service {
    struct cli *cli;
    struct served *served;
    struct tool_server *first;         /* made before anybody asks; NULL once somebody has it */
    struct person_repository *persons; /* NULL: none can be kept */
    char token_hash[DIGEST_HEX_SIZE];  /* of who started it; "" for none */
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

static enum err_code services_of(void *context, const char *name, struct services **out,
                                 struct err *err)
{
    struct cli_host *host = ((struct http_service *)context)->cli->host;
    return host->ops->services_of(host, name, out, err);
}

static enum err_code identify(void *context, struct scope *scope, const char *token,
                              struct visitor *out, bool *out_known, struct err *err)
{
    struct http_service *s = context;
    struct person person = { .is_admin = true }; /* who started it, where it goes by no persons */
    enum err_code r = ERR_NONE;
    *out_known = token ? *s->token_hash && is_token(s, token) : s->cli->args->open;
    if (!*out_known && token && s->persons)
        r = person_repository_find(s->persons, scope, token,
                                   runtime_wall_ms(s->cli->services->runtime), &person, out_known,
                                   err);
    if (r || !*out_known)
        return r;
    *out = (struct visitor){ .is_admin = person.is_admin };
    memcpy(out->name, person.name, sizeof out->name);
    return services_of(s, out->name, &out->services, err);
}

/* Runs without a person are those of who started it, where that counts as somebody, and what was
 * submitted on the command line of any machine. */
static bool has_nameless_runs(const struct http_service *s)
{
    struct run_queue *queue = NULL;
    return *s->token_hash || s->cli->args->open || !services_queue(s->cli->services, &queue, NULL);
}

static enum err_code names(void *context, struct scope *scope, struct arena *arena,
                           const char ***out, size_t *out_n, struct err *err)
{
    struct http_service *s = context;
    struct person *persons = NULL;
    size_t n_persons = 0, n = 0;
    if (s->persons) {
        enum err_code r =
            person_repository_list(s->persons, scope, arena, &persons, &n_persons, err);
        if (r)
            return r;
    }
    *out = arena_array(arena, const char *, n_persons + 1);
    if (has_nameless_runs(s))
        (*out)[n++] = "";
    for (size_t i = 0; i < n_persons; i++)
        (*out)[n++] = persons[i].name;
    *out_n = n;
    return ERR_NONE;
}

static void hold(void *context, struct services *services)
{
    struct cli_host *host = ((struct http_service *)context)->cli->host;
    host->ops->hold_services(host, services);
}

static void release(void *context, struct services *services)
{
    struct cli_host *host = ((struct http_service *)context)->cli->host;
    host->ops->release_services(host, services);
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

/* Where there are persons, only their tokens count. */
awaits static enum err_code choose_tokens(struct http_service *s, const char **out_token,
                                          struct err *err)
{
    struct cli *cli = s->cli;
    struct person *persons = NULL;
    size_t n = 0;
    char secret[SECRET_SIZE];
    *out_token = NULL;
    if (cli->host->ops->persons(cli->host, &s->persons, NULL))
        s->persons = NULL;
    enum err_code r =
        s->persons ? person_repository_list(s->persons, cli->scope, cli->arena, &persons, &n, err)
                   : ERR_NONE;
    if (r || n || cli->args->open)
        return r;
    *out_token = arena_strdup(cli->arena, ids_secret(cli->services->ids, secret));
    digest_sha256(cli->services->digest, *out_token, strlen(*out_token), s->token_hash);
    return ERR_NONE;
}

/* What a network reaches is for persons only. */
static enum err_code check_reach(bool is_loopback, bool is_open, bool has_persons, struct err *err)
{
    if (is_loopback || (has_persons && !is_open))
        return ERR_NONE;
    err_set(err, ERR_DENIED, 0,
            is_open ? "--open is for addresses that only this machine reaches"
                    : "others than this machine reach this address, and there is no person yet");
    return err_hint(err, ERR_DENIED, is_open ? "leave it out" : "mistro serve token add NAME");
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
                                               .digest = cli->services->digest,
                                               .ids = cli->services->ids,
                                               .visitors = { .identify = identify,
                                                             .names = names,
                                                             .services_of = services_of,
                                                             .hold = hold,
                                                             .release = release,
                                                             .context = s },
                                               .tools_of = tools_of,
                                               .endpoint = endpoint,
                                               .context = s };
    const char *authority = web_server_authority(web), *token = NULL;
    enum err_code r = choose_tokens(s, &token, err);
    if (!r)
        r = check_reach(is_loopback, cli->args->open, !token, err);
    if (r)
        return r;
    output_line(cli, "http://%s" SERVE_WEB_MCP_PATH, authority);
    if (token)
        output_line(cli, "http://%s/login?token=%s", authority, token);
    else
        output_line(cli, "http://%s/runs", authority);
    return serve_web(&options, cli->scope, err);
}

enum err_code serve_http(struct cli *cli, struct served *served, struct err *err)
{
    struct http_service s = { .cli = cli, .served = served };
    struct web_server *web = NULL;
    bool is_loopback = false;
    enum err_code r = cli->host->ops->listen(cli->host, cli->args->http, &web, &is_loopback, err);
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
