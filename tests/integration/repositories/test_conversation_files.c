/* What the conversation files owe beyond the contract: private, never lost, read as they are. */

#include "domain/base/json.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/uv_subject.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct settings settings;
static char root[64], folder[80];

struct fixture {
    struct uv_runtime *runtime;
    struct conversation_repository *repository;
    struct arena arena;
    struct err err;
    /* of the task that runs */
    const char *id, *said;
    struct conversation *conversation;
    int64_t version_ms;
    struct conversation_summary *list;
    size_t n;
};

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .runtime = uv_runtime_create() };
    temporary_folder_create(root);
    snprintf(folder, sizeof folder, "%s/data/conv", root);
    settings_init(&settings);
    f.repository = json_conversation_repository_create(f.runtime, folder, &settings);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    conversation_repository_destroy(f->repository);
    uv_runtime_destroy(f->runtime);
    arena_finish(&f->arena);
    temporary_folder_remove(root);
    return 0;
}

static enum err_code save_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_save(f->repository, scope,
                                        conversation_create(&f->arena, f->id, 1000), 0, &f->err);
}

static enum err_code load_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_get_by_id(f->repository, scope, f->id, &f->arena,
                                             &f->conversation, &f->err);
}

static enum err_code list_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_get_all(f->repository, scope, &f->arena, &f->list, &f->n,
                                           &f->err);
}

static enum err_code run(struct fixture *f, task_fn *fn, const char *id)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    f->id = id;
    return uv_runtime_run(f->runtime, &scope, fn, f);
}

/* Says something in the conversation, as a turn does that looks at the last message. */
static enum err_code say_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    struct conversation *c = NULL;
    enum err_code r =
        conversation_repository_get_recent(f->repository, scope, f->id, 1, &f->arena, &c, &f->err);
    if (r)
        return r;
    int64_t version_ms = c->updated_at_ms;
    size_t n = c->n_messages;
    conversation_add(&f->arena, c, MESSAGE_USER, f->said, NULL, version_ms + 1);
    return conversation_repository_append(f->repository, scope, c, n, version_ms, &f->err);
}

static enum err_code replace_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_save(f->repository, scope, f->conversation, f->version_ms,
                                        &f->err);
}

static enum err_code remove_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_remove(f->repository, scope, f->id, &f->err);
}

static const char *path_of(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *out = fopen(path_of(name), "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void add_to_file(const char *name, const char *bytes, size_t length)
{
    FILE *out = fopen(path_of(name), "a");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    fclose(out);
}

static void copy_file(const char *from, const char *to)
{
    char bytes[4096];
    FILE *in = fopen(path_of(from), "r");
    assert_non_null(in);
    size_t length = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    assert_int_equal(unlink(path_of(to)) == 0 || errno == ENOENT, 1);
    add_to_file(to, bytes, length);
}

static size_t size_of(const char *name)
{
    struct stat info;
    assert_int_equal(stat(path_of(name), &info), 0);
    return (size_t)info.st_size;
}

/* The text and a line break. */
static void assert_file_is(const char *name, const char *text)
{
    size_t length = size_of(name);
    char *bytes = calloc(length + 1, 1);
    FILE *in = fopen(path_of(name), "r");
    assert_non_null(in);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, length, in), length);
    fclose(in);
    assert_int_equal(bytes[length - 1], '\n');
    bytes[length - 1] = '\0';
    assert_string_equal(bytes, text);
    free(bytes);
}

static void say(struct fixture *f, const char *id, const char *text)
{
    f->said = text;
    assert_int_equal(run(f, say_task, id), ERR_NONE);
}

/* The messages as one word, behind each other. */
static const char *said_in(struct fixture *f, const char *id)
{
    const char *all = "";
    assert_int_equal(run(f, load_task, id), ERR_NONE);
    for (size_t i = 0; i < f->conversation->n_messages; i++)
        all = arena_printf(&f->arena, "%s%s", all, f->conversation->messages[i].content);
    return all;
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 0777;
}

static void its_files_and_folders_are_private(void **state)
{
    struct fixture *f = *state;
    char above[80];
    snprintf(above, sizeof above, "%s/data", root);
    assert_int_equal(access(above, F_OK), -1); /* nothing is made before it is used */

    assert_int_equal(run(f, save_task, "a"), ERR_NONE);

    assert_int_equal(mode_of(above), 0700);
    assert_int_equal(mode_of(folder), 0700);
    assert_int_equal(mode_of(path_of("a.json")), 0600);
    assert_int_equal(mode_of(path_of(".lock")), 0600);
    assert_int_equal(access(path_of(".new"), F_OK), -1);
}

