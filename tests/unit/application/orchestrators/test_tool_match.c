#include "application/orchestrators/tool_match.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

static struct tool tools[] = {
    { .server = "files", .name = "read_file", .full_name = "files/read_file" },
    { .server = "files", .name = "set_user", .full_name = "files/set_user" },
    { .server = "notes", .name = "send", .full_name = "notes/send" },
    { .server = "notes", .name = "list-notes", .full_name = "notes/list-notes" },
    { .server = "mail", .name = "send", .full_name = "mail/send" },
    { .server = "mail", .name = "ls", .full_name = "mail/ls" },
};
static struct offered_tool offered[] = {
    { .tool = &tools[0], .shown = "files__read_file" },
    { .tool = &tools[1], .shown = "files__set_user" },
    { .tool = &tools[2], .shown = "notes__send" },
    { .tool = &tools[3], .shown = "notes__list-notes" },
    { .tool = &tools[4], .shown = "mail__send" },
    { .tool = &tools[5], .shown = "mail__ls" },
};
static const struct shortlist list = { .tools = offered, .n = 6 };

static const char *matched(const char *name)
{
    const struct offered_tool *found = tool_match(&list, name);
    return found ? found->shown : "nothing";
}

static void finds_the_name_that_was_offered_and_the_full_one(void **state)
{
    (void)state;
    assert_string_equal(matched("files__read_file"), "files__read_file");
    assert_string_equal(matched("files/read_file"), "files__read_file");
}

static void finds_a_name_in_another_case_or_with_other_separators(void **state)
{
    (void)state;
    assert_string_equal(matched("Files.ReadFile"), "files__read_file");
    assert_string_equal(matched("FILES_read-file"), "files__read_file");
    assert_string_equal(matched("files:list_notes"), "nothing");
    assert_string_equal(matched("notes__list_notes"), "notes__list-notes");
}

static void finds_a_name_without_its_server(void **state)
{
    (void)state;
    assert_string_equal(matched("read_file"), "files__read_file");
    assert_string_equal(matched("readFile"), "files__read_file");
}

static void a_name_that_two_tools_have_is_nobodys(void **state)
{
    (void)state;
    assert_string_equal(matched("send"), "nothing");
    assert_string_equal(matched("mail.send"), "mail__send");
}

static void forgives_two_slips_in_a_long_name(void **state)
{
    (void)state;
    assert_string_equal(matched("read_flie"), "files__read_file");
    assert_string_equal(matched("files__raed_flie"), "files__read_file");
    assert_string_equal(matched("files__raed_flies"), "nothing");
}

static void forgives_nothing_in_a_short_name(void **state)
{
    (void)state;
    assert_string_equal(matched("lt"), "nothing");
    assert_string_equal(matched("mail__lt"), "nothing");
    assert_string_equal(matched("mail__ls"), "mail__ls");
}

static void another_first_letter_is_another_word(void **state)
{
    (void)state;
    assert_string_equal(matched("get_user"), "nothing");
    assert_string_equal(matched("set_usr"), "files__set_user");
}

static void a_foreign_name_of_any_length_matches_nothing(void **state)
{
    (void)state;
    static char name[100000];
    memset(name, 'a', sizeof name - 1);
    assert_string_equal(matched(name), "nothing");
    assert_string_equal(matched(""), "nothing");
    assert_string_equal(matched("___"), "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_name_that_was_offered_and_the_full_one),
        cmocka_unit_test(finds_a_name_in_another_case_or_with_other_separators),
        cmocka_unit_test(finds_a_name_without_its_server),
        cmocka_unit_test(a_name_that_two_tools_have_is_nobodys),
        cmocka_unit_test(forgives_two_slips_in_a_long_name),
        cmocka_unit_test(forgives_nothing_in_a_short_name),
        cmocka_unit_test(another_first_letter_is_another_word),
        cmocka_unit_test(a_foreign_name_of_any_length_matches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
