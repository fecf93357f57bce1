/* What every person repository owes, on the file and on the fake; then what only files can do. */
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/runtime/system_ports.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_person_repository.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW 1000000

struct fixture {
    struct repository_subject *subject;
    struct person_repository *repository;
    struct arena arena;
    struct err err;
};

enum action { ADD, LIST, REVOKE, FIND };

struct operation {
    struct fixture *f;
    enum action action;
    struct person person;
    const char *text; /* token or name */
    struct person *all;
    size_t n;
    bool found;
};

static enum err_code perform(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct operation *o = argument;
    struct person_repository *r = o->f->repository;
    struct err *err = &o->f->err;
    (void)runtime;
    switch (o->action) {
    case ADD:
        return person_repository_add(r, scope, &o->person, o->text, err);
    case LIST:
        return person_repository_list(r, scope, &o->f->arena, &o->all, &o->n, err);
    case REVOKE:
        return person_repository_revoke(r, scope, o->text, err);
    case FIND:
        break;
    }
    return person_repository_find(r, scope, o->text, NOW, &o->person, &o->found, err);
}

static enum err_code run(struct operation *o)
{
    return o->f->subject->run(o->f->subject, perform, o);
}

static enum err_code add(struct fixture *f, const char *name, const char *token, int64_t expires_ms)
{
    struct operation o = { .f = f, .action = ADD, .text = token };
    o.person.expires_ms = expires_ms;
    o.person.created_ms = 5;
    o.person.is_admin = name[0] == 'A';
    snprintf(o.person.name, sizeof o.person.name, "%s", name);
    return run(&o);
}

static enum err_code take_back(struct fixture *f, const char *name)
{
    struct operation o = { .f = f, .action = REVOKE, .text = name };
    return run(&o);
}

/* The name; "" for nobody. */
static const char *find(struct fixture *f, const char *token)
{
    struct operation o = { .f = f, .action = FIND, .text = token };
    assert_int_equal(run(&o), ERR_NONE);
    return o.found ? arena_strdup(&f->arena, o.person.name) : "";
}

static struct operation list(struct fixture *f)
{
    struct operation o = { .f = f, .action = LIST };
    assert_int_equal(run(&o), ERR_NONE);
    return o;
}

static void *open_fake(struct repository_subject *s)
{
    (void)s;
    return fake_person_repository_create();
}

static struct repository_subject fake_subject = {
    .open = open_fake,
    .run = repository_subject_run_at_once,
    .close = repository_subject_close_nothing,
};

static char file[128];

static void *connect_json(struct uv_subject *s)
{
    snprintf(file, sizeof file, "%s/state/persons.json", s->folder);
    return json_person_repository_create(s->runtime, file, system_digest());
}

static struct uv_subject json_subject;
static struct fixture fixture;

static int open_subject(void **state, struct repository_subject *subject)
{
    fixture = (struct fixture){ .subject = subject, .repository = subject->open(subject) };
    *state = &fixture;
    return 0;
}

static int setup_fake(void **state)
{
    return open_subject(state, &fake_subject);
}

static int setup_json(void **state)
{
    json_subject = uv_subject(connect_json);
    return open_subject(state, &json_subject.base);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    person_repository_destroy(f->repository);
    f->subject->close(f->subject);
    arena_finish(&f->arena);
    return 0;
}

static void finds_whose_token_it_is_and_nobody_else(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(find(f, "mst_one"), "");
    assert_int_equal(add(f, "ada", "mst_one", 0), ERR_NONE);
    assert_int_equal(add(f, "bo", "mst_two", 0), ERR_NONE);

    assert_string_equal(find(f, "mst_one"), "ada");
    assert_string_equal(find(f, "mst_two"), "bo");
    assert_string_equal(find(f, "mst_on"), "");
    assert_string_equal(find(f, "mst_one "), "");
    assert_string_equal(find(f, "ada"), "");
    assert_string_equal(find(f, ""), "");
}

