#include "application/structured/judge.h"
#include "application/structured/argument_value.h"
#include "application/structured/extract.h"
#include "application/structured/plain_text.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

const char *attempt_class_name(enum attempt_class class)
{
    static const char *const names[] = {
#define X(class, name) [ATTEMPT_##class] = name,
        ATTEMPT_CLASSES(X)
#undef X
    };
    return names[class];
}

static const struct {
    const char *rule;
    enum attempt_class class;
} class_of_rule[] = {
    { "required", ATTEMPT_MISSING_FIELDS },
    { "dependentRequired", ATTEMPT_MISSING_FIELDS },
    { "enum", ATTEMPT_UNKNOWN_ENUM },
    { "const", ATTEMPT_UNKNOWN_ENUM },
    { "minimum", ATTEMPT_OUT_OF_RANGE },
    { "maximum", ATTEMPT_OUT_OF_RANGE },
    { "exclusiveMinimum", ATTEMPT_OUT_OF_RANGE },
    { "exclusiveMaximum", ATTEMPT_OUT_OF_RANGE },
    { "multipleOf", ATTEMPT_OUT_OF_RANGE },
    { "minLength", ATTEMPT_OUT_OF_RANGE },
    { "maxLength", ATTEMPT_OUT_OF_RANGE },
    { "minItems", ATTEMPT_OUT_OF_RANGE },
    { "maxItems", ATTEMPT_OUT_OF_RANGE },
    { "minProperties", ATTEMPT_OUT_OF_RANGE },
    { "maxProperties", ATTEMPT_OUT_OF_RANGE },
    { "uniqueItems", ATTEMPT_OUT_OF_RANGE },
    { "pattern", ATTEMPT_OUT_OF_RANGE },
};

/* Everything else (additionalProperties, anyOf, …) is a value of the wrong shape. */
static enum attempt_class class_of_problem(const struct problem *problem)
{
    for (size_t i = 0; problem->rule && i < ARRAY_LENGTH(class_of_rule); i++)
        if (strcmp(problem->rule, class_of_rule[i].rule) == 0)
            return class_of_rule[i].class;
    return ATTEMPT_WRONG_TYPE;
}

/* With "<" it tells whether the examples have any gaps at all. */
static bool stands_in_examples(const struct contract *contract, const char *text)
{
    if (contract->good && strstr(contract->good, text))
        return true;
    for (size_t i = 0; i < contract->n_bad; i++)
        if (strstr(contract->bad[i], text))
            return true;
    return false;
}

static bool is_placeholder(const struct contract *contract, const char *text)
{
    size_t length = strlen(text);
    return length > 2 && length <= PLACEHOLDER_MAX_BYTES && text[0] == '<' &&
           text[length - 1] == '>' && stands_in_examples(contract, text);
}

static bool search(const struct contract *contract, const json_t *value, const char *path,
                   struct problems *problems)
{
    const char *text = json_string_value(value), *key;
    json_t *member;
    if (text && is_placeholder(contract, text)) {
        struct problem *problem =
            problems_add(problems, NULL, path, "%s is the gap of an example, not a value", text);
        problem->fix = "put the real value in place of the gap of the example";
        return true;
    }
    json_each_member (value, key, member)
        if (search(contract, member, json_path_member(problems->arena, path, key), problems))
            return true;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (search(contract, json_array_get(value, i), json_path_element(problems->arena, path, i),
                   problems))
            return true;
    return false;
}

bool placeholder_find(const struct contract *contract, const json_t *value,
                      struct problems *problems)
{
    return stands_in_examples(contract, "<") && search(contract, value, "", problems);
}

#define NAME_MAX_BYTES 256 /* of one name in a path; a longer one is never found */

struct rule {
    const struct contract_synonym *synonym;
    unsigned n;
};

/* path: "" or "/name…", with "-" for every element of an array. The recursion is bounded by the
 * path, which is the contract's. */
static void replace_at(struct rule *rule, json_t *value, const char *path)
{
    const char *word = json_string_value(value);
    if (!*path && word && strcasecmp(word, rule->synonym->said) == 0) {
        json_string_set(value, rule->synonym->meant);
        rule->n++;
    }
    if (*path != '/')
        return;
    char name[NAME_MAX_BYTES];
    size_t length = strcspn(path + 1, "/");
    if (length >= sizeof name)
        return;
    memcpy(name, path + 1, length);
    name[length] = '\0';
    const char *rest = path + 1 + length;
    for (size_t i = 0; strcmp(name, "-") == 0 && i < json_array_size(value); i++)
        replace_at(rule, json_array_get(value, i), rest);
    if (json_is_object(value))
        replace_at(rule, json_object_get(value, name), rest);
}

