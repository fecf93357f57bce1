/* A string is cut into pieces, each text or a reference (next_piece). Visiting and binding walk the
 * strings of a value and look at their pieces. */
#include "domain/plan/references.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

struct piece {
    const char *text; /* what to write, when it is not a reference */
    size_t length;
    bool is_reference;
    struct reference reference;
};

/* A string being read. */
struct piece_reader {
    struct arena *arena;
    const struct plan *plan;
    size_t at_step;
    const char *text;
    size_t length, at;
};

/* A cursor over the text between two braces. */
struct cursor {
    struct arena *arena;
    const char *at, *end;
};

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static const char *read_name(struct cursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && is_name_byte(*cursor->at))
        cursor->at++;
    return cursor->at > start ? arena_strndup(cursor->arena, start, (size_t)(cursor->at - start))
                              : NULL;
}

/* "[12]" gives "12". */
static const char *read_index(struct cursor *cursor)
{
    const char *start = ++cursor->at;
    while (cursor->at < cursor->end && isdigit((unsigned char)*cursor->at))
        cursor->at++;
    size_t length = (size_t)(cursor->at - start);
    if (length < 1 || length > REFERENCE_MAX_INDEX_DIGITS || cursor->at == cursor->end ||
        *cursor->at != ']')
        return NULL;
    cursor->at++;
    return arena_strndup(cursor->arena, start, length);
}

static bool read_part(struct cursor *cursor, struct reference *reference)
{
    if (reference->n_parts == REFERENCE_MAX_PARTS)
        return false;
    bool is_index = *cursor->at == '[';
    if (!is_index && *cursor->at++ != '.')
        return false;
    const char *part = is_index ? read_index(cursor) : read_name(cursor);
    if (!part)
        return false;
    reference->is_index[reference->n_parts] = is_index;
    reference->parts[reference->n_parts++] = part;
    return true;
}

static void drop_first_part(struct reference *reference)
{
    reference->n_parts--;
    memmove(reference->parts, reference->parts + 1,
            sizeof reference->parts[0] * reference->n_parts);
    memmove(reference->is_index, reference->is_index + 1, reference->n_parts);
}

/* A name that is not a step but was certainly meant as one: s7, or a slip in a step's id. Anything
 * else in braces belongs to another language, a template or code, and stays as it is. */
static bool is_meant_as_step(const struct plan *plan, const char *name, bool has_parts)
{
    if (name[0] == 's' && name[1] && strspn(name + 1, "0123456789") == strlen(name + 1))
        return true;
    size_t length = strlen(name);
    unsigned slips = length < 9 ? (unsigned)length / 3 : 3;
    for (size_t i = 0; has_parts && slips && i < plan->n_steps; i++)
        if (text_distance(name, plan->steps[i].id, slips) <= slips)
            return true;
    return false;
}

static bool resolve_root(const struct piece_reader *reader, const char *name,
                         struct reference *reference)
{
    bool is_strict = reader->plan->version > 1;
    reference->root = REFERENCE_STEP;
    if (strcmp(name, is_strict ? "inputs" : "vars") == 0) {
        reference->root = REFERENCE_VARS;
        reference->step = -1;
        return reference->n_parts && !reference->is_index[0];
    }
    if (strcmp(name, "prev_result") == 0) {
        reference->step = (int)reader->at_step - 1;
        return true;
    }
    if (strcmp(name, "steps") == 0) {
        int64_t index = -1;
        if (!reference->n_parts || !reference->is_index[0])
            return false;
        if (!text_to_int64(reference->parts[0], &index) || index >= (int64_t)reader->plan->n_steps)
            index = -1;
        reference->step = (int)index;
        drop_first_part(reference);
        return true;
    }
    reference->step = plan_find_step(reader->plan, name);
    return reference->step >= 0 || is_strict ||
           is_meant_as_step(reader->plan, name, reference->n_parts > 0);
}

