/* Pins, one file per server configuration, named after its hash: JSON Lines, a head {"version",
 * "server","revision","folders","offers","tools"} (folders: has_folders; offers: fingerprints by
 * name) and one line
 * {"name","hash","definition"} per tool. While nothing changes, only the head is read. Files are
 * replaced whole under the folder's lock. A damaged file is reported and pins nothing: a server is
 * not trusted anew because its file cannot be read. */
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/locked_json.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/stored_file.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD_MAX_BYTES 4096
#define NAME_SUFFIX ".jsonl"

static const struct locked_json_form form = {
    .what = "pinned tools",
    .hint = "mend it or move it away; what the server lists next then counts as approved",
    .max_bytes = PINS_MAX_BYTES,
};

struct json_pin_repository {
    struct pin_repository base;
    struct runtime *clock;
    struct locked_json files;
};

/* One operation; lies in the frame of the task that waits for it, and crosses threads as bytes. */
struct pin_job {
    const struct locked_json *files;
    char file[PIN_HASH_SIZE + sizeof NAME_SUFFIX];
    struct buf whole;       /* what was read, or is to be written */
    int64_t seen;           /* the revision that the writer has read before */
    struct pins_head found; /* what is there */
};

static struct json_pin_repository *repository_of(struct pin_repository *r)
{
    return (struct json_pin_repository *)r;
}

static enum err_code damaged(const struct pin_job *job, const char *why, struct err *err)
{
    return locked_json_damaged(job->files, job->file, why, err);
}

static bool read_offers(const json_t *offers, struct pins_head *out)
{
    const char *name;
    const json_t *value;
    if (!json_is_object(offers) || json_object_size(offers) > PINS_MAX_OFFERS)
        return false;
    json_each_member (offers, name, value) {
        const char *fingerprint = json_string_value(value);
        struct pin_offer *offer = &out->offers[out->n_offers++];
        if (!fingerprint || strlen(name) >= sizeof offer->name ||
            strlen(fingerprint) >= sizeof offer->fingerprint)
            return false;
        strcpy(offer->name, name);
        strcpy(offer->fingerprint, fingerprint);
    }
    return true;
}

/* *out_tools is how many lines follow. */
static enum err_code read_head(const struct pin_job *job, const char *bytes, size_t length,
                               struct pins_head *out, int64_t *out_tools, struct err *err)
{
    const char *end = memchr(bytes, '\n', length);
    json_auto_t *head = NULL;
    if (!end || json_parse(bytes, (size_t)(end - bytes), JSON_OURS, &head, NULL))
        return damaged(job, "it has no head", err);
    struct pins_head found = { .revision = json_get_int(head, "revision", 0),
                               .has_folders = json_get_bool(head, "folders", false) };
    if (json_get_int(head, "version", 0) != LOCKED_JSON_VERSION || found.revision < 1 ||
        !read_offers(json_object_get(head, "offers"), &found))
        return damaged(job, "no list of a known version", err);
    *out = found;
    *out_tools = json_get_int(head, "tools", -1);
    return ERR_NONE;
}

/* found stays empty where there is no file. */
static enum err_code look_job(void *argument, struct err *err)
{
    struct pin_job *job = argument;
    char head[HEAD_MAX_BYTES];
    size_t length = 0;
    int64_t n = 0;
    enum err_code r =
        stored_file_read_start(job->files->folder, job->file, head, sizeof head, &length, err);
    if (r == ERR_NOT_FOUND)
        return ERR_NONE;
    return r ? r : read_head(job, head, length, &job->found, &n, err);
}

static enum err_code read_job(void *argument, struct err *err)
{
    struct pin_job *job = argument;
    return stored_file_read(job->files->folder, job->file, &job->whole, err);
}

