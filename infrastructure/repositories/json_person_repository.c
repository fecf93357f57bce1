/* Persons in one small file,
 * {"version":1,"persons":[{"name","sha256","created","expires","admin"}]} with times in
 * milliseconds. What a server has read counts as long as the file is the same one: every token
 * costs a stat and no reading. A file that is damaged, or that others may write to, lets nobody in,
 * and is reported. */
#include "application/ports/digest.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/locked_json.h"
#include "infrastructure/repositories/repository_create.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HASH_LENGTH (DIGEST_HEX_SIZE - 1)

static const struct locked_json_form form = {
    .what = "persons",
    .hint = "it stays as it is: mend it or move it away",
    .member = "persons",
    .type = JSON_ARRAY,
    .max_bytes = PERSONS_MAX_BYTES,
};

struct entry {
    struct person person;
    char hash[DIGEST_HEX_SIZE];
};

/* What tells one state of the file from another, as each change replaces it: device, inode, size
 * and times. All zero: there is none. */
struct stamp {
    int64_t parts[7];
};

struct json_person_repository {
    struct person_repository base;
    struct locked_json files;
    struct digest *digest;
    char *file, *name;
    struct entry *entries;
    size_t n;
    struct stamp stamp;
    bool is_read;
};

/* Of a job: in the frame of the task that waits for it. */
struct reading {
    const struct json_person_repository *repository;
    struct entry *entries; /* malloc */
    size_t n;
    struct stamp stamp;
};

struct change {
    const struct json_person_repository *repository;
    struct entry entry; /* to be added; to be revoked: only its name counts */
    struct err why;     /* nothing was changed; its code is ERR_NONE where it was */
};

static struct json_person_repository *repository_of(struct person_repository *r)
{
    return (struct json_person_repository *)r;
}

static struct stamp stamp_of(const char *file)
{
    struct stat info;
    if (stat(file, &info))
        return (struct stamp){ 0 };
    return (struct stamp){ { (int64_t)info.st_dev, (int64_t)info.st_ino, info.st_size,
                             info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec,
                             info.st_ctim.tv_nsec } };
}

/* False: it is damaged. */
static bool read_entry(const json_t *value, struct entry *out)
{
    const char *name = json_get_string(value, "name"), *hash = json_get_string(value, "sha256");
    if (!name || !person_name_is_valid(name) || !hash ||
        strspn(hash, "0123456789abcdef") != HASH_LENGTH || hash[HASH_LENGTH])
        return false;
    *out = (struct entry){ .person = { .created_ms = json_get_int(value, "created", 0),
                                       .expires_ms = json_get_int(value, "expires", 0),
                                       .is_admin = json_get_bool(value, "admin", false) } };
    memcpy(out->person.name, name, strlen(name) + 1);
    memcpy(out->hash, hash, DIGEST_HEX_SIZE);
    return true;
}

/* NULL: one of them is damaged, or there are too many. Owned by the caller. */
static struct entry *read_entries(const json_t *persons)
{
    size_t n = json_array_size(persons);
    struct entry *entries = n > PERSONS_MAX ? NULL : calloc(n + 1, sizeof *entries);
    for (size_t i = 0; entries && i < n; i++)
        if (!read_entry(json_array_get(persons, i), &entries[i])) {
            free(entries);
            entries = NULL;
        }
    return entries;
}

static enum err_code damaged(const struct json_person_repository *r, struct err *err)
{
    return locked_json_damaged(&r->files, r->name, "an entry is not a person with a hash", err);
}

/* Whoever can write to it can come in as anybody. */
static enum err_code check_mode(const struct json_person_repository *r, struct err *err)
{
    struct stat info;
    if (stat(r->file, &info) || !(info.st_mode & (S_IWGRP | S_IWOTH)))
        return ERR_NONE;
    return err_hint(err, err_set(err, ERR_DENIED, 0, "other users may write to %s", r->file),
                    "see that the persons in it are those you know, then: chmod 600 %s", r->file);
}

