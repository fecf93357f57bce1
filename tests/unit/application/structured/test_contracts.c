
#include "application/structured/contracts.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

enum { FILE_MAX_BYTES = 65536 };

#define X(name) #name,
static const char *const names[] = { CONTRACTS(X) };
#undef X

/* An asset whose text is the test's. */
struct one_asset {
    struct assets base;
    const char *text;
};

static enum err_code get_text(struct assets *assets, const char *path, struct arena *arena,
                              const char **out_text, const char **out_origin, struct err *err)
{
    (void)path;
    (void)arena;
    (void)err;
    *out_text = ((struct one_asset *)assets)->text;
    *out_origin = "mine";
    return ERR_NONE;
}

static enum err_code load_text(struct arena *arena, const char *text, struct contract *out,
                               struct err *err)
{
    static const struct assets_ops ops = { .get = get_text };
    struct one_asset asset = { { .ops = &ops }, text };
    return contract_load(arena, &asset.base, "test", out, err);
}

static enum err_code get_file(struct assets *assets, const char *path, struct arena *arena,
                              const char **out_text, const char **out_origin, struct err *err)
{
    (void)assets;
    FILE *file = fopen(arena_printf(arena, SOURCE_DIR "/%s", path), "rb");
    if (!file)
        return err_set(err, ERR_NOT_FOUND, 0, "there is no %s", path);
    char *text = arena_alloc(arena, FILE_MAX_BYTES);
    size_t length = fread(text, 1, FILE_MAX_BYTES - 1, file);
    fclose(file);
    assert_true(length < FILE_MAX_BYTES - 1);
    *out_text = text;
    *out_origin = "built in";
    return ERR_NONE;
}

static const struct assets_ops source_tree_ops = { .get = get_file };
static struct assets source_tree = { .ops = &source_tree_ops };

static struct contract load_ours(struct arena *arena, const char *name)
{
    struct contract contract = { 0 };
    struct err err = { 0 };
    enum err_code r = contract_load(arena, &source_tree, name, &contract, &err);
    if (r)
        print_error("%s\n", err.message);
    assert_int_equal(r, ERR_NONE);
    return contract;
}

/* The object of an example, which text_and_object has behind its delimiter. Owned by the caller. */
static json_t *object_of(const struct contract *contract, const char *example)
{
    const char *delimiter = contract->shape == CONTRACT_TEXT_AND_OBJECT ? "\n---\n" : "";
    const char *at = strstr(example, delimiter);
    json_t *value = NULL;
    if (at)
        at += strlen(delimiter);
    if (!at || json_parse(at, strlen(at), JSON_OURS, &value, NULL))
        return NULL;
    return value;
}

/* Gaps like "<path>" fit a schema; the placeholder check is what refuses them. */
static bool example_fits(const struct contract *contract, const char *example)
{
    bool fits = false;
    json_auto_t *value = object_of(contract, example);
    if (!value || strstr(example, "\"<"))
        return false;
    assert_int_equal(json_schema_check(contract->schema, value, NULL, &fits, NULL), ERR_NONE);
    return fits;
}

static void every_good_example_fits_its_contract(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct contract contract = load_ours(&arena, names[i]);
        assert_true(contract.shape == CONTRACT_TEXT || contract.good);
        if (contract.shape != CONTRACT_TEXT)
            assert_true(example_fits(&contract, contract.good));
    }
}

/* What a grammar puts first is what is required, in the order of the members. */
static void decisions_begin_with_their_reason_in_schema_and_examples(void **state)
{
    static const char *const decisions[] = { "intent", "intent_and_plan", "plan" };
    (void)state;
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(decisions); i++) {
        struct contract contract = load_ours(&arena, decisions[i]);
        json_t *properties = json_object_get(contract.schema, "properties");
        const json_t *required = json_object_get(contract.schema, "required");
        const json_t *reason = json_object_get(properties, contract.working);
        assert_string_equal(contract.working, "reason");
        assert_string_equal(json_object_iter_key(json_object_iter(properties)), "reason");
        assert_string_equal(json_string_value(json_array_get(required, 0)), "reason");
        assert_in_range(json_get_int(reason, "maxLength", 0), 1, 300);
        assert_memory_equal(contract.good, "{\"reason\":", 10);
    }
}

static void a_good_plan_takes_a_field_of_an_earlier_step(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_non_null(strstr(load_ours(&arena, "plan").good, "\"{s1.notes[0].path}\""));
    assert_non_null(strstr(load_ours(&arena, "intent_and_plan").good, "\"{s1.notes[0].path}\""));
}

static void no_bad_example_fits_its_contract(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct contract contract = load_ours(&arena, names[i]);
        for (size_t j = 0; j < contract.n_bad; j++) {
            assert_false(example_fits(&contract, contract.bad[j]));
            assert_true(*contract.bad_why[j]);
        }
    }
}

