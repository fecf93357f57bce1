
#include "infrastructure/mcp/oauth/store/login_book.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/remote.h"
#include <string.h>

/* Where a token goes, and what becomes of a stream that is refused for its token. */

#define EVENT(message) "event: message\ndata: " message "\n\n"
#define REFUSED                                                                                    \
    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer error=\"invalid_token\"\r\n"            \
    "Content-Length: 0\r\nConnection: close\r\n\r\n"

static const char *token; /* that the next login brings */

static void put_login(void *context, json_t *book)
{
    const struct remote *remote = context;
    const struct kept_login login = { .issuer = "https://as",
                                      .resource = remote->url,
                                      .client_id = "c",
                                      .token_endpoint = "https://as/token",
                                      .access_token = token };
    login_book_put(book, remote->url, &login);
}

static void log_in_with(struct remote *remote, const char *access_token)
{
    token = access_token;
    if (!remote->peer.logins)
        remote->peer.logins = token_store_create(remote->peer.runtime, TOKEN_STORE_FILE, NULL);
    assert_int_equal(token_store_change(remote->peer.logins, NULL, put_login, remote, NULL),
                     ERR_NONE);
}

static void finish(struct remote *remote)
{
    struct token_store *logins = remote->peer.logins;
    remote_finish(remote);
    token_store_destroy(logins);
}

static void a_token_goes_to_the_endpoint_that_a_stream_names(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    log_in_with(&remote, "first");
    mock_endpoint_add(remote.endpoint,
                      (struct mock_answer){ .path = "/mcp",
                                            .with = "GET /mcp",
                                            .type = REMOTE_EVENTS,
                                            .silent = true,
                                            .body = "event: endpoint\ndata: /post\n\n" });
    mock_endpoint_add(
        remote.endpoint,
        (struct mock_answer){
            .path = "/post",
            .status = 202,
            .body = "",
            .when = "initialize",
            .elsewhere = EVENT("{\"jsonrpc\":\"2.0\",\"id\":\"era-3\",\"result\":{"
                               "\"protocolVersion\":\"2024-11-05\",\"capabilities\":{}}}") });
    mock_endpoint_add(remote.endpoint,
                      (struct mock_answer){ .path = "/post",
                                            .when = "tools/call",
                                            .status = 202,
                                            .body = "",
                                            .elsewhere = EVENT(REMOTE_TEXT("4", "ok")) });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote.peer.code, ERR_NONE);
    const struct mock_request *requests;
    size_t n = mock_endpoint_requests(remote.endpoint, &requests), n_posts = 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(requests[i].path, "/post") == 0) {
            n_posts++;
            assert_string_equal(requests[i].authorization, "Bearer first");
        }
    assert_int_equal(n_posts, 3);
    finish(&remote);
}

static void answers_in_pieces(struct remote *remote)
{
    remote_init_legacy(remote, REMOTE_INITIALIZED("2025-11-25"));
    log_in_with(remote, "first");
    remote_answers(
        remote, "tools/call",
        (struct mock_answer){ .type = REMOTE_EVENTS, .body = "id: e7\nretry: 1\ndata: \n\n" });
}

static void an_answer_whose_rest_is_refused_is_not_asked_for_again(void **state)
{
    struct remote remote;
    (void)state;
    answers_in_pieces(&remote);
    mock_endpoint_add(remote.endpoint, (struct mock_answer){ .path = "/mcp",
                                                             .with = "Last-Event-ID: e7\r\n",
                                                             .raw = true,
                                                             .body = REFUSED });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote.peer.code, ERR_AUTH);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    assert_int_equal(remote_count(&remote, "Last-Event-ID"), 1);
    finish(&remote);
}

/* Another process logged in meanwhile. */
static const char *refuse_and_log_in(void *context, const struct mock_request *request)
{
    (void)request;
    log_in_with(context, "second");
    return REFUSED;
}

static void the_rest_of_an_answer_comes_with_another_token(void **state)
{
    struct remote remote;
    (void)state;
    answers_in_pieces(&remote);
    mock_endpoint_add(remote.endpoint, (struct mock_answer){ .path = "/mcp",
                                                             .with = "Last-Event-ID: e7\r\n",
                                                             .respond = refuse_and_log_in,
                                                             .context = &remote });
    mock_endpoint_add(remote.endpoint,
                      (struct mock_answer){ .path = "/mcp",
                                            .with = "Last-Event-ID: e7\r\n",
                                            .type = REMOTE_EVENTS,
                                            .body = "data: " REMOTE_TEXT("3", "later") "\n\n" });
    peer_run(&remote.peer, peer_call);
    assert_string_equal(step_result_text(&remote.peer.arena, &remote.peer.result), "later");
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    assert_int_equal(remote_count(&remote, "Bearer second"),
                     1 + 1); /* and the end of the session */
    finish(&remote);
}

static void a_stream_that_listens_is_opened_again_with_another_token(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    log_in_with(&remote, "first");
    mock_endpoint_add(remote.endpoint, (struct mock_answer){ .path = "/mcp",
                                                             .with = "GET /mcp",
                                                             .respond = refuse_and_log_in,
                                                             .context = &remote });
    mock_endpoint_add(remote.endpoint, (struct mock_answer){ .path = "/mcp",
                                                             .with = "GET /mcp",
                                                             .type = REMOTE_EVENTS,
                                                             .silent = true,
                                                             .body = ": hello\n\n" });
    remote_answers(
        &remote, "tools/call",
        (struct mock_answer){ .body = REMOTE_TEXT("3", "ok"), .every_ms = 50, .piece = 40 });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote.peer.code, ERR_NONE);
    assert_int_equal(remote_count(&remote, "GET /mcp"), 2);
    finish(&remote);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_goes_to_the_endpoint_that_a_stream_names),
        cmocka_unit_test(an_answer_whose_rest_is_refused_is_not_asked_for_again),
        cmocka_unit_test(the_rest_of_an_answer_comes_with_another_token),
        cmocka_unit_test(a_stream_that_listens_is_opened_again_with_another_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
