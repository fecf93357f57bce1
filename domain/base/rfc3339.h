/* Points in time as text: RFC 3339, UTC, milliseconds ("2026-11-21T08:15:30.042Z"). Pure: the
 * clock is a port (application/ports/runtime.h). */
#ifndef DOMAIN_BASE_RFC3339_H
#define DOMAIN_BASE_RFC3339_H

#include <stdbool.h>
#include <stdint.h>

#define RFC3339_SIZE 32

/* ms since 1970-01-01T00:00:00Z; years 0001 to 9999. Returns text. */
char *rfc3339_print(int64_t ms, char text[static RFC3339_SIZE]);
/* Accepts any offset and 0-9 fraction digits; false when the text is not a date-time. */
bool rfc3339_parse(const char *text, int64_t *out_ms);
/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
int64_t rfc3339_days(int64_t year, int64_t month, int64_t day);

#endif
