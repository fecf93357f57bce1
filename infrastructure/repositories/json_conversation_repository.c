/* A conversation is directory/ID.json, and what was added since that was written is in ID.jsonl
 * (conversation_lines.h). Writers of the folder take turns (stored_file.h); readers need no lock,
 * because ID.json is only ever replaced whole, and by what has all lines before it. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/conversation_jobs.h"
#include "infrastructure/repositories/conversation_lines.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/stored_file.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_NAME_SIZE (CONVERSATION_ID_MAX + sizeof ".jsonl")
#define VERSION_BYTES 4096 /* of a text that mistro wrote, the version stands among the first */

struct json_store {
    struct conversation_store base;
    char *folder;
    size_t repeated; /* messages in the first line of ID.jsonl: as many as a turn asks for */
};

static struct json_store *json_store_of(struct conversation_store *s)
{
    return (struct json_store *)s;
}

static const char *file_name(const char *id, char name[static FILE_NAME_SIZE])
{
    snprintf(name, FILE_NAME_SIZE, "%s.json", id);
    return name;
}

static const char *lines_name(const char *id, char name[static FILE_NAME_SIZE])
{
    snprintf(name, FILE_NAME_SIZE, "%s.jsonl", id);
    return name;
}

static enum err_code read_text(struct json_store *s, const char *id, struct buf *out,
                               struct err *err)
{
    char name[FILE_NAME_SIZE];
    enum err_code r = stored_file_read(s->folder, file_name(id, name), out, err);
    if (r == ERR_NOT_FOUND)
        return err_set(err, ERR_NOT_FOUND, ENOENT, "no conversation %s", id);
    return r;
}

/* As conversation_from_json reads it. */
static bool version_in(const struct buf *text, int64_t *out_ms)
{
    const char *found;
    size_t size;
    const char *key = json_member_text(buf_string(text), text->length, "updated_at", &found, &size)
                          ? "updated_at"
                          : "created_at";
    return conversation_moment_in(buf_string(text), text->length, key, out_ms);
}

/* Of ID.json alone, where possible without reading all of it; -1 when there is none. */
static enum err_code read_text_version(struct json_store *s, const char *id, int64_t *out_ms,
                                       struct err *err)
{
    char name[FILE_NAME_SIZE], start[VERSION_BYTES];
    size_t length;
    AUTO(buf) text;
    buf_init(&text, s->base.max_bytes);
    *out_ms = -1;
    enum err_code r =
        stored_file_read_start(s->folder, file_name(id, name), start, sizeof start, &length, err);
    if (r)
        return r == ERR_NOT_FOUND ? ERR_NONE : r;
    if (conversation_moment_in(start, length, "updated_at", out_ms))
        return ERR_NONE;
    r = read_text(s, id, &text, err);
    if (r || version_in(&text, out_ms))
        return r;
    err_set(err, ERR_INVALID, 0, "conversation %s: its file is damaged", id);
    return err_hint(err, ERR_INVALID, "it stays as it is: mend it or move it away");
}

/* The lines first: what is moved into the text meanwhile is then in both, never in neither. */
static enum err_code json_load(struct conversation_store *base, const char *id, size_t n,
                               struct stored_text *out, struct err *err)
{
    struct json_store *s = json_store_of(base);
    struct conversation_lines lines;
    int64_t text_ms;
    char name[FILE_NAME_SIZE];
    enum err_code r =
        conversation_lines_read(s->folder, lines_name(id, name), n, &out->lines, &lines, err);
    if (r)
        return r;
    if (lines.version_ms >= 0 && lines.is_enough) {
        r = read_text_version(s, id, &text_ms, err);
        if (r || (text_ms >= 0 && text_ms <= lines.version_ms))
            return r;
        buf_clear(&out->lines); /* left behind by a writer that was killed */
    }
    return read_text(s, id, &out->text, err);
}

