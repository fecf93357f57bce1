/* The official JSON Schema test suite, drafts 2020-12 and 7, without its optional part. The suite
 * is no part of this repository: it is looked for in $MISTRO_TEST_DATA and beside the source tree.
 * Groups whose documents would have to be fetched from another host are skipped and counted. */
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { SKIPPED = 77 };

static const char remote_host[] = "http://localhost:1234";

struct tally {
    unsigned cases, passed, skipped;
};

static bool find_suite(struct arena *arena, const char **out_folder)
{
    const char *data = getenv("MISTRO_TEST_DATA");
    const char *candidates[] = {
        data ? arena_printf(arena, "%s/json-schema-test-suite/tests", data) : "",
        SOURCE_DIR "/../shared/data/json-schema-test-suite/tests",
    };
    struct stat info;
    for (size_t i = 0; i < ARRAY_LENGTH(candidates); i++) {
        *out_folder = candidates[i];
        if (*candidates[i] && stat(candidates[i], &info) == 0)
            return true;
    }
    return false;
}

static json_t *read_json(const char *path)
{
    AUTO(buf) text;
    buf_init(&text, 16 * 1024 * 1024);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t got = 1;
    while (got && buf_reserve(&text, 65536)) {
        got = fread(text.bytes + text.length, 1, 65536, file);
        text.length += got;
        buf_terminate(&text);
    }
    fclose(file);
    json_t *value = NULL;
    struct err err;
    if (json_parse(buf_string(&text), text.length, JSON_FOREIGN, &value, &err))
        printf("%s: %s\n", path, err.message);
    return value;
}

static void count_failures(const char *file, const json_t *group, const struct json_schema *schema,
                           struct tally *tally)
{
    size_t i;
    json_t *test;
    json_array_foreach (json_object_get(group, "tests"), i, test) {
        bool wanted = json_is_true(json_object_get(test, "valid"));
        const json_t *data = json_object_get(test, "data");
        AUTO(arena) arena = { 0 };
        struct problems problems = { .arena = &arena };
        /* With and without problems: the verdict must not depend on what is told about it. */
        bool quiet = json_schema_accepts(schema, data, NULL);
        bool told = json_schema_accepts(schema, data, &problems);
        bool passed = quiet == wanted && told == wanted && (wanted || problems.n > 0) &&
                      (!wanted || problems.n == 0);
        tally->cases++;
        tally->passed += passed;
        if (!passed)
            printf("%s: %s: %s: wanted %d, got %d and %d, %zu problems\n", file,
                   json_get_string(group, "description"), json_get_string(test, "description"),
                   wanted, quiet, told, problems.n);
    }
}

static void run_group(const char *file, const json_t *group, const char *dialect,
                      struct tally *tally)
{
    size_t n_tests = json_array_size(json_object_get(group, "tests"));
    json_t *schema = json_object_get(group, "schema");
    if (json_is_object(schema) && !json_object_get(schema, "$schema"))
        json_object_set_new(schema, "$schema", json_string(dialect));
    auto_str text = json_print(schema);
    struct json_schema *compiled = NULL;
    struct err err = { 0 };
    enum err_code r = json_schema_compile(schema, NULL, 0, &compiled, &err);
    if (r && strstr(text, remote_host) && strstr(err.message, remote_host)) {
        tally->cases += (unsigned)n_tests;
        tally->skipped += (unsigned)n_tests;
        return;
    }
    if (r) {
        printf("%s: %s: does not compile: %s\n", file, json_get_string(group, "description"),
               err.message);
        tally->cases += (unsigned)n_tests;
        return;
    }
    count_failures(file, group, compiled, tally);
    json_schema_destroy(compiled);
}

static void run_folder(const char *folder, const char *dialect, struct tally *tally)
{
    AUTO(arena) arena = { 0 };
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        json_auto_t *groups = dot && strcmp(dot, ".json") == 0
                                  ? read_json(arena_printf(&arena, "%s/%s", folder, name))
                                  : NULL;
        size_t at;
        json_t *group;
        json_array_foreach (groups, at, group)
            run_group(name, group, dialect, tally);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

int main(void)
{
    static const struct {
        const char *folder, *dialect;
    } drafts[] = {
        { "draft2020-12", "https://json-schema.org/draft/2020-12/schema" },
        { "draft7", "http://json-schema.org/draft-07/schema#" },
    };
    AUTO(arena) arena = { 0 };
    const char *suite;
    if (!find_suite(&arena, &suite)) {
        printf("skipped: no JSON Schema test suite in MISTRO_TEST_DATA or ../shared/data\n");
        return SKIPPED;
    }
    bool all_passed = true;
    for (size_t i = 0; i < ARRAY_LENGTH(drafts); i++) {
        struct tally tally = { 0 };
        run_folder(arena_printf(&arena, "%s/%s", suite, drafts[i].folder), drafts[i].dialect,
                   &tally);
        printf("%s: %u cases, %u passed, %u skipped (remote)\n", drafts[i].folder, tally.cases,
               tally.passed, tally.skipped);
        all_passed = all_passed && tally.cases > 0 && tally.passed + tally.skipped == tally.cases;
    }
    return all_passed ? 0 : 1;
}
