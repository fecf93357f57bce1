/* The published JSON Schema of plans says what the reader of plans takes. */
#include "domain/base/json.h"
#include "domain/plan/plan.h"
#include "domain/schema/json_schema.h"
#include "infrastructure/config/config.h"
#include "tests/support/cmocka.h"
#include <glob.h>
#include <string.h>

struct fixture {
    struct arena arena;
    json_t *value;
    struct json_schema *schema;
};

static int open_schema(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){ .value = json_load_file(SOURCE_DIR "/data/schemas/plan.json",
                                                        JSON_REJECT_DUPLICATES, NULL) };
    assert_non_null(fixture.value);
    assert_int_equal(json_schema_compile(fixture.value, NULL, 0, &fixture.schema, NULL), ERR_NONE);
    *state = &fixture;
    return 0;
}

static int close_schema(void **state)
{
    struct fixture *f = *state;
    json_schema_destroy(f->schema);
    json_decref(f->value);
    arena_finish(&f->arena);
    return 0;
}

static void lists_exactly(const struct fixture *f, const char *definition, int version,
                          bool of_step)
{
    const json_t *schema = json_object_get(json_object_get(f->value, "$defs"), definition);
    const json_t *properties = json_object_get(schema, "properties"), *property;
    size_t n;
    const char *name, *const *members = plan_members(version, of_step, &n);
    assert_int_equal(json_object_size(properties), n);
    for (size_t i = 0; i < n; i++)
        if (!json_object_get(properties, members[i]))
            fail_msg("the schema of a %s lacks %s", definition, members[i]);
    json_each_member (properties, name, property) {
        if (!json_get_string(property, "description"))
            fail_msg("%s of a %s has no description", name, definition);
    }
}

static void the_schema_has_the_members_that_are_read_and_no_other(void **state)
{
    lists_exactly(*state, "plan", 1, false);
    lists_exactly(*state, "step", 1, true);
    lists_exactly(*state, "plan_2", 2, false);
    lists_exactly(*state, "step_2", 2, true);
}

/* Duplicate keys are for the reader of documents; of those the first counts. */
static const json_t *read_document(struct fixture *f, const char *path)
{
    struct problems problems = { .arena = &f->arena };
    struct document document = { 0 };
    size_t room = 65536, length = 0;
    char *text = arena_alloc(&f->arena, room);
    FILE *file = fopen(path, "rbe");
    assert_non_null(file);
    length = fread(text, 1, room - 1, file);
    fclose(file);
    text[length] = '\0';
    if (documents_parse_all(yaml_documents(), text, length, &f->arena, &problems, &document, NULL))
        fail_msg("%s cannot be read", path);
    return document.value;
}

static size_t agrees_on(struct fixture *f, const char *pattern, bool all_fit)
{
    glob_t found;
    size_t n = 0;
    if (glob(pattern, 0, NULL, &found))
        fail_msg("nothing is at %s", pattern);
    for (; n < found.gl_pathc; n++) {
        struct problems problems = { .arena = &f->arena };
        bool is_read;
        const char *path = found.gl_pathv[n];
        if (strstr(path, ".expect.") || strstr(path, ".fixed.") || strstr(path, "/compose.yml"))
            continue;
        const json_t *value = read_document(f, path);
        (void)plan_read(&f->arena, value, &problems, &is_read);
        bool fits = json_schema_accepts(f->schema, value, NULL);
        /* Of version 2 the reader also looks into expressions, inputs and the files of `use`. */
        bool is_beyond = fits && json_get_int(value, "version", 1) == 2;
        if (fits != is_read && !is_beyond)
            fail_msg("%s %s the schema and is %s", path, fits ? "fits" : "does not fit",
                     is_read ? "read" : "refused");
        if (all_fit && !fits)
            fail_msg("%s does not fit the schema", path);
    }
    globfree(&found);
    return n;
}

static void every_plan_that_may_run_fits_the_schema(void **state)
{
    struct fixture *f = *state;
    agrees_on(f, SOURCE_DIR "/examples/*.yml", true);
    agrees_on(f, SOURCE_DIR "/examples/*/plan.yml", true);
    assert_true(agrees_on(f, SOURCE_DIR "/tests/data/plans/valid/*.yml", true) > 10);
    agrees_on(f, SOURCE_DIR "/tests/data/plans/valid/*.json", true);
}

static void what_was_mended_fits_the_schema(void **state)
{
    struct fixture *f = *state;
    glob_t found;
    assert_int_equal(glob(SOURCE_DIR "/tests/data/plans/broken/*.fixed.*", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (!json_schema_accepts(f->schema, read_document(f, found.gl_pathv[i]), NULL))
            fail_msg("%s does not fit the schema", found.gl_pathv[i]);
    globfree(&found);
}

static void the_schema_refuses_the_faults_of_shape_that_the_reader_refuses(void **state)
{
    struct fixture *f = *state;
    assert_true(agrees_on(f, SOURCE_DIR "/tests/data/plans/broken/*.yml", false) > 30);
    agrees_on(f, SOURCE_DIR "/tests/data/plans/broken/*.json", false);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_schema, close_schema)
    const struct CMUnitTest tests[] = {
        T(the_schema_has_the_members_that_are_read_and_no_other),
        T(every_plan_that_may_run_fits_the_schema),
        T(what_was_mended_fits_the_schema),
        T(the_schema_refuses_the_faults_of_shape_that_the_reader_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
