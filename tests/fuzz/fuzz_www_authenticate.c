/* Any bytes as WWW-Authenticate give bounded texts without U+0000, and the same when read again. */
#include "infrastructure/mcp/oauth/metadata/www_authenticate.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

static void check(const char *text)
{
    assert(!text || strlen(text) <= CHALLENGE_MAX_VALUE_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    AUTO(arena) arena = { 0 };
    struct challenge challenge = { 0 };
    const char *header = (const char *)bytes;
    www_authenticate_read(&challenge, &arena, header, length);
    struct challenge again = challenge;
    www_authenticate_read(&again, &arena, header, length);
    assert(again.scope == challenge.scope && again.error == challenge.error);
    assert(again.resource_metadata == challenge.resource_metadata);
    assert(challenge.is_bearer || !challenge.scope);
    check(challenge.scope);
    check(challenge.error);
    check(challenge.resource_metadata);
    return 0;
}
