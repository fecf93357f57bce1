#include "application/orchestrators/lexical/lexical_score.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/schema_view.h"
#include <math.h>
#include <string.h>

#define SENSE 0.6 /* of what the word itself would count */
#define ENOUGH_HITS 4.0
#define SHORT 6.0 /* meaningful words; what one of more is left over counts less */
#define MAX_TOOL_WORDS 600
#define MAX_DEEDS 64

/* Logistic regressions: of the tool on public requests for function calls and on everyday ones, of
 * the whole call on the latter. bench_lexical holds both against how often they are right. */
static const double weights[LEXICAL_FEATURES] = {
    [FEATURE_ONE] = -2.06,
    [FEATURE_NAME] = 2.42,
    [FEATURE_NAME_AT_ALL] = -0.45,
    [FEATURE_DESCRIPTION] = 1.49,
    [FEATURE_HITS] = 0.67,
    [FEATURE_LEFT_SHORT] = -1.10,
    [FEATURE_MISSING_NUMBERS] = -1.90,
    [FEATURE_MISSING] = -0.62,
    [FEATURE_REQUIRED] = 0.77,
    [FEATURE_OPTIONAL] = 1.12,
    [FEATURE_EVIDENT] = 0.42,
    [FEATURE_SUITED] = 1.11,
    [FEATURE_LEAD] = 4.28,
};

static const double call_weights[LEXICAL_CALL_FEATURES] = {
    [CALL_ONE] = 0.17,          [CALL_TOOL] = 1.52, [CALL_NEXT] = 0.77,     [CALL_LEFT] = -2.10,
    [CALL_LEFT_VALUES] = -1.37, [CALL_WEAK] = 0.36, [CALL_QUESTION] = 0.71,
};

/* What the action says, in words of the tool's language, and how much each counts. */
struct heard {
    struct lexical_token *words;
    double *weights;
    size_t n, max;
};

static void hear(struct arena *arena, struct heard *heard, const char *word, double weight)
{
    struct lexical_text text = lexical_read(arena, word, 1, true);
    if (!text.n)
        return;
    heard->words[heard->n] = text.tokens[0];
    heard->weights[heard->n++] = weight;
}

/* All that a verb may mean, where one of it is what the tool does. */
static void hear_deeds(struct arena *arena, struct heard *heard, const struct request_verbs *verbs)
{
    for (size_t i = 0; i < verbs->n; i++)
        for (const char *at = verbs->list[i].deeds; *at && heard->n < heard->max;) {
            size_t length = strcspn(at + 1, " ");
            if (length)
                hear(arena, heard, arena_strndup(arena, at + 1, length), SENSE);
            at += 1 + length;
        }
}

static struct heard hear_all(struct arena *arena, const struct lexical_reading *reading,
                             const struct lexical_account *account)
{
    const struct query_words *words = &reading->ranking.request;
    struct heard heard = { .max = 2 * words->n + MAX_DEEDS };
    heard.words = arena_array(arena, struct lexical_token, heard.max);
    heard.weights = arena_array(arena, double, heard.max);
    for (size_t i = 0; i < words->n; i++) {
        const struct tool_match *match = account->heard[i];
        hear(arena, &heard, words->words[i].plain, 1);
        if (match && strcmp(match->as, words->words[i].plain) != 0)
            hear(arena, &heard, match->as, SENSE);
    }
    if (account->verb == VERB_MEANT)
        hear_deeds(arena, &heard, &reading->verbs);
    return heard;
}

static bool counts(const struct lexical_token *token)
{
    return token->kind != LEXICAL_NUMBER && !token->is_function && token->length > 1;
}

static double likeness(const struct heard *heard, const struct lexical_token *word)
{
    double best = 0;
    for (size_t i = 0; i < heard->n; i++)
        if (heard->weights[i] > best && lexical_same_word(&heard->words[i], word))
            best = heard->weights[i];
    return best;
}

/* The share of a text's different words that the action says. */
static double coverage(struct arena *arena, const char *text, bool identifiers,
                       const struct heard *heard)
{
    struct lexical_text words = lexical_read(arena, text ? text : "", MAX_TOOL_WORDS, identifiers);
    double n = 0, said = 0;
    for (size_t i = 0; i < words.n; i++) {
        if (!counts(&words.tokens[i]) || lexical_holds(&words, i, &words.tokens[i]))
            continue;
        n++;
        said += likeness(heard, &words.tokens[i]);
    }
    return n > 0 ? said / n : 0;
}

static bool wants_number(const json_t *properties, const char *name)
{
    const char *type = json_get_string(json_object_get(properties, name), "type");
    return type && (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0);
}

static double missing_numbers(const struct tool *tool, size_t n_numbers)
{
    const json_t *required = json_object_get(tool->input_schema, "required");
    const json_t *properties = json_object_get(tool->input_schema, "properties");
    size_t wanted = 0, n = json_array_size(required);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(required, i));
        wanted += name && wants_number(properties, name);
    }
    return wanted > n_numbers ? (double)(wanted - n_numbers) / (double)n : 0;
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