const json_t *synonyms_apply(struct arena *arena, const struct contract *contract,
                             const json_t *value, unsigned *out_n)
{
    if (!contract->n_synonyms)
        return NULL;
    unsigned n = 0;
    json_t *copy = json_deep_copy(value);
    arena_keep_json(arena, copy);
    for (size_t i = 0; i < contract->n_synonyms; i++) {
        struct rule rule = { .synonym = &contract->synonyms[i] };
        replace_at(&rule, copy, rule.synonym->path);
        n += rule.n;
    }
    *out_n = n;
    return n ? copy : NULL;
}

/* Sets the class and the one instruction that goes with it. */
static void judge_as(struct verdict *verdict, enum attempt_class class, const char *message,
                     const char *fix)
{
    verdict->class = class;
    problems_add(&verdict->problems, /* step */ NULL, /* path */ NULL, "%s", message)->fix = fix;
}

static bool is_blank_text(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* A copy of the object without the member, in the arena; what has none is itself. */
static const json_t *without(struct arena *arena, const json_t *object, const char *name)
{
    if (!name || !json_object_get(object, name))
        return object;
    json_auto_t *whole = json_share(object);
    json_t *rest = arena_keep_json(arena, json_copy(whole));
    json_object_del(rest, name);
    return rest;
}

const json_t *judged_schema(struct arena *arena, const struct contract *contract)
{
    const json_t *required = json_object_get(contract->schema, "required");
    if (!json_array_has_text(required, contract->working ? contract->working : ""))
        return contract->schema;
    json_auto_t *whole = json_share(contract->schema);
    json_t *schema = arena_keep_json(arena, json_copy(whole)), *rest = json_array();
    for (size_t i = 0; i < json_array_size(required); i++) {
        const json_t *name = json_array_get(required, i);
        if (!text_equal(json_string_value(name), contract->working))
            json_array_append_new(rest, json_share(name));
    }
    json_object_set_new(schema, "required", rest);
    return schema;
}

static bool fits(struct verdict *verdict, const struct contract *contract,
                 const struct json_schema *schema, const json_t *value)
{
    verdict->class = ATTEMPT_OK;
    value = without(verdict->problems.arena, value, contract->working);
    if (contract->normalise)
        value = contract->normalise(contract->context, verdict->problems.arena, value);
    if (!json_schema_accepts(schema, value, &verdict->problems))
        verdict->class =
            verdict->problems.n ? class_of_problem(&verdict->problems.list[0]) : ATTEMPT_WRONG_TYPE;
    else if (placeholder_find(contract, value, &verdict->problems))
        verdict->class = ATTEMPT_PLACEHOLDER;
    else if (contract->cross_check &&
             !contract->cross_check(contract->context, value, &verdict->problems))
        verdict->class = ATTEMPT_CROSS_CHECK;
    if (verdict->class == ATTEMPT_OK)
        verdict->value = value;
    return verdict->class == ATTEMPT_OK;
}

/* Whether the object has every member that the schema requires. */
static bool has_required(const json_t *schema, const json_t *object)
{
    const json_t *required = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(required); i++)
        if (!json_object_get(object, json_string_value(json_array_get(required, i))))
            return false;
    return json_is_object(object) && json_array_size(required);
}

/* {"response": {…}}, [{…}] and the text of either: the object in the only member or element of
 * something that is not the contract's object, where that object is. The value itself when it is
 * not so. */
static const json_t *unwrapped(struct arena *arena, const json_t *schema, const json_t *value)
{
    void *only = json_object_iter((json_t *)(uintptr_t)value);
    const json_t *inner = json_object_size(value) == 1  ? json_object_iter_value(only)
                          : json_array_size(value) == 1 ? json_array_get(value, 0)
                                                        : value;
    if (json_is_string(inner))
        inner = argument_from_text(arena, inner);
    return inner && has_required(schema, inner) ? inner : value;
}

/* The value itself where there is nothing to mend. The members of what comes with a text to a
 * person must be right as they are: they may start something. */
