/* What every pin repository owes, on the files and on the fake; then what only files can do. */

#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_pin_repository.h"
#include "tests/support/full/uv_subject.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct fixture {
    struct repository_subject *subject;
    struct pin_repository *repository;
    struct arena arena;
    struct err err;
};

struct operation {
    struct fixture *f;
    enum { LOOK, LOAD, SAVE } kind;
    const char *identity;
    struct pins pins;
    struct pins_head head;
};

static enum err_code perform(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct operation *o = argument;
    struct pin_repository *r = o->f->repository;
    if (o->kind == LOOK)
        return pin_repository_look(r, scope, o->identity, &o->head, &o->f->err);
    if (o->kind == LOAD)
        return pin_repository_load(r, scope, o->identity, &o->f->arena, &o->pins, &o->f->err);
    return pin_repository_save(r, scope, &o->pins, &o->f->err);
}

static enum err_code run(struct fixture *f, struct operation *o)
{
    o->f = f;
    return f->subject->run(f->subject, perform, o);
}

/* Under one offer, "". */
static struct pins_head head(int64_t revision, const char *fingerprint)
{
    struct pins_head head = { .revision = revision, .n_offers = 1 };
    strcpy(head.offers[0].fingerprint, fingerprint);
    return head;
}

static enum err_code save_all(struct fixture *f, const char *identity, struct pins_head head,
                              struct pin *list, size_t n)
{
    struct operation o = {
        .kind = SAVE,
        .pins = { .identity = identity, .server = "weather", .head = head, .list = list, .n = n }
    };
    return run(f, &o);
}

static enum err_code save(struct fixture *f, const char *identity, int64_t revision,
                          const char *fingerprint, struct pin *list, size_t n)
{
    return save_all(f, identity, head(revision, fingerprint), list, n);
}

static enum err_code look(struct fixture *f, const char *identity, struct pins_head *out)
{
    struct operation o = { .kind = LOOK, .identity = identity };
    enum err_code r = run(f, &o);
    *out = o.head;
    return r;
}

static enum err_code load(struct fixture *f, const char *identity, struct pins *out)
{
    struct operation o = { .kind = LOAD, .identity = identity };
    enum err_code r = run(f, &o);
    *out = o.pins;
    return r;
}

static void *open_fake(struct repository_subject *s)
{
    (void)s;
    return fake_pin_repository_create();
}

static struct repository_subject fake_subject = {
    .open = open_fake,
    .run = repository_subject_run_at_once,
    .close = repository_subject_close_nothing,
};

static char folder[128], file[256];

static void *connect_json(struct uv_subject *s)
{
    snprintf(folder, sizeof folder, "%s/data/pins", s->folder);
    snprintf(file, sizeof file, "%s/" ID ".jsonl", folder);
    return json_pin_repository_create(s->runtime, folder);
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
    pin_repository_destroy(f->repository);
    f->subject->close(f->subject);
    arena_finish(&f->arena);
    return 0;
}

static struct pin two[] = {
    { "read", "h1", "{\"description\":\"Reads \\\"it\\\".\\n\",\"name\":\"read\"}" },
    { "sch\303\266n\"", "h2", "{\"name\":\"x\",\"title\":\"T\"}" },
};

static void gives_back_what_was_pinned_byte_for_byte(void **state)
{
    struct fixture *f = *state;
    struct pins_head head;
    struct pins pins;

    assert_int_equal(save(f, ID, 0, "f1", two, 2), ERR_NONE);

    assert_int_equal(look(f, ID, &head), ERR_NONE);
    assert_int_equal(head.revision, 1);
    assert_true(head.has_folders);
    assert_int_equal(head.n_offers, 1);
    assert_string_equal(head.offers[0].name, "");
    assert_string_equal(head.offers[0].fingerprint, "f1");
    assert_int_equal(load(f, ID, &pins), ERR_NONE);
    assert_string_equal(pins.identity, ID);
    assert_int_equal(pins.head.revision, 1);
    assert_string_equal(pins.head.offers[0].fingerprint, "f1");
    assert_int_equal(pins.n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(pins.list[i].name, two[i].name);
        assert_string_equal(pins.list[i].hash, two[i].hash);
        assert_string_equal(pins.list[i].definition, two[i].definition);
    }
}

static void knows_nothing_of_other_configurations(void **state)
{
    struct fixture *f = *state;
    struct pins_head head;
    struct pins pins;
    assert_int_equal(save(f, ID, 0, "f1", two, 2), ERR_NONE);

    assert_int_equal(look(f, "abc", &head), ERR_NONE);
    assert_int_equal(head.revision, 0);
    assert_int_equal(head.n_offers, 0);
    assert_int_equal(load(f, "abc", &pins), ERR_NOT_FOUND);
}

