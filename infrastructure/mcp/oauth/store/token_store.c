#include "infrastructure/mcp/oauth/store/token_store.h"
#include "application/ports/runtime.h"
#include "domain/base/arena.h"
#include "domain/base/json.h"
#include "infrastructure/mcp/oauth/store/keyring.h"
#include "infrastructure/mcp/oauth/store/login_book.h"
#include "infrastructure/repositories/stored_file.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "logins.json"
#define MARK_NAME "keyring" /* there: the keyring has a book */
#define N_TURNS 16          /* keys that share one wait for each other; that does no other harm */

struct token_store {
    struct uv_runtime *runtime;
    struct worker *worker;
    char *folder;   /* or NULL */
    json_t *memory; /* the book, where there is no folder */
    enum token_store_kind kind;
    json_t *kept; /* the book of the keyring; NULL: none, or not loaded */
    bool is_shut; /* the keyring refused; only jobs look at it, one at a time */
};

/* What a job works on; in the frame of the task that waits for it. */
struct store_job {
    const char *folder, *name;
    bool *is_shut;         /* NULL: the keyring is not to be used */
    struct buf text;       /* of the file */
    struct buf kept;       /* of the keyring */
    bool is_open, is_kept; /* the keyring: may be given the book; has it */
    int lock;
    bool is_taken; /* another process holds the lock */
};

struct token_store *token_store_create(struct uv_runtime *runtime, enum token_store_kind kind,
                                       const char *folder)
{
    struct token_store *store = calloc(1, sizeof *store);
    char *copy = folder ? strdup(folder) : NULL;
    if (!store || (folder && !copy))
        abort();
    *store = (struct token_store){ .runtime = runtime,
                                   .worker = worker_create(runtime),
                                   .folder = copy,
                                   .kind = kind,
                                   .memory = copy ? NULL : login_book_of(NULL) };
    return store;
}

void token_store_destroy(struct token_store *store)
{
    if (!store)
        return;
    worker_destroy(store->worker);
    json_decref(store->memory);
    json_decref(store->kept);
    free(store->folder);
    free(store);
}

static json_t *parse(const struct buf *text)
{
    json_t *value = NULL;
    if (json_parse(buf_string(text), text->length, JSON_OURS, &value, NULL))
        value = NULL;
    return login_book_of(value);
}

json_t *token_store_read(const struct token_store *store)
{
    AUTO(buf) text = { 0 };
    if (store->memory)
        return json_deep_copy(store->memory);
    buf_init(&text, LOGIN_BOOK_MAX_BYTES);
    (void)!stored_file_read(store->folder, FILE_NAME, &text, NULL);
    json_t *book = store->kept ? json_deep_copy(store->kept) : login_book_of(NULL);
    json_auto_t *later = parse(&text);
    login_book_merge(book, later);
    return book;
}

static bool has_mark(const char *folder)
{
    char none;
    size_t length;
    return stored_file_read_start(folder, MARK_NAME, &none, sizeof none, &length, NULL) == ERR_NONE;
}

/* A keyring that was given a book and has none was not opened by the person. */
static void read_keyring(struct store_job *job)
{
    if (!job->is_shut || *job->is_shut)
        return;
    enum err_code r = keyring_read(job->folder, &job->kept, NULL);
    job->is_open = r == ERR_NONE || (r == ERR_NOT_FOUND && !has_mark(job->folder));
    *job->is_shut = !job->is_open;
}

static enum err_code load_job(void *argument, struct err *err)
{
    (void)err;
    read_keyring(argument);
    return ERR_NONE;
}

/* A file that exists and cannot be read must not be replaced by an empty one. The person is asked
 * to open the keyring before the lock is taken, so that other processes do not wait for that. */
static enum err_code begin_job(void *argument, struct err *err)
{
    struct store_job *job = argument;
    read_keyring(job);
    buf_clear(&job->kept);
    enum err_code r = stored_folder_lock(job->folder, &job->lock, err);
    if (!r)
        r = stored_file_read(job->folder, FILE_NAME, &job->text, err);
    if (r && r != ERR_NOT_FOUND)
        return r;
    read_keyring(job);
    return ERR_NONE;
}

/* A keyring that did not take the book must not keep an older one. */
static enum err_code write_file(struct store_job *job, struct err *err)
{
    enum err_code r =
        stored_file_replace(job->folder, FILE_NAME, buf_string(&job->text), job->text.length, err);
    if (r || !job->is_open)
        return r;
    *job->is_shut = true;
    if (!keyring_remove(job->folder, NULL))
        (void)!stored_file_remove(job->folder, MARK_NAME, NULL);
    return ERR_NONE;
}

