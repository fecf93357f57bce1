/* Values and types of an expression, each in one walk over its nodes. What a kind takes and gives
 * stands in one table, which both walks use: the one before the run with sets of types, the one at
 * run time with the type of a value, a set of one. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/expression_internal.h"
#include "domain/schema/json_schema.h"
#include <assert.h>
#include <ctype.h>
#include <string.h>

#define COUNTED (TYPE_TEXT | TYPE_LIST | TYPE_OBJECT)
#define ORDERED (TYPE_NUMBER | TYPE_TEXT)

struct evaluation {
    struct arena *arena;
    const struct expression *expression;
    const json_t *const *values; /* of the references */
    struct err *err;
};

/* b: NULL of what has one operand. */
typedef const json_t *apply_fn(const struct evaluation *e, enum node_kind kind, const json_t *a,
                               const json_t *b);

struct signature {
    unsigned takes[2], gives;
    const char *says; /* what it takes, for an error */
    apply_fn *apply;  /* NULL: it has a function of its own in evaluate() */
};

static const struct {
    enum value_type type;
    const char *name;
} type_names[] = { { TYPE_NULL, "null" },       { TYPE_BOOLEAN, "true or false" },
                   { TYPE_NUMBER, "a number" }, { TYPE_TEXT, "a text" },
                   { TYPE_LIST, "a list" },     { TYPE_OBJECT, "an object" } };

size_t expression_n_references(const struct expression *expression)
{
    return expression->n_references;
}

const char *expression_reference(const struct expression *expression, size_t i)
{
    return expression->references[i].text;
}

bool expression_reference_may_lack(const struct expression *expression, size_t i)
{
    return expression->references[i].may_lack;
}

static unsigned type_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_NULL:
        return TYPE_NULL;
    case JSON_TRUE:
    case JSON_FALSE:
        return TYPE_BOOLEAN;
    case JSON_INTEGER:
    case JSON_REAL:
        return TYPE_NUMBER;
    case JSON_STRING:
        return TYPE_TEXT;
    case JSON_ARRAY:
        return TYPE_LIST;
    case JSON_OBJECT:
        break;
    }
    return TYPE_OBJECT;
}

static void add_types(struct buf *out, unsigned types)
{
    bool is_first = true;
    for (size_t i = 0; i < ARRAY_LENGTH(type_names); i++)
        if (types & type_names[i].type) {
            (void)!buf_printf(out, "%s%s", is_first ? "" : " or ", type_names[i].name);
            is_first = false;
        }
}

static const struct signature *signature_of(enum node_kind kind);

/* Beyond what each operand may be for itself: whether they fit together. */
static bool go_together(enum node_kind kind, unsigned left, unsigned right)
{
    if (kind >= NODE_LESS_EQUAL && kind <= NODE_GREATER)
        return left & right & ORDERED;
    return kind != NODE_CONTAINS || left & TYPE_LIST || right & TYPE_TEXT;
}

static enum err_code refuse(enum err_code code, enum node_kind kind, const unsigned *types,
                            size_t n, struct err *err)
{
    AUTO(buf) given;
    buf_init(&given, 256);
    for (size_t i = 0; i < n; i++) {
        (void)!buf_puts(&given, i ? ", " : "");
        add_types(&given, types[i]);
    }
    return err_set(err, code, 0, "%s takes %s, not %s", node_kind_name(kind),
                   signature_of(kind)->says, buf_string(&given));
}

/* Of one step of a walk: the sets of types of what the node works on; of `and` and `or` one at a
 * time. */
static enum err_code check_types(enum err_code code, enum node_kind kind, const unsigned *types,
                                 size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(types[i] & signature_of(kind)->takes[i]))
            return refuse(code, kind, types, n, err);
    return n == 2 && !go_together(kind, types[0], types[1]) ? refuse(code, kind, types, n, err)
                                                            : ERR_NONE;
}

struct checking {
    const struct expression *expression;
    const unsigned *types; /* of the references */
    struct err *err;
};

static enum err_code check_node(const struct checking *checking, const struct node *node,
                                unsigned *out);

