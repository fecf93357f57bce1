/* write_file and edit_file. A file is complete or unchanged, never half written: the new content
 * goes to a temporary file in the same folder, to the disk, and then takes the name. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/runtime/descriptor.h"
#include "infrastructure/workspace/workspace_text.h"
#include "infrastructure/workspace/workspace_tools.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { DIFF_MAX_BYTES = 16384, TEMPORARY_NAME_SIZE = 40, MODE_OF_NEW_FILES = 0644 };

struct replacement {
    const char *path;
    const char *bytes;
    size_t length;
    bool may_exist;
};

static enum err_code failed(const char *path, int reason, struct err *err)
{
    return err_set(err, reason == EACCES || reason == EPERM ? ERR_DENIED : ERR_FAILED, reason,
                   "'%.200s': %s", path, strerror(reason));
}

/* What may be replaced: a regular file. Sets the mode the new one shall have. */
static enum err_code check_target(const struct replacement *what, int folder, const char *name,
                                  mode_t *out_mode, bool *out_exists, struct err *err)
{
    struct stat found;
    *out_mode = MODE_OF_NEW_FILES;
    *out_exists = fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*out_exists)
        return errno == ENOENT ? ERR_NONE : failed(what->path, errno, err);
    if (!S_ISREG(found.st_mode))
        return err_set(err, ERR_INVALID, 0, "'%.200s' exists and is not a regular file",
                       what->path);
    if (!what->may_exist) {
        enum err_code r = err_set(err, ERR_INVALID, EEXIST, "'%.200s' exists", what->path);
        return err_hint(err, r, "set overwrite to true to replace it, or use edit_file");
    }
    *out_mode = found.st_mode & 07777;
    return ERR_NONE;
}

/* Gives the temporary file its name. Without may_exist a file that appeared meanwhile wins. */
static bool take_name(const struct replacement *what, int folder, const char *temporary,
                      const char *name)
{
    if (what->may_exist)
        return renameat(folder, temporary, folder, name) == 0;
    return linkat(folder, temporary, folder, name, 0) == 0 && unlinkat(folder, temporary, 0) == 0;
}

static enum err_code put_file(const struct workspace_job *job, const struct replacement *what,
                              bool *out_existed, struct err *err)
{
    auto_fd folder = -1;
    const char *name;
    mode_t mode;
    unsigned long long chance;
    char temporary[TEMPORARY_NAME_SIZE];
    enum err_code r = confined_open_parent(job->root, what->path, &folder, &name, err);
    if (!r)
        r = check_target(what, folder, name, &mode, out_existed, err);
    if (r)
        return r;
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        return failed(what->path, errno, err);
    snprintf(temporary, sizeof temporary, ".mistro-%016llx.tmp", chance);
    auto_fd fd =
        openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(what->path, errno, err);
    bool is_written = descriptor_write(fd, what->bytes, what->length) && fchmod(fd, mode) == 0 &&
                      fsync(fd) == 0 && take_name(what, folder, temporary, name);
    int reason = errno;
    if (!is_written) {
        unlinkat(folder, temporary, 0);
        return failed(what->path, reason, err);
    }
    (void)fsync(folder); /* some file systems cannot; the file itself is on disk */
    return ERR_NONE;
}

static enum err_code report_file(struct workspace_answer *out, const char *path, size_t bytes,
                                 const char *what)
{
    json_object_set_new(out->structured, "path", workspace_json_text(path, strlen(path), NULL));
    json_object_set_new(out->structured, "bytes", json_integer((json_int_t)bytes));
    return buf_printf(&out->text, "%s %s, %zu bytes\n", what, path, bytes) ? ERR_NONE : ERR_LIMIT;
}

enum err_code workspace_write_file(const struct workspace_job *job, struct workspace_answer *out,
                                   struct err *err)
{
    char path[CONFINED_MAX_PATH + 1];
    const json_t *content = json_object_get(job->arguments, "content");
    bool existed;
    enum err_code r = workspace_path(job, path, err);
    if (r)
        return r;
    struct replacement what = {
        .path = path,
        .bytes = json_string_value(content),
        .length = json_string_length(content),
        .may_exist = json_get_bool(job->arguments, "overwrite", false),
    };
    r = put_file(job, &what, &existed, err);
    if (r)
        return r;
    json_object_set_new(out->structured, "created", json_boolean(!existed));
    return report_file(out, path, what.length, existed ? "replaced" : "created");
}

