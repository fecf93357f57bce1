/* The states of runs as a folder with a database for each. Who owns a run is a lock on a file
 * beside it, which nobody waits for. */
#include "infrastructure/repositories/buffered_run_states.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/run_state_file.h"
#include "infrastructure/repositories/sqlite_database.h"
#include "infrastructure/runtime/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sqlite_run_states {
    struct buffered_run_states buffered;
    struct assets *assets;
    char *folder;
    struct worker *worker; /* of all states; both are made for the first */
    char *migrations;
};

struct run_claim {
    int lock;
    char run_id[];
};

struct kept_file {
    struct run_state_file file;
    struct sqlite_run_states *states;
};

static struct sqlite_run_states *states_of(struct run_states *s)
{
    return (struct sqlite_run_states *)s;
}

static enum err_code claim(struct run_states *s, struct scope *scope, const char *run_id,
                           struct run_claim **out, struct err *err)
{
    (void)scope;
    size_t size = strlen(run_id) + 1;
    struct run_claim *made = malloc(sizeof *made + size);
    if (!made)
        abort();
    memcpy(made->run_id, run_id, size);
    enum err_code r = run_owner_claim(states_of(s)->folder, run_id, &made->lock, err);
    if (r)
        free(made);
    else
        *out = made;
    return r;
}

static void release(struct run_states *s, struct run_claim *claim)
{
    run_owner_release(states_of(s)->folder, claim->run_id, claim->lock);
    free(claim);
}

static enum err_code is_owned(struct run_states *s, struct scope *scope, const char *run_id,
                              bool *out, struct err *err)
{
    (void)scope;
    (void)err;
    *out = run_owner_of(states_of(s)->folder, run_id) != 0;
    return ERR_NONE;
}

static struct worker *worker_of(struct buffered_run_states *s)
{
    struct sqlite_run_states *states = states_of(&s->base);
    if (states->worker)
        return states->worker;
    states->migrations = sqlite_migrations(states->assets, "data/migrations/run_state.sql");
    return states->worker = worker_create(s->runtime);
}

static void *make(struct buffered_run_states *s, const char *run_id)
{
    struct sqlite_run_states *states = states_of(&s->base);
    struct kept_file *kept = calloc(1, sizeof *kept);
    size_t size = strlen(states->folder) + strlen(run_id) + sizeof "/.db";
    if (!kept || !(kept->file.path = malloc(size)))
        abort();
    snprintf(kept->file.path, size, "%s/%s.db", states->folder, run_id);
    kept->states = states;
    return kept;
}

static void discard(void *argument)
{
    struct kept_file *kept = argument;
    free(kept->file.path);
    free(kept);
}

static enum err_code open_file(void *argument, bool is_new, struct arena *arena,
                               struct run_contents *out, struct err *err)
{
    struct kept_file *kept = argument;
    enum err_code r = run_state_file_open(&kept->file, kept->states->migrations, is_new, err);
    if (r || is_new)
        return r;
    r = run_state_file_read(&kept->file, arena, out, err);
    if (r)
        run_state_file_close(&kept->file, false);
    return r;
}

static enum err_code write_file(void *kept, const struct run_state_entry *entries, bool to_disk,
                                struct err *err)
{
    return run_state_file_write(&((struct kept_file *)kept)->file, entries, to_disk, err);
}

static void close_file(void *kept, bool remove)
{
    run_state_file_close(&((struct kept_file *)kept)->file, remove);
}

static enum err_code list(struct buffered_run_states *s, struct arena *arena, const char ***out_ids,
                          size_t *out_n, struct err *err)
{
    (void)err;
    *out_n = run_state_files_list(states_of(&s->base)->folder, arena, out_ids);
    return ERR_NONE;
}

static enum err_code prune(struct buffered_run_states *s, int64_t before_ms, int64_t max_bytes,
                           size_t max_states, size_t *out_removed, struct err *err)
{
    (void)err;
    *out_removed =
        run_state_files_prune(states_of(&s->base)->folder, before_ms, max_bytes, max_states);
    return ERR_NONE;
}

static void destroy(struct run_states *s)
{
    struct sqlite_run_states *states = states_of(s);
    worker_destroy(states->worker);
    free(states->folder);
    free(states->migrations);
    free(states);
}

struct run_states *sqlite_run_states_create(struct uv_runtime *runtime, const char *folder,
                                            struct assets *assets)
{
    static const struct run_state_database_ops database = { .worker = worker_of,
                                                            .make = make,
                                                            .discard = discard,
                                                            .open = open_file,
                                                            .write = write_file,
                                                            .close = close_file,
                                                            .list = list,
                                                            .prune = prune };
    static const struct run_states_ops ops = { .claim = claim,
                                               .release = release,
                                               .is_owned = is_owned,
                                               .create = buffered_run_states_create,
                                               .open = buffered_run_states_open,
                                               .list = buffered_run_states_list,
                                               .prune = buffered_run_states_prune,
                                               .destroy = destroy };
    struct sqlite_run_states *states = calloc(1, sizeof *states);
    if (!states || !(states->folder = strdup(folder)))
        abort();
    states->buffered = (struct buffered_run_states){ { &ops }, runtime, &database };
    states->assets = assets;
    return &states->buffered.base;
}
