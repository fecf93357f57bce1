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

static double clause_score(const struct tool_hit *hit, const struct query_words *words,
                           size_t clause)
{
    double score = 0;
    for (size_t i = 0; i < hit->n_matches; i++)
        if (words->words[hit->matches[i].word].clause == clause)
            score += hit->matches[i].score;
    return score;
}

static int better_first(const void *a, const void *b)
{
    const struct ranked_tool *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return (left->tool > right->tool) - (left->tool < right->tool);
}

/* A tool's score is its share of the best score by all words, and of that of the clause it fits
 * best. */
static void weigh(struct arena *arena, const struct tool_hit *hits, size_t n,
                  struct tool_ranking *out)
{
    out->n = n;
    double *clauses = arena_array(arena, double, n + 1);
    for (size_t c = 0; c < out->request.n_clauses; c++) {
        double best = 0;
        for (size_t i = 0; i < n; i++) {
            out->tools[i].score = clause_score(&hits[i], &out->request, c);
            best = out->tools[i].score > best ? out->tools[i].score : best;
        }
        for (size_t i = 0; i < n; i++)
            if (best > 0 && out->tools[i].score / best > clauses[i])
                clauses[i] = out->tools[i].score / best;
    }
    for (size_t i = 0; i < n; i++)
        out->tools[i] = (struct ranked_tool){
            .tool = hits[i].tool,
            .score = hits[i].score / hits[0].score + CLAUSE_WEIGHT * clauses[i],
            .matches = hits[i].matches,
            .n_matches = hits[i].n_matches,
        };
}

struct server {
    const char *name;
    double best;
};

/* In an array that has room for every tool's. */
static struct server *server_of(struct server *servers, const struct tool *tool)
{
    while (servers->name && strcmp(servers->name, tool->server) != 0)
        servers++;
    servers->name = tool->server;
    return servers;
}

/* What a request needs beside its likeliest tool is as a rule on the same server: the search that
 * gives the id, the list that shows what was done. */
static void add_servers(const struct tool_query *query, struct tool_ranking *out)
{
    AUTO(arena) scratch = { 0 };
    struct server *servers = arena_array(&scratch, struct server, query->n_tools + 1);
    bool *is_ranked = arena_array(&scratch, bool, query->n_tools + 1);
    for (size_t i = 0; i < out->n; i++) {
        struct server *server = server_of(servers, query->tools[out->tools[i].tool]);
        server->best = fmax(server->best, out->tools[i].score);
        is_ranked[out->tools[i].tool] = true;
    }
    for (size_t i = 0; i < query->n_tools; i++)
        if (!is_ranked[i] && server_of(servers, query->tools[i])->best > 0 &&
            tool_is_admitted(query->tools[i], &out->request))
            out->tools[out->n++].tool = i;
    for (size_t i = 0; i < out->n; i++)
        out->tools[i].score +=
            SERVER_WEIGHT * server_of(servers, query->tools[out->tools[i].tool])->best;
}

/* They take no part, so that the others are measured by each other. */
static size_t without_reserved(const struct tool_query *query, const struct query_words *words,
                               struct tool_hit *hits, size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        if (tool_is_admitted(query->tools[hits[i].tool], words))
            hits[left++] = hits[i];
    return left;
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
    *out = (struct tool_ranking){ 0 };
    enum err_code r =
        query_words_read(arena, query->index, query->assets, query->text, &out->request, err);
    if (!r)
        r = look_for(arena, query, &out->request, &hits, &n, err);
    if (r)
        return r;
    n = without_reserved(query, &out->request, hits, n);
    out->tools = arena_array(arena, struct ranked_tool, query->n_tools + 1);
    weigh(arena, hits, n, out);
    add_servers(query, out);
    qsort(out->tools, out->n, sizeof *out->tools, better_first);
    return ERR_NONE;
}
