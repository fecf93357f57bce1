/* Measures which tools a request finds: the share of requests all of whose tools rank among the
 * first 8 of 40 tools, or have a line within the budget of a prompt of 150 tools; and what ranking
 * 1,000 tools takes. The data are tests/data/shortlist, or the folder given: tools.json and
 * requests.json. With a second argument, prints what was missed. */
#include "application/finding/shortlist.h"
#include "application/settings.h"
#include "domain/base/json.h"
#include "infrastructure/config/config.h"
#include "infrastructure/repositories/repository_create.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FIRST = 8, FEW = 40, MANY_TOOLS = 1000, MAX_TALLIES = 16, REPEATS = 20 };

struct tally {
    const char *language;
    unsigned n, ranked, lined, in_sight;
};

struct bench {
    struct arena arena;
    struct tool_index *index;
    struct assets *assets;
    struct settings settings;
    struct tool_catalogue *catalogues[64];
    size_t n_catalogues;
    const struct tool *tools[2000];
    size_t n_tools;
    bool verbose;
};

static json_t *read_data(struct arena *arena, const char *folder, const char *name)
{
    char path[4096];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    json_t *value = json_load_file(path, 0, &error);
    if (!value)
        printf("%s: %s\n", path, error.text);
    return arena_keep_json(arena, value);
}

static struct tool_catalogue *catalogue_of(struct bench *bench, const char *server)
{
    for (size_t i = 0; i < bench->n_catalogues; i++)
        if (strcmp(bench->catalogues[i]->server, server) == 0)
            return bench->catalogues[i];
    return bench->catalogues[bench->n_catalogues++] = tool_catalogue_create(server);
}

/* The tools of the small set, or all. */
static bool take_tools(struct bench *bench, const json_t *tools, json_int_t set)
{
    size_t i;
    json_t *definition;
    for (i = 0; i < bench->n_catalogues; i++)
        tool_catalogue_unref(bench->catalogues[i]);
    bench->n_catalogues = bench->n_tools = 0;
    json_array_foreach (tools, i, definition) {
        struct err err;
        if (json_get_int(definition, "set", 0) > set)
            continue;
        struct tool_catalogue *catalogue =
            catalogue_of(bench, json_get_string(definition, "server"));
        if (tool_catalogue_add(catalogue, definition, &err))
            return printf("%s\n", err.message) < 0;
    }
    for (i = 0; i < bench->n_catalogues; i++)
        for (size_t t = 0; t < bench->catalogues[i]->n_tools; t++)
            bench->tools[bench->n_tools++] = &bench->catalogues[i]->tools[t];
    return tool_index_build(bench->index, bench->tools, bench->n_tools, NULL) == ERR_NONE;
}

/* "server/name", or the name alone. */
static size_t rank_of(const struct shortlist *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(strchr(name, '/') ? list->best[i]->full_name : list->best[i]->name, name) == 0)
            return i;
    return SIZE_MAX;
}

struct sight {
    bool ranked, lined, seen;
};

static struct sight sight_of(const struct shortlist *list, const char *name)
{
    size_t rank = rank_of(list, name);
    struct sight sight = { .ranked = rank < FIRST };
    for (size_t i = 0; rank < list->n && i < list->n; i++)
        if (list->tools[i].tool == list->best[rank]) {
            sight.lined = list->tools[i].as == OFFERED_LINE;
            sight.seen = true;
        }
    return sight;
}

static struct sight both(struct sight a, struct sight b)
{
    return (struct sight){ a.ranked && b.ranked, a.lined && b.lined, a.seen && b.seen };
}

/* Every tool that is needed, of each group of alternatives one. */
static struct sight request_sight(const struct shortlist *list, const json_t *request)
{
    struct sight sight = { true, true, true };
    size_t i, k;
    const json_t *name, *group;
    json_array_foreach (json_object_get(request, "tools"), i, name)
        sight = both(sight, sight_of(list, json_string_value(name)));
    json_array_foreach (json_object_get(request, "or"), i, group) {
        struct sight any = { 0 };
        json_array_foreach (group, k, name) {
            struct sight one = sight_of(list, json_string_value(name));
            any = (struct sight){ any.ranked || one.ranked, any.lined || one.lined,
                                  any.seen || one.seen };
        }
        sight = both(sight, any);
    }
    return sight;
}

static bool make_list(struct bench *bench, struct arena *arena, const char *text,
                      struct shortlist *out)
{
    struct err err = { 0 };
    const struct shortlist_request request = { .tools = bench->tools,
                                               .n_tools = bench->n_tools,
                                               .text = text,
                                               .max_tokens = bench->settings.tools_prompt_tokens };
    if (shortlist_make(arena, bench->index, bench->assets, &request, out, &err))
        return printf("%s\n", err.message) < 0;
    return true;
}

