/* The search: the words of caption, intent and source are looked up in a full-text index of the
 * pool, and entries of the wrong type, or plots where a diagram is asked for, lose weight.
 * Which type is asked for is reference_type.c. */
#include "application/figure/references/reference_pool.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_words.h"
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 128 /* of a search; of a text, the first different ones */
#define MIN_WORD_BYTES 3
#define MAX_WORD_BYTES 60
#define TOPIC_OF_WISH                                                                              \
    0.6 /* share of caption and intent in the topic; the rest is that of the source */
#define TOPIC_OF_OTHER_TYPE 0.9 /* so that the right type without the topic comes first */

struct words {
    const char *list[MAX_WORDS];
    size_t n;
};

/* Adds the words of the text that may tell its topic, each once. */
static void add_words(struct arena *arena, const char *text, struct words *words)
{
    static const char *const common[] = {
        "the",   "and",    "for",     "with", "that",    "this",     "from",    "are",     "was",
        "not",   "how",    "what",    "when", "which",   "who",      "its",     "into",    "each",
        "has",   "have",   "then",    "than", "will",    "can",      "may",     "all",     "one",
        "two",   "but",    "they",    "them", "their",   "there",    "between", "both",    "show",
        "shows", "figure", "diagram", "draw", "picture", "overview", "reader",  "readers",
    };
    while (*text && words->n < MAX_WORDS) {
        size_t length = text_word_length(text);
        if (length >= MIN_WORD_BYTES && length <= MAX_WORD_BYTES) {
            const char *word = figure_lower_case(arena, text, length);
            if (!text_is_one_of(word, common, ARRAY_LENGTH(common)) &&
                !text_is_one_of(word, words->list, words->n))
                words->list[words->n++] = word;
        }
        text += length ? length : 1;
    }
}

/* An entry as the index of tools takes it: its id for the name, all that it says for the
 * description. */
static struct tool as_tool(struct arena *arena, const struct figure_reference *entry)
{
    static const char *const lists[] = { "nodes", "groups" };
    AUTO(buf) text;
    buf_init(&text, SIZE_MAX);
    (void)!buf_printf(&text, "%s. %s.", entry->summary, entry->domain);
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        const json_t *items = json_object_get(entry->graph, lists[i]);
        for (size_t k = 0; k < json_array_size(items); k++) {
            const char *label = json_get_string(json_array_get(items, k), "label");
            (void)!buf_printf(&text, " %s", label ? label : "");
        }
    }
    return (struct tool){ .server = "references",
                          .name = entry->id,
                          .full_name = entry->id,
                          .title = entry->diagram_type,
                          .description = arena_strdup(arena, buf_string(&text)),
                          .input_schema = arena_keep_json(arena, json_object()) };
}

static enum err_code build(struct tool_index *index, struct arena *arena,
                           const struct figure_input *input, struct err *err)
{
    struct tool *tools = arena_array(arena, struct tool, input->n_pool + 1);
    const struct tool **list = arena_array(arena, const struct tool *, input->n_pool + 1);
    for (size_t i = 0; i < input->n_pool; i++) {
        tools[i] = as_tool(arena, &input->pool[i]);
        list[i] = &tools[i];
    }
    return tool_index_build(index, list, input->n_pool, err);
}

/* Adds `share` of 1 to the topic of the best hit, and to the others in proportion. */
static enum err_code add_topic(struct tool_index *index, struct arena *arena,
                               const struct words *words, double share, struct reference_hit *hits,
                               size_t n, struct err *err)
{
    const struct tool_search search = { .words = words->list, .n_words = words->n, .max = n };
    struct tool_hit *found = NULL;
    size_t n_found = 0;
    if (!words->n)
        return ERR_NONE;
    enum err_code r = tool_index_search(index, &search, arena, &found, &n_found, err);
    for (size_t i = 0; !r && i < n_found; i++)
        if (found[i].tool < n && found[0].score > 0)
            hits[found[i].tool].score += share * found[i].score / found[0].score;
    return r;
}

/* A plot is no example for a diagram, whatever its topic, nor the other way round. */
static void weigh_types(struct arena *arena, const struct figure_input *input,
                        struct reference_hit *hits)
{
    const char *type = reference_type_of(input);
    for (size_t i = 0; i < input->n_pool; i++) {
        const struct figure_reference *entry = &input->pool[i];
        const char *own = entry->diagram_type;
        bool is_of_mode = (input->mode == FIGURE_MODE_PLOT_CODE) == (entry->plot != NULL);
        bool is_of_type = type && strcmp(figure_lower_case(arena, own, strlen(own)), type) == 0;
        if (!is_of_mode || (type && !is_of_type))
            hits[i].score *= TOPIC_OF_OTHER_TYPE;
        else if (type)
            hits[i].score += 1;
    }
}

static int by_score(const void *a, const void *b)
{
    const struct reference_hit *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return (left->reference > right->reference) - (left->reference < right->reference);
}

enum err_code reference_pool_search(struct tool_index *index, struct arena *arena,
                                    const struct figure_input *input, size_t max,
                                    struct reference_hit **out, size_t *out_n, struct err *err)
{
    struct words wish = { 0 }, source = { 0 };
    size_t n = input->n_pool;
    struct reference_hit *hits = arena_array(arena, struct reference_hit, n + 1);
    for (size_t i = 0; i < n; i++)
        hits[i].reference = i;
    add_words(arena, input->caption, &wish);
    add_words(arena, input->communicative_intent, &wish);
    add_words(arena, input->source_context, &source);
    enum err_code r = build(index, arena, input, err);
    if (!r)
        r = add_topic(index, arena, &wish, TOPIC_OF_WISH, hits, n, err);
    if (!r)
        r = add_topic(index, arena, &source, 1 - TOPIC_OF_WISH, hits, n, err);
    if (r)
        return err_prefix(err, r, "references");
    weigh_types(arena, input, hits);
    qsort(hits, n, sizeof *hits, by_score);
    /* The best one counts in any case, the others when they have something in common with the text.
     */
    size_t useful = n && max ? 1 : 0;
    while (useful < n && useful < max && hits[useful].score > 0)
        useful++;
    *out = hits;
    *out_n = useful;
    return ERR_NONE;
}
