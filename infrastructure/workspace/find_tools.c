/* list_directory and search_files. */
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "infrastructure/workspace/tree_walk.h"
#include "infrastructure/workspace/workspace_text.h"
#include "infrastructure/workspace/workspace_tools.h"
#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    SEARCH_MAX_VISITED = 200000,
    SEARCH_DEFAULT_MATCHES = 100,
    SEARCH_LINE_BYTES = 300, /* shown of a matching line */
};

struct finding {
    const struct workspace_job *job;
    struct workspace_answer *out;
    json_t *list;        /* entries or matches; borrowed */
    const char *pattern; /* glob over names, or NULL */
    const char *query;   /* or NULL */
    size_t query_length, limit, n_searched, n_skipped;
    bool ignores_case, is_changed, is_full;
};

static json_t *name_text(struct finding *f, const char *name)
{
    return workspace_json_text(name, strlen(name), &f->is_changed);
}

static bool list_entry(void *context, const struct tree_entry *entry)
{
    struct finding *f = context;
    const struct stat *found = &entry->stat;
    bool is_folder = S_ISDIR(found->st_mode);
    char modified[RFC3339_SIZE];
    if (f->pattern && !text_matches_glob(f->pattern, entry->name))
        return true;
    rfc3339_print((int64_t)found->st_mtim.tv_sec * 1000 + found->st_mtim.tv_nsec / 1000000,
                  modified);
    json_t *item = json_pack("{sososssIss}", "name", name_text(f, entry->name), "path",
                             name_text(f, entry->path), "type", tree_type_name(found->st_mode),
                             "bytes", (json_int_t)found->st_size, "modified", modified);
    json_array_append_new(f->list, item);
    bool fits = is_folder ? buf_printf(&f->out->text, "%s/\n", entry->path)
                          : buf_printf(&f->out->text, "%s  %lld bytes\n", entry->path,
                                       (long long)found->st_size);
    f->is_full = !fits;
    return fits;
}

enum err_code workspace_list_directory(const struct workspace_job *job,
                                       struct workspace_answer *out, struct err *err)
{
    char path[CONFINED_MAX_PATH + 1];
    auto_fd fd = -1;
    enum err_code r = workspace_open_folder(job, path, &fd, err);
    if (r)
        return r;
    struct finding f = {
        .job = job,
        .out = out,
        .list = json_array(),
        .pattern = workspace_value(job, "pattern")->text,
    };
    struct tree_walk walk = {
        .max_entries = job->limits.max_entries,
        .max_depth = (unsigned)workspace_number(job, "depth", 1),
        .deadline_ms = workspace_now_ms() + job->limits.query_ms,
        .visit = list_entry,
        .context = &f,
    };
    json_object_set_new(out->structured, "path", name_text(&f, path));
    json_object_set_new(out->structured, "entries", f.list);
    tree_walk(&walk, fd, path);
    bool is_truncated = walk.was_cut || f.is_full;
    json_object_update_new(out->structured, json_pack("{sb sb}", "truncated", is_truncated,
                                                      "invalid_utf8", f.is_changed));
    bool fits = json_array_size(f.list) || buf_puts(&out->text, "(nothing)\n");
    if (is_truncated)
        fits = buf_puts(&out->text, "(there is more)\n") && fits;
    (void)fits; /* what does not fit is said in `truncated` */
    return ERR_NONE;
}

/* One match; line 0 is a match of the name alone. False when that was the last one wanted. */
static bool add_match(struct finding *f, const char *path, size_t line, const char *text,
                      size_t length)
{
    if (json_array_size(f->list) >= f->limit) {
        f->is_full = true;
        return false;
    }
    json_t *match = json_pack("{so}", "path", name_text(f, path));
    size_t shown = text_cut(text, length, SEARCH_LINE_BYTES);
    bool fits;
    if (line) {
        json_object_set_new(match, "line", json_integer((json_int_t)line));
        json_object_set_new(match, "text", workspace_json_text(text, shown, &f->is_changed));
        fits = buf_printf(&f->out->text, "%s:%zu: %.*s\n", path, line, (int)shown, text);
    } else {
        fits = buf_printf(&f->out->text, "%s\n", path);
    }
    json_array_append_new(f->list, match);
    f->is_full = !fits;
    return fits;
}

static void lower_all(char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)tolower((unsigned char)bytes[i]);
}

