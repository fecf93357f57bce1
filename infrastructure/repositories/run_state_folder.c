/* The folder of all states: who owns a run, and which states have been kept long enough. */
#include "domain/base/text.h"
#include "infrastructure/repositories/run_state_file.h"
#include "infrastructure/repositories/stored_file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Who asks for the owner of a run holds the lock for a moment, and a claim looks again. */
enum { CLAIM_ATTEMPTS = 5, CLAIM_PAUSE_NS = 2000000, OWNER_BYTES = 64 };

static bool lock_name(const char *folder, const char *run_id, char out[static PATH_MAX])
{
    return snprintf(out, PATH_MAX, "%s/%s.lock", folder, run_id) < PATH_MAX;
}

static int64_t process_in(int lock)
{
    char text[OWNER_BYTES + 1] = "";
    ssize_t n = pread(lock, text, OWNER_BYTES, 0);
    long long process = n > 0 ? strtoll(text, NULL, 10) : 0;
    return process > 0 ? process : 1; /* it is about to write it */
}

static void write_owner(int lock)
{
    char boot[40] = "";
    auto_fd id = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = id < 0 ? 0 : read(id, boot, sizeof boot - 1);
    boot[n > 0 ? strcspn(boot, "\n") : 0] = '\0';
    if (ftruncate(lock, 0) == 0)
        (void)!dprintf(lock, "%ld %s\n", (long)getpid(), boot);
}

