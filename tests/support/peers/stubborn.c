/* Ends neither with its input nor on SIGTERM: only SIGKILL helps. */
#include <signal.h>
#include <unistd.h>

int main(void)
{
    signal(SIGTERM, SIG_IGN);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6)
        return 1;
    for (;;)
        pause();
}
