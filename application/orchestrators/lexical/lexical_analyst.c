#include "application/orchestrators/lexical/lexical_analyst.h"
#include "application/finding/shortlist.h"
#include "application/orchestrators/lexical/lexical_mentions.h"
#include "application/orchestrators/lexical/lexical_slots.h"
#include "application/orchestrators/lexical/lexical_words.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <math.h>
#include <string.h>

/* The score is a logistic function of these. The weights were fitted on one half of a public
 * collection of requests and checked on the other; bench_lexical measures them. */
#define WEIGHT_NAME 3.1 /* share of the tool's name that the request says */
#define WEIGHT_NAME_AT_ALL 0.65
#define WEIGHT_DESCRIPTION 2.8 /* share of the description that the request says */
#define WEIGHT_HITS 1.9        /* words of the request that the tool knows, 4 and more count 1 */
#define WEIGHT_MISSING_NUMBERS (-6.4) /* share of required parameters without a number to take */
#define WEIGHT_MISSING (-1.0) /* share of required parameters that the request leaves open */
#define WEIGHT_SUITED 1.5     /* a path for a tool that takes paths */
#define WEIGHT_UNUSED (-1.0)  /* a path for a tool that takes none */
#define WEIGHT_OTHER_ACTION (-1.3)
#define WEIGHT_NOTHING (-1.85)
#define WEIGHT_ACTION 0.5 /* "read" says less than what is to be read */
#define SYNONYM 0.6       /* of what the word itself would count */
#define ENOUGH_HITS 4

#define MAX_TOOL_WORDS 600

/* What a question word asks about: general knowledge of the language, not of any tool. */
static const struct {
    const char *question, *asks[6];
} questions[] = {
    { "when", { "date", "year", "time" } },
    { "where", { "location", "place", "address", "city" } },
    { "who", { "person", "leader", "name", "inventor", "author" } },
    { "much", { "amount", "cost", "price", "convert" } },
    { "many", { "amount", "count", "convert" } },
    { "dollars", { "currency" } },
    { "usd", { "currency" } },
    { "euro", { "currency" } },
    { "euros", { "currency" } },
    { "yen", { "currency" } },
};

struct tool_text {
    struct lexical_text name, title, description, parameters;
};

struct asked {
    struct lexical_text words; /* and what its question words ask about */
    size_t n_spoken;           /* the request's own; the rest was added */
    size_t numbers;
    unsigned senses; /* one bit for each sense of a word, or of what a path stands for */
    const char *text;
    int64_t today;
};

static void add_asked(struct arena *arena, struct asked *request, const char *word)
{
    struct lexical_text asked = lexical_read(arena, word, 1, false);
    if (lexical_holds(&request->words, request->words.n, &asked.tokens[0]))
        return;
    struct lexical_token *tokens = arena_array(arena, struct lexical_token, request->words.n + 1);
    memcpy(tokens, request->words.tokens, request->words.n * sizeof *tokens);
    tokens[request->words.n] = asked.tokens[0];
    request->words.tokens = tokens;
    request->words.n++;
}

static void add_asked_by(struct arena *arena, struct asked *request, const char *lower)
{
    for (size_t i = 0; i < ARRAY_LENGTH(questions); i++)
        for (size_t j = 0; j < ARRAY_LENGTH(questions[i].asks); j++)
            if (questions[i].asks[j] && strcmp(questions[i].question, lower) == 0)
                add_asked(arena, request, questions[i].asks[j]);
}

static unsigned sense_bit(enum lexical_sense sense)
{
    return sense == SENSE_NONE ? 0 : 1U << sense;
}

/* What is not said in so many words: "what is there" wants a list, "the number of" a count. */
static unsigned implied_senses(const struct lexical_token *token, const struct asked *request)
{
    static const char *const here[] = { "here", "there" };
    bool asks = request->words.tokens[0].is_function;
    if (strcmp(token->lower, "number") == 0)
        return sense_bit(SENSE_COUNT);
    return asks && LEXICAL_ONE_OF(token->lower, here) ? sense_bit(SENSE_LIST) : 0;
}