/* Lines of a text with a sign in front of each. */
static bool append_signed(struct buf *diff, char sign, const json_t *lines)
{
    const char *text = json_string_value(lines);
    size_t length = json_string_length(lines);
    bool fits = true;
    for (size_t at = 0; at < length && fits;) {
        const char *newline = memchr(text + at, '\n', length - at);
        size_t n = newline ? (size_t)(newline - text) - at : length - at;
        fits = buf_append(diff, &sign, 1) && buf_append(diff, text + at, n) &&
               buf_append(diff, "\n", 1);
        at += n + 1;
    }
    return fits;
}

static enum err_code not_unique(const json_t *old, size_t index, bool is_absent, struct err *err)
{
    AUTO(arena) arena = { 0 };
    const char *shown = text_one_line(&arena, json_string_value(old), json_string_length(old), 60);
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "edit %zu: old_text %s in the file: '%s'", index + 1,
                is_absent ? "does not occur" : "occurs more than once", shown);
    return err_hint(err, r,
                    is_absent ? "read_file shows the exact text, blanks included"
                              : "give more of the surrounding text");
}

/* Replaces the one occurrence in `text` (owned, exchanged). */
static enum err_code apply_edit(const struct workspace_job *job, size_t index, struct buf *text,
                                struct buf *diff, struct err *err)
{
    const json_t *edit = json_array_get(json_object_get(job->arguments, "edits"), index);
    const json_t *old = json_object_get(edit, "old_text"), *new = json_object_get(edit, "new_text");
    const char *bytes = buf_string(text);
    size_t n = json_string_length(old);
    const char *hit = memmem(bytes, text->length, json_string_value(old), n);
    if (!hit)
        return not_unique(old, index, true, err);
    size_t offset = (size_t)(hit - bytes), rest = text->length - offset - n;
    if (memmem(hit + 1, text->length - offset - 1, json_string_value(old), n))
        return not_unique(old, index, false, err);
    bool is_shown = buf_printf(diff, "@@ line %zu @@\n", workspace_line_of(bytes, offset)) &&
                    append_signed(diff, '-', old) && append_signed(diff, '+', new);
    (void)is_shown; /* a diff that is too long is cut; the edit is made all the same */
    AUTO(buf) changed;
    buf_init(&changed, text->max_bytes);
    if (!buf_append(&changed, bytes, offset) ||
        !buf_append(&changed, json_string_value(new), json_string_length(new)) ||
        !buf_append(&changed, hit + n, rest))
        return err_set(err, ERR_LIMIT, 0, "the file would have more than %zu bytes",
                       text->max_bytes);
    struct buf before = *text;
    *text = changed;
    changed = before;
    return ERR_NONE;
}

static enum err_code edit_text(const struct workspace_job *job,
                               char out_path[static CONFINED_MAX_PATH + 1], struct buf *text,
                               struct buf *diff, struct err *err)
{
    auto_str bytes = NULL;
    size_t length;
    enum err_code r = workspace_read(job, out_path, &bytes, &length, err);
    if (r)
        return r;
    if (workspace_is_binary(bytes, length))
        return err_set(err, ERR_INVALID, 0, "'%.200s' is a binary file", out_path);
    if (!buf_append(text, bytes, length))
        return err_set(err, ERR_LIMIT, 0, "'%.200s' is too large", out_path);
    for (size_t i = 0; i < json_array_size(json_object_get(job->arguments, "edits")) && !r; i++)
        r = apply_edit(job, i, text, diff, err);
    return r;
}

enum err_code workspace_edit_file(const struct workspace_job *job, struct workspace_answer *out,
                                  struct err *err)
{
    char path[CONFINED_MAX_PATH + 1];
    bool existed, is_dry = json_get_bool(job->arguments, "dry_run", false);
    AUTO(buf) text;
    AUTO(buf) diff;
    buf_init(&text, job->limits.max_file_bytes);
    buf_init(&diff, DIFF_MAX_BYTES);
    enum err_code r = edit_text(job, path, &text, &diff, err);
    struct replacement what = {
        .path = path,
        .bytes = buf_string(&text),
        .length = text.length,
        .may_exist = true,
    };
    if (!r && !is_dry)
        r = put_file(job, &what, &existed, err);
    if (r)
        return r;
    size_t n_edits = json_array_size(json_object_get(job->arguments, "edits"));
    json_object_set_new(out->structured, "edits", json_integer((json_int_t)n_edits));
    json_object_set_new(out->structured, "diff",
                        workspace_json_text(buf_string(&diff), diff.length, NULL));
    json_object_set_new(out->structured, "written", json_boolean(!is_dry));
    r = report_file(out, path, text.length, is_dry ? "would change" : "changed");
    return r || buf_append(&out->text, buf_string(&diff), diff.length) ? r : ERR_LIMIT;
}
