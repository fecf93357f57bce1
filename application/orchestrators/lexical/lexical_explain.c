#include "application/orchestrators/lexical/lexical_explain.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/text/redact.h"
#include <string.h>

#define EXPLANATION_MAX_BYTES 8192
#define SHOWN_COLUMNS 60
#define MAX_TOOL_WORDS 600

static const char *shown(struct arena *arena, const char *text)
{
    return text_one_line(arena, text, strlen(text), SHOWN_COLUMNS);
}

static bool has_word(struct arena *arena, const char *text, const char *word)
{
    struct lexical_text all = lexical_read(arena, text ? text : "", MAX_TOOL_WORDS, true);
    struct lexical_text one = lexical_read(arena, word, 1, true);
    return one.n && lexical_holds(&all, SIZE_MAX, &one.tokens[0]);
}

/* "in the name", "nowhere"; "" for a word that says nothing of tools. */
static const char *where_is(struct arena *arena, const struct lexical_candidate *best, size_t i)
{
    const struct tool_match *match = best->account.heard[i];
    switch (best->account.uses[i]) {
    case LEXICAL_SAYS_NOTHING:
    case LEXICAL_OF_VALUE:
        return "";
    case LEXICAL_LEFT:
        return "nowhere";
    case LEXICAL_TOOL_WORD:
        break;
    }
    if (!match)
        return "the verb";
    if (has_word(arena, best->tool->name, match->as))
        return "in the name";
    return has_word(arena, best->tool->description, match->as) ? "in the description"
                                                               : "in a parameter";
}

static bool explain_words(struct buf *out, struct arena *arena,
                          const struct lexical_reading *reading,
                          const struct lexical_candidate *best)
{
    bool fits = true;
    for (size_t i = 0; fits && i < reading->n_words; i++) {
        const struct query_word *word = &reading->ranking.request.words[i];
        const struct tool_match *match = best->account.heard[i];
        const char *where = where_is(arena, best, i);
        bool has_sense = match && strcmp(match->as, word->plain) != 0 &&
                         best->account.uses[i] == LEXICAL_TOOL_WORD;
        if (*where)
            fits = buf_printf(out, "  %s: %s%s%s\n", lexical_told(arena, reading, word->said),
                              where, has_sense ? ", as " : "", has_sense ? match->as : "");
    }
    return fits;
}

static bool explain_slots(struct buf *out, struct arena *arena,
                          const struct lexical_reading *reading, const struct lexical_call *call)
{
    bool fits = true;
    for (size_t i = 0; fits && i < call->n_slots; i++) {
        const struct lexical_slot *slot = &call->slots[i];
        const char *said = lexical_told(arena, reading, slot->said);
        bool is_secret = strcmp(said, REDACTED) == 0;
        fits = buf_printf(out, "  %.60s = %s from \"%s\" by the rule \"%s\"\n", slot->parameter,
                          is_secret ? said : shown(arena, json_print_in(arena, slot->value)), said,
                          slot->rule);
    }
    return fits;
}

static bool explain_result(struct buf *out, const struct lexical_analysis *analysis, size_t i)
{
    if (!analysis->n_calls)
        return buf_printf(out, "no tool: best match %.2f, threshold %.2f\n", analysis->score,
                          analysis->threshold);
    return buf_printf(out, "%s %.2f, threshold %.2f\n", analysis->calls[i].tool->full_name,
                      analysis->calls[i].score, analysis->threshold);
}

static bool explain_candidates(struct buf *out, const struct lexical_analysis *analysis)
{
    bool fits = true;
    for (size_t i = 0; fits && i < analysis->n_candidates; i++) {
        const struct lexical_candidate *candidate = &analysis->candidates[i];
        fits = buf_printf(out, "%s: %.2f%s\n", candidate->tool->full_name,
                          lexical_probability(candidate->strength),
                          candidate->may_be_called ? "" : ", not what is asked for");
    }
    return fits;
}

const char *lexical_explain(struct arena *arena, const struct lexical_reading *reading,
                            const struct lexical_analysis *analysis)
{
    AUTO(buf) out;
    buf_init(&out, EXPLANATION_MAX_BYTES);
    bool fits = true;
    for (size_t i = 0; fits && i + 1 < analysis->n_calls; i++)
        fits = explain_result(&out, analysis, i) &&
               explain_slots(&out, arena, reading, &analysis->calls[i]);
    size_t last = analysis->n_calls ? analysis->n_calls - 1 : 0;
    fits = fits && explain_result(&out, analysis, last) &&
           (!analysis->n_candidates || explain_words(&out, arena, reading, analysis->candidates)) &&
           explain_candidates(&out, analysis) &&
           (!analysis->n_calls || explain_slots(&out, arena, reading, &analysis->calls[last]));
    return arena_printf(arena, "%s%s", buf_string(&out), fits ? "" : "…\n");
}

/* The verb that decides, as it stands in the action. */
static const char *verb_of(struct arena *arena, const struct lexical_reading *reading)
{
    if (!reading->verbs.n)
        return "";
    const struct request_verb *verb = &reading->verbs.list[0];
    return shown(arena, arena_strndup(arena, reading->text + verb->offset, verb->length));
}

static const char *of_verb(struct arena *arena, const struct lexical_reading *reading,
                           const struct lexical_candidate *best)
{
    const char *tool = best->tool->full_name, *verb = verb_of(arena, reading);
    const char *limit = best->account.limited_by;
    if (limit)
        return arena_printf(arena, "no tool covers \"%s\"", shown(arena, limit));
    switch (best->account.verb) {
    case VERB_NEGATED:
        return arena_printf(arena, "it says not to do what %s does", tool);
    case VERB_OPPOSITE:
        return arena_printf(arena, "%s does the opposite of \"%s\"", tool, verb);
    case VERB_OTHER:
        return arena_printf(arena, "no tool here does what \"%s\" asks for", verb);
    case VERB_UNSAID:
        if (!best->account.joined)
            return arena_printf(arena, "it does not say to do what %s does", tool);
        break;
    case VERB_MEANT:
        break;
    }
    return arena_printf(arena, "no tool covers \"%s\"",
                        shown(arena, best->account.joined ? best->account.joined : verb));
}

static const char *all_words(struct arena *arena, const struct lexical_reading *reading)
{
    const struct query_words *words = &reading->ranking.request;
    const char *text = "";
    for (size_t i = 0; i < reading->n_words && strlen(text) < 2 * SHOWN_COLUMNS; i++)
        if (!words->words[i].is_dropped)
            text = arena_printf(arena, "%s%s\"%s\"", text, *text ? ", " : "",
                                lexical_told(arena, reading, words->words[i].said));
    return text;
}

const char *lexical_refusal(struct arena *arena, const struct lexical_reading *reading,
                            const struct lexical_candidate *best)
{
    if (best && !best->may_be_called)
        return of_verb(arena, reading, best);
    const char *left =
        best ? lexical_account_left(arena, reading, &best->account) : all_words(arena, reading);
    if (*left)
        return arena_printf(arena, "no tool covers %s", left);
    return "too little of it says which tool is meant";
}
