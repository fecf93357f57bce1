#include "domain/base/rfc3339.h"
#include <ctype.h>
#include <stdio.h>

int64_t rfc3339_days(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

char *rfc3339_print(int64_t ms, char text[static RFC3339_SIZE])
{
    int64_t days = ms / 86400000, rest = ms % 86400000;
    if (rest < 0) {
        rest += 86400000;
        days--;
    }
    int64_t shifted = days + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t day_of_era = shifted - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_index = (5 * day_of_year + 2) / 153;
    int64_t day = day_of_year - (153 * month_index + 2) / 5 + 1;
    int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
    int64_t year = year_of_era + era * 400 + (month <= 2);
    snprintf(text, RFC3339_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int)year, (int)month,
             (int)day, (int)(rest / 3600000), (int)(rest / 60000 % 60), (int)(rest / 1000 % 60),
             (int)(rest % 1000));
    return text;
}

static bool read_digits(const char **at, int n, int64_t *out)
{
    int64_t value = 0;
    for (int i = 0; i < n; i++, (*at)++) {
        if (!isdigit((unsigned char)**at))
            return false;
        value = value * 10 + (**at - '0');
    }
    *out = value;
    return true;
}

static bool read_offset(const char **at, int64_t *out_minutes)
{
    if (**at == 'Z' || **at == 'z') {
        (*at)++;
        *out_minutes = 0;
        return true;
    }
    int64_t sign = **at == '+' ? 1 : **at == '-' ? -1 : 0, hours, minutes;
    if (!sign)
        return false;
    (*at)++;
    if (!read_digits(at, 2, &hours) || *(*at)++ != ':' || !read_digits(at, 2, &minutes))
        return false;
    *out_minutes = sign * (hours * 60 + minutes);
    return hours < 24 && minutes < 60;
}

static bool date_exists(int64_t year, int64_t month, int64_t day)
{
    static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    if (year < 1 || month < 1 || month > 12 || day < 1)
        return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= lengths[month - 1] + (month == 2 && leap);
}

bool rfc3339_parse(const char *text, int64_t *out_ms)
{
    const char *at = text;
    int64_t year, month, day, hour, minute, second, fraction = 0, offset;
    if (!read_digits(&at, 4, &year) || *at++ != '-' || !read_digits(&at, 2, &month) ||
        *at++ != '-' || !read_digits(&at, 2, &day) || (*at != 'T' && *at != 't' && *at != ' '))
        return false;
    at++;
    if (!read_digits(&at, 2, &hour) || *at++ != ':' || !read_digits(&at, 2, &minute) ||
        *at++ != ':' || !read_digits(&at, 2, &second))
        return false;
    if (*at == '.') {
        int digits = 0;
        for (at++; isdigit((unsigned char)*at) && digits < 9; at++, digits++)
            if (digits < 3)
                fraction = fraction * 10 + (*at - '0');
        if (!digits)
            return false;
        for (; digits < 3; digits++)
            fraction *= 10;
    }
    if (!read_offset(&at, &offset) || *at || !date_exists(year, month, day) || hour > 23 ||
        minute > 59 || second > 60)
        return false;
    int64_t seconds = rfc3339_days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    *out_ms = (seconds - offset * 60) * 1000 + fraction;
    return true;
}
