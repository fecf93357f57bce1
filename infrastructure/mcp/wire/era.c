#include "infrastructure/mcp/wire/era.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/wire/jsonrpc.h"
#include <string.h>

#define KEY(name) "io.modelcontextprotocol/" name
#define CODE_UNSUPPORTED_VERSION (-32022)

static const char *const modern_versions[] = { ERA_MODERN_VERSION };
static const char *const legacy_versions[] = { ERA_NEWEST_LEGACY_VERSION, "2025-06-18",
                                               "2025-03-26", "2024-11-05" };

/* One handshake, with what may happen only once in it. */
struct negotiation {
    const struct era_channel_ops *ops;
    void *channel;
    const struct era_options *options;
    struct scope *scope;
    bool respawned, has_probed_again, has_initialized_again, has_tried_sse;
    struct session *out;
};

void session_finish(struct session *session)
{
    arena_finish(&session->arena);
    *session = (struct session){ 0 };
}

const char *era_offer_name(struct era_offer offer)
{
    static const char *const names[2][2][2] = {
        { { "", "sampling" }, { "elicitation", "elicitation sampling" } },
        { { "roots", "roots sampling" }, { "roots elicitation", "roots elicitation sampling" } },
    };
    return names[offer.roots][offer.elicitation][offer.sampling];
}

bool era_append_meta(struct buf *out, struct era_offer offer)
{
    const struct {
        bool is_offered;
        const char *member;
    } capabilities[] = {
        { offer.roots, "\"roots\":{}" },
        { offer.elicitation, "\"elicitation\":{\"form\":{},\"url\":{}}" },
        { offer.sampling, "\"sampling\":{}" },
        { offer.tasks, "\"extensions\":{\"" ERA_TASKS_EXTENSION "\":{}}" },
    };
    const char *comma = "";
    bool fits =
        buf_puts(out, "\"" KEY("protocolVersion") "\":\"" ERA_MODERN_VERSION "\",\"" KEY(
                          "clientInfo") "\":{\"name\":\"mistro\",\"version\":\"" MISTRO_VERSION
                                        "\"},\"" KEY("clientCapabilities") "\":{");
    for (size_t i = 0; fits && i < ARRAY_LENGTH(capabilities); i++)
        if (capabilities[i].is_offered) {
            fits = buf_puts(out, comma) && buf_puts(out, capabilities[i].member);
            comma = ",";
        }
    return fits && buf_puts(out, "}");
}

/* The newest of our versions that the list names, or NULL. */
static const char *find_common(const char *const *ours, size_t n, const json_t *theirs)
{
    for (size_t v = 0; v < n; v++)
        for (size_t i = 0; i < json_array_size(theirs); i++)
            if (text_equal(ours[v], json_string_value(json_array_get(theirs, i))))
                return ours[v];
    return NULL;
}

static const char *find_modern(const json_t *theirs)
{
    return find_common(modern_versions, ARRAY_LENGTH(modern_versions), theirs);
}

static const char *find_legacy(const json_t *theirs)
{
    return find_common(legacy_versions, ARRAY_LENGTH(legacy_versions), theirs);
}

/* What a configuration rules out may be all that stands in the way. */
static enum err_code nothing_in_common(const struct negotiation *n, const json_t *theirs,
                                       struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *list = json_print_in(&scratch, theirs);
    enum err_code r = err_set(
        err, ERR_PROTOCOL, 0, "it speaks MCP %s; mistro speaks " ERA_MODERN_VERSION " and %s to %s",
        text_one_line(&scratch, list, strlen(list), 120),
        legacy_versions[ARRAY_LENGTH(legacy_versions) - 1], legacy_versions[0]);
    enum server_era era = n->options->era;
    if ((era == ERA_LEGACY && find_modern(theirs)) || (era == ERA_MODERN && find_legacy(theirs)))
        return err_hint(err, r, "the server is configured as %s; era: auto speaks what it speaks",
                        era == ERA_LEGACY ? "legacy" : "modern");
    return err_hint(err, r, "update the server or mistro");
}

static enum err_code no_fallback(enum err_code r, struct err *err)
{
    return err_hint(err, r, "the server is configured as modern; era: auto also tries initialize");
}

/* A string of the server, bounded. */
static const char *copy_text(struct session *session, const json_t *object, const char *key,
                             size_t max_bytes)
{
    const char *text = json_get_string(object, key);
    if (!text)
        return "";
    return arena_strndup(&session->arena, text, text_cut(text, strlen(text), max_bytes));
}

