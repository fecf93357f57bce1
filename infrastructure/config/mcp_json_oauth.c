#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include "infrastructure/mcp/oauth/metadata/oauth_url.h"
#include "infrastructure/net/http_address.h"
#include <string.h>

#define MAX_TEXT_BYTES 4096

/* The "oauth" of one server being read. */
struct oauth_reading {
    struct arena *arena;
    const char *file, *server;
    const json_t *value;
    enum err_code failed; /* then every reader leaves its output as it is */
    struct err *err;
};

static void refuse(struct oauth_reading *reading, const char *member, const char *what)
{
    if (!reading->failed)
        reading->failed =
            err_set(reading->err, ERR_INVALID, 0, "%s: server \"%.64s\": oauth: %s: %s",
                    reading->file, reading->server, member, what);
}

/* Other hosts write the same members in camel case. NULL as well when something is wrong already.
 */
static const json_t *find(const struct oauth_reading *reading, const char *member,
                          const char *camel)
{
    const json_t *value = json_object_get(reading->value, member);
    if (!value && camel)
        value = json_object_get(reading->value, camel);
    return reading->failed || json_is_null(value) ? NULL : value;
}

static bool is_plain(const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return false;
    return length > 0 && length <= MAX_TEXT_BYTES;
}

static void read_text(struct oauth_reading *reading, const char *member, const char *camel,
                      const char **out)
{
    const json_t *value = find(reading, member, camel);
    const char *text = NULL;
    if (!value)
        return;
    if (!json_is_string(value) || json_string_has_nul(value)) {
        refuse(reading, member, "must be text");
        return;
    }
    reading->failed = config_expand(reading->arena, json_string_value(value), &text, reading->err);
    if (reading->failed)
        err_prefix(reading->err, reading->failed, "%s: server \"%.64s\": oauth: %s", reading->file,
                   reading->server, member);
    else if (!is_plain(text))
        refuse(reading, member, "must be 1 to 4096 visible characters of ASCII");
    else
        *out = text;
}

static void read_grant(struct oauth_reading *reading, struct server_oauth *out)
{
    const char *grant = NULL;
    read_text(reading, "grant", "grantType", &grant);
    out->is_machine = text_equal(grant, "client_credentials");
    if (grant && !out->is_machine && !text_equal(grant, "authorization_code"))
        refuse(reading, "grant", "must be authorization_code or client_credentials");
}

static void read_port(struct oauth_reading *reading, struct server_oauth *out)
{
    const json_t *port = find(reading, "callback_port", "callbackPort");
    out->callback_port = json_integer_value(port);
    if (port && (!json_is_integer(port) || out->callback_port < 0 || out->callback_port > 65535))
        refuse(reading, "callback_port", "must be a whole number from 0 to 65535");
}

static void read_key(struct oauth_reading *reading, struct server_oauth *out)
{
    const char *file = NULL;
    size_t length = 0;
    read_text(reading, "private_key_file", "privateKeyFile", &file);
    if (!file)
        return;
    reading->failed = config_read_file(config_beside(reading->arena, reading->file, file),
                                       reading->arena, &out->private_key, &length, reading->err);
    if (reading->failed)
        err_prefix(reading->err, reading->failed, "%s: server \"%.64s\": oauth: private_key_file",
                   reading->file, reading->server);
    else if (!strstr(out->private_key, "PRIVATE KEY-----"))
        refuse(reading, "private_key_file", "holds no private key in PEM");
}

static bool is_metadata_url(const char *text)
{
    struct http_address url;
    return http_address_read(text, &url) && url.is_secure && url.path_length > 1 &&
           !url.has_fragment;
}

static void check(struct oauth_reading *reading, const struct server_oauth *oauth)
{
    bool has_proof = oauth->client_secret || oauth->private_key;
    if (has_proof && !oauth->client_id)
        refuse(reading, "client_id", "is missing beside what proves it");
    if (oauth->client_secret && oauth->private_key)
        refuse(reading, "private_key_file", "a client has a secret or a key, not both");
    if (oauth->is_machine && !has_proof)
        refuse(reading, "grant",
               "client_credentials needs client_id with client_secret or private_key_file");
    if (oauth->client_metadata_url && !is_metadata_url(oauth->client_metadata_url))
        refuse(reading, "client_metadata_url", "must be an https url with a path");
    if (oauth->issuer && !oauth_url_is_private(oauth->issuer))
        refuse(reading, "issuer", "must be an https url");
    if (oauth->algorithm && !text_equal(oauth->algorithm, "ES256") &&
        !text_equal(oauth->algorithm, "RS256"))
        refuse(reading, "algorithm", "must be ES256 or RS256");
}

static void check_spelling(struct oauth_reading *reading)
{
    static const char *const known[] = { "client_id",
                                         "clientId",
                                         "client_secret",
                                         "clientSecret",
                                         "scope",
                                         "scopes",
                                         "client_metadata_url",
                                         "clientMetadataUrl",
                                         "issuer",
                                         "algorithm",
                                         "grant",
                                         "callback_port",
                                         "callbackPort",
                                         "private_key_file",
                                         "privateKeyFile" };
    const char *meant = NULL;
    const char *key = config_misspelt(reading->value, known, ARRAY_LENGTH(known), &meant);
    if (!key)
        return;
    reading->failed =
        err_set(reading->err, ERR_INVALID, 0, "%s: server \"%.64s\": oauth: there is no \"%.64s\"",
                reading->file, reading->server, key);
    err_hint(reading->err, reading->failed, "did you mean %s?", meant);
}

enum err_code config_read_oauth(struct arena *arena, const char *file, const char *server,
                                const json_t *value, struct server_oauth *out, struct err *err)
{
    struct oauth_reading reading = { arena, file, server, value, ERR_NONE, err };
    struct server_oauth oauth = { 0 };
    if (!value || json_is_null(value))
        return ERR_NONE;
    if (!json_is_object(value))
        return err_set(err, ERR_INVALID, 0, "%s: server \"%.64s\": oauth: must be an object", file,
                       server);
    check_spelling(&reading);
    read_text(&reading, "client_id", "clientId", &oauth.client_id);
    read_text(&reading, "client_secret", "clientSecret", &oauth.client_secret);
    read_text(&reading, "client_metadata_url", "clientMetadataUrl", &oauth.client_metadata_url);
    read_text(&reading, "scope", "scopes", &oauth.scope);
    read_text(&reading, "issuer", NULL, &oauth.issuer);
    read_text(&reading, "algorithm", NULL, &oauth.algorithm);
    read_grant(&reading, &oauth);
    read_port(&reading, &oauth);
    read_key(&reading, &oauth);
    check(&reading, &oauth);
    if (!reading.failed)
        *out = oauth;
    return reading.failed;
}