/* The stamp is older than what is read, never younger. */
static enum err_code read_job(void *argument, struct err *err)
{
    struct reading *reading = argument;
    const struct json_person_repository *r = reading->repository;
    json_auto_t *persons = NULL;
    reading->stamp = stamp_of(r->file);
    enum err_code code = check_mode(r, err);
    if (!code)
        code = locked_json_read(&r->files, r->name, &persons, err);
    if (code)
        return code;
    reading->entries = read_entries(persons);
    reading->n = json_array_size(persons);
    return reading->entries ? ERR_NONE : damaged(r, err);
}

awaits MUST_CHECK static enum err_code refresh(struct json_person_repository *r, struct scope *sc,
                                               struct err *err)
{
    struct reading reading = { .repository = r };
    struct stamp now = stamp_of(r->file);
    if (r->is_read && memcmp(&now, &r->stamp, sizeof now) == 0)
        return ERR_NONE;
    enum err_code code = worker_try(r->files.worker, sc, read_job, &reading, err);
    if (code)
        return code;
    free(r->entries);
    r->entries = reading.entries;
    r->n = reading.n;
    r->stamp = reading.stamp;
    r->is_read = true;
    return ERR_NONE;
}

static json_t *entry_json(const struct entry *entry)
{
    json_t *value = json_pack("{s:s, s:s, s:I}", "name", entry->person.name, "sha256", entry->hash,
                              "created", (json_int_t)entry->person.created_ms);
    if (entry->person.expires_ms)
        json_object_set_new(value, "expires", json_integer(entry->person.expires_ms));
    if (entry->person.is_admin)
        json_object_set_new(value, "admin", json_true());
    return value;
}

/* The place of the name; n: it is not there. */
static size_t place_of(const json_t *persons, const char *name)
{
    size_t i = 0, n = json_array_size(persons);
    while (i < n && !text_equal(json_get_string(json_array_get(persons, i), "name"), name))
        i++;
    return i;
}

static bool is_whole(struct change *change, const json_t *persons)
{
    struct entry *entries = read_entries(persons);
    if (!entries)
        (void)damaged(change->repository, &change->why);
    free(entries);
    return entries != NULL;
}

static bool add_entry(void *context, json_t *persons)
{
    struct change *change = context;
    struct err *why = &change->why;
    const char *name = change->entry.person.name;
    size_t n = json_array_size(persons);
    if (!is_whole(change, persons))
        return false;
    if (place_of(persons, name) < n)
        (void)err_hint(why, err_set(why, ERR_INVALID, 0, "%s has a token already", name),
                       "revoke it first: mistro serve token revoke %s", name);
    else if (n == PERSONS_MAX)
        (void)err_hint(why, err_set(why, ERR_LIMIT, 0, "there are %d persons already", PERSONS_MAX),
                       "revoke one of their tokens, shown by: mistro serve token list");
    return !why->code && json_array_append_new(persons, entry_json(&change->entry)) == 0;
}

static enum err_code no_such_person(const char *name, struct err *err)
{
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "no person called %.64s has a token", name);
    return err_hint(err, r, "see who has one: mistro serve token list");
}

static bool remove_entry(void *context, json_t *persons)
{
    struct change *change = context;
    const char *name = change->entry.person.name;
    size_t at = place_of(persons, name);
    if (!is_whole(change, persons))
        return false;
    if (at == json_array_size(persons))
        (void)no_such_person(name, &change->why);
    return !change->why.code && json_array_remove(persons, at) == 0;
}

awaits MUST_CHECK static enum err_code apply(struct change *change, struct scope *sc,
                                             locked_json_change_fn *fn, struct err *err)
{
    const struct json_person_repository *r = change->repository;
    enum err_code code = check_mode(r, err);
    if (!code)
        code = locked_json_change(&r->files, sc, r->name, fn, change, err);
    if (!code && change->why.code && err)
        *err = change->why;
    return code ? code : change->why.code;
}