static struct asked read_request(struct arena *arena, const char *text)
{
    struct asked request = { .words = lexical_read(arena, text, LEXICAL_MAX_WORDS, false),
                             .text = text };
    request.n_spoken = request.words.n;
    for (size_t i = 0; i < request.n_spoken; i++)
        request.senses |= sense_bit(request.words.tokens[i].sense) |
                          implied_senses(&request.words.tokens[i], &request);
    for (size_t i = 0; i < request.n_spoken; i++) {
        request.numbers += request.words.tokens[i].is_number;
        add_asked_by(arena, &request, request.words.tokens[i].lower);
    }
    return request;
}

static struct tool_text read_tool(struct arena *arena, const struct tool *tool)
{
    struct tool_text text = { .name = lexical_read(arena, tool->name, MAX_TOOL_WORDS, true) };
    const char *name, *parameters = "";
    json_t *property;
    text.title = lexical_read(arena, tool->title ? tool->title : "", MAX_TOOL_WORDS, false);
    if (tool->description)
        text.description = lexical_read(arena, tool->description, MAX_TOOL_WORDS, false);
    json_t *properties = json_object_get(tool->input_schema, "properties");
    json_object_foreach (properties, name, property) {
        const char *about = json_get_string(property, "description");
        parameters = arena_printf(arena, "%s %s %.400s", parameters, name, about ? about : "");
        if (strlen(parameters) > 16000)
            break;
    }
    text.parameters = lexical_read(arena, parameters, MAX_TOOL_WORDS, true);
    return text;
}

static bool counts(const struct lexical_token *token)
{
    return token->kind != LEXICAL_NUMBER && !token->is_function && token->length > 1;
}

/* How much of a word the request says: itself, or another one for the same. */
static double likeness(const struct lexical_token *word, const struct asked *request)
{
    if (lexical_holds(&request->words, request->words.n, word))
        return 1;
    return request->senses & sense_bit(word->sense) ? SYNONYM : 0;
}

/* The share of a text's different words that the request says. */
static double coverage(const struct lexical_text *text, const struct asked *request)
{
    double n = 0, said = 0;
    for (size_t i = 0; i < text->n; i++) {
        if (!counts(&text->tokens[i]) || lexical_holds(text, i, &text->tokens[i]))
            continue;
        double weight = lexical_is_action(text->tokens[i].sense) ? WEIGHT_ACTION : 1;
        n += weight;
        said += weight * likeness(&text->tokens[i], request);
    }
    return n > 0 ? said / n : 0;
}

static bool wants_number(const json_t *properties, const char *name)
{
    const char *type = json_get_string(json_object_get(properties, name), "type");
    return type && (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0);
}

/* The share of the required parameters that want a number when the request has none left. */
static double missing_numbers(const struct tool *tool, const struct asked *request)
{
    const json_t *required = json_object_get(tool->input_schema, "required");
    const json_t *properties = json_object_get(tool->input_schema, "properties");
    size_t wanted = 0;
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));
        wanted += name && wants_number(properties, name);
    }
    if (wanted <= request->numbers)
        return 0;
    return (double)(wanted - request->numbers) / (double)json_array_size(required);
}

/* Where the tool has the word, and what that counts. */
static struct lexical_word_match match_word(const struct tool_text *text,
                                            const struct lexical_token *word)
{
    if (lexical_holds(&text->name, SIZE_MAX, word))
        return (struct lexical_word_match){ word->lower, "name", WEIGHT_NAME };
    if (lexical_holds(&text->description, SIZE_MAX, word))
        return (struct lexical_word_match){ word->lower, "description", WEIGHT_DESCRIPTION };
    if (lexical_holds(&text->parameters, SIZE_MAX, word))
        return (struct lexical_word_match){ word->lower, "parameter", WEIGHT_HITS / ENOUGH_HITS };
    return (struct lexical_word_match){ .word = word->lower };
}

