#include "infrastructure/net/address_class.h"
#include "domain/base/attributes.h"
#include <stdbool.h>
#include <stddef.h>

struct range {
    uint8_t bytes[16];
    unsigned bits;
    enum address_class class;
};

/* Everything else is public. */
static const struct range v4_ranges[] = {
    { { 0 }, 8, ADDRESS_UNSPECIFIED },         { { 10 }, 8, ADDRESS_PRIVATE },
    { { 100, 64 }, 10, ADDRESS_SHARED },       { { 127 }, 8, ADDRESS_LOOPBACK },
    { { 169, 254 }, 16, ADDRESS_LINK_LOCAL },  { { 172, 16 }, 12, ADDRESS_PRIVATE },
    { { 192, 0, 0 }, 24, ADDRESS_RESERVED },   { { 192, 0, 2 }, 24, ADDRESS_RESERVED },
    { { 192, 88, 99 }, 24, ADDRESS_RESERVED }, { { 192, 168 }, 16, ADDRESS_PRIVATE },
    { { 198, 18 }, 15, ADDRESS_RESERVED },     { { 198, 51, 100 }, 24, ADDRESS_RESERVED },
    { { 203, 0, 113 }, 24, ADDRESS_RESERVED }, { { 224 }, 4, ADDRESS_MULTICAST },
    { { 240 }, 4, ADDRESS_RESERVED },
};

/* The first that fits counts, and what fits none is not assigned. */
static const struct range v6_ranges[] = {
    { { 0 }, 128, ADDRESS_UNSPECIFIED },
    { { [15] = 1 }, 128, ADDRESS_LOOPBACK },
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32, ADDRESS_RESERVED },
    { { 0x20, 0x01 }, 23, ADDRESS_RESERVED },
    { { 0x3f, 0xff }, 20, ADDRESS_RESERVED },
    { { 0x20 }, 3, ADDRESS_PUBLIC },
    { { 0xfc }, 7, ADDRESS_PRIVATE },
    { { 0xfe, 0x80 }, 10, ADDRESS_LINK_LOCAL },
    { { 0xfe, 0xc0 }, 10, ADDRESS_PRIVATE },
    { { 0xff }, 8, ADDRESS_MULTICAST },
};

/* Prefixes behind which an IPv4 address stands: 6to4 and NAT64. */
static const struct carrier {
    uint8_t prefix[16];
    unsigned bits;
    size_t at;
} carriers[] = {
    { { 0x20, 0x02 }, 16, 2 },
    { { 0x00, 0x64, 0xff, 0x9b }, 96, 12 },
};

static bool starts_with(const uint8_t *bytes, const uint8_t *prefix, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    for (unsigned i = 0; i < whole; i++)
        if (bytes[i] != prefix[i])
            return false;
    return rest == 0 || (bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0;
}

static enum address_class find(const struct range *ranges, size_t n, const uint8_t *bytes,
                               enum address_class otherwise)
{
    for (size_t i = 0; i < n; i++)
        if (starts_with(bytes, ranges[i].bytes, ranges[i].bits))
            return ranges[i].class;
    return otherwise;
}

enum address_class address_class_v4(const uint8_t bytes[4])
{
    return find(v4_ranges, ARRAY_LENGTH(v4_ranges), bytes, ADDRESS_PUBLIC);
}

/* The loopback address of whoever translates it is not ours. */
static enum address_class class_of_carried(const uint8_t *bytes)
{
    enum address_class class = address_class_v4(bytes);
    return class == ADDRESS_LOOPBACK ? ADDRESS_RESERVED : class;
}

enum address_class address_class_v6(const uint8_t bytes[16])
{
    static const uint8_t mapped[16] = { [10] = 0xff, [11] = 0xff };
    if (starts_with(bytes, mapped, 96))
        return address_class_v4(bytes + 12);
    for (size_t i = 0; i < ARRAY_LENGTH(carriers); i++)
        if (starts_with(bytes, carriers[i].prefix, carriers[i].bits))
            return class_of_carried(bytes + carriers[i].at);
    return find(v6_ranges, ARRAY_LENGTH(v6_ranges), bytes, ADDRESS_RESERVED);
}

const char *address_class_words(enum address_class class)
{
    static const char *const words[] = {
        [ADDRESS_PUBLIC] = "a public address",
        [ADDRESS_LOOPBACK] = "an address of this machine",
        [ADDRESS_PRIVATE] = "an address of a private network",
        [ADDRESS_SHARED] = "an address of a provider's network",
        [ADDRESS_LINK_LOCAL] = "an address of this machine's network",
        [ADDRESS_UNSPECIFIED] = "no address of a server",
        [ADDRESS_MULTICAST] = "an address of many machines",
        [ADDRESS_RESERVED] = "a reserved address",
    };
    return words[class];
}
