/* The noisy model damages as often and in the ways its table says, and nothing it leaves alone. */

#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/noisy_model.h"
#include "tests/support/perfect_model.h"
#include <string.h>

#define OBJECT "{\"tool\":\"read\",\"mode\":\"text\",\"n\":4}"
#define DELIMITED "A cat in a hat!\n---\n" OBJECT
#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"required\":[\"tool\",\"n\"],\"properties\":{\"tool\":{\"enum\":["      \
    "\"read\"]},\"mode\":{\"enum\":[\"text\",\"bytes\"]},\"n\":{\"type\":\"integer\"}}}"
#define ANSWERS 20000
#define PLANNED                                                                                    \
    "{\"unclear_aspects\":[],\"confidence\":0.9,\"steps\":[{\"tool\":\"read_file\",\"args\":{"     \
    "\"path\":\"a\"}}]}"

struct fixture {
    struct perfect_model perfect;
    struct noisy_model noisy;
    json_t *schema;
    uint64_t unchanged;
};

static void fixture_init(struct fixture *f, double share)
{
    *f = (struct fixture){ 0 };
    assert_int_equal(json_parse(SCHEMA, strlen(SCHEMA), JSON_OURS, &f->schema, NULL), ERR_NONE);
    perfect_model_init(&f->perfect);
    noisy_model_init(&f->noisy, &f->perfect.base, 7, share);
}

static void fixture_finish(struct fixture *f)
{
    json_decref(f->schema);
}

static void ask_often(struct fixture *f, const char *answer)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    const struct model_request request = { .purpose = "x", .schema = f->schema };
    perfect_model_know(&f->perfect, "x", answer);
    for (size_t i = 0; i < ANSWERS; i++) {
        AUTO(arena) arena = { 0 };
        struct model_reply reply = { 0 };
        assert_int_equal(model_chat(&f->noisy.base, &scope, &request, &arena, &reply, NULL),
                         ERR_NONE);
        f->unchanged += strcmp(reply.text, answer) == 0;
        assert_int_equal(f->noisy.just_damaged, strcmp(reply.text, answer) != 0);
    }
}

static uint64_t sum_of(const struct noisy_model *noisy)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < NOISE_KIND_COUNT; i++)
        sum += noisy->damaged[i];
    return sum;
}

static void leaves_everything_alone_at_no_damage(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, 0);
    ask_often(&f, DELIMITED);
    assert_int_equal(f.unchanged, ANSWERS);
}

static void damages_the_share_it_is_told(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, 0.3);
    ask_often(&f, DELIMITED);
    uint64_t sum = sum_of(&f.noisy);
    assert_true(sum > ANSWERS * 28 / 100 && sum < ANSWERS * 32 / 100);
    assert_int_equal(f.unchanged, ANSWERS - sum);
}

static void no_kind_is_rare_where_it_makes_sense(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, 1);
    ask_often(&f, DELIMITED);
    ask_often(&f, PLANNED);
    ask_often(&f, "They are joined.");
    for (size_t i = 0; i < NOISE_KIND_COUNT; i++)
        if (f.noisy.damaged[i] * 100 < sum_of(&f.noisy))
            fail_msg("%s: %llu", noise_kind_name((enum noise_kind)i),
                     (unsigned long long)f.noisy.damaged[i]);
}

static void takes_no_delimiter_from_an_answer_that_has_none(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, 1);
    ask_often(&f, OBJECT);
    assert_int_equal(f.noisy.damaged[NOISE_NO_DELIMITER], 0);
    assert_int_equal(f.noisy.damaged[NOISE_MIDLINE_DELIMITER], 0);
    assert_int_equal(sum_of(&f.noisy), ANSWERS);
}

static void breaks_no_shape_of_plain_words(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, 1);
    ask_often(&f, "They are joined.");
    const uint64_t *damaged = f.noisy.damaged;
    assert_int_equal(damaged[NOISE_CHATTER] + damaged[NOISE_FENCE] + damaged[NOISE_BLANKS] +
                         damaged[NOISE_CONTROL_TOKENS] + damaged[NOISE_JSON_ANSWER] +
                         damaged[NOISE_INVENTED_TURN] + damaged[NOISE_EMPTY],
                     ANSWERS);
    assert_true(damaged[NOISE_EMPTY] * 20 > ANSWERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_everything_alone_at_no_damage),
        cmocka_unit_test(damages_the_share_it_is_told),
        cmocka_unit_test(no_kind_is_rare_where_it_makes_sense),
        cmocka_unit_test(takes_no_delimiter_from_an_answer_that_has_none),
        cmocka_unit_test(breaks_no_shape_of_plain_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