static void fill_tasks(struct session *session, const json_t *capabilities)
{
    const json_t *extensions = json_object_get(capabilities, "extensions");
    const json_t *tasks = json_object_get(capabilities, "tasks");
    const json_t *of_tools = json_object_get(json_object_get(tasks, "requests"), "tools");
    bool has_tasks =
        session->era == ERA_LEGACY && strcmp(session->version, ERA_NEWEST_LEGACY_VERSION) == 0;
    session->makes_tasks =
        session->era == ERA_MODERN && json_object_get(extensions, ERA_TASKS_EXTENSION);
    session->runs_tasks = has_tasks && json_object_get(of_tools, "call");
    session->cancels_tasks = has_tasks && json_object_get(tasks, "cancel");
}

static void fill_session(struct session *session, enum server_era era, const char *version,
                         const json_t *result)
{
    const json_t *capabilities = json_object_get(result, "capabilities");
    const json_t *tools = json_object_get(capabilities, "tools");
    const json_t *prompts = json_object_get(capabilities, "prompts");
    const json_t *resources = json_object_get(capabilities, "resources");
    const json_t *info = json_object_get(json_object_get(result, "_meta"), KEY("serverInfo"));
    if (!info)
        info = json_object_get(result, "serverInfo");
    session->era = era;
    session->version = version;
    session->server_name = copy_text(session, info, "name", ERA_MAX_NAME_BYTES);
    session->server_version = copy_text(session, info, "version", ERA_MAX_NAME_BYTES);
    session->instructions = copy_text(session, result, "instructions", ERA_MAX_INSTRUCTIONS_BYTES);
    session->has_tools = tools || !capabilities;
    session->has_logging = json_object_get(capabilities, "logging") != NULL;
    session->has_completions = json_object_get(capabilities, "completions") != NULL;
    session->has_resources = resources != NULL;
    session->has_prompts = prompts != NULL;
    session->announces_tools = json_get_bool(tools, "listChanged", false);
    session->announces_prompts = json_get_bool(prompts, "listChanged", false);
    session->announces_resources = json_get_bool(resources, "listChanged", false);
    session->announces_updates = json_get_bool(resources, "subscribe", false);
    fill_tasks(session, capabilities);
}

static json_t *client_info(void)
{
    return json_pack("{s:s, s:s}", "name", "mistro", "version", MISTRO_VERSION);
}

static json_t *modern_capabilities(struct era_offer offer)
{
    json_t *capabilities = json_object();
    if (offer.roots)
        json_object_set_new(capabilities, "roots", json_object());
    if (offer.elicitation)
        json_object_set_new(capabilities, "elicitation", json_pack("{s:{}, s:{}}", "form", "url"));
    if (offer.sampling)
        json_object_set_new(capabilities, "sampling", json_object());
    return capabilities;
}

/* The request asks for no logs (logLevel): nothing that it does is worth a line, and until it is
 * answered it is not known whether the server has logs at all. */
awaits MUST_CHECK static enum err_code discover(struct negotiation *n, const char *version,
                                                int64_t silence_ms, json_t **out_result,
                                                json_t **out_error, struct err *err)
{
    n->ops->agree(n->channel, version);
    json_t *params = json_pack("{s:{s:s, s:o, s:o}}", "_meta", KEY("protocolVersion"), version,
                               KEY("clientInfo"), client_info(), KEY("clientCapabilities"),
                               modern_capabilities(n->options->offer));
    struct era_request request = { "server/discover", params, silence_ms, NULL, NULL };
    enum err_code r = n->ops->request(n->channel, n->scope, &request, err);
    *out_result = request.result;
    *out_error = request.error;
    return r;
}

static const json_t *supported_versions(const json_t *error)
{
    const json_t *list = json_object_get(json_object_get(error, "data"), "supported");
    return json_is_array(list) ? list : NULL;
}

bool era_is_spoken(const json_t *error)
{
    return find_modern(supported_versions(error)) != NULL;
}

static bool is_version_error(const json_t *error)
{
    return json_get_int(error, "code", 0) == CODE_UNSUPPORTED_VERSION;
}

awaits MUST_CHECK static enum err_code probe(struct negotiation *n, int64_t silence_ms,
                                             struct err *err);
awaits MUST_CHECK static enum err_code initialize(struct negotiation *n, const char *version,
                                                  struct err *err);

/* A server may die of the probe: the next one gets initialize at once. */
awaits MUST_CHECK static enum err_code initialize_anew(struct negotiation *n, struct err *err)
{
    n->respawned = true;
    enum err_code r = n->ops->respawn(n->channel, n->scope, err);
    return r ? r : initialize(n, ERA_NEWEST_LEGACY_VERSION, err);
}

