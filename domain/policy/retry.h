/* When to try again: exponential back-off, decided by the error's code and the number of attempts.
 * Whether it is harmless to do so is the caller's to know. Pure: the waiting is the caller's. */
#ifndef DOMAIN_POLICY_RETRY_H
#define DOMAIN_POLICY_RETRY_H

#include "domain/base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct retry_policy {
    unsigned attempts;      /* in all; 1 = no retry */
    int64_t first_delay_ms; /* doubles each time */
    int64_t max_delay_ms;
};

/* attempt = how many were made (1, 2, …). True: wait *out_delay_ms, then try again. */
bool retry_again(const struct retry_policy *policy, unsigned attempt, enum err_code code,
                 int64_t *out_delay_ms);

#endif
