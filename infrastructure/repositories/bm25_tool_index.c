/* The tool index as arrays in memory: the words of all tools with their English stems (terms), and
 * for each term how much of it each tool has. A tool's score for a word is BM25F
 * (Robertson and Zaragoza 2009, section 3.6): how often the term occurs in each field, relative to
 * the field's length and weighed by what the field is worth, saturates, times how rare the term is.
 * A word stands for the term it has by its English stem, for those of words that have its stem in
 * the language of the search, and for the terms of its senses; what fits a tool best counts, and
 * what else fits adds a little.
 *
 * A name with humps counts in pieces and whole ("getUserName": get, user, name and getusername), so
 * that "user" and "getusername" find it and "github" still finds "GitHub". */
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include "infrastructure/repositories/repository_create.h"
#include <libstemmer.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SATURATION 2.0 /* k1: occurrences beyond a few add little */
#define SENSE_WEIGHT 0.6
#define REST_WEIGHT 0.2 /* of senses beside the one that fits best */
#define NOWHERE UINT32_MAX
#define MAX_DEPTH 4                               /* of nested parameters */
#define MAX_FORMS (8 + TOOL_INDEX_MAX_SENSES * 2) /* terms that one word is looked for as */
#define RECENT_WORDS 1024

/* Release builds link the stemmers of these only: cmake/Dependencies.cmake has the list as well. */
static const char *const languages[] = { TOOL_INDEX_ENGLISH, "de", "fr", "es", "it" };

enum field {
    FIELD_NAME,
    FIELD_TITLE,
    FIELD_DESCRIPTION,
    FIELD_PARAMETERS,
    FIELD_PARAMETER_DESCRIPTIONS, /* and their choices */
    FIELD_SERVER,
    N_FIELDS
};

/* b: how much the length of the field counts. */
static const struct {
    double weight, b;
} field_rules[N_FIELDS] = {
    [FIELD_NAME] = { 4.0, 0.3 },
    [FIELD_TITLE] = { 2.0, 0.3 },
    [FIELD_DESCRIPTION] = { 2.0, 0.5 },
    [FIELD_PARAMETERS] = { 0.8, 0.5 },
    [FIELD_PARAMETER_DESCRIPTIONS] = { 0.6, 0.6 },
    [FIELD_SERVER] = { 1.0, 0.3 },
};

struct occurrence {
    uint32_t term, tool, field;
};

/* How often a tool has a term, each time by the weight and length of the field. */
struct posting {
    uint32_t tool;
    double often;
};

struct term {
    const char *word;         /* that it was first met as */
    struct posting *postings; /* in the order of the tools */
    size_t n, n_tools;        /* how many there are so far, and will be */
    uint32_t last;            /* tool that has it, plus one, while they are counted */
};

/* A word as a tool has it, and its term. */
struct recent_word {
    const char *bytes;
    size_t length; /* 0: none */
    uint32_t term;
};

/* What is needed only while the index is built. */
struct building {
    struct arena arena;
    struct buf occurrences; /* struct occurrence, by tool */
    /* By their hash, each in the place of the one before: tools use few words, and most of them
     * again and again. */
    struct recent_word recent[RECENT_WORDS];
};

/* What the words looked at so far say for one tool. */
struct standing {
    double best, sum; /* of the present word */
    const char *as;
};

struct bm25_tool_index {
    struct tool_index base;
    struct arena arena; /* of the content */
    struct sb_stemmer *stemmers[ARRAY_LENGTH(languages)];
    json_t *words, *stems; /* objects: indexes into terms, by a word as it stands and by stems */
    struct term *terms;
    size_t n_terms, terms_capacity;
    uint32_t (*lengths)[N_FIELDS]; /* of each tool's fields, in words */
    size_t n_tools;
};

static struct bm25_tool_index *bm25_of(struct tool_index *x)
{
    return (struct bm25_tool_index *)x;
}

/* NOWHERE where it is not in it. */
static uint32_t number_of(const json_t *map, const char *key)
{
    const json_t *number = json_object_get(map, key);
    return number ? (uint32_t)json_integer_value(number) : NOWHERE;
}

/* The word is without accents and in lower case. */
static const char *stem_unaccented(struct bm25_tool_index *x, const char *language,
                                   const char *word, struct arena *arena)
{
    int known = text_find(language, languages, ARRAY_LENGTH(languages));
    struct sb_stemmer *stemmer = known < 0 ? NULL : x->stemmers[known];
    const sb_symbol *stem =
        stemmer ? sb_stemmer_stem(stemmer, (const sb_symbol *)word, (int)strlen(word)) : NULL;
    return stem ? arena_strndup(arena, (const char *)stem, (size_t)sb_stemmer_length(stemmer))
                : word;
}

