/* What every pin repository owes, on the files and on the fake; then what only files can do. */
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/contracts/pin_repository_contract.h"
#include "tests/support/fakes/fake_pin_repository.h"
#include "tests/support/full/uv_subject.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ID PIN_CONTRACT_ID

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

static int setup_json(void **state)
{
    json_subject = uv_subject(connect_json);
    return pin_fixture_open(state, &json_subject.base);
}

static void keeps_pins_in_private_files_that_outlive_the_process(void **state)
{
    struct pin_fixture *f = *state;
    struct pins_head found;
    struct stat info;
    assert_int_equal(pin_save(f, ID, 0, "f1", pin_examples, 2), ERR_NONE);

    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    pin_repository_destroy(f->repository);
    f->repository = f->subject->reopen(f->subject);
    assert_int_equal(pin_look(f, ID, &found), ERR_NONE);
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
    struct pin_fixture *f = *state;
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
    assert_int_equal(pin_save(f, ID, 0, "f", pin_examples, 2), ERR_NONE);

    for (size_t i = 0; i < ARRAY_LENGTH(bad_heads); i++) {
        write_file(bad_heads[i]);
        assert_int_equal(pin_look(f, ID, &found), ERR_INVALID);
        assert_int_equal(pin_load(f, ID, &pins), ERR_INVALID);
        assert_int_equal(pin_save(f, ID, 0, "f2", pin_examples, 2), ERR_INVALID);
        assert_string_not_equal(f->err.hint, "");
        assert_int_equal(stat(file, &info), 0);
        assert_int_equal(info.st_size, strlen(bad_heads[i]));
    }
    for (size_t i = 0; i < ARRAY_LENGTH(bad_lines); i++) {
        write_file(bad_lines[i]);
        assert_int_equal(pin_load(f, ID, &pins), ERR_INVALID);
    }
    write_file(HEAD LINE);
    assert_int_equal(pin_load(f, ID, &pins), ERR_NONE);
}

static void takes_no_identity_for_a_path(void **state)
{
    struct pin_fixture *f = *state;
    struct pins_head found;
    assert_int_equal(pin_look(f, "../approvals", &found), ERR_INVALID);
    assert_int_equal(pin_look(f, ID "0", &found), ERR_INVALID);
}

/* Head and line around a definition of so many bytes. */
static enum err_code save_bytes(struct pin_fixture *f, size_t total)
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
    enum err_code r = pin_save(f, ID, 0, "f1", &pin, 1);
    free(text);
    return r;
}

static void keeps_a_server_at_the_bound_and_refuses_one_byte_more(void **state)
{
    struct pin_fixture *f = *state;
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
    struct pin_fixture *f = *state;
    char name[400];
    static const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    assert_int_equal(pin_save(f, ID, 0, "f", pin_examples, 1), ERR_NONE);
    assert_int_equal(utimensat(0, file, old, 0), 0);
    for (int i = 1; i < PINS_MAX_SERVERS; i++) {
        snprintf(name, sizeof name, "%s/%04x.jsonl", folder, (unsigned)i);
        FILE *out = fopen(name, "w");
        assert_non_null(out);
        fclose(out);
    }

    assert_int_equal(count_files(), PINS_MAX_SERVERS);
    assert_int_equal(pin_save(f, "ffff", 0, "f", pin_examples, 1), ERR_NONE);

    struct pins_head found;
    assert_int_equal(count_files(), PINS_MAX_SERVERS);
    assert_int_equal(pin_look(f, ID, &found), ERR_NONE);
    assert_int_equal(found.revision, 0);
    assert_int_equal(pin_look(f, "ffff", &found), ERR_NONE);
    assert_string_equal(found.offers[0].fingerprint, "f");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup_json, pin_fixture_close)
    const struct CMUnitTest tests[] = {
        T(keeps_pins_in_private_files_that_outlive_the_process),
        T(trusts_nothing_anew_because_a_file_is_damaged_and_leaves_it),
        T(takes_no_identity_for_a_path),
        T(keeps_a_server_at_the_bound_and_refuses_one_byte_more),
        T(forgets_the_server_that_was_not_written_for_longest),
    };
#undef T
    json_subject = uv_subject(connect_json);
    return run_pin_repository_contract(&fake_subject) +
           run_pin_repository_contract(&json_subject.base) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
