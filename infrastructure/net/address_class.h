/* What an IP address is good for: whether it lies on the public internet, on this machine, or in
 * one of the ranges that lead into somebody's own network or nowhere (the special-purpose
 * registries of IANA, RFC 6890). An IPv6 address that carries an IPv4 address is judged by that.
 * Pure: a table and a comparison of bits. */
#ifndef INFRASTRUCTURE_NET_ADDRESS_CLASS_H
#define INFRASTRUCTURE_NET_ADDRESS_CLASS_H

#include <stdint.h>

enum address_class {
    ADDRESS_PUBLIC,
    ADDRESS_LOOPBACK,
    ADDRESS_PRIVATE,     /* RFC 1918, unique local, site-local */
    ADDRESS_SHARED,      /* behind a provider's NAT, RFC 6598 */
    ADDRESS_LINK_LOCAL,  /* among them the metadata services of clouds */
    ADDRESS_UNSPECIFIED, /* which connects to this machine all the same */
    ADDRESS_MULTICAST,
    ADDRESS_RESERVED, /* broadcast, documentation, benchmarks, tunnels, unassigned */
};

enum address_class address_class_v4(const uint8_t bytes[4]);
enum address_class address_class_v6(const uint8_t bytes[16]);
/* "a private address" */
const char *address_class_words(enum address_class class);

#endif
