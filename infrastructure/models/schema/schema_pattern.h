/* A regular expression of a schema as engines of constrained decoding take it: anchored at both
 * ends, and of literals, classes, groups and quantifiers only. Where one can say more, there is no
 * pattern: an engine would ignore it, refuse the schema, or (for a class that holds a quotation
 * mark, a backslash or a control character) write a string that is no JSON. Pure. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_PATTERN_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_PATTERN_H

#define SCHEMA_PATTERN_MAX_BYTES 4096
#define SCHEMA_PATTERN_MAX_GROUPS 16   /* inside each other */
#define SCHEMA_PATTERN_MAX_LENGTH 2000 /* of what counted repetitions spell out */

/* Owned by the caller; NULL when there is no such pattern. */
char *schema_pattern_lower(const char *pattern);

#endif
