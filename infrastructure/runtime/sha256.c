#include "infrastructure/runtime/sha256.h"
#include <stdint.h>
#include <string.h>

#define BLOCK 64

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2). */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

static uint32_t load(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store(unsigned char *bytes, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(word >> (24 - 8 * i));
}

/* The message schedule W of 6.2.2, step 1. */
static void expand(const unsigned char *block, uint32_t w[static 64])
{
    for (unsigned t = 0; t < 16; t++)
        w[t] = load(block + 4 * (size_t)t);
    for (unsigned t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

/* v holds the standard's a to h. */
static void compress(uint32_t hash[static 8], const unsigned char *block)
{
    uint32_t w[64], v[8];
    expand(block, w);
    memcpy(v, hash, sizeof v);
    for (unsigned t = 0; t < 64; t++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t t1 = v[7] + s1 + choice + constants[t] + w[t];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (unsigned i = 0; i < 8; i++)
        hash[i] += v[i];
}

void sha256(const void *bytes, size_t length, unsigned char out_digest[static SHA256_BYTES])
{
    /* The same of the square roots of the first 8 primes (5.3.3). */
    uint32_t hash[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    const unsigned char *at = bytes;
    size_t left = length;
    for (; left >= BLOCK; at += BLOCK, left -= BLOCK)
        compress(hash, at);

    /* What is left, a one bit, zeroes, and the length in bits: one block or two (5.1.1). */
    unsigned char tail[2 * BLOCK] = { 0 };
    size_t tail_length = left + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    if (left)
        memcpy(tail, at, left);
    tail[left] = 0x80;
    store(tail + tail_length - 8, (uint32_t)((uint64_t)length >> 29));
    store(tail + tail_length - 4, (uint32_t)((uint64_t)length << 3));
    for (size_t i = 0; i < tail_length; i += BLOCK)
        compress(hash, tail + i);

    for (size_t i = 0; i < 8; i++)
        store(out_digest + 4 * i, hash[i]);
}