/* Lists the words of the request and where the tool has them; returns how many it has. */
static size_t add_words(struct arena *arena, struct lexical_candidate *candidate,
                        const struct tool_text *text, const struct asked *request)
{
    size_t hits = 0;
    candidate->words = arena_array(arena, struct lexical_word_match, request->words.n + 1);
    for (size_t i = 0; i < request->words.n; i++) {
        const struct lexical_token *word = &request->words.tokens[i];
        if (!counts(word) || lexical_holds(&request->words, i, word))
            continue;
        struct lexical_word_match found = match_word(text, word);
        hits += found.where && i < request->n_spoken && (!word->is_capital || i == 0);
        candidate->words[candidate->n_words++] = found;
    }
    return hits;
}

/* What the values of the request say for or against the tool. */
static double values_speak(struct arena *arena, const struct tool *tool,
                           const struct asked *request)
{
    struct lexical_slots slots;
    lexical_slots_fill(arena, tool, request->text, request->today, &slots);
    double missing = slots.n_required ? (double)slots.n_missing / (double)slots.n_required : 0;
    return WEIGHT_MISSING * missing + WEIGHT_SUITED * fmin((double)slots.n_suited, 2) +
           (slots.n_unused ? WEIGHT_UNUSED : 0);
}

static unsigned actions_of(const struct lexical_text *text)
{
    unsigned actions = 0;
    for (size_t i = 0; i < text->n; i++)
        if (lexical_is_action(text->tokens[i].sense))
            actions |= sense_bit(text->tokens[i].sense);
    return actions;
}

/* A tool that is named after one thing to do is not for another. */
static double does_another_thing(const struct tool_text *text, const struct asked *request)
{
    unsigned asked = actions_of(&request->words) | (request->senses & sense_bit(SENSE_LIST));
    unsigned done = actions_of(&text->name) | actions_of(&text->title);
    return asked && done && !(asked & done) ? WEIGHT_OTHER_ACTION : 0;
}

static void score(struct arena *arena, const struct tool *tool, const struct asked *request,
                  struct lexical_candidate *candidate)
{
    struct tool_text text = read_tool(arena, tool);
    size_t hits = add_words(arena, candidate, &text, request);
    double named = fmax(coverage(&text.name, request), coverage(&text.title, request));
    double sum = WEIGHT_NOTHING + WEIGHT_NAME * named + WEIGHT_NAME_AT_ALL * fmin(3 * named, 1) +
                 WEIGHT_DESCRIPTION * coverage(&text.description, request) +
                 WEIGHT_HITS * fmin((double)hits, ENOUGH_HITS) / ENOUGH_HITS +
                 WEIGHT_MISSING_NUMBERS * missing_numbers(tool, request) +
                 values_speak(arena, tool, request) + does_another_thing(&text, request);
    candidate->score = 1 / (1 + exp(-sum));
}

static int better_first(const void *a, const void *b)
{
    const struct lexical_candidate *one = a, *other = b;
    if (one->score != other->score)
        return one->score < other->score ? 1 : -1;
    return (one->tool > other->tool) - (one->tool < other->tool);
}

/* The other words for what the request says. */
static size_t add_synonyms(const struct asked *request, const char **words, size_t n)
{
    for (enum lexical_sense sense = SENSE_NONE + 1; sense < N_SENSES; sense++)
        for (const char *const *word = lexical_words_of(sense);
             request->senses & sense_bit(sense) && *word; word++)
            words[n++] = *word;
    return n;
}

/* Each word once: the index looks at a bounded number of them. */
static size_t search_words(struct arena *arena, const struct asked *request,
                           const char ***out_words)
{
    size_t n = 0;
    const char **words = arena_array(arena, const char *, request->words.n + LEXICAL_MAX_SYNONYMS);
    for (size_t i = 0; i < request->words.n; i++)
        if (counts(&request->words.tokens[i]) &&
            !lexical_holds(&request->words, i, &request->words.tokens[i]))
            words[n++] = request->words.tokens[i].lower;
    *out_words = words;
    return add_synonyms(request, words, n);
}

/* Scores the tools that the index finds for the words of the request, best first. A tool that is
 * reserved for other requests is not a candidate. */
