/* Expressions are read by recursive descent, one function for each level of binding. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/expression_internal.h"
#include <ctype.h>
#include <string.h>

struct parser {
    struct arena *arena;
    const char *text, *at;
    struct expression *expression;
    unsigned depth;
    enum err_code code;
    struct err *err;
};

static const struct {
    const char *name;
    size_t n_operands;
} kinds[] = {
#define X(kind, text, n) [NODE_##kind] = { text, n },
    EXPRESSION_KINDS(X)
#undef X
};

const char *node_kind_name(enum node_kind kind)
{
    return kinds[kind].name;
}

static struct node *fail(struct parser *parser, enum err_code code, const char *why)
{
    char next = *parser->at;
    if (parser->code)
        return NULL;
    parser->code = err_set(parser->err, code, 0, "character %zu of the expression: %s",
                           (size_t)(parser->at - parser->text) + 1, why);
    if (next && strchr("=&|", next))
        (void)err_hint(parser->err, code, "write %s",
                       next == '='   ? "=="
                       : next == '&' ? "and"
                                     : "or");
    return NULL;
}

static void skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the sign or word is next, as a whole; moves on behind it. */
static bool take(struct parser *parser, const char *token)
{
    skip_blanks(parser);
    size_t length = strlen(token);
    if (strncmp(parser->at, token, length) != 0 ||
        (is_word_byte(*token) && is_word_byte(parser->at[length])))
        return false;
    parser->at += length;
    return true;
}

static struct node *new_node(struct parser *parser, enum node_kind kind, size_t n_operands)
{
    struct node *node = arena_new(parser->arena, struct node);
    node->kind = kind;
    node->operands = arena_array(parser->arena, struct node *, n_operands + 1);
    return node;
}

static struct node *join(struct parser *parser, enum node_kind kind, struct node *left,
                         struct node *right)
{
    if (!left || !right)
        return NULL;
    struct node *node = new_node(parser, kind, 2);
    node->operands[0] = left;
    node->operands[1] = right;
    node->n_operands = 2;
    return node;
}

static struct node *literal(struct parser *parser, json_t *value)
{
    struct node *node = new_node(parser, NODE_LITERAL, 0);
    node->value = arena_keep_json(parser->arena, value);
    return node;
}

/* The length of a number, or of a text in double quotes, as JSON has them. */
static size_t json_token_length(const char *at)
{
    if (*at != '"')
        return strspn(at, "+-.0123456789eE");
    size_t length = 1;
    while (at[length] && at[length] != '"')
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return length + (at[length] == '"');
}

static struct node *read_json(struct parser *parser)
{
    json_t *value = NULL;
    size_t length = json_token_length(parser->at);
    if (json_parse(parser->at, length, JSON_OURS, &value, NULL))
        return fail(parser, ERR_BAD_PLAN,
                    *parser->at == '"' ? "a text that does not end, or with an unknown escape"
                                       : "not a number");
    parser->at += length;
    return literal(parser, value);
}

/* 'it''s': everything stands for itself, two quotes for one. */
static struct node *read_quoted(struct parser *parser)
{
    const char *from = parser->at + 1, *at = from;
    char *text = arena_alloc(parser->arena, strlen(from) + 1), *to = text;
    while (*at && (*at != '\'' || at[1] == '\'')) {
        at += *at == '\'';
        *to++ = *at++;
    }
    if (!*at)
        return fail(parser, ERR_BAD_PLAN, "a text that does not end: ' is missing");
    parser->at = at + 1;
    return literal(parser, json_stringn(text, (size_t)(to - text)));
}

static struct node *read_reference(struct parser *parser)
{
    struct expression *expression = parser->expression;
    const char *from = parser->at + 1, *close = strchr(from, '}');
    if (!close)
        return fail(parser, ERR_BAD_PLAN, "a reference that does not end: } is missing");
    if (expression->n_references == EXPRESSION_MAX_REFERENCES)
        return fail(parser, ERR_LIMIT, "more than 64 references");
    parser->at = close + 1;
    struct node *node = new_node(parser, NODE_REFERENCE, 0);
    node->reference = expression->n_references++;
    expression->references[node->reference] =
        (struct reference_use){ arena_strndup(parser->arena, from, (size_t)(close - from)), false };
    return node;
}

static struct node *read_or(struct parser *parser);

/* What is nested counts; what only follows does not. */
static struct node *read_nested(struct parser *parser)
{
    if (++parser->depth > EXPRESSION_MAX_DEPTH)
        return fail(parser, ERR_LIMIT, "nested deeper than 64");
    struct node *node = read_or(parser);
    parser->depth--;
    return node;
}

/* The elements of a list or the operands of a function, up to the sign that closes them. */
static struct node *read_operands(struct parser *parser, enum node_kind kind, const char *close)
{
    struct node *node = arena_new(parser->arena, struct node);
    size_t capacity = 0;
    node->kind = kind;
    bool is_over = take(parser, close);
    while (!is_over) {
        struct node *operand = read_nested(parser);
        if (!operand)
            return NULL;
        *arena_push(parser->arena, node->operands, node->n_operands, capacity) = operand;
        is_over = take(parser, close);
        if (!is_over && !take(parser, ","))
            return fail(parser, ERR_BAD_PLAN,
                        arena_printf(parser->arena, "expected \",\" or \"%s\"", close));
    }
    return node;
}

