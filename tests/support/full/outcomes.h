/* What became of the one call a test is about. Asserted on the main stack; those that take a peer
 * or a remote finish it, as a test's last word. */
#ifndef TESTS_SUPPORT_FULL_OUTCOMES_H
#define TESTS_SUPPORT_FULL_OUTCOMES_H

#include "tests/support/full/remote.h"

/* The call succeeded, and this is its text. */
void peer_assert_text(struct peer *peer, const char *text);
void remote_assert_text(struct remote *remote, const char *text);
/* The call ended with this code, and these words are in its message. ERR_NONE and "": it did not
 * fail. */
void peer_assert_fails(struct peer *peer, enum err_code code, const char *words);
void remote_assert_fails(struct remote *remote, enum err_code code, const char *words);

/* Calls, and returns the record of what the peer was told. */
const char *peer_call_recorded(struct peer *peer);
/* How often the words stand in a text. */
size_t count_words(const char *text, const char *words);

#endif