static void what_is_sent_has_nothing_that_only_mistro_reads(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct contract contract = load_ours(&arena, "intent");
    assert_null(json_object_get(contract.schema, "x-contract"));
    assert_null(json_object_get(contract.schema, "title"));
    assert_null(json_object_get(contract.schema, "$schema"));
    assert_string_equal(json_get_string(contract.schema, "type"), "object");
}

static void the_image_chat_speaks_the_words_of_its_seed(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct contract contract = load_ours(&arena, "image_chat");
    assert_int_equal(contract.shape, CONTRACT_TEXT_AND_OBJECT);
    assert_int_equal(contract.profile, CONTRACT_PROFILE_DECIDE);
    assert_string_equal(contract.good,
                        "Perfect! Generating your image now.\n---\n{\"prompt\": \"a tabby cat "
                        "wearing a blue wizard hat\", \"generate_image\": true, \"steps\": 4, "
                        "\"cfg\": 1.0, \"seed\": -1}");
    assert_string_equal(contract.reminder, "Please end your response with `---` followed by JSON "
                                           "using this format: {example}");
    assert_non_null(strstr(contract.compaction, "User wants: {wishes}. Respond with ONLY JSON "
                                                "(no conversational text): {example}"));
    assert_int_equal(json_array_size(json_object_get(contract.schema, "required")), 5);
}

static void the_image_chat_asks_for_presence_and_type_only(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct contract contract = load_ours(&arena, "image_chat");
    static const struct {
        const char *text;
        bool fits;
    } cases[] = {
        { "{\"prompt\":\"\",\"generate_image\":false,\"steps\":4,\"cfg\":1,\"seed\":-1}", true },
        { "{\"prompt\":\"\",\"generate_image\":true,\"steps\":999,\"cfg\":-3.5,\"seed\":-9,"
          "\"ready\":true}",
          true },
        { "{\"prompt\":5,\"generate_image\":false,\"steps\":4,\"cfg\":1,\"seed\":-1}", false },
        { "{\"prompt\":\"\",\"generate_image\":\"no\",\"steps\":4,\"cfg\":1,\"seed\":-1}", false },
        { "{\"prompt\":\"\",\"generate_image\":false,\"steps\":4.5,\"cfg\":1,\"seed\":-1}", false },
        { "{\"prompt\":\"\",\"steps\":4,\"cfg\":1,\"seed\":-1}", false },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        json_auto_t *value = NULL;
        bool fits = false;
        assert_int_equal(json_parse(cases[i].text, strlen(cases[i].text), JSON_OURS, &value, NULL),
                         ERR_NONE);
        assert_int_equal(json_schema_check(contract.schema, value, NULL, &fits, NULL), ERR_NONE);
        assert_int_equal(fits, cases[i].fits);
    }
}

static void reads_every_member(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct contract contract;
    assert_int_equal(
        load_text(&arena,
                  "{\"type\":\"object\",\"x-contract\":{\"version\":7,\"shape\":\"object\","
                  "\"profile\":\"envelope\",\"max_tokens\":99,\"good\":{\"a\":1},\"bad\":[{"
                  "\"answer\":\"no\",\"why\":\"it is no JSON\"}],\"synonyms\":[{\"path\":\"/s\","
                  "\"said\":\"done\",\"meant\":\"SOLVED\"}],\"reminder\":\"Again.\","
                  "\"compaction\":\"Only {wishes}\"}}",
                  &contract, NULL),
        ERR_NONE);
    assert_string_equal(contract.name, "test");
    assert_int_equal(contract.version, 7);
    assert_int_equal(contract.shape, CONTRACT_OBJECT);
    assert_int_equal(contract.profile, CONTRACT_PROFILE_ENVELOPE);
    assert_int_equal(contract.max_tokens, 99);
    assert_non_null(strstr(contract.good, "\"a\""));
    assert_int_equal(contract.n_bad, 1);
    assert_string_equal(contract.bad[0], "no");
    assert_string_equal(contract.bad_why[0], "it is no JSON");
    assert_int_equal(contract.n_synonyms, 1);
    assert_string_equal(contract.synonyms[0].path, "/s");
    assert_string_equal(contract.synonyms[0].said, "done");
    assert_string_equal(contract.synonyms[0].meant, "SOLVED");
    assert_string_equal(contract.reminder, "Again.");
    assert_string_equal(contract.compaction, "Only {wishes}");
}