/* What stands before the tools that were missed. */
static void tell(struct bench *bench, const json_t *request, json_int_t set)
{
    struct tool_ranking ranking;
    auto_str tools = json_print(json_object_get(request, "tools"));
    const char *text = json_get_string(request, "text");
    const struct tool_query query = { bench->index, bench->assets, bench->tools, bench->n_tools,
                                      text };
    if (tool_ranking_make(&bench->arena, &query, &ranking, NULL))
        return;
    printf("%s (%s) of %lld: %s\n  wanted %s\n", json_get_string(request, "id"),
           ranking.request.language, (long long)set, text, tools);
    for (size_t i = 0; i < ranking.n; i++) {
        const struct ranked_tool *ranked = &ranking.tools[i];
        const char *name = ranked->tool->name;
        auto_str quoted = json_print(json_object_get(request, "tools"));
        if (i >= FIRST && !strstr(quoted, name))
            continue;
        printf("  %2zu %-24s %.2f", i + 1, name, ranked->score);
        for (size_t m = 0; m < ranked->n_matches; m++)
            printf(" %s=%s:%.1f", ranking.request.words[ranked->matches[m].word].plain,
                   ranked->matches[m].as, ranked->matches[m].score);
        printf("\n");
    }
}

static struct tally *tally_of(struct tally *tallies, const char *language)
{
    struct tally *tally = tallies;
    while (tally->language && strcmp(tally->language, language) != 0)
        tally++;
    tally->language = language;
    return tally;
}

static bool measure(struct bench *bench, const json_t *tools, const json_t *requests,
                    json_int_t set)
{
    struct tally tallies[MAX_TALLIES] = { 0 };
    size_t i;
    const json_t *request;
    if (!take_tools(bench, tools, set))
        return false;
    json_array_foreach (requests, i, request) {
        AUTO(arena) arena = { 0 };
        struct shortlist list;
        if (json_get_int(request, "set", 0) != set)
            continue;
        if (!make_list(bench, &arena, json_get_string(request, "text"), &list))
            return false;
        struct sight sight = request_sight(&list, request);
        struct tally *tally = tally_of(tallies, json_get_string(request, "lang"));
        tally->n++;
        tally->ranked += sight.ranked;
        tally->lined += sight.lined;
        tally->in_sight += sight.seen;
        if (bench->verbose && !(set == FEW ? sight.ranked : sight.lined))
            tell(bench, request, set);
    }
    for (const struct tally *t = tallies; t->language; t++)
        printf("%4lld tools  %-3s %3u requests  among the first %d %5.1f %%  with a line %5.1f %%  "
               "line or name %5.1f %%\n",
               (long long)set, t->language, t->n, FIRST, 100.0 * t->ranked / t->n,
               100.0 * t->lined / t->n, 100.0 * t->in_sight / t->n);
    return true;
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* The tools over and over, until there are enough; the median of all requests. */
static int by_value(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static bool time_ranking(struct bench *bench, const json_t *requests)
{
    static double took[10000];
    size_t n = 0, own = bench->n_tools, i;
    const json_t *request;
    for (; bench->n_tools < MANY_TOOLS; bench->n_tools++)
        bench->tools[bench->n_tools] = bench->tools[bench->n_tools - own];
    double began = now_ms();
    for (i = 0; i < REPEATS; i++)
        if (tool_index_build(bench->index, bench->tools, bench->n_tools, NULL))
            return false;
    double build = (now_ms() - began) / REPEATS;
    json_array_foreach (requests, i, request) {
        AUTO(arena) arena = { 0 };
        struct shortlist list;
        began = now_ms();
        if (!make_list(bench, &arena, json_get_string(request, "text"), &list))
            return false;
        took[n++] = now_ms() - began;
    }
    qsort(took, n, sizeof *took, by_value);
    printf("%d tools: indexed in %.2f ms, ranked and cut in %.2f ms (median; at most %.2f)\n",
           MANY_TOOLS, build, took[n / 2], took[n - 1]);
    return true;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const char *folder = argc > 1 ? argv[1] : SOURCE_DIR "/tests/data/shortlist";
    const json_t *tools = read_data(&bench.arena, folder, "tools.json");
    const json_t *requests = read_data(&bench.arena, folder, "requests.json");
    if (!tools || !requests)
        return 1;
    bench.verbose = argc > 2;
    bench.index = bm25_tool_index_create();
    bench.assets = config_assets_create(/* project_approved */ false);
    settings_init(&bench.settings);
    bool ok = measure(&bench, tools, requests, FEW) && measure(&bench, tools, requests, 150) &&
              time_ranking(&bench, requests);
    for (size_t i = 0; i < bench.n_catalogues; i++)
        tool_catalogue_unref(bench.catalogues[i]);
    tool_index_destroy(bench.index);
    config_assets_destroy(bench.assets);
    arena_finish(&bench.arena);
    return ok ? 0 : 1;
}