static const char *bm25_stem(struct tool_index *base, const char *language, const char *word,
                             struct arena *arena)
{
    const char *plain = text_unaccented(arena, word, strlen(word));
    return stem_unaccented(bm25_of(base), language, plain, arena);
}

typedef void piece_fn(void *context, const char *bytes, size_t length);

/* Length of the first piece of a run: "getUser" 3, "HTTPServer" 4, "plain" 5. */
static size_t piece_length(const char *run, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        bool is_upper = run[i] >= 'A' && run[i] <= 'Z';
        bool was_upper = run[i - 1] >= 'A' && run[i - 1] <= 'Z';
        bool ends_capitals = was_upper && i + 1 < length && run[i + 1] >= 'a' && run[i + 1] <= 'z';
        if (is_upper && (!was_upper || ends_capitals))
            return i;
    }
    return length;
}

static void each_piece(const char *text, piece_fn *visit, void *context)
{
    for (size_t run = 0; text && *text; text += run ? run : 1) {
        run = text_word_length(text);
        if (run)
            visit(context, text, run);
        size_t piece = piece_length(text, run);
        for (size_t at = 0; piece < run && at < run; at += piece) {
            piece = piece_length(text + at, run - at);
            visit(context, text + at, piece);
        }
    }
}

static uint32_t find_term(struct bm25_tool_index *x, const char *bytes, size_t length,
                          struct arena *scratch)
{
    const json_t *known = json_object_getn(x->words, bytes, length);
    if (known)
        return (uint32_t)json_integer_value(known);
    const char *word = text_unaccented(scratch, bytes, length);
    const char *stem = stem_unaccented(x, TOOL_INDEX_ENGLISH, word, scratch);
    uint32_t term = number_of(x->stems, stem);
    if (term == NOWHERE) {
        term = (uint32_t)x->n_terms;
        json_object_set_new(x->stems, stem, json_integer(term));
        *arena_push(&x->arena, x->terms, x->n_terms, x->terms_capacity) =
            (struct term){ .word = arena_strdup(&x->arena, word) };
    }
    json_object_setn_new_nocheck(x->words, bytes, length, json_integer(term));
    return term;
}

/* The field of a tool that is read. */
struct adding {
    struct bm25_tool_index *x;
    struct building *building;
    uint32_t tool, field;
};

static uint32_t term_of(const struct adding *adding, const char *bytes, size_t length)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < length; i++)
        hash = hash * 31 + (unsigned char)bytes[i];
    struct recent_word *recent = &adding->building->recent[hash % RECENT_WORDS];
    if (recent->length != length || memcmp(recent->bytes, bytes, length) != 0)
        *recent =
            (struct recent_word){ bytes, length,
                                  find_term(adding->x, bytes, length, &adding->building->arena) };
    return recent->term;
}

static void add_occurrence(struct buf *occurrences, struct occurrence at)
{
    if (occurrences->capacity - occurrences->length <= sizeof at &&
        !buf_reserve(occurrences, sizeof at))
        abort();
    memcpy(occurrences->bytes + occurrences->length, &at, sizeof at);
    occurrences->length += sizeof at;
}

static void add_piece(void *context, const char *bytes, size_t length)
{
    const struct adding *adding = context;
    struct bm25_tool_index *x = adding->x;
    if (x->lengths[adding->tool][adding->field] == TOOL_INDEX_MAX_FIELD_WORDS)
        return;
    x->lengths[adding->tool][adding->field]++;
    const struct occurrence at = { term_of(adding, bytes, length), adding->tool, adding->field };
    struct term *term = &x->terms[at.term];
    term->n_tools += term->last != at.tool + 1;
    term->last = at.tool + 1;
    add_occurrence(&adding->building->occurrences, at);
}

static void add_text(struct adding *adding, enum field field, const char *text)
{
    adding->field = field;
    each_piece(text, add_piece, adding);
}

/* A name also without its separators: "read_file" is found by "readfile". */
static void add_name(struct adding *adding, enum field field, const char *name)
{
    char *joined = arena_strdup(&adding->building->arena, name), *to = joined;
    add_text(adding, field, name);
    for (const char *c = name; *c; c++)
        if (text_is_word_byte(*c))
            *to++ = *c;
    if (*to)
        add_piece(adding, joined, (size_t)(to - joined));
}

