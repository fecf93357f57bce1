#include "application/orchestrators/lexical/lexical_analyst.h"
#include "application/tools/shortlist.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

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

static bool explain_candidates(struct buf *out, const struct tool *const *tools,
                               const struct lexical_analysis *analysis)
{
    bool fits = true;
    for (size_t i = 0; fits && i < analysis->n_candidates; i++)
        fits = buf_printf(out, "%s: %.2f\n", tools[analysis->candidates[i].tool]->full_name,
                          analysis->candidates[i].score);
    return fits;
}

/* What did not fit is cut: an explanation is for reading. */
static const char *explain(struct arena *arena, const struct tool *const *tools,
                           const struct lexical_analysis *analysis,
                           const struct lexical_slots *slots)
{
    AUTO(buf) out;
    buf_init(&out, EXPLANATION_MAX_BYTES);
    bool fits = buf_printf(&out, "%s %.2f, threshold %.2f\n",
                           analysis->tool ? analysis->tool->full_name : "no tool: best match",
                           analysis->score, analysis->threshold) &&
                (!analysis->n_candidates || explain_words(&out, arena, analysis->candidates)) &&
                explain_candidates(&out, tools, analysis) && explain_slots(&out, arena, slots);
    return arena_printf(arena, "%s%s", buf_string(&out), fits ? "" : "…\n");
}

/* What is reserved for other requests is no candidate. */
static void drop_reserved(struct lexical_analysis *found, struct arena *arena,
                          const struct tool *const *tools, const char *request)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->n_candidates; i++)
        if (shortlist_admits(arena, tools[found->candidates[i].tool], request))
            found->candidates[kept++] = found->candidates[i];
    found->n_candidates = kept;
}

/* Chooses the best candidate when it is good enough. */
static void decide(struct lexical_analysis *found, const struct tool *const *tools)
{
    if (!found->n_candidates)
        return;
    found->score = found->candidates[0].score;
    if (found->score >= found->threshold)
        found->tool = tools[found->candidates[0].tool];
}

/* The arguments that the words of the request give to the tool that was chosen. */
static void fill_arguments(struct lexical_analysis *found, struct arena *arena, const char *request,
                           struct lexical_slots *slots)
{
    if (found->tool)
        lexical_slots_fill(arena, found->tool, request, slots);
    found->args = slots->args;
    found->slots = slots->slots;
    found->n_slots = slots->n_slots;
}

enum err_code lexical_analyse(struct arena *arena, struct tool_index *index,
                              const struct tool *const *tools, size_t n_tools, const char *request,
                              const struct settings *settings, struct lexical_analysis *out,
                              struct err *err)
{
    struct lexical_analysis found = { .threshold = settings->lexical_threshold };
    struct lexical_slots slots = { .args = arena_keep_json(arena, json_object()) };
    enum err_code r = lexical_match(arena, index, tools, n_tools, request, &found.candidates,
                                    &found.n_candidates, err);
    if (r)
        return r;
    drop_reserved(&found, arena, tools, request);
    decide(&found, tools);
    fill_arguments(&found, arena, request, &slots);
    found.explanation = explain(arena, tools, &found, &slots);
    *out = found;
    return ERR_NONE;
}