static const json_t *mended(struct arena *arena, const struct judged *judged, const json_t *value)
{
    const json_t *schema = judged->contract->schema;
    const json_t *inner = unwrapped(arena, schema, value);
    if (judged->contract->shape != CONTRACT_OBJECT)
        return inner;
    const json_t *fitted = arena_keep_json(arena, argument_fit(arena, schema, "", inner, NULL));
    return json_equal(fitted, value) ? value : fitted;
}

/* Judges the value as it is, and else as what it surely says by the schema, and else with the
 * contract's words for that. */
static struct verdict judge_words(struct arena *arena, const struct judged *judged,
                                  const json_t *value)
{
    struct verdict verdict = { .problems.arena = arena };
    unsigned n = 0;
    if (fits(&verdict, judged->contract, judged->schema, value))
        return verdict;
    const json_t *fitted = mended(arena, judged, value);
    struct verdict of_fitted = { .problems.arena = arena, .repaired = true };
    if (fitted != value && fits(&of_fitted, judged->contract, judged->schema, fitted))
        return of_fitted;
    const json_t *other = synonyms_apply(arena, judged->contract, fitted, &n);
    struct verdict with_words = { .problems.arena = arena, .synonyms = n };
    return other && fits(&with_words, judged->contract, judged->schema, other) ? with_words
                                                                               : verdict;
}

static struct verdict no_value(struct arena *arena, const struct judged *judged,
                               enum extract_kind kind, const char *body)
{
    struct verdict verdict = { .problems.arena = arena };
    bool ran_out = judged->reply->stop == MODEL_STOP_LENGTH;
    if (judged->heard->ran_away)
        judge_as(&verdict, ATTEMPT_RAN_AWAY, "the answer ran into endless blanks or digits",
                 "write the object without blank lines or padding, and short numbers");
    else if (ran_out || kind == EXTRACT_CUT)
        judge_as(&verdict, ATTEMPT_TRUNCATED, "the answer was cut off",
                 "make the answer shorter: keep every text brief and leave out what is not "
                 "required");
    else if (is_blank_text(body))
        judge_as(&verdict, ATTEMPT_EMPTY, "the answer was empty", "answer with one JSON object");
    else
        judge_as(&verdict, ATTEMPT_INVALID_JSON, "the answer was no JSON",
                 "answer with one JSON object and nothing else: no text around it, double "
                 "quotes around names and texts");
    return verdict;
}

/* The value as the contract's schema accepts it; NULL: it does not. */
static const json_t *shaped(struct arena *arena, const struct judged *judged, const json_t *value)
{
    const struct contract *contract = judged->contract;
    value = mended(arena, judged, value);
    if (contract->normalise)
        value = contract->normalise(contract->context, arena, value);
    return json_schema_accepts(judged->schema, value, NULL) ? value : NULL;
}

/* Whether another answer follows that says something else: which one is meant no one can know. */
static bool is_contradicted(struct arena *arena, const struct judged *judged, const char *body,
                            const struct extraction *first)
{
    size_t at = first->at + first->length;
    const json_t *value = first->has_trailing ? shaped(arena, judged, first->value) : NULL;
    for (unsigned i = 0; value && i < JUDGE_MAX_OBJECTS; i++) {
        struct extraction next = extract_value(arena, body + at, strlen(body + at));
        if (!next.value)
            return next.kind == EXTRACT_CUT && body[at + strspn(body + at, " \t\r\n,")] == '{';
        const json_t *other = shaped(arena, judged, next.value);
        if (other && !json_equal(other, value))
            return true;
        at += next.at + next.length;
    }
    return false;
}

static struct verdict two_values(struct arena *arena)
{
    struct verdict verdict = { .problems.arena = arena };
    judge_as(&verdict, ATTEMPT_INVALID_JSON, "there were two different answers",
             "decide for one of them and answer with that one JSON object alone");
    return verdict;
}

/* The value in a text, mended where that loses nothing. */
static struct verdict judge_object(struct arena *arena, const struct judged *judged,
                                   const char *body, size_t length)
{
    struct extraction found = extract_value(arena, body, length);
    if (!found.value)
        return no_value(arena, judged, found.kind, body);
    if (is_contradicted(arena, judged, body, &found))
        return two_values(arena);
    struct verdict verdict = judge_words(arena, judged, found.value);
    verdict.extracted = found.kind != EXTRACT_WHOLE;
    verdict.repaired = verdict.repaired || found.is_repaired;
    if (!verdict.value && verdict.extracted && judged->reply->stop == MODEL_STOP_LENGTH)
        verdict.class = ATTEMPT_TRUNCATED;
    return verdict;
}