static void lists_persons_as_they_were_added(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(add(f, "zoe", "mst_z", 0), ERR_NONE);
    assert_int_equal(add(f, "Ann", "mst_a", NOW + 7), ERR_NONE);

    struct operation all = list(f);

    assert_int_equal(all.n, 2);
    assert_string_equal(all.all[0].name, "zoe");
    assert_int_equal(all.all[0].created_ms, 5);
    assert_int_equal(all.all[0].expires_ms, 0);
    assert_false(all.all[0].is_admin);
    assert_string_equal(all.all[1].name, "Ann");
    assert_int_equal(all.all[1].expires_ms, NOW + 7);
    assert_true(all.all[1].is_admin);
}

static void a_name_is_given_once_and_must_be_one(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(add(f, "ada", "mst_one", 0), ERR_NONE);

    assert_int_equal(add(f, "ada", "mst_two", 0), ERR_INVALID);
    assert_int_equal(add(f, "../ada", "mst_two", 0), ERR_INVALID);

    assert_string_equal(find(f, "mst_two"), "");
    assert_int_equal(list(f).n, 1);
}

static void a_revoked_token_is_nobodys(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(add(f, "ada", "mst_one", 0), ERR_NONE);
    assert_int_equal(add(f, "bo", "mst_two", 0), ERR_NONE);

    assert_int_equal(take_back(f, "ada"), ERR_NONE);

    assert_string_equal(find(f, "mst_one"), "");
    assert_string_equal(find(f, "mst_two"), "bo");
    assert_int_equal(take_back(f, "ada"), ERR_NOT_FOUND);
    assert_int_equal(take_back(f, "../.."), ERR_NOT_FOUND);
    assert_int_equal(add(f, "ada", "mst_three", 0), ERR_NONE);
    assert_string_equal(find(f, "mst_three"), "ada");
}

static void an_expired_token_is_nobodys_and_its_person_is_listed(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(add(f, "ada", "mst_one", NOW), ERR_NONE);
    assert_int_equal(add(f, "bo", "mst_two", NOW + 1), ERR_NONE);

    assert_string_equal(find(f, "mst_one"), "");
    assert_string_equal(find(f, "mst_two"), "bo");
    assert_int_equal(list(f).n, 2);
}

static void keeps_only_the_hash_in_a_private_file(void **state)
{
    struct fixture *f = *state;
    struct stat info;
    char text[4096] = "";
    assert_int_equal(add(f, "ada", "mst_one", NOW + 1), ERR_NONE);

    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    assert_true(fread(text, 1, sizeof text - 1, in) > 0);
    fclose(in);
    assert_null(strstr(text, "mst_one"));
    person_repository_destroy(f->repository);
    f->repository = f->subject->reopen(f->subject);
    assert_string_equal(find(f, "mst_one"), "ada");
}

static void sees_what_another_process_changed(void **state)
{
    struct fixture *f = *state;
    struct person_repository *server = f->repository;
    assert_int_equal(add(f, "ada", "mst_one", 0), ERR_NONE);
    assert_string_equal(find(f, "mst_one"), "ada");

    f->repository = connect_json(&json_subject);
    assert_int_equal(add(f, "bo", "mst_two", 0), ERR_NONE);
    assert_int_equal(take_back(f, "ada"), ERR_NONE);
    person_repository_destroy(f->repository);
    f->repository = server;

    assert_string_equal(find(f, "mst_one"), "");
    assert_string_equal(find(f, "mst_two"), "bo");
    assert_int_equal(unlink(file), 0);
    assert_string_equal(find(f, "mst_two"), "");
}

