/* What the files of the JSON Schema validator share.
 *
 * One table of keywords (json_schema_keywords.c) says for each keyword in which dialects it
 * lives, which shape its value has and which function evaluates it; compiling and evaluating
 * follow that table. Compiling (json_schema_compile.c) makes a graph of nodes: one per subschema
 * and resource, each with its rules in the table's order, children and references resolved.
 * json_schema_reference.c finds the subschema that a reference names. json_schema_evaluate.c walks
 * a value along the nodes, and json_schema_problems.c words what does not fit. Nothing here is
 * seen outside domain/schema/json_schema*.c. */
#ifndef DOMAIN_SCHEMA_JSON_SCHEMA_INTERNAL_H
#define DOMAIN_SCHEMA_JSON_SCHEMA_INTERNAL_H

#include "domain/base/embedded_file.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include <stdbool.h>
#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Bounds that no caller needs to know. */
#define JSON_SCHEMA_MAX_PATTERN_BYTES 10000
#define JSON_SCHEMA_MATCH_LIMIT 50000   /* backtracking of one match */
#define JSON_SCHEMA_MATCH_DEPTH 10000   /* nested backtracking of one match */
#define JSON_SCHEMA_MATCH_HEAP_KIB 4096 /* memory of one match */
#define JSON_SCHEMA_MAX_URI_BYTES 4096
#define JSON_SCHEMA_MAX_METASCHEMA_HOPS 8 /* a metaschema of a metaschema of … */

enum dialect { DIALECT_2020_12 = 1, DIALECT_DRAFT_07 = 2, DIALECT_BOTH = 3 };
enum vocabulary {
    VOCABULARY_CORE = 1,
    VOCABULARY_APPLICATOR = 2,
    VOCABULARY_UNEVALUATED = 4,
    VOCABULARY_VALIDATION = 8,
    VOCABULARY_ALL = 15
};

/* What the value of a keyword looks like, and where subschemas are in it. */
enum shape {
    SHAPE_SCHEMA,
    SHAPE_SCHEMAS,      /* array of schemas, not empty */
    SHAPE_SCHEMA_MAP,   /* object of schemas */
    SHAPE_PATTERN_MAP,  /* object of schemas, its keys are patterns */
    SHAPE_ITEMS,        /* a schema or an array of schemas */
    SHAPE_DEPENDENCIES, /* object of schemas and arrays of names */
    SHAPE_REFERENCE,
    SHAPE_DYNAMIC_REFERENCE,
    SHAPE_PATTERN,
    SHAPE_NUMBER,
    SHAPE_POSITIVE,
    SHAPE_COUNT,
    SHAPE_BOOLEAN,
    SHAPE_STRING,
    SHAPE_NAMES,     /* array of strings */
    SHAPE_NAMES_MAP, /* object of arrays of strings */
    SHAPE_TYPE,
    SHAPE_ARRAY,
    SHAPE_ANY,
};

/* X(identifier, name, dialects, vocabulary, shape, function that evaluates it or NULL), in the
 * order of evaluation: `unevaluated…` must see what all others have evaluated. */
