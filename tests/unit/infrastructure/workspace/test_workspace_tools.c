#include "infrastructure/workspace/tree_walk.h"
#include "tests/unit/infrastructure/workspace/workspace_fixture.h"

static void lists_a_folder_by_name(void **state)
{
    (void)state;
    put("b.txt", "12345");
    mkdir(inside_path("a"), 0700);
    put("a/inner.md", "x");
    mkdir(inside_path(".git"), 0700);
    assert_string_equal(succeed("list_directory", "{}"), "a/\nb.txt  5 bytes\n");
    const json_t *entries = structured("entries");
    assert_int_equal(json_array_size(entries), 2);
    assert_string_equal(json_get_string(json_array_get(entries, 0), "type"), "directory");
    assert_int_equal(json_get_int(json_array_get(entries, 1), "bytes", 0), 5);
    assert_false(json_is_true(structured("truncated")));
    assert_string_equal(succeed("list_directory", "{\"depth\":2,\"pattern\":\"*.md\"}"),
                        "a/inner.md  1 bytes\n");
    assert_non_null(strstr(succeed("list_directory", "{\"path\":\"a\"}"), "a/inner.md"));
}

static void says_when_a_listing_was_cut(void **state)
{
    (void)state;
    ws.limits.max_entries = 2;
    put("a", "");
    put("b", "");
    succeed("list_directory", "{}");
    assert_int_equal(json_array_size(structured("entries")), 2);
    assert_false(json_is_true(structured("truncated")));
    put("c", "");
    assert_non_null(strstr(succeed("list_directory", "{}"),
                           "(there is more: bounded by workspace.max_entries)"));
    assert_int_equal(json_array_size(structured("entries")), 2);
    assert_true(json_is_true(structured("truncated")));
}

static void shows_names_that_are_no_utf8(void **state)
{
    (void)state;
    put("bad\xff", "");
    succeed("list_directory", "{}");
    assert_string_equal(json_get_string(json_array_get(structured("entries"), 0), "name"),
                        "bad\xef\xbf\xbd");
    assert_true(json_is_true(structured("invalid_utf8")));
}

static void reads_lines_of_a_file(void **state)
{
    (void)state;
    put("notes.md", "one\ntwo\nthree\nfour");
    assert_string_equal(succeed("read_file", "{\"path\":\"notes.md\"}"), "one\ntwo\nthree\nfour");
    assert_int_equal(json_integer_value(structured("total_lines")), 4);
    assert_string_equal(succeed("read_file", "{\"path\":\"notes.md\",\"start_line\":2,"
                                             "\"end_line\":3}"),
                        "two\nthree\n");
    assert_string_equal(succeed("read_file", "{\"path\":\"notes.md\",\"start_line\":4}"), "four");
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"notes.md\",\"start_line\":5}"),
                           "the file has 4 lines"));
    assert_non_null(
        strstr(refuse("read_file", "{\"path\":\"notes.md\",\"start_line\":3,\"end_line\":2}"),
               "is before"));
}

static void cuts_at_whole_characters_and_says_so(void **state)
{
    (void)state;
    put("u.txt", "a\xc3\xa4z");
    assert_string_equal(succeed("read_file", "{\"path\":\"u.txt\",\"max_bytes\":2}"), "a");
    assert_true(json_is_true(structured("truncated")));
    assert_string_equal(succeed("read_file", "{\"path\":\"u.txt\",\"max_bytes\":3}"), "a\xc3\xa4");
}

static void reads_a_file_at_the_bound_and_none_above(void **state)
{
    (void)state;
    ws.limits.max_file_bytes = 10;
    put("ten", "0123456789");
    put("eleven", "0123456789x");
    succeed("read_file", "{\"path\":\"ten\"}");
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"eleven\"}"), "11 bytes"));
}