/* The value in a text, by all means that lose nothing. Where the tool calls in it do not fit
 * either, the verdict on the text as it came is the better diagnosis. */
static struct verdict judge_body(struct arena *arena, const struct judged *judged, const char *body)
{
    const struct contract *contract = judged->contract;
    size_t length = strlen(body);
    struct verdict verdict = judge_object(arena, judged, body, length);
    if (verdict.value || !contract->adopt_calls)
        return verdict;
    struct verdict adopted = { .problems.arena = arena, .from_calls = true };
    const json_t *calls = native_calls_find(arena, body, length);
    const json_t *value = calls ? contract->adopt_calls(contract->context, arena, calls) : NULL;
    return value && fits(&adopted, contract, judged->schema, value) ? adopted : verdict;
}

static const char *trimmed(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    return arena_strndup(arena, text, length);
}

/* Whether the text is nothing but tool calls: they begin and end it. */
static bool is_all_calls(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    return length && strchr("[{<`", text[0]) && strchr("]}>`", text[length - 1]) &&
           native_calls_find(arena, text, length);
}

static struct verdict judge_text(struct arena *arena, const struct judged *judged)
{
    struct verdict verdict = { .problems.arena = arena };
    const char *said = trimmed(arena, judged->reply->text);
    verdict.text = plain_text(arena, said);
    if (is_all_calls(arena, said + strspn(said, " \t\r\n")))
        judge_as(&verdict, ATTEMPT_WRONG_TYPE, "the answer was a tool call",
                 "answer in plain words: no tool can be called any more");
    else if (!*verdict.text && judged->heard->ran_away)
        judge_as(&verdict, ATTEMPT_RAN_AWAY, "the answer was endless blanks",
                 "answer in plain words");
    else if (!*verdict.text)
        judge_as(&verdict, ATTEMPT_EMPTY, "the answer was empty", "answer in plain words");
    else if (judged->contract->cross_check &&
             !judged->contract->cross_check(judged->contract->context,
                                            arena_keep_json(arena, json_string(verdict.text)),
                                            &verdict.problems))
        verdict.class = ATTEMPT_UNGROUNDED;
    return verdict;
}

static struct verdict no_metadata(struct arena *arena, const struct judged *judged)
{
    const char *said = judged->reply->text;
    bool cut = judged->reply->stop == MODEL_STOP_LENGTH;
    struct verdict verdict = { .problems.arena = arena };
    if (cut || judged->heard->ran_away || is_blank_text(said))
        return no_value(arena, judged, cut ? EXTRACT_CUT : EXTRACT_NOTHING, said);
    judge_as(&verdict, ATTEMPT_MISSING_DELIMITER, "there was no line --- before the JSON",
             "write what you say, then a line with --- alone, then the JSON object, and nothing "
             "after it");
    return verdict;
}

/* Where the object alone was asked for, what stands around it is not shown. */
static struct verdict judge_both(struct arena *arena, const struct judged *judged)
{
    bool is_answer = judged->heard->form == REPLY_DELIMITED;
    struct verdict verdict;
    if (is_answer || (judged->is_bare && judged->heard->form == REPLY_BARE_OBJECT))
        verdict = judge_body(arena, judged, judged->heard->metadata);
    else if (judged->is_bare)
        verdict = judge_body(arena, judged, judged->reply->text);
    else
        verdict = no_metadata(arena, judged);
    verdict.text = is_answer ? trimmed(arena, judged->heard->text) : "";
    return verdict;
}

struct verdict judge_reply(struct arena *arena, const struct judged *judged)
{
    switch (judged->contract->shape) {
    case CONTRACT_TEXT:
        return judge_text(arena, judged);
    case CONTRACT_TEXT_AND_OBJECT:
        return judge_both(arena, judged);
    case CONTRACT_OBJECT:
        break;
    }
    return judge_body(arena, judged, judged->reply->text);
}

struct verdict judge_value(struct arena *arena, const struct contract *contract,
                           const struct json_schema *schema, const json_t *value)
{
    struct verdict verdict = { .problems.arena = arena };
    (void)fits(&verdict, contract, schema, value);
    return verdict;
}

const char *verdict_saved_by(const struct verdict *verdict)
{
    if (verdict->class != ATTEMPT_OK)
        return NULL;
    if (verdict->from_calls)
        return "calls";
    if (verdict->synonyms)
        return "synonym";
    if (verdict->repaired)
        return "repair";
    return verdict->extracted ? "extract" : NULL;
}
