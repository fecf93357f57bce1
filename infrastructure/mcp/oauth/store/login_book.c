#include "infrastructure/mcp/oauth/store/login_book.h"
#include "domain/base/arena.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/metadata/oauth_metadata.h"
#include <string.h>

#define FORMAT_VERSION 1

static const char *const parts[] = { "servers", "logins", "clients" };

/* The texts of a login, in the order in which they are written. */
static const struct {
    const char *name;
    size_t at; /* in struct kept_login */
} texts[] = {
    { "client_id", offsetof(struct kept_login, client_id) },
    { "token_endpoint", offsetof(struct kept_login, token_endpoint) },
    { "auth_method", offsetof(struct kept_login, auth_method) },
    { "client_secret", offsetof(struct kept_login, client_secret) },
    { "revocation_endpoint", offsetof(struct kept_login, revocation_endpoint) },
    { "access_token", offsetof(struct kept_login, access_token) },
    { "refresh_token", offsetof(struct kept_login, refresh_token) },
    { "scope", offsetof(struct kept_login, scope) },
    { "asked", offsetof(struct kept_login, asked) },
};

static const char **text_at(struct kept_login *login, size_t i)
{
    return (const char **)(void *)((char *)login + texts[i].at);
}

static json_t *part_of(const json_t *book, const char *name)
{
    return json_object_get(book, name);
}

json_t *login_book_of(json_t *value)
{
    json_t *book = value;
    if (!json_is_object(value) || json_get_int(value, "version", 0) != FORMAT_VERSION) {
        json_decref(value);
        book = json_pack("{s:i}", "version", FORMAT_VERSION);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        if (!json_is_object(part_of(book, parts[i])))
            json_object_set_new(book, parts[i], json_object());
    return book;
}

/* Steals the value. The first are the oldest: a changed entry goes to the end. */
static void put(json_t *part, const char *key, json_t *value)
{
    json_object_del(part, key);
    while (json_object_size(part) >= LOGIN_BOOK_MAX_ENTRIES)
        json_object_del(part, json_object_iter_key(json_object_iter(part)));
    json_object_set_new(part, key, value);
}

void login_book_merge(json_t *book, const json_t *later)
{
    const char *key;
    json_t *value;
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        json_each_member (part_of(later, parts[i]), key, value)
            put(part_of(book, parts[i]), key, json_incref(value));
}

static const char *key_of(struct arena *scratch, const char *issuer, const char *resource)
{
    return arena_printf(scratch, "%s %s", issuer, resource);
}

bool login_book_find(const json_t *book, const char *server, struct kept_login *out)
{
    AUTO(arena) scratch = { 0 };
    const json_t *entry = json_object_get(part_of(book, "servers"), server);
    const char *issuer = oauth_member(entry, "issuer"), *resource = oauth_member(entry, "resource");
    if (!issuer || !resource)
        return false;
    const json_t *login =
        json_object_get(part_of(book, "logins"), key_of(&scratch, issuer, resource));
    struct kept_login kept = { .issuer = issuer,
                               .resource = resource,
                               .until_ms = json_get_int(login, "until_ms", 0) };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        *text_at(&kept, i) = oauth_member(login, texts[i].name);
    if (!kept.client_id || !kept.token_endpoint)
        return false;
    *out = kept;
    return true;
}

static bool is_served_by(const json_t *entry, const json_t *other)
{
    return json_equal(json_object_get(entry, "issuer"), json_object_get(other, "issuer")) &&
           json_equal(json_object_get(entry, "resource"), json_object_get(other, "resource"));
}

/* The client goes with the last login at its issuer. */
static void drop_client_if_idle(json_t *book, const char *issuer)
{
    AUTO(arena) scratch = { 0 };
    const char *key, *prefix = key_of(&scratch, issuer, "");
    json_t *login;
    json_each_member (part_of(book, "logins"), key, login)
        if (text_starts_with(key, prefix))
            return;
    json_object_del(part_of(book, "clients"), issuer);
}

/* The login of an entry that was removed. False when there was none. */
static bool drop_login(json_t *book, const json_t *entry)
{
    AUTO(arena) scratch = { 0 };
    const char *issuer = oauth_member(entry, "issuer"), *resource = oauth_member(entry, "resource");
    if (!issuer || !resource ||
        json_object_del(part_of(book, "logins"), key_of(&scratch, issuer, resource)) != 0)
        return false;
    drop_client_if_idle(book, issuer);
    return true;
}

static bool serves_another(const json_t *book, const json_t *entry)
{
    const char *key;
    json_t *other;
    json_each_member (part_of(book, "servers"), key, other)
        if (is_served_by(entry, other))
            return true;
    return false;
}

static json_t *login_to_json(const struct kept_login *login)
{
    struct kept_login copy = *login;
    json_t *kept = json_object();
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        if (*text_at(&copy, i))
            json_object_set_new(kept, texts[i].name, json_string(*text_at(&copy, i)));
    if (login->until_ms)
        json_object_set_new(kept, "until_ms", json_integer(login->until_ms));
    return kept;
}

void login_book_put(json_t *book, const char *server, const struct kept_login *login)
{
    AUTO(arena) scratch = { 0 };
    json_auto_t *before = json_share(json_object_get(part_of(book, "servers"), server));
    const char *key = key_of(&scratch, login->issuer, login->resource);
    put(part_of(book, "logins"), key, login_to_json(login));
    put(part_of(book, "servers"), server,
        json_pack("{s:s, s:s}", "issuer", login->issuer, "resource", login->resource));
    if (before && !serves_another(book, before))
        (void)drop_login(book, before);
}

bool login_book_remove(json_t *book, const char *server)
{
    json_t *servers = part_of(book, "servers"), *entry;
    json_auto_t *mine = json_share(json_object_get(servers, server));
    const char *key;
    void *next;
    if (!oauth_member(mine, "issuer"))
        return false;
    json_object_foreach_safe(servers, next, key, entry) if (is_served_by(mine, entry))
        json_object_del(servers, key);
    return drop_login(book, mine);
}

const char *login_book_wanted(const json_t *book, const char *server)
{
    return oauth_member(json_object_get(part_of(book, "servers"), server), "wanted");
}

void login_book_want(json_t *book, const char *server, const char *scope)
{
    json_t *entry = json_object_get(part_of(book, "servers"), server);
    if (!entry) {
        entry = json_object();
        put(part_of(book, "servers"), server, entry);
    }
    json_object_set_new(entry, "wanted", json_string(scope));
}

const json_t *login_book_client(const json_t *book, const char *issuer)
{
    return json_object_get(part_of(book, "clients"), issuer);
}

void login_book_put_client(json_t *book, const char *issuer, json_t *client)
{
    if (client)
        put(part_of(book, "clients"), issuer, client);
    else
        json_object_del(part_of(book, "clients"), issuer);
}