static void replaces_bytes_that_are_no_text(void **state)
{
    (void)state;
    put("latin1.txt", "caf\xe9");
    assert_string_equal(succeed("read_file", "{\"path\":\"latin1.txt\"}"), "caf\xef\xbf\xbd");
    assert_true(json_is_true(structured("invalid_utf8")));
}

static void gives_binary_files_only_as_base64(void **state)
{
    (void)state;
    put_bytes(inside_path("b"), "\0\1\2\3", 4);
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"b\"}"), "binary file of 4 bytes"));
    succeed("read_file", "{\"path\":\"b\",\"encoding\":\"base64\"}");
    assert_string_equal(json_string_value(structured("content")), "AAECAw==");
    succeed("read_file", "{\"path\":\"b\",\"encoding\":\"base64\",\"max_bytes\":3}");
    assert_string_equal(json_string_value(structured("content")), "AAEC");
}

static void suggests_the_nearest_name(void **state)
{
    (void)state;
    put("notes.md", "x");
    assert_non_null(
        strstr(refuse("read_file", "{\"path\":\"note.md\"}"), "did you mean notes.md?"));
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"zzzzzz\"}"), "list_directory"));
}

static void refuses_wrong_arguments(void **state)
{
    (void)state;
    put("a", "x");
    assert_non_null(strstr(refuse("read_file", "{}"), "lacks the property \"path\""));
    assert_non_null(strstr(refuse("read_file", "{\"path\":7}"), "must be a string"));
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"a\\u0000b\"}"), "NUL"));
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"../a\"}"), "outside the folder"));
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"a\",\"start_line\":0}"), "at least 1"));
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"a\",\"start_line\":1.5}"), "integer"));
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"a\",\"encoding\":\"x\"}"), "base64"));
    assert_non_null(
        strstr(refuse("read_file", "{\"path\":\"a\",\"start_lin\":1}"), "to \"start_line\""));
    assert_non_null(strstr(refuse("write_file", "{\"path\":\"b\",\"content\":\"\","
                                                "\"overwrite\":1}"),
                           "true or false"));
    succeed("read_file", "{\"path\":\"a\",\"start_line\":null,\"end_line\":1.0}");
}

static void finds_text_and_names(void **state)
{
    (void)state;
    mkdir(inside_path("src"), 0700);
    put("src/a.c", "int x;\nint Main(void) main\n\nmain();\n");
    put("b.md", "no");
    put_bytes(inside_path("bin"), "main\0", 5);
    assert_string_equal(succeed("search_files", "{\"query\":\"main\"}"),
                        "src/a.c:2: int Main(void) main\nsrc/a.c:4: main();\n");
    assert_int_equal(json_integer_value(structured("files_skipped")), 1);
    assert_string_equal(succeed("search_files", "{\"query\":\"MAIN(\",\"ignore_case\":true}"),
                        "src/a.c:2: int Main(void) main\nsrc/a.c:4: main();\n");
    assert_string_equal(succeed("search_files", "{\"name\":\"*.c\"}"), "src/a.c\n");
    assert_string_equal(succeed("search_files", "{\"query\":\"no\",\"name\":\"*.c\"}"),
                        "no match\n");
    assert_string_equal(succeed("search_files", "{\"query\":\"main\",\"limit\":1}"),
                        "src/a.c:2: int Main(void) main\n(there is more: bounded by limit)\n");
    assert_int_equal(json_array_size(structured("matches")), 1);
    assert_true(json_is_true(structured("truncated")));
    refuse("search_files", "{}");
    refuse("search_files", "{\"query\":\"x\",\"path\":\"b.md\"}");
}

static void describes_a_file(void **state)
{
    (void)state;
    put("a", "abc");
    chmod(inside_path("a"), 0640);
    succeed("file_info", "{\"path\":\"a\"}");
    assert_string_equal(json_string_value(structured("type")), "file");
    assert_int_equal(json_integer_value(structured("bytes")), 3);
    assert_string_equal(json_string_value(structured("mode")), "0640");
    succeed("file_info", "{\"path\":\".\"}");
    assert_string_equal(json_string_value(structured("type")), "directory");
}