/* Reads "{…}" at `start`. Returns the bytes behind it, or NULL when it is not a reference. */
static const char *read_reference(const struct piece_reader *reader, const char *start,
                                  struct reference *out)
{
    const char *end = reader->text + reader->length;
    const char *close =
        start < end && *start == '{' ? memchr(start, '}', (size_t)(end - start)) : NULL;
    if (!close)
        return NULL;
    struct reference reference = { 0 };
    struct cursor cursor = { reader->arena, start + 1, close };
    const char *name = read_name(&cursor);
    if (!name)
        return NULL;
    while (cursor.at < close)
        if (!read_part(&cursor, &reference))
            return NULL;
    if (!resolve_root(reader, name, &reference))
        return NULL;
    reference.text = arena_strndup(reader->arena, start + 1, (size_t)(close - start - 1));
    reference.whole = start == reader->text && close + 1 == end;
    reference.at = (size_t)(start - reader->text);
    reference.length = (size_t)(close + 1 - start);
    *out = reference;
    return close + 1;
}

/* Version 2: "{{" is a brace, "{…}" a reference or a problem of the plan. */
static void read_strict_brace(struct piece_reader *reader, const char *start, struct piece *out)
{
    const char *end = reader->text + reader->length, *behind;
    *out = (struct piece){ .text = start, .length = 1 };
    if (start + 1 < end && start[1] == '{') {
        behind = start + 2;
    } else {
        const char *close = memchr(start, '}', (size_t)(end - start));
        out->is_reference = true;
        behind = read_reference(reader, start, &out->reference);
        if (!behind) {
            behind = close ? close + 1 : end;
            out->reference = (struct reference){
                .step = -1,
                .is_malformed = true,
                .text = arena_strndup(reader->arena, start + 1,
                                      (size_t)((close ? close : end) - start - 1)),
                .at = (size_t)(start - reader->text),
                .length = (size_t)(behind - start),
            };
        }
    }
    reader->at = (size_t)(behind - reader->text);
}

/* The piece that starts with the brace at `start`; moves the reader behind it. */
static void read_brace(struct piece_reader *reader, const char *start, struct piece *out)
{
    const char *end = reader->text + reader->length;
    struct reference reference;
    const char *behind = read_reference(reader, start, &reference);
    *out = (struct piece){ .text = start, .length = 1 };
    if (behind) {
        out->is_reference = true;
        out->reference = reference;
    } else if ((behind = read_reference(reader, start + 1, &reference))) {
        out->text = start + 1;
        out->length = (size_t)(behind - out->text);
        behind += behind < end && *behind == '}';
    } else {
        behind = start + 1;
    }
    reader->at = (size_t)(behind - reader->text);
}

/* The next piece; false at the end. Empty pieces are possible. */
static bool next_piece(struct piece_reader *reader, struct piece *out)
{
    if (reader->at >= reader->length)
        return false;
    const char *start = reader->text + reader->at;
    const char *brace = memchr(start, '{', reader->length - reader->at);
    if (brace == start) {
        (reader->plan->version > 1 ? read_strict_brace : read_brace)(reader, start, out);
        return true;
    }
    size_t length = brace ? (size_t)(brace - start) : reader->length - reader->at;
    *out = (struct piece){ .text = start, .length = length };
    reader->at += length;
    return true;
}

struct visiting {
    struct piece_reader reader; /* arena, plan and step of every string */
    reference_visit_fn *visit;
    void *context;
};

static json_t *visit_string(void *context, const char *path, const json_t *string)
{
    struct piece piece;
    const struct visiting *visiting = context;
    struct piece_reader reader = visiting->reader;
    reader.text = json_string_value(string);
    reader.length = json_string_length(string);
    while (next_piece(&reader, &piece))
        if (piece.is_reference && !visiting->visit(visiting->context, path, &piece.reference))
            return NULL;
    return json_share(string);
}

