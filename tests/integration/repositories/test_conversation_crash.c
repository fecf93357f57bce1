/* Processes that write conversations are killed at any moment, and two write at once: what is read
 * afterwards is always a whole version, nothing that was acknowledged is lost. For both stores. */

#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/test_assets.h"
#include "tests/support/full/uv_subject.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS 200
#define KILLS_OF_ADDITIONS 60
#define MESSAGES 40 /* enough that a write takes several pages */
#define ADDITIONS 60

struct store {
    const char *name;
    struct conversation_repository *(*connect)(struct uv_runtime *runtime, const char *folder);
};

static struct settings settings;
static char folder[64];

static struct conversation_repository *connect_json(struct uv_runtime *runtime, const char *path)
{
    return json_conversation_repository_create(runtime, path, &settings);
}

static struct conversation_repository *connect_sqlite(struct uv_runtime *runtime, const char *path)
{
    char file[96];
    snprintf(file, sizeof file, "%s/conversations.db", path);
    return sqlite_conversation_repository_create(runtime, file, &settings, test_assets());
}

static const struct store json_store = { "json", connect_json };
static const struct store sqlite_store = { "sqlite", connect_sqlite };

struct work {
    struct conversation_repository *repository;
    int acknowledge_fd; /* one byte per acknowledged write */
    char writer;
    struct arena *arena;
    struct conversation *loaded;
};

/* Runs a task on a repository of its own. */
static enum err_code with_repository(const struct store *store, task_fn *fn, struct work *work)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct uv_runtime *runtime = uv_runtime_create();
    work->repository = store->connect(runtime, folder);
    enum err_code r = uv_runtime_run(runtime, &scope, fn, work);
    conversation_repository_destroy(work->repository);
    uv_runtime_destroy(runtime);
    return r;
}

static enum err_code load(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct work *work = argument;
    return conversation_repository_get_by_id(work->repository, scope, "c", work->arena,
                                             &work->loaded, NULL);
}

/* A conversation whose every message says which generation it is. */
static struct conversation *generation(struct arena *arena, int64_t number)
{
    struct conversation *c = conversation_create(arena, "c", 1);
    for (int i = 0; i < MESSAGES; i++)
        conversation_add(arena, c, MESSAGE_USER,
                         arena_printf(arena, "generation %lld %0200d", (long long)number, 0), NULL,
                         1);
    c->updated_at_ms = number;
    return c;
}

static void acknowledge(const struct work *work)
{
    if (write(work->acknowledge_fd, &work->writer, 1) != 1)
        _exit(3);
}

/* Saves one generation after the other, until it is killed. */
static enum err_code save_for_ever(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct work *work = argument;
    AUTO(arena) first = { 0 };
    work->arena = &first;
    enum err_code r = load(runtime, scope, work);
    int64_t number = r ? 0 : work->loaded->updated_at_ms;
    for (r = ERR_NONE; !r; number++) {
        AUTO(arena) arena = { 0 };
        r = conversation_repository_save(work->repository, scope, generation(&arena, number + 1),
                                         number, NULL);
        if (!r)
            acknowledge(work);
    }
    return r;
}

/* Loads the end and appends to it, again where another writer was faster. */
static enum err_code add_one(struct work *work, struct scope *scope, const char *text)
{
    enum err_code r = ERR_MISMATCH;
    while (r == ERR_MISMATCH) {
        AUTO(arena) arena = { 0 };
        struct conversation *c = NULL;
        r = conversation_repository_get_recent(work->repository, scope, "c", 3, &arena, &c, NULL);
        if (r)
            return r;
        int64_t version_ms = c->updated_at_ms;
        size_t n = c->n_messages;
        conversation_add(&arena, c, MESSAGE_USER, text, NULL, 1);
        r = conversation_repository_append(work->repository, scope, c, n, version_ms, NULL);
    }
    return r;
}

static enum err_code add_messages(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct work *work = argument;
    enum err_code r = ERR_NONE;
    for (int i = 0; !r && i < ADDITIONS; i++) {
        char text[32];
        snprintf(text, sizeof text, "%c %d", work->writer, i);
        r = add_one(work, scope, text);
    }
    return r;
}

/* Adds messages that say which they are, until it is killed. They are long, so that what was added
 * is folded again and again. */
static enum err_code add_for_ever(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct work *work = argument;
    AUTO(arena) first = { 0 };
    work->arena = &first;
    enum err_code r = load(runtime, scope, work);
    for (size_t number = r ? 0 : work->loaded->n_messages; !r; number++) {
        AUTO(arena) arena = { 0 };
        r = add_one(work, scope, arena_printf(&arena, "%zu %02000d", number, 0));
        if (!r)
            acknowledge(work);
    }
    return r;
}

/* A child that does the work; *out_fd is where its acknowledgements come from. */
static pid_t start(const struct store *store, task_fn *fn, char writer, int *out_fd)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct work work = { .acknowledge_fd = ends[1], .writer = writer };
        close(ends[0]);
        _exit(with_repository(store, fn, &work) ? 2 : 0);
    }
    close(ends[1]);
    *out_fd = ends[0];
    return child;
}

