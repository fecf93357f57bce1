/* The script of a plot is run where it was written, in a private folder: so a matplotlibrc or a
 * module that lies in the current one has no part in it. Every python3 of PATH is asked until one
 * has a matplotlib that works, because the first may be of an environment that has none, or of one
 * that is gone. */
#include "infrastructure/rendering/picture_folder.h"
#include "infrastructure/rendering/rendering.h"
#include "infrastructure/runtime/bounded_child.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCRIPT "figure.py"

enum { MAX_STDOUT = 65536 };

struct plotting {
    struct uv_runtime *runtime;
    const struct settings *settings;
    struct scope *scope;
    struct arena *arena;
    struct picture_folder folder;
};

/* Whether another Python may do better: as Python says it in every language, or by the status of a
 * shell that starts none. */
static bool is_broken(enum err_code r, const struct err *why, const char *words)
{
    bool starts = r != ERR_UNAVAILABLE && !(why && (why->origin == 126 || why->origin == 127));
    return r && (!starts || strstr(words, "ImportError") || strstr(words, "No module named"));
}

/* ERR_NOT_FOUND: this Python has no matplotlib. */
awaits static enum err_code run(struct plotting *plotting, const char *python, struct err *err)
{
    static const char *const arguments[] = { SCRIPT, "figure.svg", "figure.png", "figure.pdf",
                                             NULL };
    struct buf output, words;
    const struct settings *settings = plotting->settings;
    buf_init(&output, MAX_STDOUT);
    buf_init(&words, BOUNDED_CHILD_WORDS);
    struct bounded_child child = {
        .command = python,
        .arguments = arguments,
        .directory = plotting->folder.path,
        .milliseconds = settings->figure_render_seconds * 1000,
        .memory_bytes = (uint64_t)settings->figure_render_mb * 1048576,
        .file_bytes = (uint64_t)settings->figure_max_picture_bytes,
        .output = &output,
        .words = &words,
    };
    enum err_code r = bounded_child_run(plotting->runtime, plotting->scope, &child, err);
    if (is_broken(r, err, buf_string(&words)))
        r = err_set(err, ERR_NOT_FOUND, 0, "%s has no matplotlib", python);
    buf_finish(&output);
    buf_finish(&words);
    return r;
}

awaits static enum err_code run_first(struct plotting *plotting, struct err *err)
{
    enum err_code r = ERR_NOT_FOUND;
    size_t n;
    for (const char *path = getenv("PATH"); r == ERR_NOT_FOUND && path && *path;
         path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        const char *python = arena_printf(plotting->arena, "%.*s/python3", (int)n, path);
        if (*python == '/' && access(python, X_OK) == 0)
            r = run(plotting, python, err);
    }
    if (r != ERR_NOT_FOUND) {
        err_prefix(err, r, "matplotlib");
        return r == ERR_TIMEOUT ? err_hint(err, r, "raise figure.render_seconds") : r;
    }
    r = err_set(err, r, 0, "no python3 with matplotlib was found");
    return err_hint(err, r, "Debian's package is python3-matplotlib");
}

enum err_code matplotlib_draw(struct uv_runtime *runtime, const struct settings *settings,
                              struct scope *scope, const char *script, struct arena *arena,
                              struct picture *out, struct err *err)
{
    struct plotting plotting = {
        .runtime = runtime, .settings = settings, .scope = scope, .arena = arena
    };
    struct picture picture = { .renderer = "matplotlib" };
    enum err_code r = picture_folder_create(&plotting.folder, err);
    if (!r)
        r = picture_folder_write(&plotting.folder, SCRIPT, script, err);
    if (!r)
        r = run_first(&plotting, err);
    if (!r)
        r = picture_folder_take(&plotting.folder, (size_t)settings->figure_max_picture_bytes, arena,
                                &picture, err);
    picture_folder_finish(&plotting.folder);
    if (!r)
        *out = picture;
    return r;
}