static enum err_code load_end(struct json_store *s, struct arena *arena, const char *id, size_t n,
                              struct conversation **out, struct err *err)
{
    AUTO(stored_text) stored;
    stored_text_init(&stored, s->base.max_bytes);
    enum err_code r = json_load(&s->base, id, n, &stored, err);
    return r ? r : conversation_parse_stored(arena, &stored, out, err);
}

static enum err_code remove_lines(struct json_store *s, const char *id, struct err *err)
{
    char name[FILE_NAME_SIZE];
    enum err_code r = stored_file_remove(s->folder, lines_name(id, name), err);
    return r == ERR_NOT_FOUND ? ERR_NONE : r;
}

/* What a writer has to know of what is stored; it holds the lock. */
struct stored_state {
    int64_t version_ms; /* -1: nothing */
    int64_t text_ms;    /* of ID.json */
    struct conversation_lines lines;
};

static enum err_code read_state(struct json_store *s, const char *id, int64_t loaded_version_ms,
                                struct stored_state *out, struct err *err)
{
    char name[FILE_NAME_SIZE];
    AUTO(buf) last;
    struct stored_state state = { .version_ms = -1 };
    buf_init(&last, CONVERSATION_LINES_MAX(s->base.max_bytes));
    enum err_code r = read_text_version(s, id, &state.text_ms, err);
    if (!r)
        r = conversation_lines_read(s->folder, lines_name(id, name), 1, &last, &state.lines, err);
    if (r)
        return r;
    if (state.lines.version_ms < state.text_ms || state.text_ms < 0)
        state.lines = (struct conversation_lines){ .version_ms = -1 };
    state.version_ms = state.text_ms;
    if (state.lines.version_ms > state.text_ms)
        state.version_ms = state.lines.version_ms;
    *out = state;
    return conversation_check_version(id, state.version_ms, loaded_version_ms, err);
}

/* Lines that are left behind are older than the text, but for those of a conversation that was
 * removed. */
static enum err_code json_save(struct conversation_store *base, const char *id, const char *text,
                               size_t length, int64_t loaded_version_ms, struct err *err)
{
    struct json_store *s = json_store_of(base);
    char name[FILE_NAME_SIZE];
    auto_fd lock = -1;
    struct stored_state state;
    enum err_code r = stored_folder_lock(s->folder, &lock, err);
    if (!r)
        r = read_state(s, id, loaded_version_ms, &state, err);
    if (!r && state.version_ms < 0)
        r = remove_lines(s, id, err);
    if (!r)
        r = stored_file_replace(s->folder, file_name(id, name), text, length, err);
    if (r)
        return r;
    enum err_code left = remove_lines(s, id, NULL);
    (void)left; /* lines that stay are older than the text */
    return ERR_NONE;
}

/* The first line of ID.jsonl: how the stored conversation ends. */
static enum err_code print_repeated(struct json_store *s, struct conversation *c, struct buf *out,
                                    struct err *err)
{
    conversation_keep_recent(c, s->repeated);
    return conversation_print_end(c, 0, out, err);
}

static enum err_code begin_lines(struct json_store *s, const char *id, const char *line,
                                 size_t length, struct err *err)
{
    AUTO(arena) arena = { 0 };
    AUTO(buf) lines;
    char name[FILE_NAME_SIZE];
    struct conversation *c;
    buf_init(&lines, CONVERSATION_LINES_MAX(s->base.max_bytes));
    enum err_code r = load_end(s, &arena, id, s->repeated, &c, err);
    if (!r)
        r = print_repeated(s, c, &lines, err);
    if (!r && !buf_append(&lines, line, length))
        r = conversation_is_too_large(id, length, s->base.max_bytes, err);
    return r ? r
             : stored_file_replace(s->folder, lines_name(id, name), lines.bytes, lines.length, err);
}

