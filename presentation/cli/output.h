/* How commands speak: the answer to stdout, everything else to stderr. Text from tools, servers,
 * models and files is escaped on its way to a terminal and passed as it is into a pipe. */
#ifndef PRESENTATION_CLI_OUTPUT_H
#define PRESENTATION_CLI_OUTPUT_H

#include "domain/base/err.h"
#include "domain/base/json_string.h"
#include "presentation/cli/cli.h"
#include <jansson.h>

/* Our own words. Formatted text is bounded by OUTPUT_LINE_BYTES; longer text goes through
 * output_text. False once stdout is closed: stop quietly. */
#define OUTPUT_LINE_BYTES 65536
#define OUTPUT_DIFFERENCE_BYTES (64 * 1024 * 1024) /* what became of one server's tools */
bool output_line(struct cli *cli, const char *format, ...) PRINTF_LIKE(2, 3);
/* Foreign text, and a newline when it does not end with one. */
bool output_text(struct cli *cli, const char *text, size_t length);
/* Foreign text to decide by: on a terminal behind a bar, where it cannot pass for mistro's words;
 * what a line is folded into is indented by so many columns. */
bool output_quote(struct cli *cli, const char *text, unsigned indent);
/* output_text of what a JSON string says, which is decoded on its way out. */
bool output_string(struct cli *cli, struct json_slice string);
/* One JSON value and a newline: compact in a pipe, indented on a terminal. */
bool output_json(struct cli *cli, const json_t *value);
/* output_json of a value that is given as its text, on one line. */
bool output_json_text(struct cli *cli, const char *text, size_t length);
/* Bytes as they are, to stdout or the file of -o (as files_write; "-" is stdout). */
enum err_code output_bytes(struct cli *cli, const char *bytes, size_t length, struct err *err);
/* Before the work: ERR_INVALID where the file of -o could not be written after it. */
MUST_CHECK enum err_code output_check(const struct arguments *args, struct err *err);

/* What a command was run for, to stdout or the file of -o, its last line ended. */
MUST_CHECK enum err_code output_result_text(struct cli *cli, const char *text, struct err *err);
/* The result as one JSON value: with --events the event that ends stdout, else to stdout or the
 * file of -o. Steals value. Returns status, or the exit status of a file that cannot be written. */
int output_result_json(struct cli *cli, json_t *value, int status);
/* output_json of a value that is stolen; returns status. */
int output_status_json(struct cli *cli, json_t *value, int status);

/* A line on stderr unless -q; format is ours, foreign strings in it were made safe by the caller
 * (text_one_line). */
void output_note(struct cli *cli, const char *format, ...) PRINTF_LIKE(2, 3);
/* A line on stderr with -q as well: what a person must read to go on. */
void output_notice(struct cli *cli, const char *format, ...) PRINTF_LIKE(2, 3);
void output_warning(struct cli *cli, const char *text);
/* With --events the last line of stdout: {"v":1,"event":"result","result":value}. Steals value. */
void output_result_event(struct cli *cli, json_t *value);
/* "mistro: what failed: why" and the line that says what to do next; or {"error":…} on stdout with
 * --json, as the last line with --events. Returns the exit status. */
int output_error(struct cli *cli, const struct err *err);
/* The lines on stderr in any case, beside a result that is printed as JSON. */
int output_error_text(struct cli *cli, const struct err *err);
/* output_error before there is a cli. */
/* Which settings and servers were named, as flags that a command in a hint needs as well; each with
 * a blank before it. */
const char *output_file_flags(struct arena *arena, const struct arguments *args);
/* A text that ends with the command `mistro servers review`, or with a `mistro runs resume` whose
 * answer is left open, gets those flags. */
const char *output_with_flags(struct arena *arena, const struct arguments *args, const char *text);
int output_early_error(const struct err *err, const struct arguments *args);
/* How long ago that was: "90 s ago", "12 days ago". In the arena of the cli. */
const char *output_age(struct cli *cli, int64_t then_ms);
/* What a list says of a server that could not be reached; a new value. */
json_t *output_failure_json(const char *server, const struct err *err);

#endif
