/* The forms of artifacts, as the file that ships has them. */
#include "application/consensus/model_agent_internal.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/consensus_bench.h"
#include <string.h>

static bool fits(struct consensus_bench *bench, enum envelope_artifact type, const char *content,
                 const char **out_path)
{
    struct artifact_forms forms;
    struct problems problems = { .arena = &bench->arena };
    json_t *value = NULL;
    assert_int_equal(
        artifact_forms_load(&bench->arena, bench->services.base.assets, &forms, &bench->err),
        ERR_NONE);
    assert_int_equal(json_parse(content, strlen(content), JSON_OURS, &value, NULL), ERR_NONE);
    arena_keep_json(&bench->arena, value);
    bool does = artifact_check(&forms, type, value, &problems);
    *out_path = problems.n ? problems.list[0].path : NULL;
    assert_true(does == (problems.n == 0));
    return does;
}

static void whole_artifacts_fit(void **state)
{
    const char *path;
    static const struct {
        enum envelope_artifact type;
        const char *content;
    } whole[] = {
        { ENVELOPE_ARTIFACT_COMPONENT_SPEC,
          "{\"name\":\"Login\",\"elements\":[\"button\"],\"states\":[\"empty\"],\"constraints\":[],"
          "\"accessibility\":[],\"data_contract\":{\"inputs\":[],\"outputs\":{}}}" },
        { ENVELOPE_ARTIFACT_CODE_PATCH,
          "{\"language\":\"C\",\"files\":[{\"path\":\"a.c\",\"content\":\"\"}],\"run_cmd\":\"cc "
          "a.c\",\"tests\":[{\"name\":\"t\",\"input\":1,\"expected\":null}]}" },
        { ENVELOPE_ARTIFACT_OUTLINE,
          "{\"title\":\"Rays\",\"sections\":[\"What\"],\"tone\":\"calm\",\"reading_level\":8,"
          "\"word_target\":200}" },
        { ENVELOPE_ARTIFACT_RESULTS,
          "{\"title\":\"Rays\",\"sections\":[\"What\"],\"tone\":\"calm\",\"reading_level\":8,"
          "\"word_target\":200}" },
        { ENVELOPE_ARTIFACT_FACT_PACK, "{\"definitions\":[],\"laws\":[],\"assumptions\":[],"
                                       "\"references\":[]}" },
        { ENVELOPE_ARTIFACT_FACT_PACK, "{\"definitions\":[],\"mechanisms\":[],\"approximations\":"
                                       "[],\"references\":[]}" },
        { ENVELOPE_ARTIFACT_PLAN, "{\"anything\":1}" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(whole); i++)
        assert_true(fits(*state, whole[i].type, whole[i].content, &path));
}

static void no_content_and_a_candidate_alone_fit_every_type(void **state)
{
    const char *path;
    for (int type = ENVELOPE_ARTIFACT_COMPONENT_SPEC; type <= ENVELOPE_ARTIFACT_RESULTS; type++) {
        assert_true(fits(*state, (enum envelope_artifact)type, "{}", &path));
        assert_true(fits(*state, (enum envelope_artifact)type, "{\"candidate\":\"4\"}", &path));
    }
}

static void a_member_that_is_missing_or_of_another_type_is_named(void **state)
{
    const char *path;
    static const struct {
        enum envelope_artifact type;
        const char *content, *path;
    } broken[] = {
        { ENVELOPE_ARTIFACT_COMPONENT_SPEC,
          "{\"name\":\"Login\",\"elements\":\"button\",\"states\":[],\"constraints\":[],"
          "\"accessibility\":[],\"data_contract\":{\"inputs\":[],\"outputs\":[]}}",
          "/artifact/content/elements" },
        { ENVELOPE_ARTIFACT_CODE_PATCH,
          "{\"language\":\"C\",\"files\":[{\"path\":\"a.c\"}],\"run_cmd\":\"\",\"tests\":[]}",
          "/artifact/content/files/0" },
        { ENVELOPE_ARTIFACT_OUTLINE,
          "{\"title\":\"Rays\",\"sections\":[\"a\"],\"tone\":\"\",\"reading_level\":8,"
          "\"word_target\":\"many\"}",
          "/artifact/content/word_target" },
        { ENVELOPE_ARTIFACT_FACT_PACK, "{\"definitions\":[],\"laws\":[],\"references\":[]}",
          "/artifact/content" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(broken); i++) {
        assert_false(fits(*state, broken[i].type, broken[i].content, &path));
        assert_string_equal(path, broken[i].path);
    }
}

static void a_file_of_forms_that_is_none_is_named(void **state)
{
    struct consensus_bench *bench = *state;
    struct artifact_forms forms;
    bench->services.assets.override_path = "data/schemas/artifacts.json";
    static const char *const broken[] = { "{", "[]", "{\"outline\":{\"type\":\"thing\"}}" };
    for (size_t i = 0; i < ARRAY_LENGTH(broken); i++) {
        bench->services.assets.override_text = broken[i];
        assert_int_equal(
            artifact_forms_load(&bench->arena, bench->services.base.assets, &forms, &bench->err),
            ERR_INVALID);
        assert_non_null(strstr(bench->err.message, "data/schemas/artifacts.json"));
    }
}

int main(void)
{
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, consensus_bench_set_up, consensus_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(whole_artifacts_fit),
        TEST(no_content_and_a_candidate_alone_fit_every_type),
        TEST(a_member_that_is_missing_or_of_another_type_is_named),
        TEST(a_file_of_forms_that_is_none_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
