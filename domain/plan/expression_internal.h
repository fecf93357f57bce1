/* What reading and evaluating expressions share. */
#ifndef DOMAIN_PLAN_EXPRESSION_INTERNAL_H
#define DOMAIN_PLAN_EXPRESSION_INTERNAL_H

#include "domain/plan/expression.h"

/* X(kind, as it is written, how many operands: 0 where it differs); functions from LENGTH on. What
 * another sign begins with stands behind that one. */
#define EXPRESSION_KINDS(X)                                                                        \
    X(LITERAL, "", 0)                                                                              \
    X(REFERENCE, "", 0)                                                                            \
    X(LIST, "", 0)                                                                                 \
    X(OR, "or", 0)                                                                                 \
    X(AND, "and", 0)                                                                               \
    X(NOT, "not", 1)                                                                               \
    X(EQUAL, "==", 2)                                                                              \
    X(NOT_EQUAL, "!=", 2)                                                                          \
    X(LESS_EQUAL, "<=", 2)                                                                         \
    X(GREATER_EQUAL, ">=", 2)                                                                      \
    X(LESS, "<", 2)                                                                                \
    X(GREATER, ">", 2)                                                                             \
    X(IN, "in", 2)                                                                                 \
    X(LENGTH, "length", 1)                                                                         \
    X(COUNT, "count", 2)                                                                           \
    X(FIRST, "first", 1)                                                                           \
    X(LAST, "last", 1)                                                                             \
    X(KEYS, "keys", 1)                                                                             \
    X(LOWER, "lower", 1)                                                                           \
    X(CONTAINS, "contains", 2)                                                                     \
    X(STARTS_WITH, "starts_with", 2)                                                               \
    X(MATCHES, "matches", 2)                                                                       \
    X(DEFAULT, "default", 2)

enum node_kind {
#define X(kind, text, n) NODE_##kind,
    EXPRESSION_KINDS(X)
#undef X
};

struct node {
    enum node_kind kind;
    const json_t *value; /* of a literal */
    size_t reference;    /* index */
    struct node **operands;
    size_t n_operands;
};

struct reference_use {
    const char *text;
    bool may_lack;
};

struct expression {
    struct node *root;
    struct reference_use references[EXPRESSION_MAX_REFERENCES];
    size_t n_references;
};

/* As it is written: "length", "<=". */
const char *node_kind_name(enum node_kind kind);

#endif
