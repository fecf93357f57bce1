#include "domain/base/cleanup.h"
#include "domain/text/web_url.h"
#include "infrastructure/runtime/process_internal.h"
#include "infrastructure/runtime/system_ports.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* name: a path from the root on, or to be looked up in PATH. */
static bool find_program(const char *name, size_t length, char out[static PATH_MAX])
{
    if (!memchr(name, '/', length))
        return program_find(getenv("PATH"), name, length, out);
    return name[0] == '/' && snprintf(out, PATH_MAX, "%.*s", (int)length, name) < PATH_MAX &&
           program_is_there(out);
}

static bool find_named(const char *names, char out[static PATH_MAX])
{
    for (const char *at = names, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, ':');
        if (find_program(at, (size_t)(end - at), out))
            return true;
    }
    return false;
}

static bool has_screen(void)
{
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x11 && *x11) || (wayland && *wayland);
}

static enum err_code find_browser(char out[static PATH_MAX], struct err *err)
{
    const char *named = getenv("BROWSER");
    if (named && *named) {
        if (find_named(named, out))
            return ERR_NONE;
        return err_set(err, ERR_NOT_FOUND, 0, "BROWSER names no program that exists");
    }
    if (has_screen() && find_named("xdg-open:open", out))
        return ERR_NONE;
    return err_set(err, ERR_NOT_FOUND, 0, "there is no browser");
}

/* Nothing but what POSIX allows between fork and execve. */
static _Noreturn void be_browser(char *const *arguments)
{
    sigset_t none;
    int null = open("/dev/null", O_RDWR);
    setsid();
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(null, STDERR_FILENO) < 0)
        _exit(127);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(arguments[0], arguments, environ);
    _exit(127);
}

/* A child in between ends at once, so that the browser is not a child of ours to be reaped. */
static enum err_code start(char *program, char *url, struct err *err)
{
    char *const arguments[] = { program, url, NULL };
    pid_t between = fork();
    if (between == 0) {
        pid_t browser = fork();
        if (browser == 0)
            be_browser(arguments);
        _exit(browser < 0);
    }
    int status = 1;
    while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR)
        ;
    if (between < 0 || status != 0)
        return err_set(err, ERR_UNAVAILABLE, errno, "a browser cannot be started");
    return ERR_NONE;
}

static enum err_code open_page(struct browser *browser, struct scope *sc, const char *url,
                               struct err *err)
{
    char program[PATH_MAX];
    struct web_url page;
    (void)browser;
    (void)sc;
    if (!web_url_read(url, &page))
        return err_set(err, ERR_INVALID, 0, "not the url of a page that a browser may open");
    enum err_code r = find_browser(program, err);
    if (r)
        return r;
    auto_str copy = strdup(url);
    if (!copy)
        abort();
    return start(program, copy, err);
}

static void nothing_to_destroy(struct browser *browser)
{
    (void)browser;
}

struct browser *system_browser(void)
{
    static const struct browser_ops ops = { open_page, nothing_to_destroy };
    static struct browser browser = { &ops };
    return &browser;
}