static enum err_code json_add(struct person_repository *base, struct scope *sc,
                              const struct person *person, const char *token, struct err *err)
{
    struct change change = { .repository = repository_of(base), .entry.person = *person };
    if (!person_name_is_valid(person->name))
        return err_set(err, ERR_INVALID, 0, "persons: not a name");
    digest_sha256(change.repository->digest, token, strlen(token), change.entry.hash);
    return apply(&change, sc, add_entry, err);
}

static enum err_code json_revoke(struct person_repository *base, struct scope *sc, const char *name,
                                 struct err *err)
{
    struct change change = { .repository = repository_of(base) };
    if (!person_name_is_valid(name))
        return no_such_person(name, err);
    memcpy(change.entry.person.name, name, strlen(name) + 1);
    return apply(&change, sc, remove_entry, err);
}

static enum err_code json_list(struct person_repository *base, struct scope *sc,
                               struct arena *arena, struct person **out, size_t *out_n,
                               struct err *err)
{
    struct json_person_repository *r = repository_of(base);
    enum err_code code = refresh(r, sc, err);
    if (code)
        return code;
    *out = arena_array(arena, struct person, r->n + 1);
    *out_n = r->n;
    for (size_t i = 0; i < r->n; i++)
        (*out)[i] = r->entries[i].person;
    return ERR_NONE;
}

/* One more than the place of the hash, 0 for none. All of every entry is looked at, whatever the
 * hash is. */
static size_t find_hash(const struct json_person_repository *r, const char *hash)
{
    uint64_t wanted[HASH_LENGTH / sizeof(uint64_t)], kept[ARRAY_LENGTH(wanted)];
    size_t found = 0;
    memcpy(wanted, hash, sizeof wanted);
    for (size_t i = 0; i < r->n; i++) {
        uint64_t differs = 0;
        memcpy(kept, r->entries[i].hash, sizeof kept);
        for (size_t at = 0; at < ARRAY_LENGTH(kept); at++)
            differs |= wanted[at] ^ kept[at];
        uint64_t is_same = 1 ^ ((differs | (0 - differs)) >> 63);
        found |= (0 - (size_t)is_same) & (i + 1);
    }
    return found;
}

static enum err_code json_find(struct person_repository *base, struct scope *sc, const char *token,
                               int64_t now_ms, struct person *out, bool *out_found, struct err *err)
{
    struct json_person_repository *r = repository_of(base);
    char hash[DIGEST_HEX_SIZE];
    enum err_code code = refresh(r, sc, err);
    if (code)
        return code;
    size_t length = strnlen(token, PERSON_TOKEN_MAX_BYTES + 1);
    digest_sha256(r->digest, token, length, hash);
    size_t found = find_hash(r, hash);
    *out_found = found && length <= PERSON_TOKEN_MAX_BYTES &&
                 person_may_enter(&r->entries[found - 1].person, now_ms);
    if (*out_found)
        *out = r->entries[found - 1].person;
    return ERR_NONE;
}

static void json_destroy(struct person_repository *base)
{
    struct json_person_repository *r = repository_of(base);
    locked_json_finish(&r->files);
    free(r->entries);
    free(r->file);
    free(r);
}

struct person_repository *json_person_repository_create(struct uv_runtime *runtime,
                                                        const char *file, struct digest *digest)
{
    static const struct person_repository_ops ops = { json_add, json_list, json_revoke, json_find,
                                                      json_destroy };
    struct json_person_repository *r = calloc(1, sizeof *r);
    const char *slash = strrchr(file, '/');
    auto_str folder = slash ? strndup(file, (size_t)(slash - file)) : strdup(".");
    char *copy = strdup(file);
    if (!r || !folder || !copy)
        abort();
    r->base.ops = &ops;
    r->files = locked_json_of(runtime, folder, &form);
    r->digest = digest;
    r->file = copy;
    r->name = slash ? copy + (slash - file) + 1 : copy;
    return &r->base;
}