bool lexical_is_weak(const struct lexical_slot *slot)
{
    static const char *const rules[] = { "phrase", "term" };
    return slot->strength < 1 && LEXICAL_ONE_OF(slot->rule, rules);
}

/* How far the index sets a tool apart from the best of the others; half of it where none of its own
 * words is said, only what may mean the same. */
static double lead(const struct lexical_reading *reading, const struct ranked_tool *tool,
                   const struct lexical_account *account)
{
    const struct tool_ranking *ranking = &reading->ranking;
    size_t best = ranking->tools == tool ? 1 : 0;
    if (ranking->n < 2 || tool->score <= 0)
        return ranking->n < 2 ? 0.5 : -1;
    double distance = fmax(1 - ranking->tools[best].score / tool->score, -1);
    return !account->n_own && account->n_sense ? distance / 2 : distance;
}

/* The values that more than their place speaks for, and those of parameters that are not required.
 */
struct evidence {
    size_t n, n_required, n_optional;
};

static struct evidence evidence_of(const struct tool *tool, const struct lexical_slots *slots)
{
    struct evidence evidence = { 0 };
    for (size_t i = 0; i < slots->n_slots; i++) {
        bool required = schema_view_requires(tool->input_schema, slots->slots[i].parameter);
        bool evident = !lexical_is_weak(&slots->slots[i]);
        evidence.n += evident;
        evidence.n_required += required && evident;
        evidence.n_optional += !required;
    }
    return evidence;
}

struct lexical_features lexical_features_of(struct arena *arena,
                                            const struct lexical_reading *reading,
                                            const struct ranked_tool *tool,
                                            const struct lexical_slots *slots,
                                            const struct lexical_account *account)
{
    const struct tool *t = tool->tool;
    struct heard heard = hear_all(arena, reading, account);
    struct evidence evidence = evidence_of(t, slots);
    double name =
        fmax(coverage(arena, t->name, true, &heard), coverage(arena, t->title, false, &heard));
    double shortness = fmin(SHORT / fmax((double)account->n_content, 1), 1);
    return (struct lexical_features){ {
        [FEATURE_ONE] = 1,
        [FEATURE_NAME] = name,
        [FEATURE_NAME_AT_ALL] = fmin(3 * name, 1),
        [FEATURE_DESCRIPTION] = coverage(arena, t->description, false, &heard),
        [FEATURE_HITS] =
            fmin(((double)account->n_own + SENSE * (double)account->n_sense) / ENOUGH_HITS, 1),
        [FEATURE_LEFT_SHORT] = account->n_left ? shortness : 0,
        [FEATURE_MISSING_NUMBERS] = missing_numbers(t, reading->n_numbers),
        [FEATURE_MISSING] = reading->goes_back ? 0 : share(slots->n_missing, slots->n_required),
        [FEATURE_REQUIRED] = share(evidence.n_required, slots->n_required),
        [FEATURE_OPTIONAL] = fmin((double)evidence.n_optional / 2, 1),
        [FEATURE_EVIDENT] = fmin((double)evidence.n / 3, 1),
        [FEATURE_SUITED] = fmin((double)slots->n_suited / 2, 1),
        [FEATURE_LEAD] = lead(reading, tool, account),
    } };
}

double lexical_strength(const struct lexical_features *features)
{
    double sum = 0;
    for (size_t i = 0; i < LEXICAL_FEATURES; i++)
        sum += weights[i] * features->of[i];
    return sum;
}

double lexical_probability(double strength)
{
    return 1 / (1 + exp(-strength));
}

struct lexical_call_features lexical_call_features_of(const struct lexical_reading *reading,
                                                      const struct lexical_slots *slots,
                                                      const struct lexical_account *account,
                                                      const struct tool *tool, double strength,
                                                      double next)
{
    bool is_weak = false;
    for (size_t i = 0; i < slots->n_slots; i++)
        is_weak = is_weak || (lexical_is_weak(&slots->slots[i]) &&
                              schema_view_requires(tool->input_schema, slots->slots[i].parameter));
    return (struct lexical_call_features){ {
        [CALL_ONE] = 1,
        [CALL_TOOL] = fmin(strength / 8, 1),
        [CALL_NEXT] = fmin((strength - next) / 4, 1),
        [CALL_LEFT] = fmin((double)account->n_left / 3, 1),
        [CALL_LEFT_VALUES] = fmin((double)account->n_left_values / 2, 1),
        [CALL_WEAK] = is_weak,
        [CALL_QUESTION] = reading->verbs.is_question,
    } };
}

double lexical_call_probability(const struct lexical_call_features *features)
{
    double sum = 0;
    for (size_t i = 0; i < LEXICAL_CALL_FEATURES; i++)
        sum += call_weights[i] * features->of[i];
    return lexical_probability(sum);
}