/* The file that was not written for longest, when there are more than may be. */
static bool find_surplus(const char *folder, char out_name[static NAME_MAX + 1])
{
    struct stat info;
    size_t n = 0;
    struct timespec oldest = { 0 };
    DIR *entries = opendir(folder);
    if (!entries)
        return false;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (!text_ends_with(entry->d_name, NAME_SUFFIX) ||
            fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        const struct timespec *at = &info.st_mtim;
        bool is_older = at->tv_sec < oldest.tv_sec ||
                        (at->tv_sec == oldest.tv_sec && at->tv_nsec < oldest.tv_nsec);
        if (n++ == 0 || is_older) {
            oldest = *at;
            snprintf(out_name, NAME_MAX + 1, "%s", entry->d_name);
        }
    }
    closedir(entries);
    return n > PINS_MAX_SERVERS;
}

static enum err_code replace_job(void *argument, struct err *err)
{
    struct pin_job *job = argument;
    const char *folder = job->files->folder;
    char surplus[NAME_MAX + 1];
    auto_fd lock = -1;
    enum err_code r = stored_folder_lock(folder, &lock, err);
    if (!r)
        r = look_job(job, err);
    if (r)
        return r;
    if (job->seen != job->found.revision)
        return err_set(err, ERR_MISMATCH, 0, "pinned tools: another mistro changed them");
    r = stored_file_replace(folder, job->file, job->whole.bytes, job->whole.length, err);
    if (!r && !job->seen && find_surplus(folder, surplus))
        r = stored_file_remove(folder, surplus, err);
    return r;
}

static enum err_code begin_job(struct pin_repository *r, struct pin_job *job, const char *identity,
                               struct err *err)
{
    if (strlen(identity) >= PIN_HASH_SIZE || identity[strspn(identity, "0123456789abcdef")])
        return err_set(err, ERR_INVALID, 0, "pinned tools: the identity is not a hash");
    job->files = &repository_of(r)->files;
    snprintf(job->file, sizeof job->file, "%s" NAME_SUFFIX, identity);
    return ERR_NONE;
}

static enum err_code run_job(struct pin_repository *r, struct pin_job *job, struct scope *sc,
                             const char *identity, failing_job_fn *fn, struct err *err)
{
    enum err_code code = begin_job(r, job, identity, err);
    return code ? code : worker_try(job->files->worker, sc, fn, job, err);
}

/* Read here and not on a worker: for most short commands this would be the only reason to create
 * the threads of the pool, which takes ten times as long. */
static enum err_code json_look(struct pin_repository *r, struct scope *sc, const char *identity,
                               struct pins_head *out, struct err *err)
{
    struct pin_job job = { 0 };
    enum err_code code = scope_check(sc, runtime_now_ms(repository_of(r)->clock), err);
    if (!code)
        code = begin_job(r, &job, identity, err);
    if (!code)
        code = look_job(&job, err);
    if (!code)
        *out = job.found;
    return code;
}

/* The definition is taken as it stands in the line: it is what was hashed. */
static bool read_pin(const char *line, size_t length, struct arena *arena, struct pin *out)
{
    json_auto_t *value = NULL;
    const char *definition;
    size_t definition_length;
    if (json_parse(line, length, JSON_OURS, &value, NULL))
        return false;
    const char *name = json_get_string(value, "name"), *hash = json_get_string(value, "hash");
    if (!name || !hash ||
        !json_member_text(line, length, "definition", &definition, &definition_length))
        return false;
    *out = (struct pin){ .name = arena_strdup(arena, name),
                         .hash = arena_strdup(arena, hash),
                         .definition = arena_strndup(arena, definition, definition_length) };
    return true;
}