static void reports_a_damaged_file_and_leaves_it(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[] = { "", "{", "[]", "{\"version\":7}",
                                       "{\"conversation_id\":1}" };
    assert_int_equal(run(f, save_task, "good"), ERR_NONE);

    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct stat info;
        write_file("bad.json", bad[i]);
        assert_int_equal(run(f, load_task, "bad"), ERR_INVALID);
        assert_non_null(strstr(f->err.message, "conversation bad"));
        assert_non_null(strstr(f->err.message, "is damaged"));
        assert_non_null(strstr(f->err.hint, "stays as it is"));
        assert_non_null(strstr(f->err.hint, folder));
        assert_int_equal(run(f, save_task, "bad"), ERR_INVALID); /* not overwritten either */
        assert_int_equal(stat(path_of("bad.json"), &info), 0);
        assert_int_equal(info.st_size, strlen(bad[i]));
    }
}

static void lists_what_can_be_read_and_names_what_is_damaged(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "good"), ERR_NONE);
    write_file("bad.json", "{");
    write_file("notes.txt", "x");
    write_file("no id!.json", "{}");
    assert_int_equal(mkdir(path_of("folder.json"), 0700), 0);

    assert_int_equal(run(f, list_task, NULL), ERR_NONE);

    assert_int_equal(f->n, 2);
    const struct conversation_summary *bad = &f->list[strcmp(f->list[0].id, "bad") != 0];
    const struct conversation_summary *good = &f->list[bad == f->list];
    assert_string_equal(bad->id, "bad");
    assert_non_null(strstr(bad->damage, path_of("bad.json")));
    assert_null(bad->kind);
    assert_string_equal(good->id, "good");
    assert_string_equal(good->kind, "chat");
    assert_null(good->damage);
}

static void refuses_a_file_that_is_another_conversation(void **state)
{
    struct fixture *f = *state;
    char copy[160];
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    strcpy(copy, path_of("b.json"));
    assert_int_equal(link(path_of("a.json"), copy), 0);

    assert_int_equal(run(f, load_task, "b"), ERR_INVALID);
    assert_non_null(strstr(f->err.message, "conversation_id is \"a\""));
}

static void follows_no_link_out_of_its_folder(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    assert_int_equal(symlink("/etc/hostname", path_of("out.json")), 0);

    assert_int_equal(run(f, load_task, "out"), ERR_UNAVAILABLE);
}

static void is_not_stopped_by_what_a_killed_writer_left(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    write_file(".new", "half of a conv");

    assert_int_equal(run(f, save_task, "b"), ERR_NONE);
    assert_int_equal(run(f, load_task, "b"), ERR_NONE);
    assert_int_equal(access(path_of(".new"), F_OK), -1);
}

/* What nobody was told that it is stored: the half of a line, and what a power cut made of one. */
static void passes_over_what_a_crash_left_of_the_last_line(void **state)
{
    struct fixture *f = *state;
    static const char half[] = "{\"version\":1,\"conversation_id\":\"a\",\"upd";
    static const char hole[] = "{\"version\":1,\0\0\0\0\0\0\0}]}\n";
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    say(f, "a", "b");

    add_to_file("a.jsonl", half, sizeof half - 1);
    assert_string_equal(said_in(f, "a"), "b");
    say(f, "a", "c");
    add_to_file("a.jsonl", hole, sizeof hole - 1);
    add_to_file("a.jsonl", half, sizeof half - 1);
    assert_string_equal(said_in(f, "a"), "bc");
    say(f, "a", "d");

    assert_string_equal(said_in(f, "a"), "bcd");
    assert_int_equal(mode_of(path_of("a.jsonl")), 0600);
}

static void reports_a_damaged_line_and_leaves_it(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    say(f, "a", "b");
    add_to_file("a.jsonl", "half a line\n", 12);

    f->said = "c";
    assert_int_equal(run(f, say_task, "a"), ERR_INVALID);
    assert_non_null(strstr(f->err.message, "conversation a is damaged"));
    assert_int_equal(run(f, load_task, "a"), ERR_INVALID);
    assert_non_null(strstr(f->err.message, "conversation a is damaged"));
    assert_non_null(strstr(f->err.hint, "stays as it is"));
    assert_int_equal(run(f, list_task, NULL), ERR_NONE);
    assert_non_null(strstr(f->list[0].damage, "a.json"));
}