MUST_CHECK
static enum err_code accept_initialize(struct negotiation *n, const json_t *result, struct err *err)
{
    const char *said = json_get_string(result, "protocolVersion");
    json_auto_t *list = json_pack("[s?]", said);
    const char *version = find_legacy(list);
    if (!said)
        return err_set(err, ERR_PROTOCOL, 0, "initialize: the answer has no protocolVersion");
    if (!version)
        return err_prefix(err, nothing_in_common(n, list, err), "initialize");
    fill_session(n->out, ERA_LEGACY, version, result);
    n->ops->agree(n->channel, version);
    n->ops->notify(n->channel, "notifications/initialized");
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code refuse_initialize(struct negotiation *n, const json_t *error,
                                                         struct err *err)
{
    const json_t *list = supported_versions(error);
    const char *legacy = find_legacy(list);
    bool may_be_modern = n->options->era != ERA_LEGACY && !n->has_probed_again;
    if (is_version_error(error) && find_modern(list) && may_be_modern) {
        n->has_probed_again = true;
        return probe(n, n->options->handshake_silence_ms, err);
    }
    if (legacy && !n->has_initialized_again) {
        n->has_initialized_again = true;
        return initialize(n, legacy, err);
    }
    if (list && !legacy)
        return err_prefix(err, nothing_in_common(n, list, err), "initialize");
    AUTO(arena) scratch = { 0 };
    const char *said = json_get_string(error, "message");
    said = said ? text_one_line(&scratch, said, strlen(said), 200) : "";
    return err_set(err, ERR_PROTOCOL, (int)json_get_int(error, "code", 0),
                   "initialize: refused: \"%s\"", said);
}

/* Our roots never change. */
static json_t *legacy_capabilities(struct era_offer offer)
{
    json_t *capabilities = modern_capabilities(offer);
    if (offer.roots)
        json_object_set_new(capabilities, "roots", json_pack("{s:b}", "listChanged", 0));
    return capabilities;
}

/* What a server that takes messages elsewhere answers to one that was posted to its URL. */
static bool may_speak_sse(const struct negotiation *n, int status)
{
    return n->options->is_remote && !n->has_tried_sse &&
           (status == 400 || status == 404 || status == 405);
}

awaits MUST_CHECK static enum err_code initialize_by_sse(struct negotiation *n, struct err *err)
{
    n->has_tried_sse = n->out->is_by_sse = true;
    enum err_code r = n->ops->reopen(n->channel, n->scope, true, err);
    return r ? r : initialize(n, ERA_NEWEST_LEGACY_VERSION, err);
}

/* A server that does not speak that either is explained by what it said to the usual way. */
awaits MUST_CHECK static enum err_code fall_back_to_sse(struct negotiation *n, struct err *err)
{
    struct err why = { 0 };
    enum err_code r = initialize_by_sse(n, &why), back;
    if (r != ERR_PROTOCOL && r != ERR_UNAVAILABLE) {
        if (r && err)
            *err = why;
        return r;
    }
    n->out->is_by_sse = false;
    back = n->ops->reopen(n->channel, n->scope, false, &why);
    return back ? back : ERR_PROTOCOL;
}

static enum err_code initialize(struct negotiation *n, const char *version, struct err *err)
{
    struct err why = { 0 };
    json_t *params = json_pack("{s:s, s:o, s:o}", "protocolVersion", version, "capabilities",
                               legacy_capabilities(n->options->offer), "clientInfo", client_info());
    n->ops->agree(n->channel, NULL);
    struct era_request request = { "initialize", params, n->options->handshake_silence_ms, NULL,
                                   NULL };
    enum err_code r = n->ops->request(n->channel, n->scope, &request, &why);
    json_auto_t *result = request.result, *error = request.error;
    if (r && err)
        *err = why;
    bool may_respawn = !n->respawned && !n->options->is_remote && n->options->era != ERA_LEGACY;
    if (r == ERR_UNAVAILABLE && may_respawn)
        return initialize_anew(n, err);
    if (r == ERR_PROTOCOL && may_speak_sse(n, why.origin))
        return fall_back_to_sse(n, err);
    if (r)
        return r;
    return error ? refuse_initialize(n, error, err) : accept_initialize(n, result, err);
}

/* The server said which versions it speaks, in a DiscoverResult or (result is NULL) an error. */
awaits MUST_CHECK static enum err_code follow_versions(struct negotiation *n, const json_t *list,
                                                       const json_t *result, struct err *err)
{
    const char *modern = find_modern(list), *legacy = find_legacy(list);
    if (modern && result) {
        fill_session(n->out, ERA_MODERN, modern, result);
        return ERR_NONE;
    }
    if (modern && !n->has_probed_again) {
        n->has_probed_again = true;
        return probe(n, n->options->probe_silence_ms, err);
    }
    if (n->options->era == ERA_MODERN || !legacy)
        return nothing_in_common(n, list, err);
    return initialize(n, legacy, err);
}

/* Whether a probe that failed with this leaves room for a legacy server. */
static bool may_be_legacy(const struct negotiation *n, enum err_code r)
{
    return n->options->is_remote ? r == ERR_PROTOCOL : r == ERR_TIMEOUT || r == ERR_UNAVAILABLE;
}

/* A modern server that minds something about the probe knows no initialize: then its first word is
 * the one that helps. */
awaits MUST_CHECK static enum err_code initialize_instead(struct negotiation *n,
                                                          const json_t *refusal, struct err *err)
{
    int code = jsonrpc_error_code(refusal);
    bool is_modern = code == JSONRPC_HEADER_MISMATCH || code == JSONRPC_MISSING_CAPABILITY;
    enum err_code r = initialize(n, ERA_NEWEST_LEGACY_VERSION, err);
    if (r != ERR_PROTOCOL || !is_modern)
        return r;
    r = err_prefix(err, jsonrpc_explain_error(refusal, err), "server/discover");
    return code == JSONRPC_HEADER_MISMATCH
               ? err_hint(err, r, "does a proxy on the way take headers out of requests?")
               : r;
}

static enum err_code probe(struct negotiation *n, int64_t silence_ms, struct err *err)
{
    json_auto_t *result = NULL, *error = NULL;
    enum err_code r = discover(n, ERA_MODERN_VERSION, silence_ms, &result, &error, err);
    bool must_be_modern = n->options->era == ERA_MODERN;
    if (r && !may_be_legacy(n, r))
        return r;
    if (r && must_be_modern)
        return no_fallback(r, err);
    if (r == ERR_UNAVAILABLE)
        return n->respawned ? r : initialize_anew(n, err);
    const json_t *list = json_object_get(result, "supportedVersions");
    if (error && is_version_error(error))
        list = supported_versions(error);
    if (json_is_array(list))
        return follow_versions(n, list, result, err);
    if (must_be_modern)
        return no_fallback(err_set(err, ERR_PROTOCOL, (int)json_get_int(error, "code", 0),
                                   "server/discover: no answer of a modern server"),
                           err);
    return initialize_instead(n, error, err);
}

/* The server was legacy last time. When it refuses or dies now that may have changed: a new process
 * is asked afresh. */
awaits MUST_CHECK static enum err_code initialize_as_before(struct negotiation *n, struct err *err)
{
    n->respawned = true;
    enum err_code r = initialize(n, ERA_NEWEST_LEGACY_VERSION, err);
    bool may_have_changed = r == ERR_PROTOCOL || (r == ERR_UNAVAILABLE && !n->options->is_remote);
    if (!may_have_changed || n->options->era == ERA_LEGACY)
        return r;
    r = n->ops->respawn(n->channel, n->scope, err);
    return r ? r : probe(n, n->options->probe_silence_ms, err);
}

/* The server took messages the old way last time, or is configured so. */
awaits MUST_CHECK static enum err_code initialize_by_sse_as_before(struct negotiation *n,
                                                                   struct err *err)
{
    enum err_code r = initialize_by_sse(n, err);
    if (r != ERR_PROTOCOL || n->options->era == ERA_SSE)
        return r;
    n->has_tried_sse = n->out->is_by_sse = false;
    r = n->ops->reopen(n->channel, n->scope, false, err);
    return r ? r : probe(n, n->options->probe_silence_ms, err);
}

awaits MUST_CHECK static enum err_code negotiate(struct negotiation *n, struct err *err)
{
    const struct era_options *options = n->options;
    switch (options->era == ERA_AUTO ? options->verdict : options->era) {
    case ERA_SSE:
        return initialize_by_sse_as_before(n, err);
    case ERA_LEGACY:
        return initialize_as_before(n, err);
    case ERA_MODERN:
        return probe(n, options->handshake_silence_ms, err);
    case ERA_AUTO:
        break;
    }
    return probe(n, options->probe_silence_ms, err);
}

enum err_code era_negotiate(const struct era_channel_ops *ops, void *channel,
                            const struct era_options *options, struct scope *scope,
                            struct session *out, struct err *err)
{
    struct session session = { 0 };
    struct negotiation n = {
        .ops = ops, .channel = channel, .options = options, .scope = scope, .out = &session
    };
    enum err_code r = negotiate(&n, err);
    if (r)
        session_finish(&session);
    else
        *out = session;
    return r;
}
