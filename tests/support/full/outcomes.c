
#include "tests/support/full/outcomes.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void assert_text(struct peer *peer, const char *text)
{
    assert_string_equal(peer->err.message, "");
    assert_int_equal(peer->code, ERR_NONE);
    assert_string_equal(step_result_text(&peer->arena, &peer->result), text);
}

void peer_assert_text(struct peer *peer, const char *text)
{
    assert_text(peer, text);
    peer_finish(peer);
}

void remote_assert_text(struct remote *remote, const char *text)
{
    assert_text(&remote->peer, text);
    remote_finish(remote);
}

static void assert_fails(const struct peer *peer, enum err_code code, const char *words)
{
    if (!strstr(peer->err.message, words))
        fail_msg("'%s' is not in: %s", words, peer->err.message);
    assert_int_equal(peer->code, code);
}

void peer_assert_fails(struct peer *peer, enum err_code code, const char *words)
{
    assert_fails(peer, code, words);
    peer_finish(peer);
}

void remote_assert_fails(struct remote *remote, enum err_code code, const char *words)
{
    assert_fails(&remote->peer, code, words);
    remote_finish(remote);
}

const char *peer_call_recorded(struct peer *peer)
{
    peer_keep_record(peer);
    peer_run(peer, peer_call);
    return peer_record(peer);
}

size_t count_words(const char *text, const char *words)
{
    size_t n = 0;
    for (text = strstr(text, words); text; text = strstr(text + strlen(words), words))
        n++;
    return n;
}