static enum err_code read_pins(const struct pin_job *job, struct arena *arena, struct pins *out,
                               struct err *err)
{
    int64_t n = 0;
    struct pins_head head;
    const char *bytes = buf_string(&job->whole), *end = bytes + job->whole.length;
    enum err_code r = read_head(job, bytes, job->whole.length, &head, &n, err);
    if (r)
        return r;
    if (n < 0 || (uint64_t)n > job->whole.length)
        return damaged(job, "it does not say how many tools it has", err);
    struct pin *list = arena_array(arena, struct pin, (size_t)n + 1);
    size_t read = 0;
    for (const char *at = strchr(bytes, '\n') + 1, *stop; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop || read >= (size_t)n || !read_pin(at, (size_t)(stop - at), arena, &list[read++]))
            return damaged(job, "a line is not a pinned tool", err);
    }
    if (read != (size_t)n)
        return damaged(job, "tools are missing", err);
    *out = (struct pins){ .head = head, .list = list, .n = read };
    return ERR_NONE;
}

static enum err_code json_load(struct pin_repository *r, struct scope *sc, const char *identity,
                               struct arena *arena, struct pins *out, struct err *err)
{
    struct pin_job job = { 0 };
    struct pins pins;
    buf_init(&job.whole, PINS_MAX_BYTES);
    enum err_code code = run_job(r, &job, sc, identity, read_job, err);
    if (!code)
        code = read_pins(&job, arena, &pins, err);
    buf_finish(&job.whole);
    if (code)
        return code;
    pins.identity = arena_strdup(arena, identity);
    pins.server = "";
    *out = pins;
    return ERR_NONE;
}

static bool print_pin(struct buf *out, const struct pin *pin)
{
    json_auto_t *name = json_string(pin->name), *hash = json_string(pin->hash);
    auto_str name_text = json_print(name);
    auto_str hash_text = json_print(hash);
    return name_text && hash_text && buf_puts(out, "{\"name\":") && buf_puts(out, name_text) &&
           buf_puts(out, ",\"hash\":") && buf_puts(out, hash_text) &&
           buf_puts(out, ",\"definition\":") && buf_puts(out, pin->definition) &&
           buf_puts(out, "}\n");
}

static bool print_pins(struct buf *out, const struct pins *pins)
{
    json_t *offers = json_object();
    for (size_t i = 0; i < pins->head.n_offers; i++)
        json_object_set_new(offers, pins->head.offers[i].name,
                            json_string(pins->head.offers[i].fingerprint));
    json_auto_t *head =
        json_pack("{s:i, s:s, s:I, s:b, s:o, s:I}", "version", LOCKED_JSON_VERSION, "server",
                  pins->server, "revision", (json_int_t)pins->head.revision + 1, "folders", 1,
                  "offers", offers, "tools", (json_int_t)pins->n);
    auto_str text = json_print(head);
    bool fits = text && strlen(text) < HEAD_MAX_BYTES && buf_puts(out, text) && buf_puts(out, "\n");
    for (size_t i = 0; fits && i < pins->n; i++)
        fits = print_pin(out, &pins->list[i]);
    return fits;
}

static enum err_code json_save(struct pin_repository *r, struct scope *sc, const struct pins *pins,
                               struct err *err)
{
    struct pin_job job = { .seen = pins->head.revision };
    enum err_code code = ERR_NONE;
    buf_init(&job.whole, PINS_MAX_BYTES);
    if (print_pins(&job.whole, pins))
        code = run_job(r, &job, sc, pins->identity, replace_job, err);
    else
        code = err_set(err, ERR_LIMIT, 0, "pinned tools of %s: more than %d bytes", pins->server,
                       PINS_MAX_BYTES);
    buf_finish(&job.whole);
    return code;
}

static void json_destroy(struct pin_repository *base)
{
    struct json_pin_repository *r = repository_of(base);
    locked_json_finish(&r->files);
    free(r);
}

static const struct pin_repository_ops json_ops = {
    .look = json_look,
    .load = json_load,
    .save = json_save,
    .destroy = json_destroy,
};

struct pin_repository *json_pin_repository_create(struct uv_runtime *runtime, const char *folder)
{
    struct json_pin_repository *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->base.ops = &json_ops;
    r->clock = uv_runtime_port(runtime);
    r->files = locked_json_of(runtime, folder, &form);
    return &r->base;
}
