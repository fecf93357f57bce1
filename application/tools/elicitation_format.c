#include "application/tools/elicitation_format.h"
#include "domain/base/attributes.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool has_blank(const char *text)
{
    return strpbrk(text, " \t\r\n") != NULL;
}

static bool is_email(const char *text)
{
    const char *at = strrchr(text, '@');
    return at && at != text && at[1] && !has_blank(text);
}

static bool is_uri(const char *text)
{
    size_t scheme =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return isalpha((unsigned char)text[0]) && text[scheme] == ':' && text[scheme + 1] &&
           !has_blank(text);
}

static bool is_date_time(const char *text)
{
    int64_t ms;
    return rfc3339_parse(text, &ms);
}

/* A date is what makes a date-time with a time behind it. */
static bool is_date(const char *text)
{
    char whole[sizeof "2026-11-21T00:00:00Z"];
    if (strlen(text) != sizeof "2026-11-21" - 1)
        return false;
    snprintf(whole, sizeof whole, "%sT00:00:00Z", text);
    return is_date_time(whole);
}

static const struct {
    const char *format, *name;
    bool (*fits)(const char *text);
} formats[] = {
    { "email", "an e-mail address", is_email },
    { "uri", "an address such as https://example.org", is_uri },
    { "date", "a date such as 2026-11-21", is_date },
    { "date-time", "a time such as 2026-11-21T08:15:00Z", is_date_time },
};

const char *elicitation_format_name(const char *format)
{
    for (size_t i = 0; i < ARRAY_LENGTH(formats); i++)
        if (text_equal(format, formats[i].format))
            return formats[i].name;
    return NULL;
}

bool elicitation_format_fits(const char *format, const char *text)
{
    for (size_t i = 0; i < ARRAY_LENGTH(formats); i++)
        if (text_equal(format, formats[i].format))
            return formats[i].fits(text);
    return true;
}