/* Once ID.json has all, the lines are replaced by one that repeats its end. */
static enum err_code fold(struct json_store *s, const char *id, const struct stored_state *state,
                          const char *line, size_t length, struct err *err)
{
    AUTO(arena) arena = { 0 };
    AUTO(buf) repeated;
    char text_name[FILE_NAME_SIZE], name[FILE_NAME_SIZE];
    struct conversation *c, *last;
    const struct conversation_fold fold = {
        .folder = s->folder,
        .id = id,
        .text_name = file_name(id, text_name),
        .lines_name = lines_name(id, name),
        .line = line,
        .length = length,
        .max_bytes = s->base.max_bytes,
        .text_version_ms = state->text_ms,
    };
    buf_init(&repeated, s->base.max_bytes);
    enum err_code r = load_end(s, &arena, id, s->repeated, &c, err);
    if (!r)
        r = conversation_parse(&arena, line, length, &last, err);
    if (!r && !conversation_join(&arena, c, last))
        r = err_set(err, ERR_INVALID, 0, "conversation %s: what is added does not follow", id);
    if (!r)
        r = conversation_fold(&fold, err);
    if (r || print_repeated(s, c, &repeated, NULL) ||
        stored_file_replace(s->folder, name, repeated.bytes, repeated.length, NULL))
        return r; /* lines that stay count as left behind */
    return ERR_NONE;
}

static enum err_code json_extend(struct conversation_store *base, const char *id, const char *line,
                                 size_t length, int64_t loaded_version_ms, struct err *err)
{
    struct json_store *s = json_store_of(base);
    char text_name[FILE_NAME_SIZE], name[FILE_NAME_SIZE];
    auto_fd lock = -1, text = -1;
    size_t text_size = 0;
    struct stored_state state = { 0 };
    enum err_code r = stored_folder_lock(s->folder, &lock, err);
    if (!r)
        r = read_state(s, id, loaded_version_ms, &state, err);
    if (!r)
        r = stored_file_open(s->folder, file_name(id, text_name), &text, &text_size, err);
    if (r)
        return r;
    size_t lines_size = state.lines.end + length;
    if (text_size + 2 * lines_size > base->max_bytes || /* twice: the text has indents */
        lines_size > 2 * text_size + CONVERSATION_LINES_SLACK)
        return fold(s, id, &state, line, length, err);
    if (state.lines.version_ms < 0)
        return begin_lines(s, id, line, length, err);
    return stored_file_extend(s->folder, lines_name(id, name), state.lines.end, line, length, err);
}

static enum err_code json_remove(struct conversation_store *base, const char *id, struct err *err)
{
    struct json_store *s = json_store_of(base);
    char name[FILE_NAME_SIZE];
    auto_fd lock = -1;
    enum err_code r = stored_folder_lock(s->folder, &lock, err);
    if (!r)
        r = stored_file_remove(s->folder, file_name(id, name), err);
    if (r == ERR_NOT_FOUND)
        return err_set(err, r, ENOENT, "no conversation %s", id);
    return r ? r : remove_lines(s, id, err);
}

/* A file of the folder, newest first. */
struct candidate {
    char id[CONVERSATION_ID_MAX + 1];
    struct timespec changed;
};

static bool is_later(const struct timespec *left, const struct timespec *right)
{
    return left->tv_sec != right->tv_sec ? left->tv_sec > right->tv_sec
                                         : left->tv_nsec > right->tv_nsec;
}

static int changed_last_first(const void *a, const void *b)
{
    const struct timespec *left = &((const struct candidate *)a)->changed;
    const struct timespec *right = &((const struct candidate *)b)->changed;
    return is_later(right, left) - is_later(left, right);
}