static enum err_code check_operands(const struct checking *checking, const struct node *node)
{
    unsigned types[2] = { 0 };
    bool is_joined = node->kind == NODE_OR || node->kind == NODE_AND;
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < node->n_operands; i++) {
        size_t at = is_joined || node->kind == NODE_LIST ? 0 : i;
        r = check_node(checking, node->operands[i], &types[at]);
        if (!r && is_joined)
            r = check_types(ERR_BAD_PLAN, node->kind, types, 1, checking->err);
    }
    if (r || is_joined || node->kind == NODE_LIST || node->kind == NODE_DEFAULT)
        return r;
    return check_types(ERR_BAD_PLAN, node->kind, types, node->n_operands, checking->err);
}

static enum err_code check_default(const struct checking *checking, const struct node *node,
                                   unsigned *out)
{
    unsigned given = 0;
    enum err_code r = check_node(checking, node->operands[1], &given);
    *out = given | checking->types[node->operands[0]->reference];
    return r;
}

static enum err_code check_node(const struct checking *checking, const struct node *node,
                                unsigned *out)
{
    switch ((int)node->kind) {
    case NODE_LITERAL:
        *out = type_of(node->value);
        return ERR_NONE;
    case NODE_REFERENCE:
        *out = checking->types[node->reference];
        return ERR_NONE;
    case NODE_LIST:
        *out = TYPE_LIST;
        return check_operands(checking, node);
    case NODE_DEFAULT:
        return check_default(checking, node, out);
    default:
        *out = signature_of(node->kind)->gives;
        return check_operands(checking, node);
    }
}

enum err_code expression_check(const struct expression *expression, const unsigned *types,
                               unsigned *out_types, struct err *err)
{
    const struct checking checking = { expression, types, err };
    return check_node(&checking, expression->root, out_types);
}

static const json_t *evaluate(const struct evaluation *e, const struct node *node);

static const json_t *boolean(bool is_true)
{
    return is_true ? json_true() : json_false(); /* jansson does not count references to them */
}

static const json_t *keep(const struct evaluation *e, json_t *value)
{
    return arena_keep_json(e->arena, value);
}

static const json_t *negate(const struct evaluation *e, enum node_kind kind, const json_t *a,
                            const json_t *b)
{
    (void)e, (void)kind, (void)b;
    return boolean(!json_is_true(a));
}

static const json_t *test_equality(const struct evaluation *e, enum node_kind kind, const json_t *a,
                                   const json_t *b)
{
    (void)e;
    return boolean(json_schema_equal(a, b) == (kind == NODE_EQUAL));
}

/* -1, 0 or 1, of two numbers or two texts. Integers of 64 bits are no exact doubles. */
static int order_of(const json_t *a, const json_t *b)
{
    if (json_is_string(a)) {
        size_t left = json_string_length(a), right = json_string_length(b);
        int order = memcmp(json_string_value(a), json_string_value(b), left < right ? left : right);
        return order ? order : left < right ? -1 : left > right;
    }
    if (json_is_integer(a) && json_is_integer(b)) {
        json_int_t left = json_integer_value(a), right = json_integer_value(b);
        return left < right ? -1 : left > right;
    }
    double left = json_number_value(a), right = json_number_value(b);
    return left < right ? -1 : left > right;
}

static const json_t *compare(const struct evaluation *e, enum node_kind kind, const json_t *a,
                             const json_t *b)
{
    (void)e;
    int order = order_of(a, b);
    return boolean(kind == NODE_LESS            ? order < 0
                   : kind == NODE_LESS_EQUAL    ? order <= 0
                   : kind == NODE_GREATER_EQUAL ? order >= 0
                                                : order > 0);
}

static size_t count_equal(const json_t *list, const json_t *value)
{
    size_t i, n = 0;
    const json_t *element;
    json_array_foreach (list, i, element)
        n += json_schema_equal(element, value);
    return n;
}

static const json_t *count(const struct evaluation *e, enum node_kind kind, const json_t *a,
                           const json_t *b)
{
    (void)kind;
    return keep(e, json_integer((json_int_t)count_equal(a, b)));
}

static const json_t *test_membership(const struct evaluation *e, enum node_kind kind,
                                     const json_t *a, const json_t *b)
{
    (void)e, (void)kind;
    if (json_is_array(b))
        return boolean(count_equal(b, a) > 0);
    return boolean(json_is_string(a) && json_object_get(b, json_string_value(a)));
}

static const json_t *test_content(const struct evaluation *e, enum node_kind kind, const json_t *a,
                                  const json_t *b)
{
    (void)e, (void)kind;
    if (json_is_array(a))
        return boolean(count_equal(a, b) > 0);
    return boolean(memmem(json_string_value(a), json_string_length(a), json_string_value(b),
                          json_string_length(b)) != NULL);
}

