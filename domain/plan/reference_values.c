/* What a reference leads to is found from the frame it stands in, outwards, and then part by part;
 * binding puts the values in the place of the references. */
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/reference_pieces.h"
#include <string.h>

struct binding {
    struct piece_reader reader;
    const struct frame *frame;
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

bool reference_part_is_list(const struct reference *reference, size_t i)
{
    return reference->is_index[i] && strpbrk(reference->parts[i], ":*");
}

const json_t *reference_find_part(const json_t *value, const struct reference *reference, size_t i)
{
    int64_t index = -1;
    if (json_is_string(value) && strcmp(reference->parts[i], "text") == 0)
        return value;
    if (!reference->is_index[i] && !json_is_array(value))
        return json_object_get(value, reference->parts[i]);
    if (reference_part_is_list(reference, i) || !text_to_int64(reference->parts[i], &index))
        return NULL;
    index += index < 0 ? (int64_t)json_array_size(value) : 0;
    return index < 0 ? NULL : json_array_get(value, (size_t)index);
}

/* One end of "from:to"; the fallback where it is left out. */
static size_t slice_end(const char *text, size_t n, size_t fallback)
{
    AUTO(arena) scratch = { 0 };
    size_t length = strcspn(text, ":");
    int64_t at = 0;
    if (!length || !text_to_int64(arena_strndup(&scratch, text, length), &at))
        return fallback;
    at += at < 0 ? (int64_t)n : 0;
    return at < 0 ? 0 : at > (int64_t)n ? n : (size_t)at;
}

static const json_t *find_from(struct arena *arena, const struct reference *reference, size_t part,
                               const json_t *value);

/* What the rest of the reference leads to in each of the elements that has it. */
static const json_t *gather(struct arena *arena, const struct reference *reference, size_t part,
                            const json_t *list)
{
    const char *text = reference->parts[part], *colon = strchr(text, ':');
    size_t n = json_array_size(list);
    size_t from = colon ? slice_end(text, n, 0) : 0, to = colon ? slice_end(colon + 1, n, n) : n;
    json_t *all = json_array();
    for (size_t i = from; i < to; i++) {
        const json_t *element = json_array_get(list, i);
        const json_t *found = colon ? element : find_from(arena, reference, part + 1, element);
        if (found)
            json_array_append_new(all, json_share(found));
    }
    arena_keep_json(arena, all);
    return colon ? find_from(arena, reference, part + 1, all) : all;
}

/* NULL where it leads to nothing. */
static const json_t *find_from(struct arena *arena, const struct reference *reference, size_t part,
                               const json_t *value)
{
    for (; value && part < reference->n_parts; part++) {
        if (reference_part_is_list(reference, part))
            return json_is_array(value) ? gather(arena, reference, part, value) : NULL;
        value = reference_find_part(value, reference, part);
    }
    return value;
}

static enum err_code walk(struct arena *arena, const struct reference *reference,
                          const json_t *value, const json_t **out, struct err *err)
{
    const json_t *last = value;
    size_t i = 0;
    *out = find_from(arena, reference, 0, value);
    while (!*out && i < reference->n_parts && (value = reference_find_part(last, reference, i))) {
        last = value;
        i++;
    }
    if (*out)
        return ERR_NONE;
    return err_set(err, ERR_BAD_PLAN, 0, "reference {%.100s}: no %s%.60s%s, there is %.160s",
                   reference->text, reference->is_index[i] ? "[" : "\"", reference->parts[i],
                   reference->is_index[i] ? "]" : "\"", describe(arena, last));
}

static const json_t *vars_of(const struct frame *frame)
{
    while (frame && !frame->vars)
        frame = frame->outer;
    return frame ? frame->vars : NULL;
}

/* The frame of the list of a step's body; NULL: it is not being carried out here. */
static const struct frame *frame_of(const struct frame *frame, size_t body_of)
{
    while (frame && frame->body_of != body_of)
        frame = frame->outer;
    return frame;
}

static const struct step_result *result_of(const struct frame *frame, int step)
{
    frame = frame_of(frame, frame->plan->steps[step].body_of);
    return frame && frame->results ? frame->results[(size_t)step - frame->first] : NULL;
}

static enum err_code resolve_result(struct arena *arena, const struct frame *frame,
                                    const struct reference *reference, const json_t **out,
                                    struct err *err)
{
    const char *id = frame->plan->steps[reference->step].id;
    const struct step_result *result = result_of(frame, reference->step);
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

static const json_t *verified_of(const struct frame *frame)
{
    while (frame && !frame->verified)
        frame = frame->outer;
    return frame ? frame->verified : NULL;
}

static enum err_code resolve(struct arena *arena, const struct frame *frame,
                             const struct reference *reference, const json_t **out, struct err *err)
{
    const json_t *value = NULL;
    const struct frame *loop = NULL;
    if (reference->root == REFERENCE_VARS)
        return walk(arena, reference, vars_of(frame), out, err);
    if (reference->root == REFERENCE_VERIFY)
        value = verified_of(frame);
    else if (reference->step < 0 || reference->is_malformed)
        return err_set(err, ERR_BAD_PLAN, 0, "reference {%.100s}: there is no such step",
                       reference->text);
    else if (reference->root == REFERENCE_STEP)
        return resolve_result(arena, frame, reference, out, err);
    else
        loop = frame_of(frame, (size_t)reference->step + 1);
    if (loop)
        value = reference->root == REFERENCE_ITEM ? loop->item : loop->index;
    if (!value)
        return err_set(err, ERR_BAD_PLAN, 0, "reference {%.100s} leads to nothing here",
                       reference->text);
    return walk(arena, reference, value, out, err);
}

const json_t *reference_find(struct arena *arena, const struct reference *reference,
                             const struct frame *frame)
{
    const json_t *value = NULL;
    return resolve(arena, frame, reference, &value, NULL) ? NULL : value;
}

struct lookout {
    const struct frame *frame;
    bool or_failed, has_gap;
};

static bool note_gap(void *context, const char *path, const struct reference *reference)
{
    (void)path;
    struct lookout *lookout = context;
    bool is_step = reference->root == REFERENCE_STEP && reference->step >= 0;
    const struct step_result *result = is_step ? result_of(lookout->frame, reference->step) : NULL;
    lookout->has_gap |= is_step && (!result || (result->is_error && lookout->or_failed));
    return !lookout->has_gap;
}

bool references_lack_result(struct arena *arena, const struct reference_place *place,
                            const struct frame *frame, const json_t *value, bool or_failed)
{
    struct lookout lookout = { .frame = frame, .or_failed = or_failed };
    references_visit_at(arena, place, value, note_gap, &lookout);
    return lookout.has_gap;
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
    while (reference_next_piece(reader, &piece)) {
        bool fits;
        if (piece.is_reference) {
            const json_t *value = NULL;
            enum err_code r =
                resolve(binding->reader.arena, binding->frame, &piece.reference, &value, err);
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
    if (reference_next_piece(&ahead, &piece) && piece.is_reference && piece.reference.whole) {
        const json_t *value = NULL;
        binding->code =
            resolve(reader.arena, binding->frame, &piece.reference, &value, binding->err);
        return binding->code ? NULL : json_share(value);
    }
    AUTO(buf) text;
    buf_init(&text, REFERENCES_MAX_TEXT_BYTES - binding->bytes);
    binding->code = print_pieces(binding, &reader, &text, binding->err);
    return binding->code ? NULL : json_stringn(buf_string(&text), text.length);
}

enum err_code references_bind_value(struct arena *arena, const struct reference_place *place,
                                    const struct frame *frame, const json_t *value,
                                    const json_t **out, struct err *err)
{
    struct binding binding = {
        .reader = { .arena = arena, .place = *place },
        .frame = frame,
        .err = err,
    };
    json_t *bound = json_map_strings(arena, NULL, value, bind_string, &binding);
    if (bound)
        *out = arena_keep_json(arena, bound);
    return binding.code;
}

enum err_code references_bind(struct arena *arena, const struct plan *plan, size_t at_step,
                              const json_t *vars, const struct step_result *const *results,
                              const json_t **out_args, struct err *err)
{
    const struct reference_place place = reference_place_of(plan, at_step);
    const struct frame frame = { .plan = plan, .vars = vars, .results = results };
    return references_bind_value(arena, &place, &frame, plan->steps[at_step].args, out_args, err);
}
