#include "infrastructure/mcp/oauth/store/keyring.h"
#include "domain/base/arena.h"
#include "domain/base/text.h"
#include "infrastructure/runtime/shared_library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTRIBUTE "store"
#define LABEL "Logins of mistro at MCP servers"
#define MAX_MESSAGE 200 /* of what the service says, shown */

/* As libsecret-1 and GLib 2 lay them out; their ABI is fixed. */
struct secret_schema {
    const char *name;
    int flags;
    struct {
        const char *name;
        int type; /* 0: text */
    } attributes[32];
    int reserved;
    void *reserved_pointers[7];
};

struct g_error {
    uint32_t domain;
    int code;
    char *message;
};

typedef char *lookup_fn(const struct secret_schema *schema, void *cancellable,
                        struct g_error **error, ...);
typedef int store_fn(const struct secret_schema *schema, const char *collection, const char *label,
                     const char *password, void *cancellable, struct g_error **error, ...);
typedef int clear_fn(const struct secret_schema *schema, void *cancellable, struct g_error **error,
                     ...);
typedef void free_text_fn(char *password);
typedef void free_error_fn(struct g_error *error);

#define SYMBOLS(X)                                                                                 \
    X(lookup_fn, secret_password_lookup_sync)                                                      \
    X(store_fn, secret_password_store_sync)                                                        \
    X(clear_fn, secret_password_clear_sync)                                                        \
    X(free_text_fn, secret_password_free)                                                          \
    X(free_error_fn, g_error_free)

struct library {
    bool is_there;
#define X(type, name) type *name;
    SYMBOLS(X)
#undef X
};

static const struct secret_schema schema = { .name = "org.mistro.Logins",
                                             .attributes = { { ATTRIBUTE, 0 } } };

/* The library is loaded once per process, by the first job. */
static struct library loaded;
static pthread_once_t loading = PTHREAD_ONCE_INIT;

/* GLib is found through libsecret, which needs it. */
static void load(void)
{
    void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL); /* stays */
    loaded.is_there = library != NULL;
#define X(type, name)                                                                              \
    loaded.is_there = loaded.is_there && shared_library_find(library, #name, &loaded.name);
    SYMBOLS(X)
#undef X
}

/* Without an address libsecret would start a bus of its own, which no person could unlock. */
static bool has_session_bus(void)
{
    char path[4096];
    const char *address = getenv("DBUS_SESSION_BUS_ADDRESS"), *folder = getenv("XDG_RUNTIME_DIR");
    if (address && *address)
        return true;
    if (!folder || !*folder)
        return false;
    int length = snprintf(path, sizeof path, "%s/bus", folder);
    return length < (int)sizeof path && access(path, F_OK) == 0;
}

static enum err_code find_library(const struct library **out, struct err *err)
{
    if (!has_session_bus())
        return err_set(err, ERR_UNAVAILABLE, 0, "keyring: there is no session bus");
    pthread_once(&loading, load);
    if (!loaded.is_there)
        return err_set(err, ERR_UNAVAILABLE, 0, "keyring: libsecret is not installed");
    *out = &loaded;
    return ERR_NONE;
}

/* Frees the error. */
static enum err_code refused(const struct library *library, struct g_error *error, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *message = error && error->message ? error->message : "it refuses";
    enum err_code r = err_set(err, ERR_UNAVAILABLE, error ? error->code : 0, "keyring: %s",
                              text_one_line(&scratch, message, strlen(message), MAX_MESSAGE));
    if (error)
        library->g_error_free(error);
    return r;
}

enum err_code keyring_read(const char *store, struct buf *out, struct err *err)
{
    const struct library *library = NULL;
    struct g_error *error = NULL;
    enum err_code r = find_library(&library, err);
    if (r)
        return r;
    char *text =
        library->secret_password_lookup_sync(&schema, NULL, &error, ATTRIBUTE, store, (char *)NULL);
    if (error)
        r = refused(library, error, err);
    else if (!text)
        r = err_set(err, ERR_NOT_FOUND, 0, "keyring: it has no logins");
    else if (!buf_puts(out, text))
        r = err_set(err, ERR_LIMIT, 0, "keyring: what it has is too long");
    if (text)
        library->secret_password_free(text);
    return r;
}

enum err_code keyring_write(const char *store, const char *text, struct err *err)
{
    const struct library *library = NULL;
    struct g_error *error = NULL;
    if (strlen(text) > KEYRING_MAX_BYTES)
        return err_set(err, ERR_LIMIT, 0, "keyring: more than %d bytes of logins",
                       KEYRING_MAX_BYTES);
    enum err_code r = find_library(&library, err);
    if (r)
        return r;
    int is_kept = library->secret_password_store_sync(&schema, "default", LABEL, text, NULL, &error,
                                                      ATTRIBUTE, store, (char *)NULL);
    return is_kept && !error ? ERR_NONE : refused(library, error, err);
}

enum err_code keyring_remove(const char *store, struct err *err)
{
    const struct library *library = NULL;
    struct g_error *error = NULL;
    enum err_code r = find_library(&library, err);
    if (r)
        return r;
    (void)library->secret_password_clear_sync(&schema, NULL, &error, ATTRIBUTE, store,
                                              (char *)NULL);
    return error ? refused(library, error, err) : ERR_NONE;
}