#define KEYWORDS(X)                                                                                \
    X(SCHEMA, "$schema", BOTH, CORE, STRING, NULL)                                                 \
    X(ID, "$id", BOTH, CORE, STRING, NULL)                                                         \
    X(ANCHOR, "$anchor", 2020_12, CORE, STRING, NULL)                                              \
    X(DYNAMIC_ANCHOR, "$dynamicAnchor", 2020_12, CORE, STRING, NULL)                               \
    X(DEFS, "$defs", 2020_12, CORE, SCHEMA_MAP, NULL)                                              \
    X(DEFINITIONS, "definitions", BOTH, CORE, SCHEMA_MAP, NULL)                                    \
    X(REF, "$ref", BOTH, CORE, REFERENCE, rule_ref)                                                \
    X(DYNAMIC_REF, "$dynamicRef", 2020_12, CORE, DYNAMIC_REFERENCE, rule_dynamic_ref)              \
    X(TYPE, "type", BOTH, VALIDATION, TYPE, rule_type)                                             \
    X(ENUM, "enum", BOTH, VALIDATION, ARRAY, rule_enum)                                            \
    X(CONST, "const", BOTH, VALIDATION, ANY, rule_const)                                           \
    X(MULTIPLE_OF, "multipleOf", BOTH, VALIDATION, POSITIVE, rule_multiple_of)                     \
    X(MAXIMUM, "maximum", BOTH, VALIDATION, NUMBER, rule_maximum)                                  \
    X(EXCLUSIVE_MAXIMUM, "exclusiveMaximum", BOTH, VALIDATION, NUMBER, rule_exclusive_maximum)     \
    X(MINIMUM, "minimum", BOTH, VALIDATION, NUMBER, rule_minimum)                                  \
    X(EXCLUSIVE_MINIMUM, "exclusiveMinimum", BOTH, VALIDATION, NUMBER, rule_exclusive_minimum)     \
    X(MAX_LENGTH, "maxLength", BOTH, VALIDATION, COUNT, rule_length)                               \
    X(MIN_LENGTH, "minLength", BOTH, VALIDATION, COUNT, rule_length)                               \
    X(PATTERN, "pattern", BOTH, VALIDATION, PATTERN, rule_pattern)                                 \
    X(REQUIRED, "required", BOTH, VALIDATION, NAMES, rule_required)                                \
    X(MAX_PROPERTIES, "maxProperties", BOTH, VALIDATION, COUNT, rule_n_properties)                 \
    X(MIN_PROPERTIES, "minProperties", BOTH, VALIDATION, COUNT, rule_n_properties)                 \
    X(DEPENDENT_REQUIRED, "dependentRequired", 2020_12, VALIDATION, NAMES_MAP,                     \
      rule_dependent_required)                                                                     \
    X(MAX_ITEMS, "maxItems", BOTH, VALIDATION, COUNT, rule_n_items)                                \
    X(MIN_ITEMS, "minItems", BOTH, VALIDATION, COUNT, rule_n_items)                                \
    X(UNIQUE_ITEMS, "uniqueItems", BOTH, VALIDATION, BOOLEAN, rule_unique_items)                   \
    X(PROPERTIES, "properties", BOTH, APPLICATOR, SCHEMA_MAP, rule_properties)                     \
    X(PATTERN_PROPERTIES, "patternProperties", BOTH, APPLICATOR, PATTERN_MAP,                      \
      rule_pattern_properties)                                                                     \
    X(ADDITIONAL_PROPERTIES, "additionalProperties", BOTH, APPLICATOR, SCHEMA,                     \
      rule_additional_properties)                                                                  \
    X(PROPERTY_NAMES, "propertyNames", BOTH, APPLICATOR, SCHEMA, rule_property_names)              \
    X(DEPENDENT_SCHEMAS, "dependentSchemas", 2020_12, APPLICATOR, SCHEMA_MAP,                      \
      rule_dependent_schemas)                                                                      \
    X(DEPENDENCIES, "dependencies", DRAFT_07, APPLICATOR, DEPENDENCIES, rule_dependencies)         \
    X(PREFIX_ITEMS, "prefixItems", 2020_12, APPLICATOR, SCHEMAS, rule_prefix_items)                \
    X(ITEMS, "items", 2020_12, APPLICATOR, SCHEMA, rule_items)                                     \
    X(ITEMS_07, "items", DRAFT_07, APPLICATOR, ITEMS, rule_items_07)                               \
    X(ADDITIONAL_ITEMS, "additionalItems", DRAFT_07, APPLICATOR, SCHEMA, rule_additional_items)    \
    X(CONTAINS, "contains", BOTH, APPLICATOR, SCHEMA, rule_contains)                               \
    X(MIN_CONTAINS, "minContains", 2020_12, VALIDATION, COUNT, NULL)                               \
    X(MAX_CONTAINS, "maxContains", 2020_12, VALIDATION, COUNT, NULL)                               \
    X(ALL_OF, "allOf", BOTH, APPLICATOR, SCHEMAS, rule_all_of)                                     \
    X(ANY_OF, "anyOf", BOTH, APPLICATOR, SCHEMAS, rule_any_of)                                     \
    X(ONE_OF, "oneOf", BOTH, APPLICATOR, SCHEMAS, rule_one_of)                                     \
    X(NOT, "not", BOTH, APPLICATOR, SCHEMA, rule_not)                                              \
    X(IF, "if", BOTH, APPLICATOR, SCHEMA, rule_if)                                                 \
    X(THEN, "then", BOTH, APPLICATOR, SCHEMA, NULL)                                                \
    X(ELSE, "else", BOTH, APPLICATOR, SCHEMA, NULL)                                                \
    X(UNEVALUATED_ITEMS, "unevaluatedItems", 2020_12, UNEVALUATED, SCHEMA, rule_unevaluated_items) \
    X(UNEVALUATED_PROPERTIES, "unevaluatedProperties", 2020_12, UNEVALUATED, SCHEMA,               \
      rule_unevaluated_properties)

