/* Loaded before a program (LD_PRELOAD): the wall clock is set back by a day at its CLOCK_BACK_AT-th
 * look, or forward by CLOCK_FORWARD_DAYS. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static int looks;
    const char *at = getenv("CLOCK_BACK_AT"), *days = getenv("CLOCK_FORWARD_DAYS");
    int code = (int)syscall(SYS_clock_gettime, clock, out);
    if (clock == CLOCK_REALTIME && at && ++looks >= atoi(at))
        out->tv_sec += (days ? atoi(days) : -1) * (time_t)24 * 60 * 60;
    return code;
}
