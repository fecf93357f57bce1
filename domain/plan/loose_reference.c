/* Each opening mark of a table is tried where it stands in a string. What is between it and its
 * closing mark is read as root and parts; only when both are understood it is written anew. */
#include "domain/plan/loose_reference.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/gap.h"
#include "domain/plan/references.h"
#include <ctype.h>
#include <string.h>

static const struct marks {
    const char *open, *close;
    bool only_steps; /* any other name between these marks may belong to something else */
} all_marks[] = {
    { "{{{", "}}}", false }, { "${{", "}}", false }, { "{{", "}}", false }, { "${", "}", false },
    { "{", "}", false },     { "<", ">", false },    { "$", "", true },
};

/* One candidate while it is read. */
struct candidate {
    const struct loose_references *loose;
    const char *at, *root, *parts;
    size_t n_parts;
    bool is_step;  /* the root is the id or the number of a step */
    bool ends_all; /* a [*] came: nothing may follow */
};

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '-' ||
           (unsigned char)at[length] >= 0x80)
        length++;
    return length;
}

static const char *step_named(const struct loose_references *loose, const char *name)
{
    int64_t number = 0;
    if (text_is_one_of(name, loose->ids, loose->n))
        return name;
    if (strncasecmp(name, "step", 4) != 0)
        return NULL;
    const char *digits = name + 4 + (name[4] == '_' || name[4] == '-');
    bool is_number = isdigit((unsigned char)*digits) && text_to_int64(digits, &number);
    return is_number && number >= 1 && number <= (int64_t)loose->n ? loose->ids[number - 1] : NULL;
}

static const char *take_name(struct candidate *candidate)
{
    size_t length = name_length(candidate->at);
    const char *name = arena_strndup(candidate->loose->arena, candidate->at, length);
    candidate->at += length;
    return name;
}

/* ".name", or the name in [""] or ['']; NULL when neither is next. */
static const char *take_member(struct candidate *candidate)
{
    const char *at = candidate->at;
    bool is_quoted = at[0] == '[' && (at[1] == '"' || at[1] == '\'');
    if (!is_quoted && at[0] != '.')
        return NULL;
    candidate->at += is_quoted ? 2 : 1;
    const char *name = take_name(candidate);
    const char closing[] = { at[1], ']', '\0' };
    if (!*name || (is_quoted && strncmp(candidate->at, closing, 2) != 0))
        return NULL;
    candidate->at += is_quoted ? 2 : 0;
    return name;
}

static bool read_root(struct candidate *candidate)
{
    static const char *const before[] = { "prev_result", "previous_result",
                                          "last_result", "result",
                                          "prev",        "previous",
                                          "prev_step",   "previous_step" };
    const struct loose_references *loose = candidate->loose;
    const char *name = take_name(candidate);
    const char *step = *name ? step_named(loose, name) : NULL;
    if (!step && strcmp(name, "steps") == 0 && (name = take_member(candidate)) && *name)
        step = step_named(loose, name);
    candidate->is_step = step != NULL;
    if (!step && name && loose->n && text_is_one_of(name, before, ARRAY_LENGTH(before)))
        step = "prev_result";
    if (!step && name && strcmp(name, "vars") == 0)
        step = name;
    return (candidate->root = step) != NULL;
}

static void add_part(struct candidate *candidate, const char *before, const char *part,
                     size_t length)
{
    candidate->parts = arena_printf(candidate->loose->arena, "%s%s%.*s", candidate->parts, before,
                                    (int)length, part);
}

static bool read_part(struct candidate *candidate)
{
    size_t digits = strspn(candidate->at + (*candidate->at == '['), "0123456789");
    if (*candidate->at == '[' && digits && candidate->at[1 + digits] == ']') {
        add_part(candidate, "", candidate->at, digits + 2);
        candidate->at += digits + 2;
        return true;
    }
    size_t all = strncmp(candidate->at, "[*]", 3) == 0 ? 3 : 2;
    if (all == 3 || strncmp(candidate->at, "[]", 2) == 0) {
        candidate->at += all;
        return candidate->ends_all = true;
    }
    const char *name = take_member(candidate);
    if (name)
        add_part(candidate, ".", name, strlen(name));
    return name != NULL;
}

