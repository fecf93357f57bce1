/* Does not end with its input, and ends politely on SIGTERM. */
#include <signal.h>
#include <unistd.h>

static void on_term(int number)
{
    (void)number;
    _exit(7);
}

int main(void)
{
    signal(SIGTERM, on_term);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6)
        return 1;
    for (;;)
        pause();
}