static void pins_a_server_without_tools(void **state)
{
    struct fixture *f = *state;
    struct pins pins;
    assert_int_equal(save(f, ID, 0, "f0", NULL, 0), ERR_NONE);
    assert_int_equal(load(f, ID, &pins), ERR_NONE);
    assert_int_equal(pins.n, 0);
}

static void keeps_as_many_offers_as_there_may_be(void **state)
{
    struct fixture *f = *state;
    struct pins_head written = { .n_offers = PINS_MAX_OFFERS }, read;
    for (size_t i = 0; i < PINS_MAX_OFFERS; i++) {
        struct pin_offer *offer = &written.offers[i];
        memset(offer->name, 'a' + (int)i, sizeof offer->name - 1);
        memset(offer->fingerprint, 'a' + (int)i, i % 2 ? sizeof offer->fingerprint - 1 : 0);
    }

    assert_int_equal(save_all(f, ID, written, two, 2), ERR_NONE);
    assert_int_equal(look(f, ID, &read), ERR_NONE);

    assert_int_equal(read.n_offers, PINS_MAX_OFFERS);
    for (size_t i = 0; i < PINS_MAX_OFFERS; i++) {
        assert_string_equal(read.offers[i].name, written.offers[i].name);
        assert_string_equal(read.offers[i].fingerprint, written.offers[i].fingerprint);
    }
}

static void refuses_a_writer_who_has_not_seen_the_latest(void **state)
{
    struct fixture *f = *state;
    struct pins pins;

    assert_int_equal(save(f, ID, 1, "f1", two, 2), ERR_MISMATCH);
    assert_int_equal(save(f, ID, 0, "f1", two, 1), ERR_NONE);
    assert_int_equal(save(f, ID, 0, "f2", two, 2), ERR_MISMATCH);
    assert_int_equal(save(f, ID, 1, "f2", two, 2), ERR_NONE);
    assert_int_equal(save(f, ID, 1, "f3", two, 1), ERR_MISMATCH);

    assert_int_equal(load(f, ID, &pins), ERR_NONE);
    assert_int_equal(pins.head.revision, 2);
    assert_string_equal(pins.head.offers[0].fingerprint, "f2");
    assert_int_equal(pins.n, 2);
}

static void keeps_pins_in_private_files_that_outlive_the_process(void **state)
{
    struct fixture *f = *state;
    struct pins_head found;
    struct stat info;
    assert_int_equal(save(f, ID, 0, "f1", two, 2), ERR_NONE);

    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    pin_repository_destroy(f->repository);
    f->repository = f->subject->reopen(f->subject);
    assert_int_equal(look(f, ID, &found), ERR_NONE);
    assert_string_equal(found.offers[0].fingerprint, "f1");
}

static void write_file(const char *text)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

#define START "{\"version\":1,\"server\":\"s\",\"revision\":1,"
#define HEAD START "\"offers\":{\"\":\"f\"},\"tools\":1}\n"
#define EIGHT(x)                                                                                   \
    "\"" x "1\":\"\",\"" x "2\":\"\",\"" x "3\":\"\",\"" x "4\":\"\",\"" x "5\":\"\",\"" x         \
    "6\":\"\",\"" x "7\":\"\",\"" x "8\":\"\""
#define LINE "{\"name\":\"read\",\"hash\":\"h\",\"definition\":{}}\n"

static void trusts_nothing_anew_because_a_file_is_damaged_and_leaves_it(void **state)
{
    struct fixture *f = *state;
    static const char *const bad_heads[] = {
        "",
        "{",
        "[]\n",
        "{\"version\":2,\"revision\":1,\"offers\":{},\"tools\":0}\n",
        "{\"version\":1,\"revision\":0,\"offers\":{},\"tools\":0}\n",
        "{\"version\":1,\"offers\":{},\"tools\":0}\n",
        START "\"tools\":0}\n",
        START "\"offers\":{\"\":1},\"tools\":0}\n",
        START "\"offers\":{" EIGHT("a") "," EIGHT("b") ",\"\":\"\"},\"tools\":0}\n",
    };
    static const char *const bad_lines[] = {
        HEAD,        HEAD LINE LINE,    HEAD "{\"name\":\"read\",\"hash\":\"h\"}\n",
        HEAD "{}\n", HEAD LINE "{\"na", START "\"offers\":{}}\n",
    };
    struct pins_head found;
    struct pins pins;
    struct stat info;
    assert_int_equal(save(f, ID, 0, "f", two, 2), ERR_NONE);

    for (size_t i = 0; i < ARRAY_LENGTH(bad_heads); i++) {
        write_file(bad_heads[i]);
        assert_int_equal(look(f, ID, &found), ERR_INVALID);
        assert_int_equal(load(f, ID, &pins), ERR_INVALID);
        assert_int_equal(save(f, ID, 0, "f2", two, 2), ERR_INVALID);
        assert_string_not_equal(f->err.hint, "");
        assert_int_equal(stat(file, &info), 0);
        assert_int_equal(info.st_size, strlen(bad_heads[i]));
    }
    for (size_t i = 0; i < ARRAY_LENGTH(bad_lines); i++) {
        write_file(bad_lines[i]);
        assert_int_equal(load(f, ID, &pins), ERR_INVALID);
    }
    write_file(HEAD LINE);
    assert_int_equal(load(f, ID, &pins), ERR_NONE);
}

