#include "domain/policy/retry.h"

bool retry_again(const struct retry_policy *policy, unsigned attempt, enum err_code code,
                 int64_t *out_delay_ms)
{
    if (!err_worth_retrying(code) || attempt >= policy->attempts)
        return false;
    int64_t delay_ms = policy->first_delay_ms;
    for (unsigned i = 1; i < attempt && delay_ms < policy->max_delay_ms; i++)
        delay_ms = delay_ms > INT64_MAX / 2 ? INT64_MAX : delay_ms * 2;
    *out_delay_ms = delay_ms < policy->max_delay_ms ? delay_ms : policy->max_delay_ms;
    return true;
}
