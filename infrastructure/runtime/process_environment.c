#include "domain/base/attributes.h"
#include "infrastructure/runtime/process.h"
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* What a program needs to find its files and its language, and nothing that opens a door: keys of
 * our own stay ours. A name ending in '*' stands for all that begin so. */
static const char *const handed_on[] = { "PATH",   "HOME", "LANG",  "LC_*",   "TERM",
                                         "TMPDIR", "USER", "SHELL", "LOGNAME" };

static size_t name_length(const char *variable)
{
    return strcspn(variable, "=");
}

static bool has_name(const char *variable, const char *name)
{
    size_t length = strlen(name);
    if (name[length - 1] == '*')
        return strncmp(variable, name, length - 1) == 0;
    return name_length(variable) == length && strncmp(variable, name, length) == 0;
}

/* A value that begins with "()" is a function an old shell exported: code, not text. */
static bool is_handed_on(const char *variable)
{
    const char *value = variable + name_length(variable);
    if (strncmp(value, "=()", 3) == 0)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(handed_on); i++)
        if (has_name(variable, handed_on[i]))
            return true;
    return false;
}

static bool is_set_by(const char *variable, const char *const *extra, size_t n_extra)
{
    size_t length = name_length(variable);
    for (size_t i = 0; i < n_extra; i++)
        if (name_length(extra[i]) == length && strncmp(variable, extra[i], length) == 0)
            return true;
    return false;
}

static char *copy(const char *variable)
{
    char *text = strdup(variable);
    if (!text)
        abort();
    return text;
}

char **process_environment(const char *const *extra, size_t n_extra)
{
    size_t n_own = 0, n = 0;
    while (environ && environ[n_own])
        n_own++;
    char **environment = calloc(n_own + n_extra + 1, sizeof *environment);
    if (!environment)
        abort();
    for (size_t i = 0; i < n_own; i++)
        if (is_handed_on(environ[i]) && !is_set_by(environ[i], extra, n_extra))
            environment[n++] = copy(environ[i]);
    for (size_t i = 0; i < n_extra; i++)
        if (!is_set_by(extra[i], extra + i + 1, n_extra - i - 1))
            environment[n++] = copy(extra[i]);
    return environment;
}

void process_environment_free(char **environment)
{
    for (char **e = environment; e && *e; e++)
        free(*e);
    free(environment);
}
