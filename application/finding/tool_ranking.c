#include "application/finding/tool_ranking.h"
#include "domain/base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_WEIGHT 0.3 /* of the score of the best tool of its server */
#define CLAUSE_WEIGHT 0.4 /* of being the best for one clause, against being it for the whole */

static const json_t *reserved_words(const json_t *definition)
{
    return json_object_get(json_object_get(definition, "_meta"), SHORTLIST_ONLY_FOR);
}

/* One of its words begins a word of the request: "agree" is in "agreed". */
bool tool_is_admitted(const struct tool *tool, const struct query_words *words)
{
    const json_t *reserved = reserved_words(tool->definition);
    size_t n = json_array_size(reserved);
    for (size_t i = 0; i < n && i < SHORTLIST_MAX_ONLY_FOR; i++) {
        const char *prefix = json_string_value(json_array_get(reserved, i));
        for (size_t w = 0; prefix && *prefix && w < words->n; w++)
            if (text_starts_with(words->words[w].plain, prefix))
                return true;
    }
    return n == 0;
}

/* What the words of each clause say. */
struct clause_scores {
    double of[QUERY_MAX_CLAUSES];
};

/* A tool's score is its share of the best score by all words, and of that of the clause it fits
 * best. */
static void weigh(struct tool_ranking *out)
{
    AUTO(arena) scratch = { 0 };
    struct clause_scores best = { 0 },
                         *scores = arena_array(&scratch, struct clause_scores, out->n + 1);
    double most = 0;
    for (size_t i = 0; i < out->n; i++) {
        const struct ranked_tool *tool = &out->tools[i];
        for (size_t m = 0; m < tool->n_matches; m++) {
            uint32_t clause = out->request.words[tool->matches[m].word].clause;
            scores[i].of[clause] += tool->matches[m].score;
            best.of[clause] = fmax(best.of[clause], scores[i].of[clause]);
        }
        most = fmax(most, tool->score);
    }
    for (size_t i = 0; i < out->n; i++) {
        double share = 0;
        for (size_t c = 0; c < out->request.n_clauses; c++)
            if (best.of[c] > 0)
                share = fmax(share, scores[i].of[c] / best.of[c]);
        if (most > 0)
            out->tools[i].score = out->tools[i].score / most + CLAUSE_WEIGHT * share;
    }
}

/* What a request needs beside its likeliest tool is as a rule on the same server: the search that
 * gives the id, the list that shows what was done. Tools of one server stand side by side. */
static void add_servers(struct tool_ranking *out)
{
    for (size_t i = 0, end = 0; i < out->n; i = end) {
        double best = 0;
        for (;
             end < out->n && strcmp(out->tools[end].tool->server, out->tools[i].tool->server) == 0;
             end++)
            best = fmax(best, out->tools[end].score);
        for (size_t k = i; k < end; k++)
            out->tools[k].score += SERVER_WEIGHT * best;
    }
}

static int better_first(const void *a, const void *b)
{
    const struct ranked_tool *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return strcmp(left->tool->full_name, right->tool->full_name);
}

/* What is known by its form has no letters that tools could share, and what says nothing is not
 * looked for at all. */
static enum err_code look_for(struct arena *arena, const struct tool_query *query,
                              const struct query_words *request, struct tool_hit **out,
                              size_t *out_n, struct err *err)
{
    const char **words = arena_array(arena, const char *, request->n + 1);
    struct tool_senses *senses = arena_array(arena, struct tool_senses, request->n + 1);
    for (size_t i = 0; i < request->n; i++) {
        const struct query_word *word = &request->words[i];
        bool counts = !word->is_dropped;
        words[i] = counts && !word->form ? word->said : "";
        senses[i] = (struct tool_senses){ word->senses, counts ? word->n_senses : 0 };
    }
    const struct tool_search search = { .words = words,
                                        .n_words = request->n,
                                        .max = SIZE_MAX,
                                        .senses = senses,
                                        .language = request->language };
    return tool_index_search(query->index, &search, arena, out, out_n, err);
}

enum err_code tool_ranking_make(struct arena *arena, const struct tool_query *query,
                                struct tool_ranking *out, struct err *err)
{
    struct tool_hit *hits = NULL;
    size_t n = 0;
    enum err_code r = ERR_NONE;
    *out = (struct tool_ranking){ 0 };
    if (*query->text)
        r = query_words_read(arena, query->index, query->assets, query->text, &out->request, err);
    if (!r && *query->text)
        r = look_for(arena, query, &out->request, &hits, &n, err);
    if (r)
        return r;
    struct ranked_tool *all = arena_array(arena, struct ranked_tool, query->n_tools + 1);
    for (size_t i = 0; i < n; i++)
        all[hits[i].tool] = (struct ranked_tool){ .score = hits[i].score,
                                                  .matches = hits[i].matches,
                                                  .n_matches = hits[i].n_matches };
    out->tools = all;
    for (size_t i = 0; i < query->n_tools; i++) {
        all[i].tool = query->tools[i];
        if (tool_is_admitted(query->tools[i], &out->request))
            all[out->n++] = all[i];
    }
    weigh(out);
    add_servers(out);
    qsort(out->tools, out->n, sizeof *out->tools, better_first);
    return ERR_NONE;
}