static void write_file(const char *text)
{
    char folder[128];
    strcpy(folder, file);
    *strrchr(folder, '/') = '\0';
    mkdir(folder, 0700);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

#define HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void lets_nobody_in_when_the_file_is_damaged_and_leaves_it(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[] = {
        "{",
        "{\"version\":2,\"persons\":[]}",
        "{\"version\":1,\"persons\":{}}",
        "{\"version\":1,\"persons\":[1]}",
        "{\"version\":1,\"persons\":[{\"name\":\"../a\",\"sha256\":\"" HASH "\"}]}",
        "{\"version\":1,\"persons\":[{\"name\":\"a\",\"sha256\":\"" HASH "0\"}]}",
        "{\"version\":1,\"persons\":[{\"name\":\"a\",\"sha256\":\"\"}]}",
        "{\"version\":1,\"persons\":[{\"name\":\"a\"}]}",
    };

    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct operation o = { .f = f, .action = FIND, .text = "" };
        struct stat info;
        write_file(bad[i]);
        assert_int_equal(run(&o), ERR_INVALID);
        assert_false(o.found);
        assert_int_equal(add(f, "ada", "mst_one", 0), ERR_INVALID);
        assert_int_equal(take_back(f, "a"), ERR_INVALID);
        assert_int_equal(stat(file, &info), 0);
        assert_int_equal(info.st_size, strlen(bad[i]));
        assert_string_not_equal(f->err.hint, "");
    }
}

static char *persons_text(size_t n)
{
    char *text = malloc(64 + n * 128), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{\"version\":1,\"persons\":[");
    for (size_t i = 0; i < n; i++)
        at += sprintf(at, "%s{\"name\":\"p%zu\",\"sha256\":\"" HASH "\"}", i ? "," : "", i);
    strcpy(at, "]}");
    return text;
}

static void takes_a_thousand_persons_and_not_one_more(void **state)
{
    struct fixture *f = *state;
    char *most = persons_text(PERSONS_MAX - 1), *more = persons_text(PERSONS_MAX + 1);
    struct operation o = { .f = f, .action = FIND, .text = "" };
    write_file(most);
    assert_int_equal(add(f, "ada", "mst_one", 0), ERR_NONE);
    assert_int_equal(add(f, "bo", "mst_two", 0), ERR_LIMIT);
    assert_string_equal(find(f, "mst_one"), "ada");
    assert_int_equal(list(f).n, PERSONS_MAX);

    write_file(more);
    enum err_code above = run(&o);
    free(most);
    free(more);

    assert_int_equal(above, ERR_INVALID);
}

static void a_text_longer_than_any_token_is_none(void **state)
{
    struct fixture *f = *state;
    char token[PERSON_TOKEN_MAX_BYTES + 2];
    memset(token, 'x', sizeof token);
    token[PERSON_TOKEN_MAX_BYTES] = '\0';
    assert_int_equal(add(f, "ada", token, 0), ERR_NONE);
    assert_string_equal(find(f, token), "ada");
    token[PERSON_TOKEN_MAX_BYTES] = 'x';
    token[PERSON_TOKEN_MAX_BYTES + 1] = '\0';
    assert_int_equal(add(f, "bo", token, 0), ERR_NONE);
    assert_string_equal(find(f, token), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define FAKE(name) { "fake: " #name, name, setup_fake, teardown, NULL }
#define FILES(name)                                                                                \
    {                                                                                              \
        "json: " #name, name, setup_json, teardown, NULL                                           \
    }
#define BOTH(name) FAKE(name), FILES(name)
        BOTH(finds_whose_token_it_is_and_nobody_else),
        BOTH(lists_persons_as_they_were_added),
        BOTH(a_name_is_given_once_and_must_be_one),
        BOTH(a_revoked_token_is_nobodys),
        BOTH(an_expired_token_is_nobodys_and_its_person_is_listed),
        FILES(keeps_only_the_hash_in_a_private_file),
        FILES(sees_what_another_process_changed),
        FILES(lets_nobody_in_when_the_file_is_damaged_and_leaves_it),
        FILES(takes_a_thousand_persons_and_not_one_more),
        FILES(a_text_longer_than_any_token_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
