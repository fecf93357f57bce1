#include "infrastructure/mcp/oauth/metadata/oauth_metadata.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/metadata/oauth_url.h"
#include "infrastructure/net/http_address.h"
#include <string.h>

static const char *shown(struct arena *scratch, const char *text)
{
    return text_one_line(scratch, text, strlen(text), 120);
}

static const char *text_of(const json_t *value)
{
    const char *text = json_string_value(value);
    size_t length = text ? json_string_length(value) : 0;
    if (!length || length > OAUTH_MAX_TEXT_BYTES)
        return NULL;
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return NULL;
    return text;
}

const char *oauth_member(const json_t *object, const char *name)
{
    return text_of(json_object_get(object, name));
}

static const json_t *array_member(const json_t *object, const char *name)
{
    const json_t *array = json_object_get(object, name);
    return json_is_array(array) ? array : NULL;
}

bool oauth_lists(const json_t *array, const char *text)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (text_equal(json_string_value(json_array_get(array, i)), text))
            return true;
    return false;
}

static const char *choose_issuer(const json_t *value, const char *wanted)
{
    const json_t *issuers = array_member(value, "authorization_servers");
    if (wanted)
        return oauth_lists(issuers, wanted) ? wanted : NULL;
    return text_of(json_array_get(issuers, 0));
}

enum err_code protected_resource_read(const json_t *value, const char *server,
                                      const char *wanted_issuer, struct protected_resource *out,
                                      struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *resource = oauth_member(value, "resource");
    if (!resource)
        return err_set(err, ERR_PROTOCOL, 0, "its resource metadata names no resource");
    if (!oauth_url_covers(resource, server))
        return err_set(err, ERR_PROTOCOL, 0,
                       "its resource metadata is for '%s', which is another resource",
                       shown(&scratch, resource));
    const char *issuer = choose_issuer(value, wanted_issuer);
    if (!issuer && wanted_issuer)
        return err_set(err, ERR_INVALID, 0,
                       "it does not name the configured issuer '%s' as its authorization server",
                       shown(&scratch, wanted_issuer));
    if (!issuer)
        return err_set(err, ERR_PROTOCOL, 0, "its resource metadata names no authorization server");
    *out = (struct protected_resource){ .resource = resource,
                                        .issuer = issuer,
                                        .scopes = array_member(value, "scopes_supported") };
    return ERR_NONE;
}

/* An endpoint must be a URL that secrets may be sent to. */
static enum err_code read_endpoint(const json_t *value, const char *name, bool is_needed,
                                   const char **out, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct http_address url;
    const json_t *member = json_object_get(value, name);
    const char *text = text_of(member);
    if (!text && (is_needed || (member && !json_is_null(member))))
        return err_set(err, ERR_PROTOCOL, 0, "the authorization server has no %s", name);
    if (text && (!oauth_url_is_private(text) || !http_address_read(text, &url) || url.has_fragment))
        return err_set(err, ERR_PROTOCOL, 0,
                       "the %s of the authorization server is not an https url: '%s'", name,
                       shown(&scratch, text));
    *out = text;
    return ERR_NONE;
}

enum err_code authorization_server_read(const json_t *value, const char *issuer,
                                        struct authorization_server *out, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *own = oauth_member(value, "issuer");
    if (!own || strcmp(own, issuer) != 0)
        return err_set(err, ERR_PROTOCOL, 0,
                       "the metadata found for the authorization server '%s' is that of '%s'",
                       shown(&scratch, issuer), own ? shown(&scratch, own) : "no issuer");
    struct authorization_server server = {
        .issuer = own,
        .scopes = array_member(value, "scopes_supported"),
        .auth_methods = array_member(value, "token_endpoint_auth_methods_supported"),
        .has_s256 = oauth_lists(json_object_get(value, "code_challenge_methods_supported"), "S256"),
        .names_itself =
            json_get_bool(value, "authorization_response_iss_parameter_supported", false),
        .takes_urls = json_get_bool(value, "client_id_metadata_document_supported", false),
    };
    const struct {
        const char *name;
        bool is_needed;
        const char **out;
    } endpoints[] = {
        { "authorization_endpoint", false, &server.authorization_endpoint },
        { "token_endpoint", true, &server.token_endpoint },
        { "registration_endpoint", false, &server.registration_endpoint },
        { "revocation_endpoint", false, &server.revocation_endpoint },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(endpoints); i++) {
        enum err_code r =
            read_endpoint(value, endpoints[i].name, endpoints[i].is_needed, endpoints[i].out, err);
        if (r)
            return r;
    }
    *out = server;
    return ERR_NONE;
}

void authorization_server_assume(struct arena *arena, const char *origin,
                                 struct authorization_server *out)
{
    *out = (struct authorization_server){
        .issuer = arena_strdup(arena, origin),
        .authorization_endpoint = arena_printf(arena, "%s/authorize", origin),
        .token_endpoint = arena_printf(arena, "%s/token", origin),
        .registration_endpoint = arena_printf(arena, "%s/register", origin),
        .has_s256 = true,
    };
}