static void add_parameters(struct adding *adding, const json_t *schema, unsigned depth)
{
    const char *name;
    json_t *parameter, *choice;
    if (depth > MAX_DEPTH)
        return;
    json_object_foreach (json_object_get(schema, "properties"), name, parameter) {
        size_t i;
        add_name(adding, FIELD_PARAMETERS, name);
        add_text(adding, FIELD_PARAMETER_DESCRIPTIONS, json_get_string(parameter, "title"));
        add_text(adding, FIELD_PARAMETER_DESCRIPTIONS, json_get_string(parameter, "description"));
        json_array_foreach (json_object_get(parameter, "enum"), i, choice)
            add_text(adding, FIELD_PARAMETER_DESCRIPTIONS, json_string_value(choice));
        add_parameters(adding, parameter, depth + 1);
        add_parameters(adding, json_object_get(parameter, "items"), depth + 1);
    }
}

static void add_tool(struct adding *adding, const struct tool *tool)
{
    add_name(adding, FIELD_NAME, tool->name);
    add_text(adding, FIELD_TITLE, tool->title);
    add_text(adding, FIELD_DESCRIPTION, tool->description);
    add_parameters(adding, tool->input_schema, 1);
    add_name(adding, FIELD_SERVER, tool->server);
}

static void add_postings(struct bm25_tool_index *x, const struct buf *occurrences)
{
    double sums[N_FIELDS] = { 0 };
    for (size_t i = 0; i < x->n_tools; i++)
        for (size_t field = 0; field < N_FIELDS; field++)
            sums[field] += x->lengths[i][field];
    const struct occurrence *at = (const void *)occurrences->bytes;
    for (size_t n = occurrences->length / sizeof *at; n--; at++) {
        struct term *term = &x->terms[at->term];
        double b = field_rules[at->field].b, mean = sums[at->field] / (double)x->n_tools;
        if (!term->n)
            term->postings = arena_array(&x->arena, struct posting, term->n_tools);
        if (!term->n || term->postings[term->n - 1].tool != at->tool)
            term->postings[term->n++].tool = at->tool;
        term->postings[term->n - 1].often +=
            field_rules[at->field].weight / (1 - b + b * x->lengths[at->tool][at->field] / mean);
    }
}

static enum err_code bm25_build(struct tool_index *base, const struct tool *const *tools, size_t n,
                                struct err *err)
{
    struct bm25_tool_index *x = bm25_of(base);
    struct building *building = calloc(1, sizeof *building);
    if (!building)
        abort();
    (void)err;
    arena_finish(&x->arena);
    x->n_terms = x->terms_capacity = 0;
    buf_init(&building->occurrences, SIZE_MAX);
    x->words = arena_keep_json(&x->arena, json_object());
    x->stems = arena_keep_json(&x->arena, json_object());
    x->n_tools = n;
    x->lengths = arena_calloc(&x->arena, n + 1, sizeof *x->lengths);
    for (size_t i = 0; i < n; i++) {
        struct adding adding = { .x = x, .building = building, .tool = (uint32_t)i };
        add_tool(&adding, tools[i]);
    }
    add_postings(x, &building->occurrences);
    buf_finish(&building->occurrences);
    arena_finish(&building->arena);
    free(building);
    return ERR_NONE;
}

/* A word of one search while it is looked for. */
struct looking {
    struct bm25_tool_index *x;
    struct arena *arena;
    struct standing *standings; /* by tool */
    uint32_t *touched;          /* tools that the present word fits */
    size_t n_touched;
    uint32_t forms[MAX_FORMS]; /* terms looked for already */
    size_t n_forms;
    const char *language; /* NULL: of the tools */
    double weight;
};

static void count_for(struct looking *looking, uint32_t tool, double score, const char *as)
{
    struct standing *standing = &looking->standings[tool];
    if (standing->sum == 0)
        looking->touched[looking->n_touched++] = tool;
    standing->sum += score;
    if (score <= standing->best)
        return;
    standing->best = score;
    standing->as = as;
}

static void look_for_term(struct looking *looking, uint32_t number, double weight, const char *as)
{
    const struct bm25_tool_index *x = looking->x;
    for (size_t i = 0; i < looking->n_forms; i++)
        if (looking->forms[i] == number)
            return;
    if (number == NOWHERE || looking->n_forms == MAX_FORMS)
        return;
    looking->forms[looking->n_forms++] = number;
    const struct term *term = &x->terms[number];
    double rare = log(1 + ((double)(x->n_tools - term->n) + 0.5) / ((double)term->n + 0.5));
    for (size_t i = 0; i < term->n; i++) {
        double often = term->postings[i].often;
        count_for(looking, term->postings[i].tool, weight * rare * often / (SATURATION + often),
                  as);
    }
}

