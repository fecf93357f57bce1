
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "infrastructure/mcp/oauth/store/login_book.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/repositories/stored_file.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two stores on one folder: a lock is as good between two of them as between two processes. */
struct bench {
    struct uv_runtime *runtime;
    char folder[64];
    struct token_store *one, *other;
    struct scope scope;
    int n_inside, most_inside, n_turns;
    enum err_code code;
    struct err err;
};

static void run(struct bench *bench, bool in_memory, task_fn *fn)
{
    *bench = (struct bench){ .scope = scope_child(NULL, SCOPE_NO_DEADLINE) };
    temporary_folder_create(bench->folder);
    bench->runtime = uv_runtime_create();
    bench->one =
        token_store_create(bench->runtime, TOKEN_STORE_FILE, in_memory ? NULL : bench->folder);
    bench->other = token_store_create(bench->runtime, TOKEN_STORE_FILE, bench->folder);
    (void)uv_runtime_run(bench->runtime, &bench->scope, fn, bench);
}

static void finish(struct bench *bench)
{
    token_store_destroy(bench->one);
    token_store_destroy(bench->other);
    uv_runtime_destroy(bench->runtime);
    temporary_folder_remove(bench->folder);
}

static void want_more(void *context, json_t *book)
{
    login_book_want(book, context, "more");
}

static void keep_client(void *context, json_t *book)
{
    login_book_put_client(book, context, json_pack("{s:s}", "client_id", "c"));
}

static enum err_code change_from_both(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    static char server[] = "https://h", issuer[] = "https://as";
    (void)runtime;
    bench->code = token_store_change(bench->one, scope, want_more, server, &bench->err);
    if (!bench->code)
        bench->code = token_store_change(bench->other, scope, keep_client, issuer, &bench->err);
    return bench->code;
}

static void keeps_what_each_of_them_changed(void **state)
{
    struct bench bench;
    (void)state;
    run(&bench, false, change_from_both);
    assert_int_equal(bench.code, ERR_NONE);
    json_t *book = token_store_read(bench.one);
    assert_string_equal(login_book_wanted(book, "https://h"), "more");
    assert_non_null(login_book_client(book, "https://as"));
    json_decref(book);
    finish(&bench);
}

static enum err_code take_turn(struct runtime *runtime, struct bench *bench,
                               struct token_store *store, struct scope *scope)
{
    auto_fd turn = -1;
    enum err_code r = token_store_take_turn(store, scope, "key", &turn, &bench->err);
    if (r)
        return bench->code = r;
    bench->n_turns++;
    bench->n_inside++;
    if (bench->n_inside > bench->most_inside)
        bench->most_inside = bench->n_inside;
    (void)!runtime_sleep(runtime, scope, 20, NULL);
    bench->n_inside--;
    return ERR_NONE;
}

static enum err_code take_as_one(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    return take_turn(runtime, bench, bench->one, scope);
}

static enum err_code take_as_other(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    return take_turn(runtime, bench, bench->other, scope);
}

static enum err_code take_side_by_side(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct task *one = runtime_spawn(runtime, scope, take_as_one, argument);
    struct task *other = runtime_spawn(runtime, scope, take_as_other, argument);
    (void)runtime_wait(runtime, one);
    return runtime_wait(runtime, other);
}

static void gives_turns_one_after_the_other(void **state)
{
    struct bench bench;
    (void)state;
    run(&bench, false, take_side_by_side);
    assert_int_equal(bench.n_turns, 2);
    assert_int_equal(bench.most_inside, 1);
    finish(&bench);
}

static enum err_code wait_in_vain(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    auto_fd turn = -1, none = -1;
    enum err_code r = token_store_take_turn(bench->one, scope, "key", &turn, &bench->err);
    struct scope bounded = runtime_scope(runtime, scope, 120);
    bench->code = r ? r : token_store_take_turn(bench->other, &bounded, "key", &none, &bench->err);
    return ERR_NONE;
}

static void waits_no_longer_than_it_may(void **state)
{
    struct bench bench;
    (void)state;
    run(&bench, false, wait_in_vain);
    assert_int_equal(bench.code, ERR_TIMEOUT);
    assert_non_null(strstr(bench.err.message, "another mistro"));
    finish(&bench);
}

static void keeps_in_memory_where_there_is_no_folder(void **state)
{
    struct bench bench;
    (void)state;
    run(&bench, true, change_from_both);
    json_t *book = token_store_read(bench.one);
    assert_string_equal(login_book_wanted(book, "https://h"), "more");
    json_decref(book);
    book = token_store_read(bench.other);
    assert_null(login_book_wanted(book, "https://h"));
    json_decref(book);
    finish(&bench);
}

static void begins_anew_after_a_file_that_is_no_book(void **state)
{
    struct bench bench;
    char path[100];
    (void)state;
    run(&bench, false, change_from_both);
    snprintf(path, sizeof path, "%s/logins.json", bench.folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("{\"version\":", file) >= 0);
    assert_int_equal(fclose(file), 0);
    json_t *book = token_store_read(bench.one);
    assert_null(login_book_wanted(book, "https://h"));
    json_decref(book);
    finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_each_of_them_changed),
        cmocka_unit_test(gives_turns_one_after_the_other),
        cmocka_unit_test(waits_no_longer_than_it_may),
        cmocka_unit_test(keeps_in_memory_where_there_is_no_folder),
        cmocka_unit_test(begins_anew_after_a_file_that_is_no_book),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
