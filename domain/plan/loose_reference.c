/* One grammar reads all notations: an opening mark, a root, parts, the closing mark. Only what is
 * understood from mark to mark is written anew. */
#include "domain/plan/loose_reference.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/gap.h"
#include "domain/plan/references.h"
#include <ctype.h>
#include <string.h>

#define BLANKS " \t"
#define MAX_BRACES 3

/* One candidate while it is read. */
struct candidate {
    const struct loose_references *loose;
    const char *at, *root, *parts;
    size_t n_parts;
    bool is_step;  /* the root is the id or the number of a step */
    bool ends_all; /* a [*] came: nothing may follow */
};

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

/* Reads .name, [12], ["name"], ['name'], [*] or []; false when none of them is next. */
static bool read_part(struct candidate *candidate)
{
    const char *from = candidate->at + 1, quote = *from;
    bool is_member = from[-1] == '.', is_quoted = !is_member && (quote == '"' || quote == '\'');
    bool is_name = is_member || is_quoted;
    from += is_quoted;
    size_t length = is_name ? name_length(from) : strspn(from, "0123456789");
    bool is_all = !is_name && !length;
    const char *behind = from + length + (is_all && *from == '*');
    if ((is_name ? !length : length > REFERENCE_MAX_INDEX_DIGITS) ||
        (is_quoted && *behind++ != quote) || (!is_member && *behind++ != ']'))
        return false;
    candidate->at = behind;
    candidate->n_parts++;
    candidate->ends_all = is_all;
    if (!is_all)
        candidate->parts = arena_printf(candidate->loose->arena, is_name ? "%s.%.*s" : "%s[%.*s]",
                                        candidate->parts, (int)length, from);
    return true;
}

static bool read_root(struct candidate *candidate)
{
    static const char *const before[] = { "prev_result", "previous_result",
                                          "last_result", "result",
                                          "prev",        "previous",
                                          "prev_step",   "previous_step" };
    const struct loose_references *loose = candidate->loose;
    size_t length = name_length(candidate->at);
    const char *name = arena_strndup(loose->arena, candidate->at, length);
    candidate->at += length;
    bool is_member = strcmp(name, "steps") == 0 && *candidate->at && read_part(candidate);
    if (is_member) {
        name = candidate->parts + (*candidate->parts == '.');
        candidate->parts = "";
        candidate->n_parts = 0;
    }
    candidate->root = step_named(loose, name);
    candidate->is_step = candidate->root != NULL;
    if (candidate->root || is_member)
        return candidate->is_step;
    if (loose->n && text_is_one_of(name, before, ARRAY_LENGTH(before)))
        candidate->root = "prev_result";
    else if (strcmp(name, "vars") == 0)
        candidate->root = name;
    return candidate->root != NULL;
}

static bool read_parts(struct candidate *candidate)
{
    while (*candidate->at == '.' || *candidate->at == '[') {
        /* A full stop behind $s1.x ends the sentence. */
        if (*candidate->at == '.' && !name_length(candidate->at + 1))
            break;
        if (candidate->ends_all || candidate->n_parts == REFERENCE_MAX_PARTS ||
            !read_part(candidate))
            return false;
    }
    return true;
}

/* The reference that begins at `at`, in its own form; NULL when it is not surely one. */
static const char *read_at(const struct loose_references *loose, const char *text, const char *at,
                           const char **behind)
{
    bool has_dollar = *at == '$';
    size_t braces = strspn(at + has_dollar, "{"), angles = *at == '<';
    bool is_naked = !braces && !angles;
    struct candidate candidate = { loose, at + has_dollar + braces + angles, .parts = "" };
    if (braces > MAX_BRACES || (braces > 1 && loose->doubled_are_escapes))
        return NULL;
    candidate.at += is_naked ? 0 : strspn(candidate.at, BLANKS);
    candidate.at += !is_naked && *candidate.at == '$';
    if (!read_root(&candidate) || !read_parts(&candidate))
        return NULL;
    candidate.at += is_naked ? 0 : strspn(candidate.at, BLANKS);
    const char *close = angles ? ">" : &"}}}"[MAX_BRACES - braces];
    if (!text_starts_with(candidate.at, close))
        return NULL;
    *behind = candidate.at + strlen(close);
    bool is_whole = at == text && !**behind, is_vars = strcmp(candidate.root, "vars") == 0;
    bool says_enough = candidate.n_parts || (is_whole && !is_vars && !angles);
    /* Without any mark a single member may be the ending of a file: "s1.png". */
    if (is_naked && !has_dollar)
        says_enough = is_whole && !is_vars && candidate.n_parts &&
                      (candidate.n_parts > 1 || !gap_is_file_ending(candidate.parts + 1));
    bool is_sure = candidate.is_step || (!(is_naked && has_dollar) && !gap_is_code(text));
    return says_enough && is_sure
               ? arena_printf(loose->arena, "{%s%s}", candidate.root, candidate.parts)
               : NULL;
}

static json_t *read_string(void *context, const char *path, const json_t *string)
{
    const struct loose_references *loose = context;
    const char *text = json_string_value(string), *at = text, *behind;
    if (json_string_has_nul(string) || !strpbrk(text, "{<$."))
        return json_share(string);
    AUTO(buf) out;
    buf_init(&out, SIZE_MAX);
    for (bool fits = true; fits && *at;) {
        bool may_begin = at == text || (strchr("{<$", *at) && at[-1] != '{');
        const char *reference = may_begin ? read_at(loose, text, at, &behind) : NULL;
        fits = reference ? buf_puts(&out, reference) : buf_append(&out, at, 1);
        at = reference ? behind : at + 1;
    }
    if (*at || strcmp(buf_string(&out), text) == 0)
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
