#include "application/structured/judge.h"
#include "application/structured/extract.h"
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

static void add_problem(struct verdict *verdict, enum attempt_class class, const char *message,
                        const char *fix)
{
    verdict->class = class;
    problems_add(&verdict->problems, NULL, NULL, "%s", message)->fix = fix;
}

static void judge_cut(struct verdict *verdict)
{
    add_problem(
        verdict, ATTEMPT_TRUNCATED, "the answer was cut off",
        "make the answer shorter: keep every text brief and leave out what is not required");
}

static void judge_no_json(struct verdict *verdict, const char *text)
{
    if (text[strspn(text, " \t\r\n")] == '\0')
        add_problem(verdict, ATTEMPT_EMPTY, "the answer was empty", "answer with one JSON object");
    else
        add_problem(verdict, ATTEMPT_INVALID_JSON, "the answer was no JSON",
                    "answer with one JSON object and nothing else: no text around it, double "
                    "quotes around names and texts");
}

static bool fits(struct verdict *verdict, const struct contract *contract,
                 const struct json_schema *schema, const json_t *value)
{
    verdict->class = ATTEMPT_OK;
    if (!json_schema_accepts(schema, value, &verdict->problems)) {
        verdict->class =
            verdict->problems.n ? class_of_problem(&verdict->problems.list[0]) : ATTEMPT_WRONG_TYPE;
        return false;
    }
    if (contract->cross_check &&
        !contract->cross_check(contract->context, value, &verdict->problems))
        verdict->class = ATTEMPT_CROSS_CHECK;
    return verdict->class == ATTEMPT_OK;
}

struct verdict judge_reply(struct arena *arena, const struct contract *contract,
                           const struct json_schema *schema, const struct model_reply *reply)
{
    struct verdict verdict = { .problems.arena = arena };
    bool ran_out = reply->stop == MODEL_STOP_LENGTH;
    json_t *value = NULL;
    enum extract_kind kind = extract_json(reply->text, strlen(reply->text), &value);
    arena_keep_json(arena, value);
    verdict.extracted = kind == EXTRACT_FENCED || kind == EXTRACT_BALANCED;
    if (!value) {
        /* A stream we ended ourselves had run away: more budget would not help. */
        bool cut = ran_out || (kind == EXTRACT_CUT && reply->stop != MODEL_STOP_EARLY);
        if (cut)
            judge_cut(&verdict);
        else
            judge_no_json(&verdict, reply->text);
        return verdict;
    }
    if (fits(&verdict, contract, schema, value))
        verdict.value = value;
    else if (ran_out && kind != EXTRACT_WHOLE)
        verdict.class = ATTEMPT_TRUNCATED;
    return verdict;
}