enum keyword_id {
#define X(id, ...) KEYWORD_##id,
    KEYWORDS(X)
#undef X
        KEYWORD_COUNT
};

struct node;
struct rule;
struct evaluation;
struct frame;

/* Whether the value of the frame fits the rule; reports where it does not. */
typedef bool rule_function(struct evaluation *e, const struct frame *frame,
                           const struct rule *rule);
rule_function rule_ref, rule_dynamic_ref, rule_type, rule_enum, rule_const, rule_multiple_of,
    rule_maximum, rule_exclusive_maximum, rule_minimum, rule_exclusive_minimum, rule_length,
    rule_pattern, rule_required, rule_n_properties, rule_dependent_required, rule_n_items,
    rule_unique_items, rule_properties, rule_pattern_properties, rule_additional_properties,
    rule_property_names, rule_dependent_schemas, rule_dependencies, rule_prefix_items, rule_items,
    rule_items_07, rule_additional_items, rule_contains, rule_all_of, rule_any_of, rule_one_of,
    rule_not, rule_if, rule_unevaluated_items, rule_unevaluated_properties;

struct keyword {
    enum keyword_id id;
    const char *name;
    enum dialect dialects;
    enum vocabulary vocabulary;
    enum shape shape;
    rule_function *evaluate;
};
extern const struct keyword schema_keywords[KEYWORD_COUNT];

/* A schema with a URI of its own: the root of a document, or what an $id starts. */
struct resource {
    const char *uri; /* absolute, without fragment; "" for a root without $id */
    const json_t *root;
    enum dialect dialect;
    unsigned vocabularies;
    struct dynamic_anchor *dynamic_anchors;
};

struct dynamic_anchor {
    struct dynamic_anchor *next;
    const char *name;
    struct node *node;
};

/* A value within a resource. */
struct place {
    const json_t *value;
    struct resource *resource;
};

struct child {
    const char *name;    /* key of a map, NULL in arrays */
    struct node *node;   /* NULL for the list of names in draft-07 dependencies */
    pcre2_code *pattern; /* SHAPE_PATTERN_MAP and SHAPE_PATTERN */
};

struct rule {
    const struct keyword *keyword;
    const json_t *value;
    struct child *children; /* maps: sorted by name */
    size_t n_children;
    unsigned types;                 /* of `type`: bits by json_type, see TYPE_BIT */
    uint64_t *hashes;               /* of the values of an enum */
    struct dynamic_anchor *bookend; /* of a $dynamicRef that starts at a $dynamicAnchor */
};

/* "integer" is a bit of its own; JSON_REAL stands for "number", JSON_TRUE for "boolean". */
#define TYPE_BIT(type) (1u << (type))