static enum err_code end_job(void *argument, struct err *err)
{
    struct store_job *job = argument;
    job->is_kept = job->is_open && !keyring_write(job->folder, buf_string(&job->text), NULL) &&
                   !stored_file_replace(job->folder, MARK_NAME, "", 0, NULL);
    if (!job->is_kept)
        return write_file(job, err);
    enum err_code r = stored_file_remove(job->folder, FILE_NAME, err);
    return r == ERR_NOT_FOUND ? ERR_NONE : r;
}

static enum err_code try_job(void *argument, struct err *err)
{
    struct store_job *job = argument;
    enum err_code r = stored_lock_try(job->folder, job->name, &job->lock, err);
    job->is_taken = r == ERR_TIMEOUT;
    return r;
}

awaits MUST_CHECK static enum err_code run(struct token_store *store, const struct scope *scope,
                                           failing_job_fn *fn, struct store_job *job,
                                           struct err *err)
{
    job->folder = store->folder;
    job->is_shut = store->kind == TOKEN_STORE_KEYRING ? &store->is_shut : NULL;
    return worker_try(store->worker, scope, fn, job, err);
}

/* Steals the book; NULL: the keyring has none. */
static void hold(struct token_store *store, json_t *book)
{
    json_decref(store->kept);
    store->kept = book;
}

void token_store_load(struct token_store *store, const struct scope *scope)
{
    struct store_job job = { .lock = -1 };
    if (store->memory || store->kind == TOKEN_STORE_FILE)
        return;
    if (!has_mark(store->folder)) {
        hold(store, NULL);
        return;
    }
    buf_init(&job.kept, KEYRING_MAX_BYTES);
    if (!run(store, scope, load_job, &job, NULL) && job.is_open)
        hold(store, parse(&job.kept));
    buf_finish(&job.kept);
}

enum err_code token_store_change(struct token_store *store, const struct scope *scope,
                                 void (*change)(void *context, json_t *book), void *context,
                                 struct err *err)
{
    struct store_job job = { .lock = -1 };
    if (store->memory) {
        change(context, store->memory);
        return ERR_NONE;
    }
    buf_init(&job.text, LOGIN_BOOK_MAX_BYTES);
    buf_init(&job.kept, KEYRING_MAX_BYTES);
    json_auto_t *book = NULL;
    enum err_code r = run(store, scope, begin_job, &job, err);
    if (!r) {
        book = parse(&job.kept);
        json_auto_t *later = parse(&job.text);
        login_book_merge(book, later);
        change(context, book);
        auto_str printed = json_print_pretty(book);
        buf_clear(&job.text);
        if (!buf_puts(&job.text, printed))
            r = err_set(err, ERR_LIMIT, 0, "there are too many logins: %d bytes of them",
                        LOGIN_BOOK_MAX_BYTES);
    }
    if (!r) /* the change is written even when the caller's scope has ended */
        r = run(store, NULL, end_job, &job, err);
    if (!r)
        hold(store, job.is_kept ? json_incref(book) : NULL);
    descriptor_close(&job.lock);
    buf_finish(&job.text);
    buf_finish(&job.kept);
    return r ? err_prefix(err, r, "logins") : ERR_NONE;
}

/* One of a few names, so that the folder does not fill with locks. */
static const char *turn_name(struct arena *arena, const char *key)
{
    unsigned sum = 0;
    for (; *key; key++)
        sum = sum * 31 + (unsigned char)*key;
    return arena_printf(arena, "turn-%u", sum % N_TURNS);
}

enum err_code token_store_take_turn(struct token_store *store, const struct scope *scope,
                                    const char *key, int *out_turn, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct runtime *runtime = uv_runtime_port(store->runtime);
    struct scope bounded = runtime_scope(runtime, scope, TOKEN_STORE_TURN_WAIT_MS);
    struct store_job job = { .name = turn_name(&scratch, key), .lock = -1 };
    if (store->memory)
        return ERR_NONE;
    for (;;) {
        enum err_code r = run(store, &bounded, try_job, &job, err);
        if (r == ERR_NONE)
            *out_turn = job.lock;
        if (!job.is_taken)
            return r;
        r = runtime_sleep(runtime, &bounded, TOKEN_STORE_TURN_LOOK_MS, err);
        if (r)
            return err_prefix(err, r, "another mistro uses the same login");
    }
}