static void counts_what_is_in_a_text(void **state)
{
    (void)state;
    put("a", "eins zwei\nf\xc3\xbcnf");
    succeed("text_stats", "{\"path\":\"a\"}");
    assert_int_equal(json_integer_value(structured("lines")), 2);
    assert_int_equal(json_integer_value(structured("words")), 3);
    assert_int_equal(json_integer_value(structured("characters")), 14);
    assert_int_equal(json_integer_value(structured("bytes")), 15);
    assert_string_equal(succeed("text_stats", "{\"text\":\"\"}"),
                        "0 lines, 0 words, 0 characters, 0 bytes");
    refuse("text_stats", "{}");
    refuse("text_stats", "{\"path\":\"a\",\"text\":\"b\"}");
}

static void writes_a_file_and_overwrites_only_when_told(void **state)
{
    (void)state;
    succeed("write_file", "{\"path\":\"new.txt\",\"content\":\"one\"}");
    assert_string_equal(content_of("new.txt"), "one");
    assert_true(json_is_true(structured("created")));
    assert_non_null(strstr(refuse("write_file", "{\"path\":\"new.txt\",\"content\":\"two\"}"),
                           "set overwrite to true"));
    assert_string_equal(content_of("new.txt"), "one");
    chmod(inside_path("new.txt"), 0755);
    succeed("write_file", "{\"path\":\"new.txt\",\"content\":\"two\",\"overwrite\":true}");
    assert_string_equal(content_of("new.txt"), "two");
    assert_false(json_is_true(structured("created")));
    struct stat found;
    assert_int_equal(stat(inside_path("new.txt"), &found), 0);
    assert_int_equal(found.st_mode & 0777, 0755);
    succeed("list_directory", "{}");
    assert_int_equal(json_array_size(structured("entries")), 1);
}

static void writes_nothing_outside_and_through_no_link(void **state)
{
    (void)state;
    put_bytes(outside_path("secret"), "s", 1);
    assert_int_equal(symlink("../secret", inside_path("link")), 0);
    assert_int_equal(symlink("..", inside_path("up")), 0);
    mkdir(inside_path("folder"), 0700);
    refuse("write_file", "{\"path\":\"link\",\"content\":\"x\",\"overwrite\":true}");
    refuse("write_file", "{\"path\":\"up/x\",\"content\":\"x\"}");
    refuse("write_file", "{\"path\":\"../x\",\"content\":\"x\"}");
    refuse("write_file", "{\"path\":\"folder\",\"content\":\"x\",\"overwrite\":true}");
    refuse("write_file", "{\"path\":\".\",\"content\":\"x\"}");
    refuse("write_file", "{\"path\":\"absent/x\",\"content\":\"x\"}");
    struct stat found;
    assert_int_equal(stat(outside_path("secret"), &found), 0);
    assert_int_equal(found.st_size, 1);
    assert_int_not_equal(stat(outside_path("x"), &found), 0);
}

static void bounds_what_is_written(void **state)
{
    (void)state;
    ws.limits.max_file_bytes = 4;
    succeed("write_file", "{\"path\":\"a\",\"content\":\"1234\"}");
    refuse("write_file", "{\"path\":\"b\",\"content\":\"12345\"}");
    refuse("edit_file", "{\"path\":\"a\",\"edits\":[{\"old_text\":\"1\",\"new_text\":\"11\"}]}");
}

static void edits_what_is_unique(void **state)
{
    (void)state;
    put("a", "one\ntwo\nthree\n");
    assert_string_equal(
        succeed("edit_file", "{\"path\":\"a\",\"edits\":["
                             "{\"old_text\":\"two\",\"new_text\":\"2\"},"
                             "{\"old_text\":\"2\\nthree\",\"new_text\":\"2\\n3\"}]}"),
        "changed a, 8 bytes\n@@ line 2 @@\n-two\n+2\n@@ line 2 @@\n-2\n-three\n+2\n+3\n");
    assert_string_equal(content_of("a"), "one\n2\n3\n");
}