/* The first match of every line. `haystack` is `bytes`, in lower case where case is ignored. */
static bool search_lines(struct finding *f, const char *path, const char *bytes,
                         const char *haystack, size_t length)
{
    size_t at = 0, line = 1, counted = 0;
    while (at < length) {
        const char *hit = memmem(haystack + at, length - at, f->query, f->query_length);
        if (!hit)
            return true;
        size_t offset = (size_t)(hit - haystack);
        line += workspace_line_of(bytes + counted, offset - counted) - 1;
        counted = offset;
        const char *start = offset ? memrchr(bytes, '\n', offset) : NULL;
        size_t from = start ? (size_t)(start - bytes) + 1 : 0;
        const char *end = memchr(bytes + offset, '\n', length - offset);
        size_t to = end ? (size_t)(end - bytes) : length;
        if (!add_match(f, path, line, bytes + from, to - from))
            return false;
        at = to + 1;
    }
    return true;
}

static bool search_file(struct finding *f, const struct tree_entry *entry)
{
    auto_fd fd = openat(entry->folder_fd, entry->name,
                        O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    auto_str bytes = NULL;
    auto_str lowered = NULL;
    size_t length;
    struct stat now;
    bool is_file = fd >= 0 && fstat(fd, &now) == 0 && S_ISREG(now.st_mode);
    if (!is_file || !workspace_read_fd(fd, f->job->limits.max_file_bytes, &bytes, &length) ||
        workspace_is_binary(bytes, length)) {
        f->n_skipped++;
        return true;
    }
    f->n_searched++;
    if (f->ignores_case) {
        lowered = malloc(length + 1);
        if (!lowered)
            abort();
        memcpy(lowered, bytes, length + 1);
        lower_all(lowered, length);
    }
    return search_lines(f, entry->path, bytes, lowered ? lowered : bytes, length);
}

static bool search_entry(void *context, const struct tree_entry *entry)
{
    struct finding *f = context;
    if (S_ISDIR(entry->stat.st_mode) && f->query)
        return true;
    if (f->pattern && !text_matches_glob(f->pattern, entry->name))
        return true;
    if (!f->query)
        return add_match(f, entry->path, 0, "", 0);
    if (S_ISREG(entry->stat.st_mode))
        return search_file(f, entry);
    return true;
}

static enum err_code report_search(struct finding *f, bool was_cut)
{
    bool is_truncated = was_cut || f->is_full, fits = true;
    json_object_update_new(f->out->structured,
                           json_pack("{sI sI sb sb}", "files_searched", (json_int_t)f->n_searched,
                                     "files_skipped", (json_int_t)f->n_skipped, "truncated",
                                     is_truncated, "invalid_utf8", f->is_changed));
    if (!json_array_size(f->list))
        fits = buf_puts(&f->out->text, "no match\n");
    if (is_truncated)
        fits = buf_puts(&f->out->text, "(there is more)\n");
    (void)fits; /* what does not fit is said in `truncated` */
    return ERR_NONE;
}

enum err_code workspace_search_files(const struct workspace_job *job, struct workspace_answer *out,
                                     struct err *err)
{
    char path[CONFINED_MAX_PATH + 1];
    auto_fd fd = -1;
    const struct workspace_value *query = workspace_value(job, "query");
    const struct workspace_value *name = workspace_value(job, "name");
    size_t limit = (size_t)workspace_number(job, "limit", SEARCH_DEFAULT_MATCHES);
    if ((!query->is_set || !query->length) && !name->is_set)
        return err_set(err, ERR_INVALID, 0, "give query (text to find), name (a glob), or both");
    enum err_code r = workspace_open_folder(job, path, &fd, err);
    if (r)
        return r;
    struct finding f = {
        .job = job,
        .out = out,
        .list = json_array(),
        .pattern = name->text,
        .query = query->length ? query->text : NULL,
        .query_length = query->length,
        .limit = limit < job->limits.max_entries ? limit : job->limits.max_entries,
        .ignores_case = workspace_value(job, "ignore_case")->flag,
    };
    if (f.ignores_case && f.query)
        lower_all(query->text, query->length);
    struct tree_walk walk = {
        .max_entries = SEARCH_MAX_VISITED,
        .max_depth = TREE_MAX_DEPTH,
        .deadline_ms = workspace_now_ms() + job->limits.query_ms,
        .visit = search_entry,
        .context = &f,
    };
    json_object_set_new(out->structured, "matches", f.list);
    tree_walk(&walk, fd, path);
    return report_search(&f, walk.was_cut);
}