static void reports_lines_that_do_not_follow_each_other(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    say(f, "a", "b");
    copy_file("a.jsonl", "with b");
    say(f, "a", "c");
    say(f, "a", "d");
    assert_int_equal(run(f, load_task, "a"), ERR_NONE);
    struct conversation *last = f->conversation;
    last->n_messages = 3;
    json_auto_t *gap = conversation_end_to_json(last, 2);
    auto_str text = json_print(gap);
    copy_file("with b", "a.jsonl");
    add_to_file("a.jsonl", text, strlen(text));
    add_to_file("a.jsonl", "\n", 1);

    assert_int_equal(run(f, load_task, "a"), ERR_INVALID);
    assert_non_null(strstr(f->err.message, "does not follow"));
}

/* A writer was killed between the two files: the lines are as they were before. */
static void counts_lines_that_are_older_than_the_file_as_in_it(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    say(f, "a", "b");
    say(f, "a", "c");
    copy_file("a.jsonl", "old lines");
    assert_int_equal(run(f, load_task, "a"), ERR_NONE);
    f->conversation->title = "named";
    f->version_ms = f->conversation->updated_at_ms++;
    assert_int_equal(run(f, replace_task, "a"), ERR_NONE);
    assert_int_equal(access(path_of("a.jsonl"), F_OK), -1);
    copy_file("old lines", "a.jsonl");

    assert_string_equal(said_in(f, "a"), "bc");
    assert_string_equal(f->conversation->title, "named");
    say(f, "a", "d");
    assert_string_equal(said_in(f, "a"), "bcd");
}

static void takes_no_lines_of_a_conversation_that_was_removed(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    say(f, "a", "b");
    copy_file("a.jsonl", "old lines");
    assert_int_equal(run(f, remove_task, "a"), ERR_NONE);
    assert_int_equal(access(path_of("a.jsonl"), F_OK), -1);
    copy_file("old lines", "a.jsonl");

    assert_int_equal(run(f, load_task, "a"), ERR_NOT_FOUND);
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    assert_string_equal(said_in(f, "a"), "");
    say(f, "a", "c");
    assert_string_equal(said_in(f, "a"), "c");
}

/* As mistro prints it, whether it began as a file of mistro or of somebody else. */
static void folds_what_was_said_into_a_file_that_is_as_if_saved_whole(void **state)
{
    struct fixture *f = *state;
    static const char foreign[] =
        "{\"messages\": [{\"role\":\"user\",\"content\":\"x\",\"timestamp\":"
        "\"2024-01-01T00:00:00Z\",\"metadata\":null}],\n\"conversation_id\":\"b\","
        "\"created_at\":\"2024-01-01T00:00:00Z\",\"context\":{}}";
    char *long_text = arena_alloc(&f->arena, 40001);
    memset(long_text, 'y', 40000);
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    write_file("b.json", foreign);

    for (const char *const *id = (const char *const[]){ "a", "b", NULL }; *id; id++) {
        char *name = arena_printf(&f->arena, "%s.json", *id);
        size_t before = size_of(name);
        while (size_of(name) == before)
            say(f, *id, long_text);
        assert_int_equal(run(f, load_task, *id), ERR_NONE);
        assert_in_range(f->conversation->n_messages, 5, 15);
        json_auto_t *value = conversation_to_json(f->conversation);
        auto_str text = json_print_pretty(value);
        assert_file_is(name, text);
        say(f, *id, "z");
        assert_int_equal(run(f, load_task, *id), ERR_NONE);
        assert_string_equal(f->conversation->messages[f->conversation->n_messages - 1].content,
                            "z");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(its_files_and_folders_are_private),
        T(reports_a_damaged_file_and_leaves_it),
        T(lists_what_can_be_read_and_names_what_is_damaged),
        T(refuses_a_file_that_is_another_conversation),
        T(follows_no_link_out_of_its_folder),
        T(is_not_stopped_by_what_a_killed_writer_left),
        T(passes_over_what_a_crash_left_of_the_last_line),
        T(reports_a_damaged_line_and_leaves_it),
        T(reports_lines_that_do_not_follow_each_other),
        T(counts_lines_that_are_older_than_the_file_as_in_it),
        T(takes_no_lines_of_a_conversation_that_was_removed),
        T(folds_what_was_said_into_a_file_that_is_as_if_saved_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