/* The terms of words whose stem in the language is the same. */
static void look_in_language(struct looking *looking, const char *language, const char *plain)
{
    struct bm25_tool_index *x = looking->x;
    const char *stem = stem_unaccented(x, language, plain, looking->arena);
    size_t n = strlen(stem) < 3 ? strlen(stem) : 3;
    for (uint32_t i = 0; i < x->n_terms; i++)
        if (strncmp(x->terms[i].word, stem, n) == 0 &&
            strcmp(stem_unaccented(x, language, x->terms[i].word, looking->arena), stem) == 0)
            look_for_term(looking, i, 1, plain);
}

/* A word may have humps or separators: each piece of it counts. */
static void look_for_piece(void *context, const char *bytes, size_t length)
{
    struct looking *looking = context;
    const char *plain = text_unaccented(looking->arena, bytes, length);
    const char *stem = stem_unaccented(looking->x, TOOL_INDEX_ENGLISH, plain, looking->arena);
    look_for_term(looking, number_of(looking->x->stems, stem), looking->weight, plain);
    if (looking->language && strcmp(looking->language, TOOL_INDEX_ENGLISH) != 0)
        look_in_language(looking, looking->language, plain);
}

static void look_for_word(struct looking *looking, const char *word, const char *language,
                          double weight)
{
    looking->language = language;
    looking->weight = weight;
    each_piece(word, look_for_piece, looking);
}

static int better_first(const void *a, const void *b)
{
    const struct tool_hit *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return (left->tool > right->tool) - (left->tool < right->tool);
}

/* Adds what the word says to the hits, and is ready for the next one. */
static void take_word(struct looking *looking, size_t word, struct tool_hit *hits,
                      size_t *capacities)
{
    for (size_t i = 0; i < looking->n_touched; i++) {
        uint32_t tool = looking->touched[i];
        struct standing *standing = &looking->standings[tool];
        struct tool_hit *hit = &hits[tool];
        double score = standing->best + REST_WEIGHT * (standing->sum - standing->best);
        *arena_push(looking->arena, hit->matches, hit->n_matches, capacities[tool]) =
            (struct tool_match){ word, standing->as, score };
        hit->score += score;
        *standing = (struct standing){ 0 };
    }
    looking->n_touched = looking->n_forms = 0;
}

static enum err_code bm25_search(struct tool_index *base, const struct tool_search *search,
                                 struct arena *arena, struct tool_hit **out, size_t *out_n,
                                 struct err *err)
{
    struct bm25_tool_index *x = bm25_of(base);
    AUTO(arena) scratch = { 0 };
    struct looking looking = { .x = x, .arena = arena };
    looking.standings = arena_array(&scratch, struct standing, x->n_tools + 1);
    looking.touched = arena_array(&scratch, uint32_t, x->n_tools + 1);
    size_t *capacities = arena_array(&scratch, size_t, x->n_tools + 1), n = 0;
    struct tool_hit *hits = arena_array(arena, struct tool_hit, x->n_tools + 1);
    (void)err;
    for (size_t i = 0; i < search->n_words && i < TOOL_INDEX_MAX_WORDS; i++) {
        const struct tool_senses *senses = search->senses ? &search->senses[i] : NULL;
        look_for_word(&looking, search->words[i], search->language, 1);
        for (size_t s = 0; senses && s < senses->n && s < TOOL_INDEX_MAX_SENSES; s++)
            look_for_word(&looking, senses->words[s], NULL, SENSE_WEIGHT);
        take_word(&looking, i, hits, capacities);
    }
    for (size_t i = 0; i < x->n_tools; i++) {
        hits[i].tool = i;
        if (hits[i].score > 0)
            hits[n++] = hits[i];
    }
    qsort(hits, n, sizeof *hits, better_first);
    *out = hits;
    *out_n = n < search->max ? n : search->max;
    return ERR_NONE;
}

static void bm25_destroy(struct tool_index *base)
{
    struct bm25_tool_index *x = bm25_of(base);
    for (size_t i = 0; i < ARRAY_LENGTH(languages); i++)
        sb_stemmer_delete(x->stemmers[i]);
    arena_finish(&x->arena);
    free(x);
}

struct tool_index *bm25_tool_index_create(void)
{
    static const struct tool_index_ops ops = { bm25_build, bm25_search, bm25_stem, bm25_destroy };
    struct bm25_tool_index *x = calloc(1, sizeof *x);
    if (!x)
        abort();
    x->base.ops = &ops;
    for (size_t i = 0; i < ARRAY_LENGTH(languages); i++)
        x->stemmers[i] = sb_stemmer_new(languages[i], NULL);
    return &x->base;
}
