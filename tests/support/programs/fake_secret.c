/* A libsecret of three functions, for tests/e2e/test_login.sh: one secret, in the file that
 * FAKE_SECRET names, behind a line with its schema and attribute. Without the variable it refuses
 * as a service that is not there does; with FAKE_SECRET_SHUT it has nothing and takes nothing. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT (1 << 20)

struct schema {
    const char *name;
};

struct error {
    unsigned domain;
    int code;
    char *message;
};

char *secret_password_lookup_sync(const struct schema *schema, void *cancellable,
                                  struct error **error, ...);
int secret_password_store_sync(const struct schema *schema, const char *collection,
                               const char *label, const char *password, void *cancellable,
                               struct error **error, ...);
int secret_password_clear_sync(const struct schema *schema, void *cancellable, struct error **error,
                               ...);
void secret_password_free(char *password);
void g_error_free(struct error *error);

static void refuse(struct error **error)
{
    *error = calloc(1, sizeof **error);
    if (!*error)
        abort();
    (*error)->message = strdup("The name org.freedesktop.secrets was not provided");
}

static FILE *open_file(const char *mode, const char *suffix, struct error **error)
{
    char path[4096];
    const char *name = getenv("FAKE_SECRET");
    if (!name) {
        refuse(error);
        return NULL;
    }
    snprintf(path, sizeof path, "%s%s", name, suffix);
    return fopen(path, mode);
}

static void name_secret(const struct schema *schema, va_list arguments, char *out, size_t size)
{
    const char *attribute = va_arg(arguments, const char *);
    const char *value = va_arg(arguments, const char *);
    if (va_arg(arguments, const char *))
        abort();
    snprintf(out, size, "%s %s=%s\n", schema->name, attribute, value);
}

char *secret_password_lookup_sync(const struct schema *schema, void *cancellable,
                                  struct error **error, ...)
{
    char name[4096], first[4096];
    va_list arguments;
    (void)cancellable;
    va_start(arguments, error);
    name_secret(schema, arguments, name, sizeof name);
    va_end(arguments);
    FILE *file = open_file("r", "", error);
    if (!file)
        return NULL;
    char *text = calloc(1, MAX_TEXT);
    if (!text)
        abort();
    int is_it = fgets(first, sizeof first, file) && strcmp(first, name) == 0 &&
                fread(text, 1, MAX_TEXT - 1, file) > 0 && !getenv("FAKE_SECRET_SHUT");
    fclose(file);
    if (is_it)
        return text;
    free(text);
    return NULL;
}

int secret_password_store_sync(const struct schema *schema, const char *collection,
                               const char *label, const char *password, void *cancellable,
                               struct error **error, ...)
{
    char name[4096];
    va_list arguments;
    (void)cancellable;
    va_start(arguments, error);
    name_secret(schema, arguments, name, sizeof name);
    va_end(arguments);
    if (strcmp(collection, "default") != 0 || !*label)
        abort();
    if (getenv("FAKE_SECRET_SHUT")) {
        refuse(error);
        return 0;
    }
    FILE *file = open_file("w", ".new", error);
    if (!file)
        return 0;
    fputs(name, file);
    fputs(password, file);
    snprintf(name, sizeof name, "%s.new", getenv("FAKE_SECRET"));
    return fclose(file) == 0 && rename(name, getenv("FAKE_SECRET")) == 0;
}

int secret_password_clear_sync(const struct schema *schema, void *cancellable, struct error **error,
                               ...)
{
    (void)schema;
    (void)cancellable;
    FILE *file = open_file("w", "", error);
    return file && fclose(file) == 0;
}

void secret_password_free(char *password)
{
    free(password);
}

void g_error_free(struct error *error)
{
    free(error->message);
    free(error);
}