static enum err_code match(struct arena *arena, const struct lexical_request *request,
                           struct lexical_analysis *out, struct err *err)
{
    struct asked asked = read_request(arena, request->text);
    asked.today = request->today;
    const char **words;
    struct tool_hit *hits = NULL;
    size_t n = 0, n_words = search_words(arena, &asked, &words);
    const struct tool_search search = { .words = words,
                                        .n_words = n_words,
                                        .max = LEXICAL_MAX_CANDIDATES };
    enum err_code r = tool_index_search(request->index, &search, arena, &hits, &n, err);
    if (r)
        return r;
    out->candidates = arena_array(arena, struct lexical_candidate, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct tool *tool =
            hits[i].tool < request->n_tools ? request->tools[hits[i].tool] : NULL;
        if (!tool || !shortlist_admits(arena, tool, request->text))
            continue;
        struct lexical_candidate *candidate = &out->candidates[out->n_candidates++];
        candidate->tool = hits[i].tool;
        score(arena, tool, &asked, candidate);
    }
    qsort(out->candidates, out->n_candidates, sizeof *out->candidates, better_first);
    return ERR_NONE;
}

#define EXPLANATION_MAX_BYTES 8192
#define SHOWN_COLUMNS 60

static bool explain_words(struct buf *out, struct arena *arena,
                          const struct lexical_candidate *best)
{
    bool fits = true;
    for (size_t i = 0; fits && i < best->n_words; i++) {
        const struct lexical_word_match *word = &best->words[i];
        const char *shown = text_one_line(arena, word->word, strlen(word->word), SHOWN_COLUMNS);
        fits = word->where ? buf_printf(out, "  %s: in the %s, weight %.2f\n", shown, word->where,
                                        word->weight)
                           : buf_printf(out, "  %s: nowhere\n", shown);
    }
    return fits;
}

static bool explain_slots(struct buf *out, struct arena *arena, const struct lexical_slots *slots)
{
    bool fits = true;
    for (size_t i = 0; fits && i < slots->n_slots; i++) {
        const struct lexical_slot *slot = &slots->slots[i];
        const char *value = json_print_in(arena, slot->value);
        fits = buf_printf(out, "  %.60s = %s by the rule \"%s\", byte %zu\n", slot->parameter,
                          text_one_line(arena, value, strlen(value), SHOWN_COLUMNS), slot->rule,
                          slot->offset);
    }
    return fits;
}

/* An explanation is for reading; a long one is cut. */
static const char *explain(struct arena *arena, const struct tool *const *tools,
                           const struct lexical_analysis *analysis,
                           const struct lexical_slots *slots)
{
    AUTO(buf) out;
    buf_init(&out, EXPLANATION_MAX_BYTES);
    bool fits = buf_printf(&out, "%s %.2f, threshold %.2f\n",
                           analysis->tool ? analysis->tool->full_name : "no tool: best match",
                           analysis->score, analysis->threshold) &&
                (!analysis->n_candidates || explain_words(&out, arena, analysis->candidates));
    for (size_t i = 0; fits && i < analysis->n_candidates; i++)
        fits = buf_printf(&out, "%s: %.2f\n", tools[analysis->candidates[i].tool]->full_name,
                          analysis->candidates[i].score);
    fits = fits && explain_slots(&out, arena, slots);
    return arena_printf(arena, "%s%s", buf_string(&out), fits ? "" : "…\n");
}

enum err_code lexical_analyse(struct arena *arena, const struct lexical_request *request,
                              struct lexical_analysis *out, struct err *err)
{
    struct lexical_analysis found = { .threshold = request->threshold };
    struct lexical_slots slots = { .args = arena_keep_json(arena, json_object()) };
    enum err_code r = match(arena, request, &found, err);
    if (r)
        return r;
    if (found.n_candidates)
        found.score = found.candidates[0].score;
    if (found.n_candidates && found.score >= found.threshold) {
        found.tool = request->tools[found.candidates[0].tool];
        lexical_slots_fill(arena, found.tool, request->text, request->today, &slots);
    }
    found.args = slots.args;
    found.slots = slots.slots;
    found.n_slots = slots.n_slots;
    found.explanation = explain(arena, request->tools, &found, &slots);
    *out = found;
    return ERR_NONE;
}
