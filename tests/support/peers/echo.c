/* Writes back what it reads, and ends with its input. */
#include <unistd.h>

int main(void)
{
    static char bytes[65536];
    ssize_t n;
    while ((n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        for (ssize_t done = 0, part; done < n; done += part)
            if ((part = write(STDOUT_FILENO, bytes + done, (size_t)(n - done))) < 0)
                return 1;
    return 0;
}
