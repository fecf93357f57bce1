/* Ends at once and leaves a child behind that holds the pipes and ignores SIGTERM. Says its id. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    signal(SIGTERM, SIG_IGN);
    pid_t child = fork();
    while (child == 0)
        pause();
    printf("%d\n", (int)child);
    fflush(stdout);
    _exit(child < 0);
}
