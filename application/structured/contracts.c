#include "application/structured/contracts.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* A file while it is read. */
struct reading {
    struct arena *arena;
    const char *where; /* path and origin, for messages */
    struct contract *contract;
    struct err *err;
};

#define MAX_QUOTED_COLUMNS 40

static enum err_code bad_member(const struct reading *reading, const char *path,
                                const char *expected)
{
    return err_set(reading->err, ERR_INVALID, 0, "%s: x-contract%s: %s", reading->where, path,
                   expected);
}

static enum err_code unknown_member(const struct reading *reading, const char *path,
                                    const char *key)
{
    const char *shown = text_one_line(reading->arena, key, strlen(key), MAX_QUOTED_COLUMNS);
    return err_set(reading->err, ERR_INVALID, 0, "%s: x-contract%s: \"%s\" is not a member of it",
                   reading->where, path, shown);
}

/* A text with U+0000 in it would be cut in C. */
static enum err_code read_text(const struct reading *reading, const json_t *value, const char *path,
                               const char **out)
{
    if (!json_is_string(value) || json_string_has_nul(value))
        return bad_member(reading, path, "a text is expected");
    *out = arena_strdup(reading->arena, json_string_value(value));
    return ERR_NONE;
}

static enum err_code read_number(const struct reading *reading, const json_t *value,
                                 const char *path, json_int_t low, json_int_t high, int *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < low ||
        json_integer_value(value) > high)
        return bad_member(reading, path,
                          arena_printf(reading->arena,
                                       "a whole number from %lld to %lld is expected",
                                       (long long)low, (long long)high));
    *out = (int)json_integer_value(value);
    return ERR_NONE;
}

/* The texts of an object that has exactly these members. */
static enum err_code read_texts(const struct reading *reading, const json_t *object,
                                const char *path, const char *const *names, const char ***out,
                                size_t n)
{
    const char *key;
    json_t *member;
    if (!json_is_object(object))
        return bad_member(reading, path, "an object is expected");
    for (size_t i = 0; i < n; i++) {
        const char *at = json_path_member(reading->arena, path, names[i]);
        enum err_code r = read_text(reading, json_object_get(object, names[i]), at, out[i]);
        if (r)
            return r;
    }
    json_each_member (object, key, member) {
        bool known = false;
        for (size_t i = 0; i < n; i++)
            known = known || strcmp(key, names[i]) == 0;
        if (!known)
            return unknown_member(reading, path, key);
    }
    return ERR_NONE;
}

static enum err_code read_bad(struct reading *reading, const json_t *list)
{
    static const char *const names[] = { "answer", "why" };
    struct contract *contract = reading->contract;
    if (!json_is_array(list) || json_array_size(list) > CONTRACT_MAX_BAD_EXAMPLES)
        return bad_member(reading, "/bad",
                          arena_printf(reading->arena, "a list of at most %d examples is expected",
                                       CONTRACT_MAX_BAD_EXAMPLES));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *path = json_path_element(reading->arena, "/bad", i);
        const char **texts[] = { &contract->bad[i], &contract->bad_why[i] };
        enum err_code r = read_texts(reading, json_array_get(list, i), path, names, texts, 2);
        if (r)
            return r;
    }
    contract->n_bad = json_array_size(list);
    return ERR_NONE;
}

static enum err_code read_synonyms(struct reading *reading, const json_t *list)
{
    static const char *const names[] = { "path", "said", "meant" };
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n > CONTRACT_MAX_SYNONYMS)
        return bad_member(reading, "/synonyms",
                          arena_printf(reading->arena, "a list of at most %d is expected",
                                       CONTRACT_MAX_SYNONYMS));
    struct contract_synonym *synonyms = arena_array(reading->arena, struct contract_synonym, n + 1);
    for (size_t i = 0; i < n; i++) {
        const char *path = json_path_element(reading->arena, "/synonyms", i);
        const char **texts[] = { &synonyms[i].path, &synonyms[i].said, &synonyms[i].meant };
        enum err_code r = read_texts(reading, json_array_get(list, i), path, names, texts, 3);
        if (r)
            return r;
    }
    reading->contract->synonyms = synonyms;
    reading->contract->n_synonyms = n;
    return ERR_NONE;
}