static void makes_all_edits_or_none(void **state)
{
    (void)state;
    put("a", "x y x");
    assert_non_null(strstr(
        refuse("edit_file", "{\"path\":\"a\",\"edits\":[{\"old_text\":\"y\",\"new_text\":\"z\"},"
                            "{\"old_text\":\"x\",\"new_text\":\"w\"}]}"),
        "edit 2: old_text occurs more than once"));
    assert_non_null(strstr(
        refuse("edit_file", "{\"path\":\"a\",\"edits\":[{\"old_text\":\"q\",\"new_text\":\"\"}]}"),
        "does not occur"));
    assert_string_equal(content_of("a"), "x y x");
    refuse("edit_file", "{\"path\":\"a\",\"edits\":[]}");
    refuse("edit_file", "{\"path\":\"a\",\"edits\":[{\"old_text\":\"\",\"new_text\":\"\"}]}");
    refuse("edit_file", "{\"path\":\"a\",\"edits\":[{\"old_text\":\"y\"}]}");
    succeed("edit_file", "{\"path\":\"a\",\"dry_run\":true,"
                         "\"edits\":[{\"old_text\":\"y\",\"new_text\":\"z\"}]}");
    assert_string_equal(content_of("a"), "x y x");
}

static void bounds_the_size_of_a_result(void **state)
{
    (void)state;
    put("a", "0123456789");
    call_tool("read_file", "{\"path\":\"a\"}");
    auto_str whole = json_print(ws.result);
    ws.limits.max_result_bytes = strlen(whole);
    succeed("read_file", "{\"path\":\"a\"}");
    ws.limits.max_result_bytes--;
    assert_non_null(strstr(refuse("read_file", "{\"path\":\"a\"}"), "larger than"));
}

/* {"path":"a","edits":[…]} with n edits, each of which applies. */
static const char *many_edits(int n)
{
    static char text[20000];
    int used = snprintf(text, sizeof text, "{\"path\":\"a\",\"edits\":[");
    for (int i = 0; i < n; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "%s{\"old_text\":\"<%d>\",\"new_text\":\"<%d>\"}", i ? "," : "", i, i + 1);
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    return text;
}

static void bounds_the_number_of_edits(void **state)
{
    (void)state;
    put("a", "<0>");
    succeed("edit_file", many_edits(WORKSPACE_MAX_EDITS));
    assert_string_equal(content_of("a"), "<100>");
    put("a", "<0>");
    assert_non_null(
        strstr(refuse("edit_file", many_edits(WORKSPACE_MAX_EDITS + 1)), "at most 100"));
    assert_string_equal(content_of("a"), "<0>");
}

static void searches_as_deep_as_the_bound_and_says_when_there_is_more(void **state)
{
    (void)state;
    char path[200] = "";
    for (int i = 0; i < TREE_MAX_DEPTH - 1; i++) {
        strcat(path, i ? "/d" : "d");
        mkdir(inside_path(path), 0700);
    }
    strcat(path, "/f.txt");
    put(path, "needle");
    succeed("search_files", "{\"query\":\"needle\"}");
    assert_int_equal(json_array_size(structured("matches")), 1);
    assert_false(json_is_true(structured("truncated")));
    strcpy(strrchr(path, '/'), "/e");
    mkdir(inside_path(path), 0700);
    strcat(path, "/g.txt");
    put(path, "needle");
    succeed("search_files", "{\"query\":\"needle\"}");
    assert_int_equal(json_array_size(structured("matches")), 1);
    assert_true(json_is_true(structured("truncated")));
}