static void refuses_a_file_and_says_where_it_is_wrong(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "{", "(mine): " },
        { "[]", "an object is expected" },
        { "{}", "x-contract: an object is expected" },
        { "{\"x-contract\":{}}", "x-contract/version: it is missing" },
        { "{\"x-contract\":{\"version\":0}}", "/version: a whole number from 1" },
        { "{\"x-contract\":{\"version\":\"1\"}}", "/version: a whole number" },
        { "{\"x-contract\":{\"version\":1,\"shap\":\"text\"}}", "\"shap\" is not a member" },
        { "{\"x-contract\":{\"version\":1,\"shape\":\"prose\"}}", "/shape: object, text_and" },
        { "{\"x-contract\":{\"version\":1,\"shape\":5}}", "/shape: " },
        { "{\"x-contract\":{\"version\":1,\"profile\":\"hot\"}}", "/profile: decide, " },
        { "{\"x-contract\":{\"version\":1,\"max_tokens\":0}}", "/max_tokens: a whole number" },
        { "{\"x-contract\":{\"version\":1,\"max_tokens\":131073}}", "/max_tokens: a whole number" },
        { "{\"x-contract\":{\"version\":1,\"good\":\"a\\u0000b\"}}", "/good: a text is expected" },
        { "{\"x-contract\":{\"version\":1,\"bad\":{}}}", "/bad: a list of at most 4" },
        { "{\"x-contract\":{\"version\":1,\"bad\":[\"no\"]}}", "/bad/0: an object is expected" },
        { "{\"x-contract\":{\"version\":1,\"bad\":[{\"answer\":\"x\"}]}}", "/bad/0/why: a text" },
        { "{\"x-contract\":{\"version\":1,\"bad\":[{\"answer\":\"x\",\"why\":\"y\",\"z\":1}]}}",
          "/bad/0: \"z\" is not a member" },
        { "{\"x-contract\":{\"version\":1,\"synonyms\":7}}", "/synonyms: a list of at most 64" },
        { "{\"x-contract\":{\"version\":1,\"synonyms\":[{\"path\":\"/a\",\"said\":1,"
          "\"meant\":\"b\"}]}}",
          "/synonyms/0/said: a text" },
        { "{\"x-contract\":{\"version\":1,\"reminder\":[]}}", "/reminder: a text is expected" },
        { "{\"x-contract\":{\"version\":1,\"compaction\":1}}", "/compaction: a text is expected" },
        { "{\"type\":\"object\",\"x-contract\":{\"version\":1,\"shape\":\"text\"}}",
          "\"type\": a contract of plain text has no schema" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        AUTO(arena) arena = { 0 };
        struct contract contract = { .version = -1 };
        struct err err = { 0 };
        assert_int_equal(load_text(&arena, cases[i][0], &contract, &err), ERR_INVALID);
        assert_int_equal(contract.version, -1);
        assert_non_null(strstr(err.message, "data/schemas/test.schema.json (mine)"));
        if (!strstr(err.message, cases[i][1]))
            fail_msg("%s: \"%s\" is not in \"%s\"", cases[i][0], cases[i][1], err.message);
    }
}

static const char *with_bad_examples(struct arena *arena, int n)
{
    const char *list = "";
    for (int i = 0; i < n; i++)
        list = arena_printf(arena, "%s%s{\"answer\":\"x\",\"why\":\"y\"}", list, i ? "," : "");
    return arena_printf(arena, "{\"x-contract\":{\"version\":1,\"bad\":[%s]}}", list);
}

static void takes_four_bad_examples_and_not_five(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct contract contract;
    assert_int_equal(
        load_text(&arena, with_bad_examples(&arena, CONTRACT_MAX_BAD_EXAMPLES), &contract, NULL),
        ERR_NONE);
    assert_int_equal(contract.n_bad, CONTRACT_MAX_BAD_EXAMPLES);
    assert_int_equal(load_text(&arena, with_bad_examples(&arena, CONTRACT_MAX_BAD_EXAMPLES + 1),
                               &contract, NULL),
                     ERR_INVALID);
}

static const char *with_synonyms(struct arena *arena, int n)
{
    const char *list = "";
    for (int i = 0; i < n; i++)
        list = arena_printf(arena, "%s%s{\"path\":\"/a\",\"said\":\"x\",\"meant\":\"y\"}", list,
                            i ? "," : "");
    return arena_printf(arena, "{\"x-contract\":{\"version\":1,\"synonyms\":[%s]}}", list);
}

static void takes_sixty_four_synonyms_and_not_one_more(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct contract contract;
    assert_int_equal(
        load_text(&arena, with_synonyms(&arena, CONTRACT_MAX_SYNONYMS), &contract, NULL), ERR_NONE);
    assert_int_equal(contract.n_synonyms, CONTRACT_MAX_SYNONYMS);
    assert_int_equal(
        load_text(&arena, with_synonyms(&arena, CONTRACT_MAX_SYNONYMS + 1), &contract, NULL),
        ERR_INVALID);
}