static enum err_code read_member(struct reading *reading, const char *key, const json_t *value)
{
    struct contract *contract = reading->contract;
    const char *word = json_is_string(value) ? json_string_value(value) : "";
    if (strcmp(key, "version") == 0)
        return read_number(reading, value, "/version", 1, CONTRACT_MAX_VERSION, &contract->version);
    if (strcmp(key, "max_tokens") == 0)
        return read_number(reading, value, "/max_tokens", 1, CONTRACT_MAX_TOKENS,
                           &contract->max_tokens);
    if (strcmp(key, "shape") == 0)
        return contract_shape_parse(word, &contract->shape)
                   ? ERR_NONE
                   : bad_member(reading, "/shape", "object, text_and_object or text is expected");
    if (strcmp(key, "profile") == 0)
        return contract_profile_parse(word, &contract->profile)
                   ? ERR_NONE
                   : bad_member(reading, "/profile", "decide, envelope or converse is expected");
    if (strcmp(key, "bad") == 0)
        return read_bad(reading, value);
    if (strcmp(key, "synonyms") == 0)
        return read_synonyms(reading, value);
    if (strcmp(key, "working") == 0)
        return read_text(reading, value, "/working", &contract->working);
    if (strcmp(key, "reminder") == 0)
        return read_text(reading, value, "/reminder", &contract->reminder);
    if (strcmp(key, "compaction") == 0)
        return read_text(reading, value, "/compaction", &contract->compaction);
    if (strcmp(key, "good") != 0)
        return unknown_member(reading, "", key);
    if (json_is_string(value))
        return read_text(reading, value, "/good", &contract->good);
    contract->good = json_print_in(reading->arena, value);
    return ERR_NONE;
}

static enum err_code read_extension(struct reading *reading, const json_t *extension)
{
    const char *key;
    json_t *value;
    if (!json_is_object(extension))
        return bad_member(reading, "", "an object is expected");
    json_each_member (extension, key, value) {
        enum err_code r = read_member(reading, key, value);
        if (r)
            return r;
    }
    return reading->contract->version ? ERR_NONE : bad_member(reading, "/version", "it is missing");
}

/* What only people and this reader need is not sent to an endpoint. */
static enum err_code take_schema(struct reading *reading, json_t *file)
{
    static const char *const ours[] = { "x-contract", "$schema", "title", "description" };
    for (size_t i = 0; i < ARRAY_LENGTH(ours); i++)
        json_object_del(file, ours[i]);
    struct contract *contract = reading->contract;
    if (contract->shape != CONTRACT_TEXT) {
        contract->schema = file;
        return ERR_NONE;
    }
    void *other = json_object_iter(file);
    if (!other)
        return ERR_NONE;
    const char *key = json_object_iter_key(other);
    return err_set(reading->err, ERR_INVALID, 0,
                   "%s: \"%s\": a contract of plain text has no schema", reading->where,
                   text_one_line(reading->arena, key, strlen(key), MAX_QUOTED_COLUMNS));
}

static enum err_code read_file(struct reading *reading, const char *text)
{
    json_t *file = NULL;
    enum err_code r = json_parse(text, strlen(text), JSON_OURS, &file, reading->err);
    if (r)
        return err_prefix(reading->err, ERR_INVALID, "%s", reading->where);
    arena_keep_json(reading->arena, file);
    if (!json_is_object(file))
        return err_set(reading->err, ERR_INVALID, 0, "%s: an object is expected", reading->where);
    r = read_extension(reading, json_object_get(file, "x-contract"));
    return r ? r : take_schema(reading, file);
}

enum err_code contract_load(struct arena *arena, struct assets *assets, const char *name,
                            struct contract *out, struct err *err)
{
    const char *text = NULL, *origin = NULL;
    const char *path = arena_printf(arena, "data/schemas/%s.schema.json", name);
    enum err_code r = assets_get(assets, path, arena, &text, &origin, err);
    if (r)
        return err_prefix(err, r, "contract %s", name);
    struct contract contract = { .name = arena_strdup(arena, name) };
    struct reading reading = { .arena = arena, .contract = &contract, .err = err };
    reading.where = arena_printf(arena, "%s (%s)", path, origin);
    r = read_file(&reading, text);
    if (!r)
        *out = contract;
    return r;
}
