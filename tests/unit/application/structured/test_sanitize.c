
#include "application/structured/sanitize.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void assert_sanitizes(const char *text, const char *safe)
{
    AUTO(arena) arena = { 0 };
    assert_string_equal(sanitize_text(&arena, text), safe);
}

static void breaks_the_spelling_of_control_tokens(void **state)
{
    (void)state;
    assert_sanitizes("a[/INST]b[INST]c", "a[ /INST]b[ INST]c");
    assert_sanitizes("[TOOL_CALLS] [AVAILABLE_TOOLS]", "[ TOOL_CALLS] [ AVAILABLE_TOOLS]");
    assert_sanitizes("</s><s><unk>", "< /s>< s>< unk>");
}

static void knows_every_token_of_the_vocabularies(void **state)
{
    (void)state;
    static const char *const tokens[] = {
        "<s>",
        "</s>",
        "<unk>",
        "<pad>",
        "[INST]",
        "[/INST]",
        "[TOOL_CALLS]",
        "[AVAILABLE_TOOLS]",
        "[/AVAILABLE_TOOLS]",
        "[TOOL_RESULTS]",
        "[/TOOL_RESULTS]",
        "[IMG]",
        "[IMG_BREAK]",
        "[IMG_END]",
        "[PREFIX]",
        "[MIDDLE]",
        "[SUFFIX]",
        "[SYSTEM_PROMPT]",
        "[/SYSTEM_PROMPT]",
        "[TOOL_CONTENT]",
        "[AUDIO]",
        "[BEGIN_AUDIO]",
        "[ARGS]",
        "[CALL_ID]",
        "[THINK]",
        "[/THINK]",
        "<SPECIAL_20>",
        "[MODEL_SETTINGS]",
        "<|im_start|>",
        "<|im_end|>",
        "<|eot_id|>",
        "<start_of_turn>",
        "<<SYS>>",
        "<</SYS>>",
        "<|header_start|>",
        "<|reserved_special_token_7|>",
        "<bos>",
        "<tool_call>",
        "</tool_response>",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(tokens); i++) {
        AUTO(arena) arena = { 0 };
        const char *quoted = arena_printf(&arena, "a %s%s b", tokens[i], tokens[i]);
        assert_null(strstr(sanitize_text(&arena, quoted), tokens[i]));
    }
}

static void leaves_what_tokenizers_take_for_text(void **state)
{
    (void)state;
    assert_sanitizes("[inst] [Inst] [ INST] [INST ] [/ INST]",
                     "[inst] [Inst] [ INST] [INST ] [/ INST]");
    assert_sanitizes("< s> <S> </S> <s > xs <| f", "< s> <S> </S> <s > xs <| f");
    assert_sanitizes("f <| g <||> <|a b|> x << SYS", "f <| g <||> <|a b|> x << SYS");
}

static void breaks_tokens_hidden_in_brackets(void **state)
{
    (void)state;
    assert_sanitizes("[[INST]INST]", "[[ INST]INST]");
    assert_sanitizes("<<s>s>", "<< s>s>");
}

static void leaves_out_what_nobody_sees(void **state)
{
    (void)state;
    assert_sanitizes("a\x1b[31mb\u202ec\u200b\u00ad\ufeffd\x7f\xC2\x9B", "a[31mbcd");
    assert_sanitizes("hi\U000e0068\U000e0069\U000e007f there", "hi there");
    assert_sanitizes("a\r\nb\rc\n\td", "a\nb\nc\n\td");
    assert_sanitizes("\xff\xfe is not UTF-8 \x1b", "\xff\xfe is not UTF-8 ");
}

static void breaks_tokens_that_something_invisible_divides(void **state)
{
    (void)state;
    assert_sanitizes("[IN\u200bST] <\x1b/s> <|im_\u2060start|>", "[ INST] < /s> < |im_start|>");
}

static void leaves_words_and_emoji_as_they_are(void **state)
{
    static const char *const texts[] = { "\u0645\u06CC\u200C\u062E \u2764\uFE0F",
                                         "\U0001F468\u200D\U0001F469 gr\u00fc\u00df" };
    (void)state;
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        assert_ptr_equal(sanitize_text(&arena, texts[i]), texts[i]);
}

static void fences_text_that_cannot_end_its_fence(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(fence_text(&arena, "a"), "```\na\n```");
    assert_string_equal(fence_text(&arena, "a\n"), "```\na\n```");
    assert_string_equal(fence_text(&arena, ""), "```\n\n```");
    assert_string_equal(fence_text(&arena, "a\n```\n[s2] b: ok\n````"),
                        "`````\na\n```\n[s2] b: ok\n````\n`````");
    assert_string_equal(sanitize_text(&arena, fence_text(&arena, "``\u200b``")),
                        "`````\n````\n`````");
}

static void fences_what_does_not_fit_on_a_line(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(fence_lines(&arena, "``` a"), "``` a");
    assert_string_equal(fence_lines(&arena, "a\nb"), "\n```\na\nb\n```\n");
}

static void returns_harmless_text_itself(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *text = "[INSTALL] <strong> [inst] a[0] <";
    assert_ptr_equal(sanitize_text(&arena, text), text);
    assert_string_equal(sanitize_text(&arena, ""), "");
}

static void changes_nothing_the_second_time(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *once = sanitize_text(&arena, "x[/INST]</s>[");
    assert_ptr_equal(sanitize_text(&arena, once), once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaks_the_spelling_of_control_tokens),
        cmocka_unit_test(knows_every_token_of_the_vocabularies),
        cmocka_unit_test(leaves_what_tokenizers_take_for_text),
        cmocka_unit_test(breaks_tokens_hidden_in_brackets),
        cmocka_unit_test(leaves_out_what_nobody_sees),
        cmocka_unit_test(breaks_tokens_that_something_invisible_divides),
        cmocka_unit_test(leaves_words_and_emoji_as_they_are),
        cmocka_unit_test(fences_text_that_cannot_end_its_fence),
        cmocka_unit_test(fences_what_does_not_fit_on_a_line),
        cmocka_unit_test(returns_harmless_text_itself),
        cmocka_unit_test(changes_nothing_the_second_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
