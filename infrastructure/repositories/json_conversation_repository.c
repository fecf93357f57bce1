/* One file per conversation, directory/ID.json. Writers of the folder take turns (stored_file.h);
 * readers need no lock, because a file is only ever replaced whole. */
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/conversation_jobs.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/stored_file.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_NAME_SIZE (CONVERSATION_ID_MAX + sizeof ".json")

struct json_store {
    struct conversation_store base;
    char *folder;
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

static enum err_code read_conversation(struct json_store *s, const char *id, struct buf *out,
                                       struct err *err)
{
    char name[FILE_NAME_SIZE];
    enum err_code r = stored_file_read(s->folder, file_name(id, name), out, err);
    if (r == ERR_NOT_FOUND)
        return err_set(err, ERR_NOT_FOUND, ENOENT, "no conversation %s", id);
    return r;
}

/* Without parsing the whole: the moment of the last change stands in the text. */
static enum err_code read_version(struct json_store *s, const char *id, int64_t *out_ms,
                                  struct err *err)
{
    AUTO(buf) text;
    buf_init(&text, s->base.max_bytes);
    char moment[RFC3339_SIZE];
    const char *found;
    size_t length;
    enum err_code r = read_conversation(s, id, &text, err);
    *out_ms = -1;
    if (r)
        return r == ERR_NOT_FOUND ? ERR_NONE : r;
    if (json_member_text(text.bytes, text.length, "updated_at", &found, &length) && length > 2 &&
        length < sizeof moment) {
        memcpy(moment, found + 1, length - 2);
        moment[length - 2] = '\0';
        if (rfc3339_parse(moment, out_ms))
            return ERR_NONE;
    }
    err_set(err, ERR_INVALID, 0, "conversation %s: its file is damaged", id);
    return err_hint(err, ERR_INVALID, "it stays as it is: mend it or move it away");
}

static enum err_code json_save(struct conversation_store *base, const char *id, const char *text,
                               size_t length, int64_t loaded_version_ms, struct err *err)
{
    struct json_store *s = json_store_of(base);
    char name[FILE_NAME_SIZE];
    auto_fd lock = -1;
    int64_t stored_ms;
    enum err_code r = stored_folder_lock(s->folder, &lock, err);
    if (!r)
        r = read_version(s, id, &stored_ms, err);
    if (!r)
        r = conversation_check_version(id, stored_ms, loaded_version_ms, err);
    return r ? r : stored_file_replace(s->folder, file_name(id, name), text, length, err);
}

static enum err_code json_load(struct conversation_store *base, const char *id,
                               struct buf *out_text, struct err *err)
{
    return read_conversation(json_store_of(base), id, out_text, err);
}

static enum err_code json_remove(struct conversation_store *base, const char *id, struct err *err)
{
    struct json_store *s = json_store_of(base);
    char name[FILE_NAME_SIZE];
    auto_fd lock = -1;
    enum err_code r = stored_folder_lock(s->folder, &lock, err);
    if (!r)
        r = stored_file_remove(s->folder, file_name(id, name), err);
    return r == ERR_NOT_FOUND ? err_set(err, r, ENOENT, "no conversation %s", id) : r;
}

static enum err_code append_message(struct arena *arena, const struct buf *stored, const char *text,
                                    size_t length, struct buf *out, struct err *err)
{
    struct conversation *c, *addition;
    enum err_code r = conversation_parse(arena, stored->bytes, stored->length, &c, err);
    if (!r)
        r = conversation_parse(arena, text, length, &addition, err);
    if (r)
        return r;
    const struct message *m = &addition->messages[0];
    conversation_add(arena, c, m->role, m->content,
                     m->metadata ? json_deep_copy(m->metadata) : NULL, m->timestamp_ms);
    return conversation_print(c, out, err);
}

static enum err_code json_add(struct conversation_store *base, const char *id, const char *text,
                              size_t length, struct err *err)
{
    struct json_store *s = json_store_of(base);
    char name[FILE_NAME_SIZE];
    auto_fd lock = -1;
    AUTO(arena) arena = { 0 };
    AUTO(buf) stored;
    AUTO(buf) longer;
    buf_init(&stored, base->max_bytes);
    buf_init(&longer, base->max_bytes);
    enum err_code r = stored_folder_lock(s->folder, &lock, err);
    if (!r)
        r = read_conversation(s, id, &stored, err);
    if (!r)
        r = append_message(&arena, &stored, text, length, &longer, err);
    return r ? r
             : stored_file_replace(s->folder, file_name(id, name), longer.bytes, longer.length,
                                   err);
}

/* A file of the folder, newest first. */
struct candidate {
    char id[CONVERSATION_ID_MAX + 1];
    struct timespec changed;
};

static int changed_last_first(const void *a, const void *b)
{
    const struct timespec *left = &((const struct candidate *)a)->changed;
    const struct timespec *right = &((const struct candidate *)b)->changed;
    if (left->tv_sec != right->tv_sec)
        return left->tv_sec < right->tv_sec ? 1 : -1;
    return left->tv_nsec < right->tv_nsec ? 1 : left->tv_nsec > right->tv_nsec ? -1 : 0;
}

static bool candidate_of(DIR *folder, const char *name, struct candidate *out)
{
    struct stat info;
    size_t length = strlen(name);
    if (!text_ends_with(name, ".json") || length >= FILE_NAME_SIZE)
        return false;
    memcpy(out->id, name, length - 5);
    out->id[length - 5] = '\0';
    if (!conversation_id_is_valid(out->id) || fstatat(dirfd(folder), name, &info, 0) != 0 ||
        !S_ISREG(info.st_mode))
        return false;
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
    AUTO(buf) text;
    struct conversation *c;
    struct err err = { 0 };
    buf_init(&text, s->base.max_bytes);
    enum err_code r = read_conversation(s, file->id, &text, &err);
    bool is_there = r != ERR_NOT_FOUND;
    if (!r)
        r = conversation_parse(&scratch, text.bytes, text.length, &c, &err);
    if (!r && strcmp(c->id, file->id) != 0)
        r = err_set(&err, ERR_INVALID, 0, "it is conversation %s", c->id);
    if (!r)
        *out = conversation_summarise(arena, c);
    else
        *out = (struct conversation_summary){
            .id = file->id,
            .label = "",
            .last_request = "",
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
    .load = json_load,
    .list = json_list,
    .remove = json_remove,
    .add = json_add,
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
    s->base.place = folder;
    return conversation_jobs_create(runtime, &s->base);
}
