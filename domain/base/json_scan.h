/* A walk over JSON text that finds it sound or not, and where its values stand, without making
 * anything of them. The caller decides which objects and arrays to enter and which values to pass;
 * all of the text is looked at exactly once.
 *
 *     json_scan_begin(&scan, text, length);
 *     if (json_scan_enter(&scan, '{'))
 *         while (json_scan_member(&scan, &key))
 *             json_scan_value(&scan, json_string_is(key, "id") ? &id : &other);
 *     if (json_scan_end(&scan) == JSON_SOUND) …
 *
 * What it finds sound is what json_parse_foreign reads without replacing anything, and what it
 * finds malformed or too deep is refused there as well: the two are fuzzed side by side. After a
 * flaw nothing is left to walk, so loops end by themselves and the verdict is asked for once. Of
 * duplicate keys the last one counts, which is for the caller to see to: later ones overwrite. */
#ifndef DOMAIN_BASE_JSON_SCAN_H
#define DOMAIN_BASE_JSON_SCAN_H

#include "domain/base/json.h"
#include "domain/base/json_string.h"
#include <stdint.h>

struct json_scan {
    const char *at, *end;
    enum json_verdict verdict; /* so far */

    /* Private. */
    unsigned depth;
    bool is_first; /* nothing of the innermost object or array was walked yet */
    uint64_t objects[JSON_MAX_DEPTH / 64]; /* one bit per level: an object, or else an array */
};

/* Skips a leading BOM. */
void json_scan_begin(struct json_scan *scan, const char *text, size_t length);
/* The first character of what comes next, 0 at the end; scan->at is there then. */
char json_scan_peek(struct json_scan *scan);
/* Goes into an object ('{') or an array ('['). False, and nothing happened: the next value is
 * something else. */
bool json_scan_enter(struct json_scan *scan, char bracket);
/* To the value of the next member of the object that was entered, or the next element of the array.
 * False at the end of it, which is left then, and at a flaw. */
bool json_scan_member(struct json_scan *scan, struct json_slice *out_key);
bool json_scan_element(struct json_scan *scan);
/* Passes the next value, whatever it is. At a flaw *out is untouched. */
void json_scan_value(struct json_scan *scan, struct json_slice *out);
/* Nothing else may follow. */
enum json_verdict json_scan_end(struct json_scan *scan);

/* Of an object that was found sound already: the value of a member; zeroed when there is none, or
 * when the value is not an object. */
struct json_slice json_slice_member(struct json_slice object, const char *key);

#endif