static struct node *read_function(struct parser *parser)
{
    const char *name = parser->at;
    for (size_t kind = NODE_LENGTH; kind < ARRAY_LENGTH(kinds); kind++) {
        if (!take(parser, kinds[kind].name))
            continue;
        if (!take(parser, "("))
            return fail(parser, ERR_BAD_PLAN,
                        arena_printf(parser->arena, "expected \"(\" behind %s", kinds[kind].name));
        struct node *node = read_operands(parser, (enum node_kind)kind, ")");
        if (node && node->n_operands != kinds[kind].n_operands)
            return fail(parser, ERR_BAD_PLAN,
                        arena_printf(parser->arena, "%s() takes %zu operand%s, not %zu",
                                     kinds[kind].name, kinds[kind].n_operands,
                                     kinds[kind].n_operands == 1 ? "" : "s", node->n_operands));
        if (node && kind == NODE_DEFAULT && node->operands[0]->kind != NODE_REFERENCE)
            return fail(parser, ERR_BAD_PLAN, "default() takes a reference first");
        if (node && kind == NODE_DEFAULT)
            parser->expression->references[node->operands[0]->reference].may_lack = true;
        return node;
    }
    if (!is_word_byte(*name))
        return fail(parser, ERR_BAD_PLAN, *name ? "expected a value" : "it ends too early");
    return fail(parser, ERR_BAD_PLAN,
                "an unknown word: texts stand in quotes, references in braces, and the functions "
                "are length, count, first, last, keys, lower, contains, starts_with, matches and "
                "default");
}

static struct node *read_group(struct parser *parser)
{
    struct node *node = read_nested(parser);
    return !node || take(parser, ")") ? node : fail(parser, ERR_BAD_PLAN, "expected \")\"");
}

static struct node *read_operand(struct parser *parser)
{
    skip_blanks(parser);
    if (*parser->at == '{')
        return read_reference(parser);
    if (take(parser, "("))
        return read_group(parser);
    if (take(parser, "["))
        return read_operands(parser, NODE_LIST, "]");
    if (*parser->at == '\'')
        return read_quoted(parser);
    if (*parser->at && strchr("\"-0123456789", *parser->at))
        return read_json(parser);
    if (take(parser, "true"))
        return literal(parser, json_true());
    if (take(parser, "false"))
        return literal(parser, json_false());
    if (take(parser, "null"))
        return literal(parser, json_null());
    return read_function(parser);
}

static struct node *negation(struct parser *parser, struct node *of)
{
    if (!of)
        return NULL;
    struct node *node = new_node(parser, NODE_NOT, 1);
    node->operands[node->n_operands++] = of;
    return node;
}

/* Signs that begin with another one stand before it in the table. */
static struct node *read_comparison(struct parser *parser)
{
    struct node *left = read_operand(parser);
    if (!left)
        return NULL;
    for (enum node_kind kind = NODE_EQUAL; kind <= NODE_IN; kind++)
        if (take(parser, kinds[kind].name))
            return join(parser, kind, left, read_operand(parser));
    const char *before = parser->at;
    if (take(parser, "not") && take(parser, "in"))
        return negation(parser, join(parser, NODE_IN, left, read_operand(parser)));
    parser->at = before;
    return left;
}

static struct node *read_not(struct parser *parser)
{
    if (!take(parser, "not"))
        return read_comparison(parser);
    if (++parser->depth > EXPRESSION_MAX_DEPTH)
        return fail(parser, ERR_LIMIT, "nested deeper than 64");
    struct node *node = negation(parser, read_not(parser));
    parser->depth--;
    return node;
}

/* One node for all that the word joins, however many there are. */
static struct node *read_joined(struct parser *parser, enum node_kind kind,
                                struct node *(*read)(struct parser *))
{
    struct node *first = read(parser), *operand = first;
    struct node *all = arena_new(parser->arena, struct node);
    size_t capacity = 0;
    all->kind = kind;
    while (operand) {
        *arena_push(parser->arena, all->operands, all->n_operands, capacity) = operand;
        if (!take(parser, kinds[kind].name))
            return all->n_operands == 1 ? first : all;
        operand = read(parser);
    }
    return NULL;
}

static struct node *read_and(struct parser *parser)
{
    return read_joined(parser, NODE_AND, read_not);
}

static struct node *read_or(struct parser *parser)
{
    return read_joined(parser, NODE_OR, read_and);
}

enum err_code expression_parse(struct arena *arena, const char *text, struct expression **out,
                               struct err *err)
{
    struct parser parser = { .arena = arena, .text = text, .at = text, .err = err };
    if (strlen(text) > EXPRESSION_MAX_BYTES)
        return err_set(err, ERR_LIMIT, 0, "an expression longer than %d bytes",
                       EXPRESSION_MAX_BYTES);
    parser.expression = arena_new(arena, struct expression);
    parser.expression->root = read_or(&parser);
    skip_blanks(&parser);
    if (!parser.code && *parser.at)
        fail(&parser, ERR_BAD_PLAN, "expected its end, or an operator");
    if (!parser.code)
        *out = parser.expression;
    return parser.code;
}
