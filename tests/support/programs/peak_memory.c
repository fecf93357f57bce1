/* Runs a command and says what its memory was at most: `peak_memory FILE COMMAND [ARGUMENT …]`
 * writes the KiB that it (or a process it waited for, if that had more) held at its peak into FILE,
 * and ends with its status. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage used;
    int status;
    if (argc < 3)
        return 64;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    FILE *file = fopen(argv[1], "w");
    if (child < 0 || !file || wait4(child, &status, 0, &used) != child)
        return 71;
    fprintf(file, "%ld\n", used.ru_maxrss);
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