bool references_visit(struct arena *arena, const struct plan *plan, size_t at_step,
                      const json_t *args, reference_visit_fn *visit, void *context)
{
    struct visiting visiting = {
        .reader = { .arena = arena, .plan = plan, .at_step = at_step },
        .visit = visit,
        .context = context,
    };
    json_auto_t *all = json_map_strings(arena, "", args, visit_string, &visiting);
    return all != NULL;
}

struct reference reference_parse(struct arena *arena, const struct plan *plan, size_t at_step,
                                 const char *text)
{
    const char *braced = arena_printf(arena, "{%s}", text);
    struct piece_reader reader = {
        .arena = arena, .plan = plan, .at_step = at_step, .text = braced, .length = strlen(braced)
    };
    struct reference reference = { .step = -1 };
    if (!read_reference(&reader, braced, &reference) || !reference.whole)
        reference.is_malformed = true;
    reference.text = text;
    return reference;
}

struct search {
    const json_t *vars;
    bool is_found;
};

static bool note_found(void *context, const char *path, const struct reference *reference)
{
    struct search *search = context;
    (void)path;
    search->is_found = !search->vars || (reference->root == REFERENCE_VARS &&
                                         json_object_get(search->vars, reference->parts[0]));
    return !search->is_found;
}

bool references_are_in(struct arena *arena, const json_t *args, const json_t *vars)
{
    struct search search = { .vars = vars };
    struct step step = { .id = "s1", .args = args };
    const struct plan plan = { .goal = "", .steps = &step, .n_steps = 1 };
    references_visit(arena, &plan, 0, args, note_found, &search);
    return search.is_found;
}

struct binding {
    struct piece_reader reader;
    const json_t *vars;
    const struct step_result *const *results;
    size_t bytes;       /* of text printed so far */
    enum err_code code; /* why it ended early */
    struct err *err;
};

/* What there is instead of a missing member, for the error. */
static const char *describe(struct arena *arena, const json_t *value)
{
    if (json_is_array(value))
        return arena_printf(arena, "a list of %zu", json_array_size(value));
    if (!json_is_object(value))
        return json_is_string(value) ? "text" : json_is_null(value) ? "null" : "a single value";
    if (!json_object_size(value))
        return "an empty object";
    return arena_printf(arena, "an object with %s", json_join_names(arena, value));
}

const json_t *reference_find_part(const json_t *value, const struct reference *reference, size_t i)
{
    int64_t index = -1;
    if (json_is_string(value) && strcmp(reference->parts[i], "text") == 0)
        return value;
    if (!reference->is_index[i] && !json_is_array(value))
        return json_object_get(value, reference->parts[i]);
    return text_to_int64(reference->parts[i], &index) ? json_array_get(value, (size_t)index) : NULL;
}

static enum err_code walk(struct arena *arena, const struct reference *reference,
                          const json_t *value, const json_t **out, struct err *err)
{
    for (size_t i = 0; i < reference->n_parts; i++) {
        const json_t *next = reference_find_part(value, reference, i);
        if (!next)
            return err_set(err, ERR_BAD_PLAN, 0,
                           "reference {%.100s}: no %s%.60s%s, there is %.160s", reference->text,
                           reference->is_index[i] ? "[" : "\"", reference->parts[i],
                           reference->is_index[i] ? "]" : "\"", describe(arena, value));
        value = next;
    }
    *out = value;
    return ERR_NONE;
}