static void a_contract_that_does_not_exist_is_named(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct contract contract;
    struct err err = { 0 };
    assert_int_equal(contract_load(&arena, &source_tree, "nothing", &contract, &err),
                     ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "contract nothing: "));
}

static const char *prompt_of(struct arena *arena, const char *text)
{
    struct contract contract;
    assert_int_equal(load_text(arena, text, &contract, NULL), ERR_NONE);
    return contract_prompt_text(arena, &contract);
}

static void the_prompt_shows_types_bounds_and_purposes_in_order(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *text = prompt_of(
        &arena,
        "{\"properties\":{\"goal\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":400,"
        "\"description\":\"what is wanted\"},\"state\":{\"enum\":[\"open\",\"done\",3]},"
        "\"kind\":{\"const\":\"x\"},\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9},"
        "\"share\":{\"type\":\"number\",\"minimum\":0},\"sure\":{\"type\":\"boolean\"},"
        "\"id\":{\"type\":\"string\",\"pattern\":\"^[a-z]+$\"},\"short\":{\"type\":\"string\","
        "\"maxLength\":5},\"any\":{},\"either\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":"
        "\"null\"}]},\"free\":{\"type\":\"object\"},\"list\":{\"type\":\"array\",\"maxItems\":3,"
        "\"items\":{\"type\":\"object\",\"required\":[\"key\"],\"properties\":{\"key\":{\"type\":"
        "\"string\",\"description\":\"as given\"},\"text\":{\"type\":\"string\"}}}}},"
        "\"required\":[\"goal\"],\"x-contract\":{\"version\":1,\"good\":{\"goal\":\"g\"},"
        "\"bad\":[{\"answer\":\"{}\",\"why\":\"the goal is missing\"}]}}");
    assert_string_equal(
        text, "One JSON object with these members, in this order:\n"
              "- \"goal\": string, from 1 to 400 characters. what is wanted\n"
              "- \"state\" (optional): \"open\" | \"done\" | 3\n"
              "- \"kind\" (optional): \"x\"\n"
              "- \"n\" (optional): whole number, from 1 to 9\n"
              "- \"share\" (optional): number, at least 0\n"
              "- \"sure\" (optional): true | false\n"
              "- \"id\" (optional): string like ^[a-z]+$\n"
              "- \"short\" (optional): string, at most 5 characters\n"
              "- \"any\" (optional): any value\n"
              "- \"either\" (optional): string | null\n"
              "- \"free\" (optional): object\n"
              "- \"list\" (optional): [{\"key\": string, \"text\"?: string}, …], how many: at most "
              "3\n"
              "  - \"key\": as given\n"
              "\nA good answer:\n{\"goal\":\"g\"}\n");
}

static void the_prompt_stops_at_its_depth(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *four = prompt_of(
        &arena,
        "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":"
        "{\"type\":\"array\",\"items\":{\"type\":\"boolean\"}}}}},"
        "\"x-contract\":{\"version\":1}}");
    assert_non_null(strstr(four, "[[[true | false, …], …], …]"));
    const char *five = prompt_of(
        &arena,
        "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":"
        "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"boolean\"}}}}}},\"x-contract\":{\"version\":1}}");
    assert_non_null(strstr(five, "[[[[…, …], …], …], …]"));
}

static void the_prompt_of_text_and_object_names_the_delimiter(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct contract chat = load_ours(&arena, "image_chat");
    struct contract answer = load_ours(&arena, "answer");
    const char *text = contract_prompt_text(&arena, &chat);
    assert_non_null(strstr(text, "Then a line that is only ---."));
    assert_non_null(strstr(text, chat.good));
    assert_string_equal(contract_prompt_text(&arena, &answer), "Plain text.\n");
    assert_null(answer.schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_good_example_fits_its_contract),
        cmocka_unit_test(decisions_begin_with_their_reason_in_schema_and_examples),
        cmocka_unit_test(a_good_plan_takes_a_field_of_an_earlier_step),
        cmocka_unit_test(no_bad_example_fits_its_contract),
        cmocka_unit_test(what_is_sent_has_nothing_that_only_mistro_reads),
        cmocka_unit_test(the_image_chat_speaks_the_words_of_its_seed),
        cmocka_unit_test(the_image_chat_asks_for_presence_and_type_only),
        cmocka_unit_test(reads_every_member),
        cmocka_unit_test(refuses_a_file_and_says_where_it_is_wrong),
        cmocka_unit_test(takes_four_bad_examples_and_not_five),
        cmocka_unit_test(takes_sixty_four_synonyms_and_not_one_more),
        cmocka_unit_test(a_contract_that_does_not_exist_is_named),
        cmocka_unit_test(the_prompt_shows_types_bounds_and_purposes_in_order),
        cmocka_unit_test(the_prompt_stops_at_its_depth),
        cmocka_unit_test(the_prompt_of_text_and_object_names_the_delimiter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