/* Waits for the first acknowledgement, and then a little. Returns how many there were in all. */
static int64_t kill_after(pid_t child, int fd, useconds_t us)
{
    char acknowledgements[512];
    int64_t n = read(fd, acknowledgements, 1);
    usleep(us);
    kill(child, SIGKILL);
    for (ssize_t more; (more = read(fd, acknowledgements, sizeof acknowledgements)) > 0;)
        n += more;
    close(fd);
    waitpid(child, NULL, 0);
    return n;
}

/* The generation that is stored; every message must be of it. */
static int64_t stored_generation(const struct store *store)
{
    AUTO(arena) arena = { 0 };
    struct work work = { .arena = &arena };
    assert_int_equal(with_repository(store, load, &work), ERR_NONE);
    int64_t number = work.loaded->updated_at_ms;
    const char *expected = generation(&arena, number)->messages[0].content;
    assert_int_equal(work.loaded->n_messages, MESSAGES);
    for (size_t i = 0; i < MESSAGES; i++)
        assert_string_equal(work.loaded->messages[i].content, expected);
    return number;
}

static void finds_a_whole_version_after_every_kill(void **state)
{
    const struct store *store = *state;
    unsigned chance = 12345; /* the same moments in every run, as far as a machine repeats them */
    int64_t known = 0;
    for (int i = 0; i < KILLS; i++) {
        int fd;
        chance = chance * 1103515245 + 12345;
        pid_t child = start(store, save_for_ever, 'w', &fd);
        int64_t acknowledged = kill_after(child, fd, (chance >> 16) % 3000);

        int64_t stored = stored_generation(store);

        assert_true(acknowledged > 0);
        assert_in_range(stored - known, acknowledged, acknowledged + 1);
        known = stored;
    }
}

static enum err_code save_empty(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct work *work = argument;
    AUTO(arena) arena = { 0 };
    return conversation_repository_save(work->repository, scope,
                                        conversation_create(&arena, "c", 1), 0, NULL);
}

static void loses_nothing_when_two_processes_write(void **state)
{
    const struct store *store = *state;
    AUTO(arena) arena = { 0 };
    struct work work = { .arena = &arena };
    int fds[2], status[2], next[2] = { 0, 0 };
    assert_int_equal(with_repository(store, save_empty, &work), ERR_NONE);

    pid_t a = start(store, add_messages, 'a', &fds[0]);
    pid_t b = start(store, add_messages, 'b', &fds[1]);
    waitpid(a, &status[0], 0);
    waitpid(b, &status[1], 0);
    close(fds[0]);
    close(fds[1]);

    assert_int_equal(status[0], 0);
    assert_int_equal(status[1], 0);
    assert_int_equal(with_repository(store, load, &work), ERR_NONE);
    assert_int_equal(work.loaded->n_messages, 2 * ADDITIONS);
    for (size_t i = 0; i < work.loaded->n_messages; i++) {
        const char *content = work.loaded->messages[i].content;
        assert_int_equal(atoi(content + 2), next[content[0] - 'a']++);
    }
}

/* Every message is there once and in order; returns how many there are. */
static size_t stored_messages(const struct store *store)
{
    AUTO(arena) arena = { 0 };
    struct work work = { .arena = &arena };
    assert_int_equal(with_repository(store, load, &work), ERR_NONE);
    for (size_t i = 0; i < work.loaded->n_messages; i++)
        assert_int_equal(atoi(work.loaded->messages[i].content), i);
    return work.loaded->n_messages;
}

static void loses_no_addition_that_was_acknowledged_to_any_kill(void **state)
{
    const struct store *store = *state;
    struct work work = { 0 };
    unsigned chance = 54321;
    size_t known = 0;
    assert_int_equal(with_repository(store, save_empty, &work), ERR_NONE);
    for (int i = 0; i < KILLS_OF_ADDITIONS; i++) {
        int fd;
        chance = chance * 1103515245 + 12345;
        pid_t child = start(store, add_for_ever, 'w', &fd);
        size_t acknowledged = (size_t)kill_after(child, fd, (chance >> 16) % 3000);

        size_t stored = stored_messages(store);

        assert_true(acknowledged > 0);
        assert_in_range(stored - known, acknowledged, acknowledged + 1);
        known = stored;
    }
}

static int setup(void **state)
{
    (void)state;
    settings_init(&settings);
    settings.storage_max_conversation_bytes = 256 * 1024 * 1024;
    temporary_folder_create(folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temporary_folder_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ON(store, test) { #store ": " #test, test, setup, teardown, (void *)(uintptr_t)&store }
        ON(json_store, finds_a_whole_version_after_every_kill),
        ON(json_store, loses_no_addition_that_was_acknowledged_to_any_kill),
        ON(json_store, loses_nothing_when_two_processes_write),
        ON(sqlite_store, finds_a_whole_version_after_every_kill),
        ON(sqlite_store, loses_no_addition_that_was_acknowledged_to_any_kill),
        ON(sqlite_store, loses_nothing_when_two_processes_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