static const json_t *test_start(const struct evaluation *e, enum node_kind kind, const json_t *a,
                                const json_t *b)
{
    (void)e, (void)kind;
    size_t length = json_string_length(b);
    return boolean(json_string_length(a) >= length &&
                   memcmp(json_string_value(a), json_string_value(b), length) == 0);
}

/* As a schema's `pattern`, under its limits; a text that reaches one does not match. */
static const json_t *match(const struct evaluation *e, enum node_kind kind, const json_t *a,
                           const json_t *b)
{
    bool is_match = false;
    json_auto_t *schema = json_object();
    json_object_set_new(schema, "pattern", json_share(b));
    enum err_code r = json_schema_check(schema, a, NULL, &is_match, e->err);
    if (r)
        (void)err_prefix(e->err, ERR_FAILED, "%s", node_kind_name(kind));
    return r ? NULL : boolean(is_match);
}

static const json_t *length(const struct evaluation *e, enum node_kind kind, const json_t *a,
                            const json_t *b)
{
    (void)kind, (void)b;
    size_t n = json_array_size(a) + json_object_size(a);
    const char *text = json_string_value(a);
    for (size_t left = json_string_length(a), size; left > 0; left -= size, text += size, n++) {
        uint32_t code;
        size = text_utf8_next(text, left, &code);
    }
    return keep(e, json_integer((json_int_t)n));
}

static const json_t *find_end(const struct evaluation *e, enum node_kind kind, const json_t *a,
                              const json_t *b)
{
    (void)e, (void)b;
    size_t n = json_array_size(a);
    return n ? json_array_get(a, kind == NODE_LAST ? n - 1 : 0) : json_null();
}

static const json_t *list_keys(const struct evaluation *e, enum node_kind kind, const json_t *a,
                               const json_t *b)
{
    (void)kind, (void)b;
    json_t *keys = json_array();
    const char *key;
    const json_t *member;
    json_each_member (a, key, member)
        json_array_append_new(keys, json_string(key));
    return keep(e, keys);
}

/* Of ASCII; other letters stay as they are. */
static const json_t *lower(const struct evaluation *e, enum node_kind kind, const json_t *a,
                           const json_t *b)
{
    (void)kind, (void)b;
    size_t n = json_string_length(a);
    char *bytes = arena_strndup(e->arena, json_string_value(a), n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)tolower((unsigned char)bytes[i]);
    return keep(e, json_stringn(bytes, n));
}

static const struct signature *signature_of(enum node_kind kind)
{
    enum {
        ANY = TYPE_ANY,
        TRUTH = TYPE_BOOLEAN,
        TEXT = TYPE_TEXT,
        LIST = TYPE_LIST,
        OBJECT = TYPE_OBJECT,
    };
    static const char pair[] = "two numbers or two texts";
    static const struct signature signatures[] = {
        [NODE_OR] = { { TRUTH, TRUTH }, TRUTH, "true or false", NULL },
        [NODE_AND] = { { TRUTH, TRUTH }, TRUTH, "true or false", NULL },
        [NODE_NOT] = { { TRUTH }, TRUTH, "true or false", negate },
        [NODE_EQUAL] = { { ANY, ANY }, TRUTH, "", test_equality },
        [NODE_NOT_EQUAL] = { { ANY, ANY }, TRUTH, "", test_equality },
        [NODE_LESS_EQUAL] = { { ORDERED, ORDERED }, TRUTH, pair, compare },
        [NODE_GREATER_EQUAL] = { { ORDERED, ORDERED }, TRUTH, pair, compare },
        [NODE_LESS] = { { ORDERED, ORDERED }, TRUTH, pair, compare },
        [NODE_GREATER] = { { ORDERED, ORDERED }, TRUTH, pair, compare },
        [NODE_IN] = { { ANY, LIST | OBJECT }, TRUTH, "a list or an object last", test_membership },
        [NODE_LENGTH] = { { COUNTED }, TYPE_NUMBER, "a text, a list or an object", length },
        [NODE_COUNT] = { { LIST, ANY }, TYPE_NUMBER, "a list and a value", count },
        [NODE_FIRST] = { { LIST }, ANY, "a list", find_end },
        [NODE_LAST] = { { LIST }, ANY, "a list", find_end },
        [NODE_KEYS] = { { OBJECT }, LIST, "an object", list_keys },
        [NODE_LOWER] = { { TEXT }, TEXT, "a text", lower },
        [NODE_CONTAINS] = { { TEXT | LIST, ANY }, TRUTH, "a list, or two texts", test_content },
        [NODE_STARTS_WITH] = { { TEXT, TEXT }, TRUTH, "two texts", test_start },
        [NODE_MATCHES] = { { TEXT, TEXT }, TRUTH, "a text and a pattern", match },
    };
    return &signatures[kind];
}

