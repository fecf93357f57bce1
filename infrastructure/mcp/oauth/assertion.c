#include "infrastructure/mcp/oauth/assertion.h"
#include "domain/base/base64.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/chance.h"
#include "infrastructure/mcp/oauth/signature.h"
#include <string.h>

enum err_code client_assertion(const struct client_identity *client, const char *audience,
                               int64_t now_seconds, struct arena *arena, const char **out,
                               struct err *err)
{
    const char *algorithm = client->algorithm ? client->algorithm : "ES256";
    json_auto_t *header = json_pack("{s:s, s:s}", "alg", algorithm, "typ", "JWT");
    int64_t until_seconds = now_seconds + ASSERTION_SECONDS;
    json_auto_t *claims = json_pack("{s:s, s:s, s:s, s:I, s:I, s:s}", "iss", client->id, "sub",
                                    client->id, "aud", audience, "iat", (json_int_t)now_seconds,
                                    "exp", (json_int_t)until_seconds, "jti", chance_text(arena));
    const char *head = json_print_in(arena, header), *body = json_print_in(arena, claims);
    const char *message = arena_printf(arena, "%s.%s", base64url_text(arena, head, strlen(head)),
                                       base64url_text(arena, body, strlen(body)));
    unsigned char *bytes = NULL;
    size_t length = 0;
    enum err_code r = signature_make(client->private_key, text_equal(algorithm, "ES256"), message,
                                     arena, &bytes, &length, err);
    if (r)
        return err_prefix(err, r, "oauth");
    *out = arena_printf(arena, "%s.%s", message, base64url_text(arena, bytes, length));
    return ERR_NONE;
}
