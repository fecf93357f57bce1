/* Both stores list the newest conversations, up to a bound, and find the others by their id. */

#include "domain/base/json.h"
#include "infrastructure/repositories/conversation_jobs.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/test_assets.h"
#include "tests/support/full/uv_subject.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static struct settings settings;

struct fixture {
    struct conversation_repository *repository;
    struct arena arena;
    struct err err;
    size_t from, to; /* of the task that runs */
    struct conversation_summary *list;
    struct conversation *oldest;
    size_t n;
};

static const char *id_of(struct fixture *f, size_t number)
{
    return arena_printf(&f->arena, "c%04zu", number);
}

/* Conversations from, from + 1, … to - 1, each a millisecond younger than the one before. */
static enum err_code save_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    enum err_code r = ERR_NONE;
    for (size_t i = f->from; i < f->to && !r; i++) {
        struct conversation *c = conversation_create(&f->arena, id_of(f, i), 1000 + (int64_t)i);
        r = conversation_repository_save(f->repository, scope, c, 0, &f->err);
    }
    return r;
}

static enum err_code list_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_get_all(f->repository, scope, &f->arena, &f->list, &f->n,
                                           &f->err);
}

static enum err_code load_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_get_by_id(f->repository, scope, id_of(f, 0), &f->arena,
                                             &f->oldest, &f->err);
}

/* Files as the store writes them, without waiting for the disk a thousand times, and changed at the
 * second that their number says. */
static void write_files(struct fixture *f, const char *folder)
{
    for (size_t i = f->from; i < f->to; i++) {
        const struct timespec times[] = { { .tv_sec = (time_t)i }, { .tv_sec = (time_t)i } };
        struct conversation *c = conversation_create(&f->arena, id_of(f, i), 1000 + (int64_t)i);
        const char *path = arena_printf(&f->arena, "%s/%s.json", folder, c->id);
        json_auto_t *value = conversation_to_json(c);
        assert_int_equal(json_dump_file(value, path, 0), 0);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
}

static void save(struct fixture *f, struct uv_subject *subject, bool as_files)
{
    if (as_files)
        write_files(f, subject->folder);
    else
        assert_int_equal(subject->base.run(&subject->base, save_task, f), ERR_NONE);
}

static void assert_lists_the_newest(struct uv_subject *subject, bool as_files)
{
    struct repository_subject *base = &subject->base;
    struct fixture f = { .repository = base->open(base), .to = CONVERSATIONS_MAX_LISTED };
    save(&f, subject, as_files);
    assert_int_equal(base->run(base, list_task, &f), ERR_NONE);
    assert_int_equal(f.n, CONVERSATIONS_MAX_LISTED);
    assert_string_equal(f.list[f.n - 1].id, "c0000");

    f.from = f.to++;
    save(&f, subject, as_files);
    assert_int_equal(base->run(base, list_task, &f), ERR_NONE);
    assert_int_equal(f.n, CONVERSATIONS_MAX_LISTED);
    assert_string_equal(f.list[0].id, "c1000");
    assert_string_equal(f.list[f.n - 1].id, "c0001");
    assert_int_equal(base->run(base, load_task, &f), ERR_NONE);
    assert_string_equal(f.oldest->id, "c0000");

    conversation_repository_destroy(f.repository);
    base->close(base);
    arena_finish(&f.arena);
}

static void *connect_json(struct uv_subject *s)
{
    return json_conversation_repository_create(s->runtime, s->folder, &settings);
}

static void files_are_listed_up_to_the_bound(void **state)
{
    struct uv_subject subject = uv_subject(connect_json);
    (void)state;
    assert_lists_the_newest(&subject, true);
}

static void *connect_sqlite(struct uv_subject *s)
{
    char file[128];
    snprintf(file, sizeof file, "%s/conversations.db", s->folder);
    return sqlite_conversation_repository_create(s->runtime, file, &settings, test_assets());
}

static void rows_are_listed_up_to_the_bound(void **state)
{
    struct uv_subject subject = uv_subject(connect_sqlite);
    (void)state;
    assert_lists_the_newest(&subject, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_listed_up_to_the_bound),
        cmocka_unit_test(rows_are_listed_up_to_the_bound),
    };
    settings_init(&settings);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
