#include "infrastructure/net/http_proxy.h"
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *first_set(http_variable_fn *variable, const char *small, const char *capital)
{
    const char *value = variable(small);
    if ((!value || !*value) && capital)
        value = variable(capital);
    return value && *value ? value : NULL;
}

/* The host itself, or a host of that domain. */
static bool names(const char *entry, size_t length, const char *host)
{
    size_t host_length = strlen(host);
    if (length == 1 && *entry == '*')
        return true;
    while (length && *entry == '.') {
        entry++;
        length--;
    }
    if (length == 0 || length > host_length)
        return false;
    const char *end = host + host_length - length;
    return strncasecmp(end, entry, length) == 0 && (end == host || end[-1] == '.');
}

static bool is_excepted(const char *list, const char *host)
{
    static const char separators[] = ", \t";
    while (list && *list) {
        list += strspn(list, separators);
        size_t length = strcspn(list, separators);
        if (names(list, length, host))
            return true;
        list += length;
    }
    return false;
}

const char *http_proxy_choose(http_variable_fn *variable, bool is_secure, const char *host)
{
    const char *proxy = is_secure ? first_set(variable, "https_proxy", "HTTPS_PROXY")
                                  : first_set(variable, "http_proxy", NULL);
    if (!proxy)
        proxy = first_set(variable, "all_proxy", "ALL_PROXY");
    return proxy && !is_excepted(first_set(variable, "no_proxy", "NO_PROXY"), host) ? proxy : NULL;
}
