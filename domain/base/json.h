/* JSON text to value and back, with bounds. Nothing else in mistro calls jansson's parser.
 *
 * Sound text is read by json_build: what the scanner finds sound becomes jansson's values in the
 * same walk. jansson's own parser takes every byte through several functions and reads long strings
 * at an eighth of the speed; it reads only what is rare, or not sound and has to be explained or
 * repaired. As it recurses and refuses much that servers legally or carelessly send, nesting is
 * checked in one scan before it sees a byte, and text from outside is repaired where that loses
 * nothing but garbage: a leading BOM goes; invalid UTF-8, lone surrogates and U+0000 in names of
 * members become U+FFFD; integers beyond 64 bits become reals. */
#ifndef DOMAIN_BASE_JSON_H
#define DOMAIN_BASE_JSON_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_MAX_DEPTH 256

struct buf;

enum json_source {
    JSON_OURS,    /* our own files and arguments: no repairs, duplicate keys refused */
    JSON_FOREIGN, /* servers and models: repaired, the last of duplicate keys wins */
};

/* Parses exactly one value of any type. *out_value is owned by the caller. ERR_LIMIT when nested
 * deeper than JSON_MAX_DEPTH, else ERR_INVALID with line and column. Length bounds are the
 * caller's: a struct buf already has one. */
MUST_CHECK
enum err_code json_parse(const char *text, size_t length, enum json_source source,
                         json_t **out_value, struct err *err);

/* Parses a message of a server or a client, or a part of one: JSON_FOREIGN, and at most
 * max_values values, since each costs many times the bytes that it has as text. Strings, numbers
 * and words count as one, names of members as well, objects and arrays as two: that way one costs
 * at most about 120 bytes, beside the text of strings. ERR_LIMIT, which names mcp.max_values, when
 * there are more. */
MUST_CHECK
enum err_code json_parse_message(const char *text, size_t length, size_t max_values,
                                 json_t **out_value, struct err *err);

/* Longer foreign text is read as it is or not at all: a repaired copy and the values beside it
 * would cost too much. */
#define JSON_MAX_REPAIRED_BYTES (32 * 1024 * 1024)

/* json_parse for JSON_FOREIGN; *out_repaired says that characters had to be replaced, so that the
 * text as received is not valid JSON and must not be passed on. */
MUST_CHECK
enum err_code json_parse_foreign(const char *text, size_t length, json_t **out_value,
                                 bool *out_repaired, struct err *err);

/* The two halves of parsing, which a fuzz target holds against each other. */
/* Owned by the caller. NULL: the text is not sound, holds what is left to jansson (a number of very
 * many digits, and with JSON_OURS a duplicate key), or has more than max_values values, counted as
 * json_parse_message does. */
json_t *json_build(const char *text, size_t length, enum json_source source, size_t max_values);
/* What json_parse does with text that json_build does not read; it reads all other text as well. */
MUST_CHECK
enum err_code json_parse_by_jansson(const char *text, size_t length, enum json_source source,
                                    size_t max_values, json_t **out_value, bool *out_repaired,
                                    struct err *err);

/* True when no value in the text nests deeper than max_depth; looks at brackets outside strings. */
bool json_depth_fits(const char *text, size_t length, unsigned max_depth);

/* One line, insertion order, shortest text that reads back as the same number. Owned by the
 * caller. NULL only for NULL. */
char *json_print(const json_t *value);
char *json_print_sorted(const json_t *value); /* keys sorted: for hashes and comparisons */
/* Appends the text; the buffer must be one without a bound. */
void json_append(struct buf *out, const json_t *value);
void json_append_sorted(struct buf *out, const json_t *value);
/* A string that says so; UTF-8. */
void json_append_string(struct buf *out, const char *text);
char *json_print_pretty(const json_t *value); /* two blanks of indent */
/* JSON text as it is, but for line breaks, which can only stand between its tokens. */
MUST_CHECK
bool json_append_on_one_line(struct buf *out, const char *text, size_t length);
/* In the arena. */
char *json_print_in(struct arena *arena, const json_t *value);

/* Finds the bytes of a member's value in the text of an object, untouched. False when the text is
 * not an object or has no such member; the last of duplicate keys wins. Escaped keys are not
 * found. */
bool json_member_text(const char *text, size_t length, const char *key, const char **out_value,
                      size_t *out_length);

/* Member access that never crashes on a wrong type: NULL, the fallback, false. */
const char *json_get_string(const json_t *object, const char *key);
int64_t json_get_int(const json_t *object, const char *key, int64_t fallback);
double json_get_number(const json_t *object, const char *key, double fallback);
bool json_get_bool(const json_t *object, const char *key, bool fallback);
/* Whether the string holds U+0000, where C would cut it. */
bool json_string_has_nul(const json_t *string);

/* Whether an array has that string. */
bool json_array_has_text(const json_t *array, const char *text);
/* An array of strings; owned by the caller. */
json_t *json_from_texts(const char *const *texts, size_t n);
/* For messages and signatures, in the arena: at most 8 elements of an array, strings as they are,
 * others as JSON, each at most 40 columns; and as many names of an object's members. "" for none.
 */
const char *json_join_elements(struct arena *arena, const json_t *array, const char *between);
const char *json_join_names(struct arena *arena, const json_t *object);

/* A new reference to a value that does not change any more. NULL is fine. */
static inline json_t *json_share(const json_t *value)
{
    return json_incref((json_t *)(uintptr_t)value);
}

/* Each member of a borrowed object, in order; none when it is not an object. */
#define json_each_member(object, key, member)                                                      \
    json_object_foreach ((json_t *)(uintptr_t)(object), key, member)

/* The value with each of its strings replaced by what map gives for it (a new reference), in
 * document order. NULL as soon as map gives NULL. path: the JSON Pointer of the value, in the
 * arena; NULL where map needs none. Owned by the caller. */
typedef json_t *json_map_fn(void *context, const char *path, const json_t *string);
json_t *json_map_strings(struct arena *arena, const char *path, const json_t *value,
                         json_map_fn *map, void *context);

/* JSON Pointers (RFC 6901): the path of a member or element below another path; in the arena. */
const char *json_path_member(struct arena *arena, const char *path, const char *key);
const char *json_path_element(struct arena *arena, const char *path, size_t index);
/* The first part of a pointer that begins with '/', its escapes undone, in the arena; *path is
 * moved behind it. */
const char *json_path_part(struct arena *arena, const char **path);
/* The member or element that this part names, or NULL. */
const json_t *json_path_step(struct arena *arena, const json_t *value, const char **path);
/* The pointer of the first difference, in the order of a and then of b, in the arena; NULL where
 * they are equal. *out_count: how many values differ. */
const char *json_difference(struct arena *arena, const json_t *a, const json_t *b,
                            size_t *out_count);
/* The value a pointer names, or NULL. */
const json_t *json_path_find(const json_t *value, const char *path);

#endif
