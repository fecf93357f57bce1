/* JSON Schema validation, drafts 2020-12 and 07: what a tool's arguments, a plan, a model's answer
 * and a tool's result are held against.
 *
 * A schema is compiled once: its $ids and anchors are indexed, references are resolved without any
 * network (a reference to another host is an error of the schema; the two metaschemas are built
 * in), patterns are compiled by PCRE2 under match and depth limits. `format`, `contentEncoding`
 * and the like are annotations. Numbers compare by value (1 equals 1.0). Everything is bounded:
 * subschemas, nesting, reference hops, steps of one validation, reported errors. */
#ifndef DOMAIN_SCHEMA_JSON_SCHEMA_H
#define DOMAIN_SCHEMA_JSON_SCHEMA_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/base/problem.h"
#include <jansson.h>

struct json_schema;

#define JSON_SCHEMA_MAX_SUBSCHEMAS 20000
#define JSON_SCHEMA_MAX_DEPTH 128     /* of evaluation, references included */
#define JSON_SCHEMA_MAX_STEPS 2000000 /* subschema evaluations of one validation */
#define JSON_SCHEMA_MAX_PROBLEMS 20

/* A document that references may name by its URI, beside the built-in metaschemas. */
struct json_schema_document {
    const char *uri;
    const json_t *value; /* borrowed; must outlive the compiled schema */
};

/* Compiles; `schema` (any JSON value; only objects and booleans are schemas) is borrowed and must
 * outlive *out. No "$schema" means 2020-12. ERR_INVALID says where and why: unknown dialect,
 * unresolvable reference, a keyword of the wrong type, a pattern that is not a regular expression.
 * ERR_LIMIT when it is too large. *out is owned by the caller. */
MUST_CHECK
enum err_code json_schema_compile(const json_t *schema,
                                  const struct json_schema_document *documents, size_t n_documents,
                                  struct json_schema **out, struct err *err);
void json_schema_destroy(struct json_schema *schema); /* NULL is fine */

/* True when the value fits. Else the reasons are added to problems (may be NULL): path = JSON
 * Pointer into the value, message = what it is and what the rule asks, fix = an instruction that
 * a model can follow ("add the property \"path\" (string)"), rule = the keyword that was broken.
 * Running out of a limit counts as not fitting, with a problem that says so. */
bool json_schema_accepts(const struct json_schema *schema, const json_t *value,
                         struct problems *problems);

/* JSON equality as the specification means it: 1 and 1.0 are equal. */
bool json_schema_equal(const json_t *a, const json_t *b);

/* Convenience for one-off checks: compile, validate, destroy. A schema that does not compile is
 * ERR_INVALID; a value that does not fit is ERR_NONE with *out_accepts false. */
MUST_CHECK
enum err_code json_schema_check(const json_t *schema, const json_t *value,
                                struct problems *problems, bool *out_accepts, struct err *err);
/* ERR_INVALID as well for a value that does not fit: its first problem, with the fix as hint. */
MUST_CHECK
enum err_code json_schema_require(const json_t *schema, const json_t *value, struct err *err);

#endif
