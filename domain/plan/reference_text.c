#include "domain/plan/reference_text.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

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
    if (length < 1 || length > 9 || cursor->at == cursor->end || *cursor->at != ']')
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

/* A name that is no step but was surely meant as one: s7, or a slip in a step's id. Anything else
 * in braces is text of somebody else's language and stays as it is. */
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
    reference->root = REFERENCE_STEP;
    if (strcmp(name, "vars") == 0) {
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
    return reference->step >= 0 || is_meant_as_step(reader->plan, name, reference->n_parts > 0);
}

/* Reads "{…}" at `start`. Returns the bytes behind it, or NULL when it is no reference. */
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
    *out = reference;
    return close + 1;
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
        read_brace(reader, start, out);
        return true;
    }
    size_t length = brace ? (size_t)(brace - start) : reader->length - reader->at;
    *out = (struct piece){ .text = start, .length = length };
    reader->at += length;
    return true;
}
