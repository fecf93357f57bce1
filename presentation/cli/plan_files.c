#include "presentation/cli/plan_files.h"
#include "domain/base/text.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WARNING_COLUMNS = 600, STAMP_MAX_BYTES = FILES_MAX_NAMES * 512 };

/* The folder of a plan, for the plans that it uses. */
struct folder_files {
    struct plan_files base;
    struct cli *cli;
    const char *folder;
};

/* A link may lead out of the folder: whoever wrote it does not choose what is read. */
static bool is_below(const char *folder, const char *path)
{
    char *top = realpath(folder, NULL), *real = realpath(path, NULL);
    size_t length = top ? strlen(top) : 0;
    bool is_below = top && real && strncmp(real, top, length) == 0 &&
                    (real[length] == '/' || strcmp(top, "/") == 0);
    bool is_missing = !real;
    free(top);
    free(real);
    return is_below || is_missing;
}

static enum err_code read_below(const struct plan_files *files, struct arena *arena,
                                const char *file, const char **out_text, size_t *out_length,
                                struct err *err)
{
    const struct folder_files *folder = (const struct folder_files *)files;
    const char *path = arena_printf(arena, "%s/%s", folder->folder, file);
    const struct file_reader reader = { folder->cli->console, folder->cli->scope, arena,
                                        PLAN_FILES_MAX_BYTES };
    struct stat found;
    if (!is_below(folder->folder, path))
        return err_set(err, ERR_INVALID, 0, "it is a link out of the folder of the plan");
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode)) /* a pipe would be waited for */
        return err_set(err, ERR_INVALID, 0, "it is no plain file");
    return files_read(&reader, path, out_text, out_length, err);
}

const struct plan_files *plan_files_below(struct cli *cli, const char *folder)
{
    struct folder_files *files = arena_new(cli->arena, struct folder_files);
    *files = (struct folder_files){ .base.read = read_below, .cli = cli, .folder = folder };
    return &files->base;
}

const struct plan_files *plan_files_beside(struct cli *cli, const char *path)
{
    const char *slash = strrchr(path, '/');
    return plan_files_below(cli, !slash ? "."
                                 : slash == path
                                     ? "/"
                                     : arena_strndup(cli->arena, path, (size_t)(slash - path)));
}

static struct plans_folder *of(struct plan_folder *folder)
{
    return (struct plans_folder *)folder;
}

static enum err_code list(const struct plans_folder *files, struct arena *arena,
                          const char ***out_names, size_t *out_n, struct err *err)
{
    static const char *const endings[] = { ".json", ".yaml", ".yml" };
    return files_list(arena, files->path, endings, ARRAY_LENGTH(endings), out_names, out_n, err);
}

/* NULL where it is no plain file, such as a pipe that would be waited for. */
static const char *path_of(struct arena *arena, const struct plans_folder *files, const char *name,
                           struct stat *out)
{
    const char *path = arena_printf(arena, "%s/%s", files->path, name);
    return stat(path, out) == 0 && S_ISREG(out->st_mode) ? path : NULL;
}

/* With the time of the last change of any kind, which no program can set back. */
static enum err_code stamp(struct plan_folder *folder, struct arena *arena, const char **out,
                           struct err *err)
{
    const char **names = NULL;
    size_t n = 0;
    struct stat found;
    AUTO(buf) text;
    buf_init(&text, STAMP_MAX_BYTES);
    enum err_code r = list(of(folder), arena, &names, &n, err);
    for (size_t i = 0; !r && i < n; i++)
        if (path_of(arena, of(folder), names[i], &found) &&
            !buf_printf(&text, "%s %lld %lld %lld.%ld\n", names[i], (long long)found.st_ino,
                        (long long)found.st_size, (long long)found.st_ctim.tv_sec,
                        found.st_ctim.tv_nsec))
            r = err_set(err, ERR_LIMIT, 0, "%.200s: too many files", of(folder)->path);
    *out = arena_strdup(arena, buf_string(&text));
    return r;
}

static enum err_code read_all(struct plan_folder *folder, struct scope *scope, struct arena *arena,
                              struct plan_folder_file **out, size_t *out_n, struct err *err)
{
    const struct plans_folder *files = of(folder);
    const struct file_reader reader = { files->cli->console, scope, arena, PLAN_FILES_MAX_BYTES };
    const char **names = NULL;
    size_t n = 0;
    struct stat found;
    enum err_code r = list(files, arena, &names, &n, err);
    *out = arena_array(arena, struct plan_folder_file, n + 1);
    *out_n = 0;
    for (size_t i = 0; !r && i < n; i++) {
        const char *path = path_of(arena, files, names[i], &found);
        struct plan_folder_file *file = &(*out)[*out_n];
        *out_n += path != NULL;
        *file = (struct plan_folder_file){ .name = names[i] };
        if (path)
            (void)!files_read(&reader, path, &file->text, &file->length, &file->err);
    }
    return r;
}

static void left_out(struct plan_folder *folder, const char *what, const char *why)
{
    AUTO(arena) arena = { 0 };
    const char *text = arena_printf(&arena, "%s is not offered as a tool: %s", what, why);
    output_warning(of(folder)->cli, text_one_line(&arena, text, strlen(text), WARNING_COLUMNS));
}

void plans_folder_init(struct plans_folder *files, struct cli *cli, const char *path)
{
    *files = (struct plans_folder){ { stamp, read_all, left_out, plan_files_below(cli, path) },
                                    cli,
                                    path };
}
