#include "infrastructure/mcp/oauth/random_token.h"
#include "domain/base/base64.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* Ending the program is better than a secret that can be guessed. */
char *random_token(struct arena *arena)
{
    unsigned char bits[32];
    while (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        if (errno == EINTR)
            continue;
        perror("mistro: getrandom");
        abort();
    }
    return base64url_text(arena, bits, sizeof bits);
}