static void takes_no_identity_for_a_path(void **state)
{
    struct fixture *f = *state;
    struct pins_head found;
    assert_int_equal(look(f, "../approvals", &found), ERR_INVALID);
    assert_int_equal(look(f, ID "0", &found), ERR_INVALID);
}

/* Head and line around a definition of so many bytes. */
static enum err_code save_bytes(struct fixture *f, size_t total)
{
    static const char head[] =
        "{\"version\":1,\"server\":\"weather\",\"revision\":1,\"folders\":true,"
        "\"offers\":{\"\":\"f1\"},\"tools\":1}\n";
    static const char line[] = "{\"name\":\"a\",\"hash\":\"h\",\"definition\":\"\"}\n";
    size_t length = total - (sizeof head - 1) - (sizeof line - 1) + 2;
    char *text = malloc(length + 1);
    assert_non_null(text);
    memset(text, 'x', length);
    text[0] = text[length - 1] = '"';
    text[length] = '\0';
    struct pin pin = { "a", "h", text };
    enum err_code r = save(f, ID, 0, "f1", &pin, 1);
    free(text);
    return r;
}

static void keeps_a_server_at_the_bound_and_refuses_one_byte_more(void **state)
{
    struct fixture *f = *state;
    struct stat info;
    assert_int_equal(save_bytes(f, PINS_MAX_BYTES + 1), ERR_LIMIT);
    assert_int_equal(save_bytes(f, PINS_MAX_BYTES), ERR_NONE);
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_size, PINS_MAX_BYTES);
}

static size_t count_files(void)
{
    size_t n = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        n += strstr(entry->d_name, ".jsonl") != NULL;
    closedir(entries);
    return n;
}

static void forgets_the_server_that_was_not_written_for_longest(void **state)
{
    struct fixture *f = *state;
    char name[400];
    static const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    assert_int_equal(save(f, ID, 0, "f", two, 1), ERR_NONE);
    assert_int_equal(utimensat(0, file, old, 0), 0);
    for (int i = 1; i < PINS_MAX_SERVERS; i++) {
        snprintf(name, sizeof name, "%s/%04x.jsonl", folder, (unsigned)i);
        FILE *out = fopen(name, "w");
        assert_non_null(out);
        fclose(out);
    }

    assert_int_equal(count_files(), PINS_MAX_SERVERS);
    assert_int_equal(save(f, "ffff", 0, "f", two, 1), ERR_NONE);

    struct pins_head found;
    assert_int_equal(count_files(), PINS_MAX_SERVERS);
    assert_int_equal(look(f, ID, &found), ERR_NONE);
    assert_int_equal(found.revision, 0);
    assert_int_equal(look(f, "ffff", &found), ERR_NONE);
    assert_string_equal(found.offers[0].fingerprint, "f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define FAKE(name) { "fake: " #name, name, setup_fake, teardown, NULL }
#define FILES(name)                                                                                \
    {                                                                                              \
        "json: " #name, name, setup_json, teardown, NULL                                           \
    }
        FAKE(gives_back_what_was_pinned_byte_for_byte),
        FAKE(knows_nothing_of_other_configurations),
        FAKE(pins_a_server_without_tools),
        FAKE(keeps_as_many_offers_as_there_may_be),
        FAKE(refuses_a_writer_who_has_not_seen_the_latest),
        FILES(gives_back_what_was_pinned_byte_for_byte),
        FILES(knows_nothing_of_other_configurations),
        FILES(pins_a_server_without_tools),
        FILES(keeps_as_many_offers_as_there_may_be),
        FILES(refuses_a_writer_who_has_not_seen_the_latest),
        FILES(keeps_pins_in_private_files_that_outlive_the_process),
        FILES(trusts_nothing_anew_because_a_file_is_damaged_and_leaves_it),
        FILES(takes_no_identity_for_a_path),
        FILES(keeps_a_server_at_the_bound_and_refuses_one_byte_more),
        FILES(forgets_the_server_that_was_not_written_for_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
