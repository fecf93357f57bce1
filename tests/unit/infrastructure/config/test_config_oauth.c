
#include "domain/base/json.h"
#include "infrastructure/config/config_internal.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    struct arena arena;
    struct server_oauth oauth;
    struct err err;
};

static int begin(void **state)
{
    static struct fixture f;
    f = (struct fixture){ 0 };
    setenv("OAUTH_SECRET", "hush", 1);
    unsetenv("OAUTH_UNSET");
    *state = &f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    arena_finish(&f->arena);
    return 0;
}

static enum err_code read_text(struct fixture *f, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    arena_keep_json(&f->arena, value);
    f->err = (struct err){ 0 };
    return config_read_oauth(&f->arena, "/tmp/mcp.json", "hub", value, &f->oauth, &f->err);
}

static void refuses(struct fixture *f, const char *text, const char *words)
{
    assert_int_equal(read_text(f, text), ERR_INVALID);
    assert_non_null(strstr(f->err.message, "/tmp/mcp.json: server \"hub\": oauth"));
    assert_non_null(strstr(f->err.message, words));
}

static void reads_every_member(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, "{\"client_id\":\"me\",\"client_secret\":\"${OAUTH_SECRET}\","
                                  "\"client_metadata_url\":\"https://me/c.json\",\"scope\":\"a b\","
                                  "\"issuer\":\"https://as\",\"grant\":\"client_credentials\","
                                  "\"callback_port\":8123,\"algorithm\":\"RS256\"}"),
                     ERR_NONE);
    assert_string_equal(f->oauth.client_id, "me");
    assert_string_equal(f->oauth.client_secret, "hush");
    assert_string_equal(f->oauth.client_metadata_url, "https://me/c.json");
    assert_string_equal(f->oauth.scope, "a b");
    assert_string_equal(f->oauth.issuer, "https://as");
    assert_string_equal(f->oauth.algorithm, "RS256");
    assert_true(f->oauth.is_machine);
    assert_int_equal(f->oauth.callback_port, 8123);
}

static void understands_what_other_hosts_write(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, "{\"clientId\":\"me\",\"clientSecret\":\"s\","
                                  "\"callbackPort\":1,\"theirOwn\":{}}"),
                     ERR_NONE);
    assert_string_equal(f->oauth.client_id, "me");
    assert_string_equal(f->oauth.client_secret, "s");
    assert_int_equal(f->oauth.callback_port, 1);
    assert_false(f->oauth.is_machine);
}

static void is_nothing_where_there_is_none(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, "null"), ERR_NONE);
    assert_int_equal(read_text(f, "{}"), ERR_NONE);
    assert_null(f->oauth.client_id);
}

static void takes_a_key_from_beside_the_file(void **state)
{
    struct fixture *f = *state;
    char path[] = "/tmp/mistro_key.XXXXXX";
    int fd = mkstemp(path);
    static const char pem[] = "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n";
    assert_int_equal(write(fd, pem, strlen(pem)), strlen(pem));
    close(fd);
    const char *name = strrchr(path, '/') + 1;
    const char *text =
        arena_printf(&f->arena, "{\"client_id\":\"me\",\"private_key_file\":\"%s\"}", name);
    assert_int_equal(read_text(f, text), ERR_NONE);
    assert_string_equal(f->oauth.private_key, pem);
    assert_int_equal(truncate(path, 5), 0);
    refuses(f, text, "private_key_file: holds no private key");
    unlink(path);
    assert_int_not_equal(read_text(f, text), ERR_NONE);
    assert_non_null(strstr(f->err.message, "oauth: private_key_file"));
}

static void names_what_is_wrong_and_no_secret(void **state)
{
    struct fixture *f = *state;
    refuses(f, "7", "must be an object");
    refuses(f, "{\"client_id\":7}", "client_id: must be text");
    refuses(f, "{\"client_id\":\"\"}", "client_id: must be 1 to 4096");
    refuses(f, "{\"client_id\":\"a\\nb\"}", "client_id: must be 1 to 4096");
    refuses(f, "{\"client_id\":\"a\",\"client_secret\":\"${OAUTH_UNSET}\"}", "client_secret");
    refuses(f, "{\"client_secret\":\"hush\"}", "client_id: is missing");
    assert_null(strstr(f->err.message, "hush"));
    refuses(f, "{\"grant\":\"implicit\"}", "grant: must be");
    refuses(f, "{\"grant\":\"client_credentials\",\"client_id\":\"me\"}", "needs client_id with");
    refuses(f, "{\"client_metadata_url\":\"http://me/x\"}", "client_metadata_url: must be");
    refuses(f, "{\"issuer\":\"http://as\"}", "issuer: must be an https url");
    refuses(f, "{\"algorithm\":\"HS256\"}", "algorithm: must be");
    refuses(f, "{\"callback_port\":\"80\"}", "callback_port: must be");
}

static void bounds_ports_and_texts(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, "{\"callback_port\":65535}"), ERR_NONE);
    refuses(f, "{\"callback_port\":65536}", "from 0 to 65535");
    refuses(f, "{\"callback_port\":-1}", "from 0 to 65535");
    char *longest = arena_alloc(&f->arena, 4098);
    memset(longest, 'x', 4096);
    assert_int_equal(read_text(f, arena_printf(&f->arena, "{\"client_id\":\"%s\"}", longest)),
                     ERR_NONE);
    longest[4096] = 'x';
    refuses(f, arena_printf(&f->arena, "{\"client_id\":\"%s\"}", longest), "must be 1 to 4096");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_every_member, begin, end),
        cmocka_unit_test_setup_teardown(understands_what_other_hosts_write, begin, end),
        cmocka_unit_test_setup_teardown(is_nothing_where_there_is_none, begin, end),
        cmocka_unit_test_setup_teardown(takes_a_key_from_beside_the_file, begin, end),
        cmocka_unit_test_setup_teardown(names_what_is_wrong_and_no_secret, begin, end),
        cmocka_unit_test_setup_teardown(bounds_ports_and_texts, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
