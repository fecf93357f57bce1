/* How long the jobs that need no model take, from start to exit: a consensus of two mock agents,
 * and the figure of every example, drawn by rules, with all its files: bench_figure MISTRO FOLDER,
 * where FOLDER is examples/figures. What is written goes to the current folder.
 *
 * The median of several runs, each beside its target. A busy machine misses many; CPU time, of
 * Graphviz too, tells whether the work has grown. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { RUNS = 9, MAX_LINE = 512, MAX_PATH = 4096 };
static const double consensus_ms = 50, figure_ms = 500; /* targets of medians */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const char *what, int code)
{
    fprintf(stderr, "bench_figure: %s: %s\n", what, strerror(code));
    exit(2);
}

struct series {
    double wall[RUNS], cpu[RUNS];
};

static double ms_of(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

/* Its exit status, with what it says out of the way. */
static int run(char *const *arguments, double *out_cpu_ms)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status, code;
    struct rusage used;
    if ((code = posix_spawn_file_actions_init(&actions)) ||
        (code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) ||
        (code = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)) ||
        (code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)) ||
        (code = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ)))
        die(arguments[0], code);
    posix_spawn_file_actions_destroy(&actions);
    if (wait4(child, &status, 0, &used) != child)
        die("wait", errno);
    *out_cpu_ms = ms_of(used.ru_utime) + ms_of(used.ru_stime);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* False, and no row, when it does not end well. */
static bool measure(const char *name, double target, char *const *arguments)
{
    struct series ms;
    for (int i = 0; i < RUNS; i++) {
        double begin = now_ms();
        int status = run(arguments, &ms.cpu[i]);
        ms.wall[i] = now_ms() - begin;
        if (status) {
            printf("%-34s left out: it exits with %d\n", name, status);
            return false;
        }
    }
    qsort(ms.wall, RUNS, sizeof *ms.wall, by_value);
    qsort(ms.cpu, RUNS, sizeof *ms.cpu, by_value);
    double median = ms.wall[RUNS / 2];
    printf("%-34s %10.1f %10.1f %10.1f %10.1f %10.0f  %s\n", name, median, ms.wall[0],
           ms.wall[RUNS - 1], ms.cpu[RUNS / 2], target, median <= target ? "ok" : "MISSED");
    return true;
}

static bool measure_consensus(char *mistro)
{
    char *const arguments[] = { mistro, "consensus", "--mock", "--task",
                                "2+2",  "--answer",  "4",      NULL };
    return measure("consensus --mock, 2+2", consensus_ms, arguments);
}

static bool measure_figure(char *mistro, const char *folder, char *name, char *caption)
{
    char context[MAX_PATH], title[MAX_LINE + sizeof "figure, "];
    snprintf(context, sizeof context, "%s/%s.txt", folder, name);
    snprintf(title, sizeof title, "figure, %s", name);
    char *const arguments[] = { mistro,  "-m",        "none",  "figure", "--context",
                                context, "--caption", caption, "--name", name,
                                "--out", "figures",   NULL };
    return measure(title, figure_ms, arguments);
}

/* Lines of `name|caption`. */
static bool measure_figures(char *mistro, const char *folder)
{
    char path[MAX_PATH], line[MAX_LINE];
    bool good = true;
    snprintf(path, sizeof path, "%s/captions.txt", folder);
    FILE *captions = fopen(path, "r");
    if (!captions)
        die(path, errno);
    while (fgets(line, sizeof line, captions)) {
        char *caption = strchr(line, '|');
        if (!caption)
            continue;
        *caption++ = '\0';
        caption[strcspn(caption, "\n")] = '\0';
        good = measure_figure(mistro, folder, line, caption) && good;
    }
    fclose(captions);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    printf("from start to exit, in milliseconds, %d runs each; CPU with Graphviz'\n"
           "%-34s %10s %10s %10s %10s %10s\n",
           RUNS, "", "median", "least", "most", "CPU", "target");
    bool good = measure_consensus(argv[1]);
    good = measure_figures(argv[1], argv[2]) && good;
    return !good;
}