/* The one who had it may have removed the file between our opening and locking it. */
static bool is_still_there(int lock, const char *path)
{
    struct stat held, named;
    return fstat(lock, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

enum err_code run_owner_claim(const char *folder, const char *run_id, int *out_lock,
                              struct err *err)
{
    char name[NAME_MAX + 1], path[PATH_MAX];
    enum err_code r = ERR_NONE;
    snprintf(name, sizeof name, "%s.lock", run_id);
    if (!lock_name(folder, run_id, path))
        return err_set(err, ERR_INVALID, 0, "the name of the folder is too long");
    for (int i = 0; i < CLAIM_ATTEMPTS; i++) {
        int lock = -1;
        r = stored_lock_try(folder, name, &lock, err);
        if (!r && is_still_there(lock, path)) {
            write_owner(lock);
            *out_lock = lock;
            return ERR_NONE;
        }
        descriptor_close(&lock);
        if (r && r != ERR_TIMEOUT)
            return r;
        nanosleep(&(struct timespec){ .tv_nsec = CLAIM_PAUSE_NS }, NULL);
    }
    err_set(err, ERR_INVALID, 0, "run %.40s is being run by process %lld", run_id,
            (long long)run_owner_of(folder, run_id));
    return err_hint(err, ERR_INVALID, "wait until it ends, or end it");
}

void run_owner_release(const char *folder, const char *run_id, int lock)
{
    char path[PATH_MAX];
    if (lock_name(folder, run_id, path))
        (void)unlink(path);
    close(lock);
}

int64_t run_owner_of(const char *folder, const char *run_id)
{
    char path[PATH_MAX];
    auto_fd lock = lock_name(folder, run_id, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (lock < 0 || flock(lock, LOCK_SH | LOCK_NB) == 0)
        return 0;
    return process_in(lock);
}

struct kept_state {
    char id[NAME_MAX + 1];
    int64_t changed_ms, bytes;
};

static int by_age(const void *a, const void *b)
{
    const struct kept_state *left = a, *right = b;
    return left->changed_ms < right->changed_ms ? -1 : left->changed_ms > right->changed_ms;
}

/* NAME.db, and what is in NAME.db-wal and NAME.ndjson counts with it. */
static bool look_at(const char *folder, const char *entry, struct kept_state *out)
{
    char path[PATH_MAX];
    struct stat info, log = { 0 }, cassette = { 0 };
    if (!text_ends_with(entry, ".db") ||
        snprintf(path, sizeof path, "%s/%s-wal", folder, entry) >= PATH_MAX)
        return false;
    (void)stat(path, &log);
    path[strlen(path) - strlen("-wal")] = '\0';
    if (stat(path, &info) != 0)
        return false;
    snprintf(path, sizeof path, "%s/%.*s.ndjson", folder, (int)(strlen(entry) - strlen(".db")),
             entry);
    (void)stat(path, &cassette);
    const struct timespec *at =
        log.st_mtim.tv_sec > info.st_mtim.tv_sec ? &log.st_mtim : &info.st_mtim;
    out->changed_ms = (int64_t)at->tv_sec * 1000;
    out->bytes = info.st_size + log.st_size + cassette.st_size;
    snprintf(out->id, sizeof out->id, "%.*s", (int)(strlen(entry) - strlen(".db")), entry);
    return true;
}

/* A process that was killed leaves its lock behind, which says nothing any more. */
static void remove_lock(const char *folder, const char *entry)
{
    char id[NAME_MAX + 1];
    int lock;
    snprintf(id, sizeof id, "%.*s", (int)(strlen(entry) - strlen(".lock")), entry);
    if (!run_owner_of(folder, id) && !run_owner_claim(folder, id, &lock, NULL))
        run_owner_release(folder, id, lock);
}

static void remove_state(const char *folder, const char *run_id)
{
    char path[PATH_MAX];
    int lock;
    if (run_owner_claim(folder, run_id, &lock, NULL))
        return;
    snprintf(path, sizeof path, "%s/%s.db", folder, run_id);
    struct run_state_file file = { .path = path };
    run_state_file_close(&file, true);
    run_owner_release(folder, run_id, lock);
}

/* The cassette of a state that is gone can be replayed no more, and holds what nobody redacted. */
static void remove_cassette(const char *folder, const char *entry)
{
    char id[NAME_MAX + 1], path[PATH_MAX];
    snprintf(id, sizeof id, "%.*s", (int)(strlen(entry) - strlen(".ndjson")), entry);
    if (snprintf(path, sizeof path, "%s/%s.db", folder, id) < PATH_MAX && access(path, F_OK) != 0)
        remove_state(folder, id);
}

size_t run_state_files_prune(const char *folder, int64_t before_ms, int64_t max_bytes,
                             size_t max_states)
{
    AUTO(arena) scratch = { 0 };
    struct kept_state *states = NULL, state;
    size_t n = 0, capacity = 0, n_removed = 0;
    int64_t bytes = 0;
    DIR *entries = opendir(folder);
    if (!entries)
        return 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (text_ends_with(entry->d_name, ".lock"))
            remove_lock(folder, entry->d_name);
        if (text_ends_with(entry->d_name, ".ndjson"))
            remove_cassette(folder, entry->d_name);
        if (look_at(folder, entry->d_name, &state)) {
            *arena_push(&scratch, states, n, capacity) = state;
            bytes += state.bytes;
        }
    }
    closedir(entries);
    if (n)
        qsort(states, n, sizeof *states, by_age);
    for (size_t i = 0; i < n && (states[i].changed_ms < before_ms || bytes > max_bytes); i++) {
        if (run_owner_of(folder, states[i].id))
            continue;
        remove_state(folder, states[i].id);
        bytes -= states[i].bytes;
        if (++n_removed == max_states)
            break;
    }
    return n_removed;
}

/* Ids begin with the time. */
static int by_id_backwards(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    return strcmp(*right, *left);
}

size_t run_state_files_list(const char *folder, struct arena *arena, const char ***out_ids)
{
    const char **ids = NULL;
    size_t n = 0, capacity = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (text_ends_with(entry->d_name, ".db"))
            *arena_push(arena, ids, n, capacity) =
                arena_strndup(arena, entry->d_name, strlen(entry->d_name) - strlen(".db"));
    if (entries)
        closedir(entries);
    if (n)
        qsort(ids, n, sizeof *ids, by_id_backwards);
    *out_ids = ids;
    return n;
}
