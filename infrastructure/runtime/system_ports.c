/* The ids and the digest port. An id is milliseconds since 1970 in base 32, then 50 bits from
 * getrandom(2). SHA-256 is nettle's. */
#include "infrastructure/runtime/system_ports.h"
#include "domain/base/base64.h"
#include <errno.h>
#include <nettle/sha2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* 9 digits of base 32 hold milliseconds until the year 3084, so that ids sort by age. */
#define TIME_DIGITS 9
#define CHANCE_DIGITS 10
_Static_assert(TIME_DIGITS + CHANCE_DIGITS < ID_SIZE, "an id with its NUL");

/* In the order of ASCII, and without i, l, o and u, which are misread. */
static const char base32[] = "0123456789abcdefghjkmnpqrstvwxyz";

static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* An id that may collide, or a secret that can be guessed, is worse than no program. */
static void take_chance(void *bits, size_t n)
{
    while (getrandom(bits, n, 0) != (ssize_t)n) {
        if (errno == EINTR)
            continue;
        perror("mistro: getrandom");
        abort();
    }
}

static char *print_digits(char *end, uint64_t number, unsigned n)
{
    while (n-- > 0) {
        *--end = base32[number % 32];
        number /= 32;
    }
    return end;
}

static void fresh(struct ids *ids, char out_id[static ID_SIZE])
{
    (void)ids;
    char *end = out_id + TIME_DIGITS + CHANCE_DIGITS;
    uint64_t bits;
    take_chance(&bits, sizeof bits);
    *end = '\0';
    end = print_digits(end, bits, CHANCE_DIGITS);
    (void)print_digits(end, milliseconds(), TIME_DIGITS);
}

static void secret(struct ids *ids, char out_secret[static SECRET_SIZE])
{
    AUTO(arena) scratch = { 0 };
    unsigned char bits[32];
    (void)ids;
    take_chance(bits, sizeof bits);
    memcpy(out_secret, base64url_text(&scratch, bits, sizeof bits), SECRET_SIZE);
}

struct ids *system_ids(void)
{
    static const struct ids_ops ops = { .fresh = fresh, .secret = secret };
    static struct ids ids = { .ops = &ops };
    return &ids;
}

static void print_hex(const unsigned char *bytes, char out_hex[static DIGEST_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_DIGEST_SIZE; i++) {
        out_hex[2 * i] = digits[bytes[i] >> 4];
        out_hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    out_hex[DIGEST_HEX_SIZE - 1] = '\0';
}

static void sha256(struct digest *port, const void *bytes, size_t length,
                   char out_hex[static DIGEST_HEX_SIZE])
{
    unsigned char result[SHA256_DIGEST_SIZE];
    struct sha256_ctx state;
    (void)port;
    sha256_init(&state);
    sha256_update(&state, length, bytes);
    sha256_digest(&state, sizeof result, result);
    print_hex(result, out_hex);
}

struct digest *system_digest(void)
{
    static const struct digest_ops ops = { .sha256 = sha256 };
    static struct digest digest = { .ops = &ops };
    return &digest;
}