struct node {
    struct place place;
    const struct node *parent; /* with keyword and token: where it stands; NULL for a target */
    const char *keyword;
    const char *token; /* below the keyword, or NULL */
    struct rule *rules;
    size_t n_rules;
    bool is_boolean, accepts; /* the schemas true and false */
    bool tracks;              /* has an unevaluated… rule */
    struct node *next_queued;
};

struct json_schema {
    struct arena arena;
    struct node *root;
    const struct json_schema_document *documents;
    size_t n_documents;
    struct resource **resources; /* by the indices in `uris` */
    size_t n_resources, resource_capacity;
    json_t *uris;          /* URI -> index */
    struct place *anchors; /* by the indices in `anchor_uris` */
    size_t n_anchors, anchor_capacity;
    json_t *anchor_uris; /* URI#name -> index */
    size_t n_indexed;    /* subschemas seen by the index */
    struct node **table; /* open addressing by place */
    size_t table_size, n_nodes;
    struct node *first_queued, *last_queued;
    pcre2_code **patterns;
    size_t n_patterns, pattern_capacity;
};

static inline bool schema_is_schema(const json_t *value)
{
    return json_is_object(value) || json_is_boolean(value);
}

/* json_schema_keywords.c */
/* NULL when the value has the shape, else what it must be ("an array of strings"). */
const char *schema_shape_wants(enum shape shape, const json_t *value);
/* Calls visit for each subschema in a value of that shape; token is the name or NULL, index the
 * position. Stops at the first error. */
typedef enum err_code schema_visitor(void *context, const json_t *subschema, const char *token,
                                     size_t index, struct err *err);
enum err_code schema_shape_visit(enum shape shape, const json_t *value, schema_visitor *visit,
                                 void *context, struct err *err);
/* The bit of the type with that name; 0 when there is no such type. */
unsigned schema_type_bit(const char *name);

/* json_schema_reference.c */
/* Finds the $ids and anchors of a document, which become resources. */
enum err_code schema_index_document(struct json_schema *schema, const json_t *root, const char *uri,
                                    enum dialect fallback, struct resource **out, struct err *err);
/* The resource that a value found inside `enclosing` belongs to: its own when it starts one. */
struct resource *schema_resource_at(struct json_schema *schema, const json_t *value,
                                    struct resource *enclosing);
/* *out_bookend is set when the reference names a $dynamicAnchor. */
enum err_code schema_resolve(struct json_schema *schema, const struct resource *from,
                             const char *reference, struct place *out,
                             struct dynamic_anchor **out_bookend, struct err *err);

/* json_schema_compile.c: the node of a place, made and queued when it is new. */
enum err_code schema_node(struct json_schema *schema, struct place place, struct node **out,
                          struct err *err);
const struct rule *schema_node_rule(const struct node *node, enum keyword_id id);

/* json_schema_uri.c: RFC 3986. Results are in the arena. */
const char *schema_uri_resolve(struct arena *arena, const char *base, const char *reference);
/* Splits at '#'; *out_fragment is percent-decoded, "" when there is none. */
const char *schema_uri_split(struct arena *arena, const char *uri, const char **out_fragment);

/* json_schema_pattern.c */
enum err_code schema_pattern_compile(struct json_schema *schema, const char *pattern,
                                     pcre2_code **out, struct err *err);
enum schema_match { SCHEMA_NO_MATCH, SCHEMA_MATCH, SCHEMA_MATCH_LIMIT };
struct schema_matcher {
    pcre2_match_context *context;
    pcre2_match_data *data;
};
enum schema_match schema_pattern_match(struct schema_matcher *matcher, const pcre2_code *pattern,
                                       const char *bytes, size_t length);
void schema_matcher_finish(struct schema_matcher *matcher);

/* json_schema_number.c */
int schema_number_compare(const json_t *a, const json_t *b);
bool schema_number_is_whole(const json_t *number);
bool schema_number_is_multiple(const json_t *value, const json_t *divisor);
/* Equal values have equal hashes. */
uint64_t schema_value_hash(const json_t *value);

