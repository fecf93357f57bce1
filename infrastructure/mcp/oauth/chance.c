#include "infrastructure/mcp/oauth/chance.h"
#include "domain/base/base64.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* A secret that can be guessed is worse than no program. */
char *chance_text(struct arena *arena)
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