static bool read_parts(struct candidate *candidate)
{
    while (*candidate->at == '.' || *candidate->at == '[') {
        /* A full stop behind $s1.x ends the sentence. */
        if (*candidate->at == '.' && !name_length(candidate->at + 1))
            break;
        if (candidate->ends_all || candidate->n_parts++ == REFERENCE_MAX_PARTS ||
            !read_part(candidate))
            return false;
    }
    return true;
}

/* The reference between these marks at `at`, in its own form; NULL when it is not surely one. */
static const char *read_between(struct candidate *candidate, const char *text, const char *at,
                                const struct marks *marks)
{
    candidate->at = skip_blanks(at + strlen(marks->open));
    bool is_naked = !*marks->close;
    candidate->at += !is_naked && *candidate->at == '$';
    if (!read_root(candidate) || !read_parts(candidate))
        return NULL;
    const char *end = is_naked ? candidate->at : skip_blanks(candidate->at);
    if (strncmp(end, marks->close, strlen(marks->close)) != 0)
        return NULL;
    candidate->at = end + strlen(marks->close);
    bool is_whole = at == text && !*candidate->at;
    bool is_vars = strcmp(candidate->root, "vars") == 0;
    bool says_enough = candidate->n_parts || (is_whole && !is_vars && marks->open[0] != '<');
    if (!says_enough || (!candidate->is_step && (marks->only_steps || gap_is_code(text))))
        return NULL;
    return arena_printf(candidate->loose->arena, "{%s%s}", candidate->root, candidate->parts);
}

static const char *read_marked(const struct loose_references *loose, const char *text,
                               const char *at, const struct marks *marks, const char **behind)
{
    struct candidate candidate = { .loose = loose, .parts = "" };
    const char *reference = read_between(&candidate, text, at, marks);
    *behind = candidate.at;
    return reference;
}

static const char *read_at(const struct loose_references *loose, const char *text, const char *at,
                           const char **behind)
{
    if (loose->doubled_are_escapes && strncmp(at, "{{", 2) == 0) {
        *behind = at + 2;
        return "{{";
    }
    for (size_t i = 0; i < ARRAY_LENGTH(all_marks); i++) {
        if (!text_starts_with(at, all_marks[i].open))
            continue;
        const char *reference = read_marked(loose, text, at, &all_marks[i], behind);
        if (reference)
            return reference;
    }
    return NULL;
}

/* A text that is nothing but "s1.text" or "prev_result.items[0].path". A single other member may
 * be the ending of a file: "s1.png". */
static const char *read_bare(const struct loose_references *loose, const char *text)
{
    static const struct marks none = { "", "", false };
    const char *behind, *dot = strchr(text, '.');
    if (!dot || (strcmp(dot, ".text") != 0 && !strpbrk(dot + 1, ".[")))
        return NULL;
    const char *reference = read_marked(loose, text, text, &none, &behind);
    return reference && !*behind && !text_starts_with(reference, "{vars") ? reference : NULL;
}

static json_t *read_string(void *context, const char *path, const json_t *string)
{
    const struct loose_references *loose = context;
    const char *text = json_string_value(string), *at = text, *behind;
    if (json_string_has_nul(string) || !strpbrk(text, "{<$."))
        return json_share(string);
    AUTO(buf) out;
    buf_init(&out, SIZE_MAX);
    const char *bare = read_bare(loose, text);
    bool fits = buf_puts(&out, bare ? bare : "");
    for (at = bare ? "" : text; fits && *at;) {
        const char *reference =
            at == text || at[-1] != '{' ? read_at(loose, text, at, &behind) : NULL;
        fits = reference ? buf_puts(&out, reference) : buf_append(&out, at, 1);
        at = reference ? behind : at + 1;
    }
    if (!fits || strcmp(buf_string(&out), text) == 0)
        return json_share(string);
    if (loose->note)
        loose->note(loose->context, path);
    return json_string(buf_string(&out));
}

const json_t *loose_references_read(const struct loose_references *loose, const json_t *args)
{
    struct loose_references copy = *loose;
    return arena_keep_json(loose->arena,
                           json_map_strings(loose->arena, "", args, read_string, &copy));
}
