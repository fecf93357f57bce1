#include "application/structured/plain_text.h"
#include "domain/base/buf.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const struct {
    const char *reply, *answer;
} examples[] = {
    { "It is done.", "It is done." },
    { "  It is done.\n", "It is done." },
    { "[/INST] It is done.", "It is done." },
    { "<s> [INST] It is done.</s>", "It is done." },
    { "It is done.</s><s>[INST] And now? [/INST] Now too.", "It is done." },
    { "It is done.<|im_end|>\n<|im_start|>user", "It is done." },
    { "{\"answer\": \"It is\\ndone.\"}", "It is\ndone." },
    { "[/INST] {\"response\":\"It is done.\"}</s>", "It is done." },
    { "```json\n{\"answer\": \"It is done.\"}\n```", "It is done." },
    { "```\nIt is done.\n```", "It is done." },
    { "It is done.\n\nUser: and now?\nAssistant: now too", "It is done." },
    { "It is done.\nUser request: \"and now?\"\n", "It is done." },
    { "It is done.\n\nHuman: and now?", "It is done." },
    { "It is done.\nUser: and now?\nAssistant: now too", "It is done." },
    { "It is done.\nUser: thanks!\n\nAssistant: You are welcome.\nUser: bye", "It is done." },
    { "It is done.\nHuman: and now?\nAI: now too", "It is done." },
    { "[/INST]", "" },
    { "", "" },
    /* and what stays as it is */
    { "Name: x\nUser: ann", "Name: x\nUser: ann" },
    { "{\"a\": 1, \"answer\": \"x\"}", "{\"a\": 1, \"answer\": \"x\"}" },
    { "{\"name\": \"x\"}", "{\"name\": \"x\"}" },
    { "`a.txt` and ```b```", "`a.txt` and ```b```" },
    { "```\na\n```\nand\n```\nb\n```", "```\na\n```\nand\n```\nb\n```" },
    { "[1] a < b, [INST", "[1] a < b, [INST" },
};

static void takes_the_answer_out_of_what_is_around_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        AUTO(arena) arena = { 0 };
        assert_string_equal(plain_text(&arena, examples[i].reply), examples[i].answer);
    }
}

/* What is shown while it comes, in pieces of this size, is what the answer begins with. */
static void shows_nothing_else_while_it_comes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        for (size_t piece = 1; piece < 5; piece++) {
            AUTO(arena) arena = { 0 };
            const char *reply = examples[i].reply, *answer = examples[i].answer;
            size_t from = 0, to = 0;
            bool ended = false;
            for (size_t n = piece; !ended && n < strlen(reply) + piece; n += piece) {
                const char *so_far =
                    arena_strndup(&arena, reply, n < strlen(reply) ? n : strlen(reply));
                if (from == to)
                    from = to = plain_text_begin(so_far);
                to = plain_text_end(so_far, from, to, &ended);
            }
            while (to > from && strchr(" \n", reply[to - 1]))
                to--;
            assert_true(to - from <= strlen(answer));
            assert_memory_equal(reply + from, answer, to - from);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_answer_out_of_what_is_around_it),
        cmocka_unit_test(shows_nothing_else_while_it_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
