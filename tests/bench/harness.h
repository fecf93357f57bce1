/* harness: runs mistro, the floor and the npm SDK's clients in turns and compares what they took.
 *
 * Every figure is a ratio; trials of all sides alternate, so that a slow minute of the machine hits
 * all of them. Times between requests are read from the server's own trace. CPU time is a client's
 * own: the server's is subtracted. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { MAX_TRIALS = 64 };
enum side { FLOOR, MISTRO, SDK, SDK_2, SIDES };

struct trial {
    double wall_ms, cpu_ms, rss_kb, gap_us, span_ms;
    double whole_ms;  /* from the first call until the client let the server go */
    double server_ms; /* what the servers took to answer what was not a call */
    double asked_ms;  /* from the start until a model was asked, as WORK_DIR/asked has it */
    size_t n_calls;   /* that reached a server */
};

struct workload {
    const char *const *argv[SIDES];
    const char *input; /* of mistro */
    size_t n_trials, n_sdk_trials;
};

/* As given on the command line; node and sdk_client are NULL without an npm folder. */
extern const char *mistro, *bin_dir, *work_dir, *node, *sdk_client;
extern const char *const side_names[SIDES];

_Noreturn void die(const char *what);
double now_ms(void);
double median(double *values, size_t n);
char *path_of(const char *format, const char *a, const char *b);
void write_file(const char *path, const char *text);
/* mcpServers with n echo servers of so many tools that leave a trace. */
char *make_config(int n, int n_tools);
/* n lines of the same text, for `mistro call --batch`. */
char *repeat_line(const char *name, int n, const char *line);

/* The medians of each side over its trials, or the least of each figure: what is left when the
 * machine did nothing else. */
void measure(const struct workload *w, struct trial out[SIDES]);
void measure_best(const struct workload *w, struct trial out[SIDES]);

/* Lines of the report. A ratio is to be at most the target, or at least. */
void row(const char *what, const char *unit, double value, double other, const char *name,
         double target);
void row_at_least(const char *what, const char *unit, double value, double other, const char *name,
                  double target);
void limit(const char *what, const char *unit, double value, double most);
void at_least(const char *what, const char *unit, double value, double least);

/* The parts of the report that are files of their own. */
void bench_all_results(const char *config);
void bench_pass_through(void);
void bench_http(void);
void bench_many(void);
void bench_kept(void);
void bench_ask(void);
void bench_plans(void);