/* "No match" would be a claim about files that were never read. */
static void says_that_a_search_ran_out_of_time_and_how_much_it_left(void **state)
{
    (void)state;
    mkdir(inside_path("src"), 0700);
    put("src/a.c", "needle");
    put("b.md", "needle");
    ws.limits.query_ms = -1;
    assert_string_equal(succeed("search_files", "{\"query\":\"needle\"}"),
                        "nothing found in what was looked at\n(bounded by "
                        "workspace.query_ms, -1 ms: at least 2 files were not looked at)\n");
    assert_true(json_is_true(structured("truncated")));
    assert_string_equal(json_string_value(structured("bounded_by")), "workspace.query_ms");
    assert_int_equal(json_integer_value(structured("files_unseen")), 2);
    assert_int_equal(json_integer_value(structured("files_searched")), 0);
    assert_non_null(strstr(succeed("list_directory", "{}"), "workspace.query_ms"));
}

static void says_which_files_were_too_large_to_search(void **state)
{
    (void)state;
    ws.limits.max_file_bytes = 4;
    put("at", "abcd");
    put("above", "needle");
    assert_string_equal(succeed("search_files", "{\"query\":\"needle\"}"),
                        "nothing found in what was looked at\n"
                        "(1 file above workspace.max_file_bytes was not looked at)\n");
    assert_string_equal(succeed("search_files", "{\"query\":\"abc\",\"name\":\"at\"}"),
                        "at:1: abcd\n");
}

static bool visit_all(void *context, const struct tree_entry *entry)
{
    (void)context;
    (void)entry;
    return true;
}

static struct tree_walk walked(size_t max_entries)
{
    struct tree_walk walk = { .max_entries = max_entries,
                              .max_depth = TREE_MAX_DEPTH,
                              .deadline_ms = workspace_now_ms() + 60000,
                              .visit = visit_all };
    tree_walk(&walk, ws.root.fd, ".");
    return walk;
}

static void bounds_what_a_walk_visits_in_all_folders_together(void **state)
{
    (void)state;
    mkdir(inside_path("a"), 0700);
    put("a/b", "");
    put("c", "");
    struct tree_walk most = walked(3), less = walked(2);
    assert_int_equal(most.n_entries, 3);
    assert_int_equal(most.cut, TREE_WHOLE);
    assert_int_equal(less.n_entries, 2);
    assert_int_equal(less.cut, TREE_CUT_BY_ENTRIES);
}

#define IN_WORKSPACE(test) cmocka_unit_test_setup_teardown(test, open_workspace, close_workspace)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORKSPACE(lists_a_folder_by_name),
        IN_WORKSPACE(says_when_a_listing_was_cut),
        IN_WORKSPACE(says_that_a_search_ran_out_of_time_and_how_much_it_left),
        IN_WORKSPACE(says_which_files_were_too_large_to_search),
        IN_WORKSPACE(shows_names_that_are_no_utf8),
        IN_WORKSPACE(reads_lines_of_a_file),
        IN_WORKSPACE(cuts_at_whole_characters_and_says_so),
        IN_WORKSPACE(reads_a_file_at_the_bound_and_none_above),
        IN_WORKSPACE(replaces_bytes_that_are_no_text),
        IN_WORKSPACE(gives_binary_files_only_as_base64),
        IN_WORKSPACE(suggests_the_nearest_name),
        IN_WORKSPACE(refuses_wrong_arguments),
        IN_WORKSPACE(finds_text_and_names),
        IN_WORKSPACE(describes_a_file),
        IN_WORKSPACE(counts_what_is_in_a_text),
        IN_WORKSPACE(writes_a_file_and_overwrites_only_when_told),
        IN_WORKSPACE(writes_nothing_outside_and_through_no_link),
        IN_WORKSPACE(bounds_what_is_written),
        IN_WORKSPACE(edits_what_is_unique),
        IN_WORKSPACE(makes_all_edits_or_none),
        IN_WORKSPACE(bounds_the_size_of_a_result),
        IN_WORKSPACE(bounds_the_number_of_edits),
        IN_WORKSPACE(searches_as_deep_as_the_bound_and_says_when_there_is_more),
        IN_WORKSPACE(bounds_what_a_walk_visits_in_all_folders_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