static const json_t *evaluate_list(const struct evaluation *e, const struct node *node)
{
    json_t *list = json_array();
    const json_t *all = keep(e, list);
    for (size_t i = 0; i < node->n_operands; i++) {
        const json_t *element = evaluate(e, node->operands[i]);
        if (!element)
            return NULL;
        json_array_append_new(list, json_share(element));
    }
    return all;
}

/* Stops at the first operand that decides. */
static const json_t *evaluate_joined(const struct evaluation *e, const struct node *node)
{
    for (size_t i = 0; i < node->n_operands; i++) {
        const json_t *value = evaluate(e, node->operands[i]);
        unsigned type = value ? type_of(value) : 0;
        if (!value || check_types(ERR_FAILED, node->kind, &type, 1, e->err))
            return NULL;
        if (json_is_true(value) == (node->kind == NODE_OR))
            return value;
    }
    return boolean(node->kind == NODE_AND);
}

static const json_t *evaluate_reference(const struct evaluation *e, const struct node *node)
{
    const json_t *value = e->values[node->reference];
    if (!value)
        (void)err_set(e->err, ERR_FAILED, 0, "{%.100s} leads to nothing here",
                      e->expression->references[node->reference].text);
    return value;
}

static const json_t *evaluate_operation(const struct evaluation *e, const struct node *node)
{
    const json_t *values[2] = { NULL };
    unsigned types[2] = { 0 };
    for (size_t i = 0; i < node->n_operands; i++) {
        values[i] = evaluate(e, node->operands[i]);
        if (!values[i])
            return NULL;
        types[i] = type_of(values[i]);
    }
    if (check_types(ERR_FAILED, node->kind, types, node->n_operands, e->err))
        return NULL;
    const struct signature *signature = signature_of(node->kind);
    assert(signature->apply);
    return signature->apply(e, node->kind, values[0], values[1]);
}

static const json_t *evaluate(const struct evaluation *e, const struct node *node)
{
    if (node->kind == NODE_DEFAULT)
        node = node->operands[e->values[node->operands[0]->reference] ? 0 : 1];
    switch ((int)node->kind) {
    case NODE_LITERAL:
        return node->value;
    case NODE_REFERENCE:
        return evaluate_reference(e, node);
    case NODE_LIST:
        return evaluate_list(e, node);
    case NODE_OR:
    case NODE_AND:
        return evaluate_joined(e, node);
    case NODE_DEFAULT:
        return evaluate(e, node);
    default:
        return evaluate_operation(e, node);
    }
}

enum err_code expression_evaluate(struct arena *arena, const struct expression *expression,
                                  const json_t *const *values, const json_t **out, struct err *err)
{
    struct err local;
    const struct evaluation e = { arena, expression, values, err ? err : &local };
    const json_t *value = evaluate(&e, expression->root);
    if (!value)
        return e.err->code;
    *out = value;
    return ERR_NONE;
}

static const char *shown(struct arena *arena, const json_t *value)
{
    const char *text = value ? json_print_in(arena, value) : "nothing";
    return text_one_line(arena, text, strlen(text), 80);
}

const char *expression_explain(struct arena *arena, const struct expression *expression,
                               const json_t *const *values)
{
    struct err unused;
    const struct evaluation e = { arena, expression, values, &unused };
    const struct node *root = expression->root;
    const char *all = "";
    if (root->kind >= NODE_EQUAL && root->kind <= NODE_IN) {
        const json_t *left = evaluate(&e, root->operands[0]);
        const json_t *right = evaluate(&e, root->operands[1]);
        return arena_printf(arena, "%s %s %s", shown(arena, left), node_kind_name(root->kind),
                            shown(arena, right));
    }
    for (size_t i = 0; i < expression->n_references; i++)
        all = arena_printf(arena, "%s%s{%s} is %s", all, i ? ", " : "",
                           expression->references[i].text, shown(arena, values[i]));
    return all;
}
