/* list_directory and search_files. */
#include "domain/base/json.h"
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
    size_t query_length, limit, n_searched, n_skipped, n_large;
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

/* The setting, argument or constant that bounded what was found; NULL when nothing did. */
static const char *bound_of(const struct finding *f, const struct tree_walk *walk)
{
    if (walk->cut == TREE_CUT_BY_TIME)
        return "workspace.query_ms";
    if (f->is_full && f->limit && json_array_size(f->list) >= f->limit)
        return f->limit < f->job->limits.max_entries ? "limit" : "workspace.max_entries";
    if (f->is_full)
        return "tools.max_result_bytes";
    if (walk->cut == TREE_CUT_BY_ENTRIES)
        return f->limit ? "the number of entries" : "workspace.max_entries";
    return walk->cut == TREE_CUT_BY_DEPTH ? "the depth of folders" : NULL;
}

/* The end of the answer: whether that is all. "No match" may only be said where all was searched.
 */
static void report_cut(const struct finding *f, const struct tree_walk *walk, const char *nothing)
{
    const char *bound = bound_of(f, walk);
    json_t *structured = f->out->structured;
    struct buf *text = &f->out->text;
    bool fits = true, is_found = json_array_size(f->list);
    json_object_set_new(structured, "truncated", json_boolean(bound));
    if (!is_found)
        fits =
            buf_puts(text, bound || f->n_large ? "nothing found in what was looked at\n" : nothing);
    if (f->n_large)
        fits = buf_printf(text, "(%zu file%s above workspace.max_file_bytes %s not looked at)\n",
                          f->n_large, f->n_large == 1 ? "" : "s", f->n_large == 1 ? "was" : "were");
    const char *more = is_found ? "there is more: " : "";
    if (bound)
        json_object_set_new(structured, "bounded_by", json_string(bound));
    if (walk->cut == TREE_CUT_BY_TIME) {
        json_object_set_new(structured, "files_unseen", json_integer((json_int_t)walk->n_unseen));
        fits =
            buf_printf(text, "(%sbounded by %s, %lld ms: at least %zu files were not looked at)\n",
                       more, bound, (long long)f->job->limits.query_ms, walk->n_unseen);
    } else if (bound) {
        fits = buf_printf(text, "(%sbounded by %s)\n", more, bound);
    }
    (void)fits; /* what does not fit is said in `truncated` */
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
        .pattern = json_get_string(job->arguments, "pattern"),
    };
    struct tree_walk walk = {
        .max_entries = job->limits.max_entries,
        .max_depth = (unsigned)json_get_int(job->arguments, "depth", 1),
        .deadline_ms = workspace_now_ms() + job->limits.query_ms,
        .visit = list_entry,
        .context = &f,
    };
    json_object_set_new(out->structured, "path", name_text(&f, path));
    json_object_set_new(out->structured, "entries", f.list);
    tree_walk(&walk, fd, path);
    json_object_set_new(out->structured, "invalid_utf8", json_boolean(f.is_changed));
    report_cut(&f, &walk, "(nothing)\n");
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

/* The bytes in lower case where case is ignored, else NULL; malloc'd. */
static char *lowered(const struct finding *f, const char *bytes, size_t length)
{
    char *lower = f->ignores_case ? malloc(length + 1) : NULL;
    if (f->ignores_case && !lower)
        abort();
    for (size_t i = 0; lower && i <= length; i++)
        lower[i] = (char)tolower((unsigned char)bytes[i]);
    return lower;
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
    size_t length;
    struct stat now;
    bool is_file = fd >= 0 && fstat(fd, &now) == 0 && S_ISREG(now.st_mode);
    f->n_large += is_file && now.st_size > (off_t)f->job->limits.max_file_bytes;
    if (!is_file || !workspace_read_fd(fd, f->job->limits.max_file_bytes, &bytes, &length) ||
        workspace_is_binary(bytes, length)) {
        f->n_skipped++;
        return true;
    }
    f->n_searched++;
    auto_str lower = lowered(f, bytes, length);
    return search_lines(f, entry->path, bytes, lower ? lower : bytes, length);
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

enum err_code workspace_search_files(const struct workspace_job *job, struct workspace_answer *out,
                                     struct err *err)
{
    char path[CONFINED_MAX_PATH + 1];
    auto_fd fd = -1;
    const json_t *query = json_object_get(job->arguments, "query");
    const char *name = json_get_string(job->arguments, "name");
    size_t limit = (size_t)json_get_int(job->arguments, "limit", SEARCH_DEFAULT_MATCHES);
    if (!json_string_length(query) && !name)
        return err_set(err, ERR_INVALID, 0, "give query (text to find), name (a glob), or both");
    enum err_code r = workspace_open_folder(job, path, &fd, err);
    if (r)
        return r;
    struct finding f = {
        .job = job,
        .out = out,
        .list = json_array(),
        .pattern = name,
        .query = json_string_length(query) ? json_string_value(query) : NULL,
        .query_length = json_string_length(query),
        .limit = limit < job->limits.max_entries ? limit : job->limits.max_entries,
        .ignores_case = json_get_bool(job->arguments, "ignore_case", false),
    };
    auto_str lower = f.query ? lowered(&f, f.query, f.query_length) : NULL;
    f.query = lower ? lower : f.query;
    struct tree_walk walk = {
        .max_entries = SEARCH_MAX_VISITED,
        .max_depth = TREE_MAX_DEPTH,
        .deadline_ms = workspace_now_ms() + job->limits.query_ms,
        .visit = search_entry,
        .context = &f,
    };
    json_object_set_new(out->structured, "matches", f.list);
    tree_walk(&walk, fd, path);
    json_object_update_new(out->structured,
                           json_pack("{sI sI sb}", "files_searched", (json_int_t)f.n_searched,
                                     "files_skipped", (json_int_t)f.n_skipped, "invalid_utf8",
                                     f.is_changed));
    report_cut(&f, &walk, "no match\n");
    return ERR_NONE;
}