static bool candidate_of(DIR *folder, const char *name, struct candidate *out)
{
    struct stat info;
    size_t length = strlen(name);
    if (!text_ends_with(name, ".json") || length > CONVERSATION_ID_MAX + 5)
        return false;
    memcpy(out->id, name, length - 5);
    out->id[length - 5] = '\0';
    if (!conversation_id_is_valid(out->id) || fstatat(dirfd(folder), name, &info, 0) != 0 ||
        !S_ISREG(info.st_mode))
        return false;
    out->changed = info.st_mtim;
    char lines[FILE_NAME_SIZE];
    if (fstatat(dirfd(folder), lines_name(out->id, lines), &info, 0) == 0 &&
        is_later(&info.st_mtim, &out->changed))
        out->changed = info.st_mtim;
    return true;
}

static struct candidate *find_candidates(struct arena *arena, DIR *folder, size_t *out_n)
{
    struct candidate *list = NULL, found;
    size_t n = 0, capacity = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (candidate_of(folder, entry->d_name, &found))
            *arena_push(arena, list, n, capacity) = found;
    if (n)
        qsort(list, n, sizeof *list, changed_last_first);
    *out_n = n;
    return list;
}

/* False when the file is gone meanwhile. */
static bool summarise_file(struct json_store *s, struct arena *arena, const struct candidate *file,
                           struct conversation_summary *out)
{
    AUTO(arena) scratch = { 0 };
    struct conversation *c;
    struct err err = { 0 };
    enum err_code r = load_end(s, &scratch, file->id, CONVERSATION_WHOLE, &c, &err);
    bool is_there = r != ERR_NOT_FOUND;
    if (!r && strcmp(c->id, file->id) != 0)
        r = err_set(&err, ERR_INVALID, 0, "it is conversation %s", c->id);
    if (!r)
        *out = conversation_summarise(arena, c);
    else
        *out = (struct conversation_summary){
            .id = file->id,
            .label = "",
            .last_request = "",
            .folder = "",
            .updated_at_ms = (int64_t)file->changed.tv_sec * 1000,
            .damage = arena_printf(arena, "%s/%s.json: %s", s->folder, file->id, err.message)
        };
    return is_there;
}

static enum err_code json_list(struct conversation_store *base, struct arena *arena,
                               struct conversation_summary **out, size_t *out_n, struct err *err)
{
    struct json_store *s = json_store_of(base);
    size_t n_candidates = 0, n = 0;
    struct candidate *candidates = NULL;
    DIR *folder = opendir(s->folder);
    if (!folder && errno != ENOENT)
        return err_set(err, ERR_UNAVAILABLE, errno, "list %s: %s", s->folder, strerror(errno));
    if (folder) {
        candidates = find_candidates(arena, folder, &n_candidates);
        closedir(folder);
    }
    if (n_candidates > CONVERSATIONS_MAX_LISTED)
        n_candidates = CONVERSATIONS_MAX_LISTED;
    struct conversation_summary *list =
        arena_array(arena, struct conversation_summary, n_candidates + 1);
    for (size_t i = 0; i < n_candidates; i++)
        n += summarise_file(s, arena, &candidates[i], &list[n]);
    *out = list;
    *out_n = n;
    return ERR_NONE;
}

static void json_destroy(struct conversation_store *base)
{
    struct json_store *s = json_store_of(base);
    free(s->folder);
    free(s);
}

static const struct conversation_store_ops json_ops = {
    .save = json_save,
    .append = json_extend,
    .load = json_load,
    .list = json_list,
    .remove = json_remove,
    .destroy = json_destroy,
};

struct conversation_repository *json_conversation_repository_create(struct uv_runtime *runtime,
                                                                    const char *directory,
                                                                    const struct settings *settings)
{
    struct json_store *s = calloc(1, sizeof *s);
    char *folder = strdup(directory);
    if (!s || !folder)
        abort();
    s->base.ops = &json_ops;
    s->base.max_bytes = (size_t)settings->storage_max_conversation_bytes;
    s->folder = folder;
    s->repeated = settings_recent_messages(settings);
    s->base.place = folder;
    return conversation_jobs_create(runtime, NULL, &s->base);
}