static enum err_code resolve(const struct binding *binding, const struct reference *reference,
                             const json_t **out, struct err *err)
{
    struct arena *arena = binding->reader.arena;
    if (reference->root == REFERENCE_VARS)
        return walk(arena, reference, binding->vars, out, err);
    if (reference->step < 0 || reference->is_malformed)
        return err_set(err, ERR_BAD_PLAN, 0, "reference {%.100s}: there is no such step",
                       reference->text);
    const char *id = binding->reader.plan->steps[reference->step].id;
    const struct step_result *result = binding->results[reference->step];
    if (!result)
        return err_set(err, ERR_BAD_PLAN, 0, "reference {%.100s}: step %s gave no result",
                       reference->text, id);
    if (reference->n_parts == 1 && !reference->is_index[0] &&
        strcmp(reference->parts[0], "text") == 0) {
        *out = arena_keep_json(arena, json_string(step_result_text(arena, result)));
        return ERR_NONE;
    }
    const json_t *data = step_result_data(arena, result);
    if (!data) {
        err_set(err, ERR_LIMIT, 0,
                "reference {%.100s}: the result of step %s has more than %zu JSON values "
                "(mcp.max_values)",
                reference->text, id, step_result_max_values(result));
        return err_hint(err, ERR_LIMIT, "raise mcp.max_values if so many are right");
    }
    return walk(arena, reference, data, out, err);
}

const json_t *reference_find(struct arena *arena, const struct plan *plan,
                             const struct reference *reference, const json_t *vars,
                             const struct step_result *const *results)
{
    const struct binding binding = { .reader = { .arena = arena, .plan = plan },
                                     .vars = vars,
                                     .results = results };
    const json_t *value = NULL;
    return resolve(&binding, reference, &value, NULL) ? NULL : value;
}

/* Strings as they are, else compact JSON. */
static bool append_value(struct buf *out, const json_t *value)
{
    if (json_is_string(value))
        return buf_append(out, json_string_value(value), json_string_length(value));
    auto_str text = json_print(value);
    return buf_puts(out, text);
}

static enum err_code print_pieces(struct binding *binding, struct piece_reader *reader,
                                  struct buf *out, struct err *err)
{
    struct piece piece;
    while (next_piece(reader, &piece)) {
        bool fits;
        if (piece.is_reference) {
            const json_t *value = NULL;
            enum err_code r = resolve(binding, &piece.reference, &value, err);
            if (r)
                return r;
            fits = append_value(out, value);
        } else {
            fits = buf_append(out, piece.text, piece.length);
        }
        if (!fits)
            return err_set(err, ERR_LIMIT, 0, "the arguments of a step grow beyond %d bytes",
                           REFERENCES_MAX_TEXT_BYTES);
    }
    binding->bytes += out->length;
    return ERR_NONE;
}

static json_t *bind_string(void *context, const char *path, const json_t *string)
{
    (void)path;
    struct piece piece;
    struct binding *binding = context;
    struct piece_reader reader = binding->reader;
    reader.text = json_string_value(string);
    reader.length = json_string_length(string);
    if (!memchr(reader.text, '{', reader.length))
        return json_share(string);
    struct piece_reader ahead = reader;
    if (next_piece(&ahead, &piece) && piece.is_reference && piece.reference.whole) {
        const json_t *value = NULL;
        binding->code = resolve(binding, &piece.reference, &value, binding->err);
        return binding->code ? NULL : json_share(value);
    }
    AUTO(buf) text;
    buf_init(&text, REFERENCES_MAX_TEXT_BYTES - binding->bytes);
    binding->code = print_pieces(binding, &reader, &text, binding->err);
    return binding->code ? NULL : json_stringn(buf_string(&text), text.length);
}

enum err_code references_bind(struct arena *arena, const struct plan *plan, size_t at_step,
                              const json_t *vars, const struct step_result *const *results,
                              const json_t **out_args, struct err *err)
{
    const json_t *args = plan->steps[at_step].args;
    return references_bind_value(arena, plan, at_step, args, vars, results, out_args, err);
}

enum err_code references_bind_value(struct arena *arena, const struct plan *plan, size_t at_step,
                                    const json_t *value, const json_t *vars,
                                    const struct step_result *const *results, const json_t **out,
                                    struct err *err)
{
    struct binding binding = {
        .reader = { .arena = arena, .plan = plan, .at_step = at_step },
        .vars = vars,
        .results = results,
        .err = err,
    };
    json_t *bound = json_map_strings(arena, NULL, value, bind_string, &binding);
    if (bound)
        *out = arena_keep_json(arena, bound);
    return binding.code;
}