/* The metaschemas of the two dialects, so that "$ref" to them needs no network: of
 * data/metaschemas/, each under its URI. */
extern const struct embedded_file schema_metaschemas[];
/* data/unicode_categories.txt, for json_schema_pattern.c. */
extern const struct embedded_file schema_categories[];

/* Where a value is, from the inside out. */
struct path {
    const struct path *parent; /* NULL for the whole value */
    const char *key;           /* NULL for an array element */
    size_t index;
};

/* Which members or elements of one value were evaluated, by position. */
struct marks {
    bool *seen;
    size_t n;
};

/* NULL is fine. */
static inline void marks_set(struct marks *marks, size_t index)
{
    if (marks && index < marks->n)
        marks->seen[index] = true;
}

/* One value being held against one subschema; the chain of parents is the dynamic scope. */
struct frame {
    const struct frame *parent;
    const struct node *node;
    const json_t *value;
    const struct path *path;
    struct marks *marks; /* of the value; NULL where no unevaluated… rule asks for them */
    unsigned depth;
};

/* One call of json_schema_accepts: it counts its steps, collects problems where they are wanted
 * (nowhere inside anyOf, oneOf, not, if and contains: there only the verdict counts) and gives up
 * for good when a limit is reached. */
struct evaluation {
    struct problems *problems; /* NULL: only the verdict counts */
    size_t most_problems;
    struct schema_matcher matcher;
    size_t steps;
    const char *limit;         /* what ran out, or NULL */
    double distance;           /* of the problems collected: how far the value is from fitting */
    const struct path *branch; /* of an anyOf or oneOf: a wrong type right here is far away */
    struct arena *scratch;
};

/* How far a problem moves a value away from a branch of anyOf or oneOf. */
#define DISTANCE_WRONG_TYPE 4.0
#define DISTANCE_WRONG_BRANCH 100.0
#define DISTANCE_WRONG_CONSTANT 8.0
#define DISTANCE_DEFAULT 1.0

/* json_schema_evaluate.c */
bool schema_evaluate(struct evaluation *e, const struct frame *parent, const struct node *node,
                     const json_t *value, const struct path *path, struct marks *marks);
/* Holds the value of the frame against another subschema. */
bool schema_evaluate_same(struct evaluation *e, const struct frame *frame, const struct node *node);
/* As schema_evaluate, but collects no problems. */
bool schema_fits(struct evaluation *e, const struct frame *parent, const struct node *node,
                 const json_t *value, const struct path *path, struct marks *marks);
/* False, for good, when the evaluation has no steps left. */
bool schema_spend(struct evaluation *e, size_t steps);
bool schema_matches(struct evaluation *e, const pcre2_code *pattern, const char *text,
                    size_t length);
const struct child *schema_find_child(const struct rule *rule, const char *name);
/* The bits of `type` that a value has. */
unsigned schema_type_bits(const json_t *value);

/* json_schema_problems.c: all that report return false, so that a rule can end with them. */
bool schema_complain(struct evaluation *e, const struct path *path, double distance,
                     const char *fix, const char *format, ...) PRINTF_LIKE(5, 6);
bool schema_complain_type(struct evaluation *e, const struct frame *frame, unsigned types);
bool schema_complain_choice(struct evaluation *e, const struct frame *frame, const json_t *choices);
bool schema_complain_missing(struct evaluation *e, const struct frame *frame, const char *name);
bool schema_complain_unknown(struct evaluation *e, const struct frame *frame, const char *name);
/* Reports why the value does not fit the branch of an anyOf or oneOf that it comes nearest to. */
bool schema_complain_branches(struct evaluation *e, const struct frame *frame,
                              const struct rule *rule);
/* A value, quoted and cut for a message; in the arena of the problems. */
const char *schema_show(struct evaluation *e, const json_t *value);
const char *schema_format(struct evaluation *e, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
