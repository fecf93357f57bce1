/* A string is cut into pieces, each text or a reference (reference_next_piece). Visiting and, in
 * reference_values.c, binding walk the strings of a value and look at their pieces. */
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/reference_pieces.h"
#include <ctype.h>
#include <string.h>

/* A cursor over the text between two braces. */
struct cursor {
    struct arena *arena;
    const char *at, *end;
    bool is_wide; /* version 2: indices from the end and lists of elements are known */
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

/* Moves behind a number. False: there are too many digits. */
static bool skip_number(struct cursor *cursor)
{
    cursor->at += cursor->is_wide && cursor->at < cursor->end && *cursor->at == '-';
    const char *start = cursor->at;
    while (cursor->at < cursor->end && isdigit((unsigned char)*cursor->at))
        cursor->at++;
    return cursor->at - start <= REFERENCE_MAX_INDEX_DIGITS;
}

/* "[12]" gives "12", "[-2:]" "-2:". */
static const char *read_index(struct cursor *cursor)
{
    const char *start = ++cursor->at;
    bool is_sound = true;
    if (cursor->is_wide && cursor->at < cursor->end && *cursor->at == '*') {
        cursor->at++;
    } else {
        is_sound = skip_number(cursor);
        bool is_slice = cursor->is_wide && cursor->at < cursor->end && *cursor->at == ':';
        if (is_slice) {
            cursor->at++;
            is_sound = skip_number(cursor) && is_sound;
        }
        is_sound = is_sound && (is_slice || cursor->at > start + (*start == '-'));
    }
    size_t length = (size_t)(cursor->at - start);
    if (!is_sound || length < 1 || cursor->at == cursor->end || *cursor->at != ']')
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

/* Looks for a loop around the place, in the same file, that calls its element or its number so. */
static bool resolve_loop(const struct reference_place *place, const char *name,
                         struct reference *reference)
{
    const struct step *steps = place->plan->steps;
    bool is_behind =
        place->at == place->plan->n_steps || steps[place->at].body_of != place->body_of;
    size_t next = is_behind ? place->body_of : place->at + 1;
    for (size_t at = next; at; at = steps[at - 1].body_of) {
        const struct step *step = &steps[at - 1];
        if (place->is_around && !is_behind && at == next)
            continue;
        bool is_item = step->loop && text_equal(step->loop->item, name);
        if (step->kind == STEP_USE && (is_behind || at != next))
            return false; /* what is around it is another file */
        if (!is_item && !(step->loop && text_equal(step->loop->index, name)))
            continue;
        reference->root = is_item ? REFERENCE_ITEM : REFERENCE_INDEX;
        reference->step = (int)at - 1;
        return true;
    }
    return false;
}

static size_t unit_of(const struct reference_place *place)
{
    if (!place->body_of)
        return 0;
    const struct step *step = &place->plan->steps[place->body_of - 1];
    return step->kind == STEP_USE ? place->body_of : step->unit;
}

static bool is_in_list(const struct plan *plan, size_t i, size_t body_of, bool is_finally)
{
    return plan->steps[i].body_of == body_of && plan->steps[i].is_finally == is_finally;
}

/* The step before the place in its list, or -1. */
static int previous(const struct reference_place *place)
{
    const struct plan *plan = place->plan;
    bool is_step = place->at < plan->n_steps && plan->steps[place->at].body_of == place->body_of;
    bool is_finally = is_step && plan->steps[place->at].is_finally;
    for (size_t i = place->at; i-- > 0;)
        if (is_in_list(plan, i, place->body_of, is_finally))
            return (int)i;
    return -1;
}

/* The step of that number in the list of the plan that the place is in, or -1. */
static int step_of_number(const struct reference_place *place, const char *number)
{
    int64_t left = 0;
    size_t unit = unit_of(place);
    if (!text_to_int64(number, &left) || left < 0)
        return -1;
    for (size_t i = unit; i < place->plan->n_steps; i++)
        if (is_in_list(place->plan, i, unit, false) && left-- == 0)
            return (int)i;
    return -1;
}

static bool resolve_root(const struct piece_reader *reader, const char *name,
                         struct reference *reference)
{
    const struct reference_place *place = &reader->place;
    bool is_strict = place->plan->version > 1;
    reference->root = REFERENCE_STEP;
    if (strcmp(name, is_strict ? "inputs" : "vars") == 0) {
        reference->root = REFERENCE_VARS;
        reference->step = -1;
        return reference->n_parts && !reference->is_index[0];
    }
    if (is_strict && resolve_loop(place, name, reference))
        return true;
    if (is_strict && strcmp(name, "verify") == 0) {
        reference->root = REFERENCE_VERIFY;
        reference->step = -1;
        return true;
    }
    if (strcmp(name, "prev_result") == 0) {
        reference->step = previous(place);
        return true;
    }
    if (strcmp(name, "steps") == 0) {
        if (!reference->n_parts || !reference->is_index[0])
            return false;
        reference->step = step_of_number(place, reference->parts[0]);
        drop_first_part(reference);
        return true;
    }
    reference->step = plan_find_step_of(place->plan, unit_of(place), name);
    return reference->step >= 0 || is_strict ||
           is_meant_as_step(place->plan, name, reference->n_parts > 0);
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
    struct cursor cursor = { reader->arena, start + 1, close, reader->place.plan->version > 1 };
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

bool reference_next_piece(struct piece_reader *reader, struct piece *out)
{
    if (reader->at >= reader->length)
        return false;
    const char *start = reader->text + reader->at;
    const char *brace = memchr(start, '{', reader->length - reader->at);
    if (brace == start) {
        (reader->place.plan->version > 1 ? read_strict_brace : read_brace)(reader, start, out);
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
    while (reference_next_piece(&reader, &piece))
        if (piece.is_reference && !visiting->visit(visiting->context, path, &piece.reference))
            return NULL;
    return json_share(string);
}

struct reference_place reference_place_of(const struct plan *plan, size_t at_step)
{
    size_t body_of = at_step < plan->n_steps ? plan->steps[at_step].body_of : 0;
    return (struct reference_place){ .plan = plan, .at = at_step, .body_of = body_of };
}

struct reference_place reference_place_around(const struct plan *plan, size_t at_step)
{
    struct reference_place place = reference_place_of(plan, at_step);
    place.is_around = true;
    return place;
}

struct reference_place reference_place_behind(const struct plan *plan, size_t body_of)
{
    size_t at = body_of ? plan->steps[body_of - 1].end : plan->n_steps;
    return (struct reference_place){ .plan = plan, .at = at, .body_of = body_of };
}

bool references_visit_at(struct arena *arena, const struct reference_place *place,
                         const json_t *value, reference_visit_fn *visit, void *context)
{
    struct visiting visiting = {
        .reader = { .arena = arena, .place = *place },
        .visit = visit,
        .context = context,
    };
    json_auto_t *all = json_map_strings(arena, "", value, visit_string, &visiting);
    return all != NULL;
}

bool references_visit(struct arena *arena, const struct plan *plan, size_t at_step,
                      const json_t *args, reference_visit_fn *visit, void *context)
{
    const struct reference_place place = reference_place_of(plan, at_step);
    return references_visit_at(arena, &place, args, visit, context);
}

struct reference reference_parse(struct arena *arena, const struct reference_place *place,
                                 const char *text)
{
    const char *braced = arena_printf(arena, "{%s}", text);
    struct piece_reader reader = {
        .arena = arena, .place = *place, .text = braced, .length = strlen(braced)
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

json_t *references_rewrite(struct arena *arena, const struct plan *plan, size_t at_step,
                           const json_t *string, reference_print_fn *print, void *context)
{
    AUTO(buf) text;
    struct piece piece;
    struct piece_reader reader = { .arena = arena,
                                   .place = reference_place_of(plan, at_step),
                                   .text = json_string_value(string),
                                   .length = json_string_length(string) };
    buf_init(&text, SIZE_MAX);
    bool fits = true;
    while (fits && reference_next_piece(&reader, &piece)) {
        if (piece.is_reference)
            fits = buf_puts(&text, print(context, &piece.reference));
        for (size_t i = 0; fits && !piece.is_reference && i < piece.length; i++)
            fits = (piece.text[i] != '{' || buf_puts(&text, "{")) &&
                   buf_append(&text, &piece.text[i], 1);
    }
    return fits ? json_stringn(buf_string(&text), text.length) : NULL;
}
