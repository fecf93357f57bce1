#include "application/orchestrators/lexical/lexical_permission.h"
#include "domain/base/text.h"
#include <string.h>

/* Whether any tool that reads may do it: "find", "show", "calculate"; but not "delete". */
static bool is_done_by_any(const struct request_verb *verb)
{
    static const char *const deeds[] = { " read ",     " show ",    " search ",
                                         " list ",     " check ",   " calculate ",
                                         " describe ", " convert ", " count " };
    for (size_t i = 0; i < ARRAY_LENGTH(deeds); i++)
        if (strstr(verb->deeds, deeds[i]))
            return true;
    return false;
}

/* Whether a tool that only reads may do what the first verb of the action says; the other verbs
 * explain it, and those behind a question say how it is to be answered. */
static bool may_read(const struct lexical_reading *reading, const struct tool *tool)
{
    size_t end = strcspn(reading->text, "?");
    for (size_t i = 0; i < reading->verbs.n && reading->verbs.list[i].offset < end; i++) {
        const struct request_verb *verb = &reading->verbs.list[i];
        if (verb->is_negated)
            return false;
        if (!verb->is_asked)
            return is_done_by_any(verb) || strcasestr(tool->name, verb->deed);
    }
    return true;
}

static bool tells(const struct tool *tool, const char *word)
{
    return strcasestr(tool->name, word) || (tool->title && strcasestr(tool->title, word)) ||
           (tool->description && strcasestr(tool->description, word));
}

/* Whether the tool calls what it does by the first verb of the action: to delete an order is not to
 * cancel it, though people may say the one for the other, and "undo: cancel it" is neither; to turn
 * on is to switch, in any language. */
static bool says_the_deed(const struct lexical_reading *reading, const struct tool *tool)
{
    AUTO(arena) scratch = { 0 };
    for (size_t i = 0; i < reading->verbs.n; i++) {
        const struct request_verb *verb = &reading->verbs.list[i];
        size_t length = verb->length < 4 ? verb->length : 4;
        if (!verb->is_negated)
            return tells(tool, verb->deed) ||
                   request_verbs_is_deed_of(&reading->verbs, verb, tool) ||
                   request_verbs_may_make(&reading->verbs, verb, tool) ||
                   (strstr(verb->deeds, " switch ") && tells(tool, "switch")) ||
                   tells(tool, arena_strndup(&scratch, reading->text + verb->offset, length));
    }
    return reading->verbs.n == 0;
}

/* "unshare it and share …": where a verb stands, there is a word that no one knows. */
static bool begins_unknown(const struct lexical_reading *reading,
                           const struct lexical_account *account)
{
    size_t i = 0;
    while (i < reading->n_words && account->uses[i] == LEXICAL_SAYS_NOTHING)
        i++;
    return i < reading->n_words && account->uses[i] == LEXICAL_LEFT;
}

/* "cancel it but don't tell the guests", "lock it or is it locked", "lock it if …": more than the
 * verb says what is not to be done, what may be done instead, or when. */
static bool is_narrowed(const struct lexical_reading *reading,
                        const struct lexical_account *account)
{
    size_t first = SIZE_MAX;
    for (size_t v = reading->verbs.n; v-- > 0;)
        if (reading->verbs.list[v].is_negated) {
            first = reading->verbs.list[v].offset;
            if (v && text_equal(reading->verbs.list[v].deed, reading->verbs.list[0].deed))
                return true;
        }
    for (size_t i = 0; i < reading->n_words; i++) {
        bool is_said = account->uses[i] == LEXICAL_TOOL_WORD || account->uses[i] == LEXICAL_LEFT;
        bool turns_round = account->uses[i] == LEXICAL_SAYS_NOTHING &&
                           lexical_is_marked(reading, i, "@or @condition");
        if (turns_round || (is_said && reading->offsets[i] > first))
            return true;
    }
    return false;
}

/* Whether what is said of values allows it. */
static bool takes_all(const struct lexical_reading *reading,
                      const struct lexical_candidate *candidate)
{
    const struct lexical_account *account = &candidate->account;
    bool is_half = candidate->slots.n_unused && candidate->slots.n_suited && !candidate->items.n &&
                   !reading->text[reading->wish_length];
    return !candidate->slots.unmet && !is_half && !(account->joined && reading->verbs.is_open);
}

bool lexical_may_call(const struct lexical_reading *reading,
                      const struct lexical_candidate *candidate)
{
    const struct lexical_account *account = &candidate->account;
    if (account->limited_by || !takes_all(reading, candidate))
        return false;
    switch (account->verb) {
    case VERB_MEANT:
        return !candidate->changes ||
               (says_the_deed(reading, candidate->tool) && !begins_unknown(reading, account) &&
                !is_narrowed(reading, account) && !reading->text[reading->wish_length]);
    case VERB_UNSAID:
    case VERB_OTHER:
        return !candidate->changes && may_read(reading, candidate->tool);
    case VERB_OPPOSITE:
    case VERB_NEGATED:
        break;
    }
    return false;
}

/* "Is the door locked?", "was it ever deleted?": who asks wants nothing done. */
static bool only_asks(const struct lexical_reading *reading)
{
    for (size_t i = 0; i < reading->verbs.n; i++)
        if (!reading->verbs.list[i].is_asked)
            return false;
    return reading->verbs.is_question;
}

static bool says_not_to(const struct lexical_reading *reading)
{
    for (size_t i = 0; i < reading->verbs.n; i++)
        if (reading->verbs.list[i].is_negated)
            return true;
    return false;
}

/* "undo: merge it": what comes first says what is to be done. */
static bool begins_with_it(const struct lexical_reading *reading, const struct tool *tool)
{
    struct request_verbs first = reading->verbs;
    first.n = first.n ? 1 : 0;
    return request_verbs_fit(&first, tool) == VERB_MEANT;
}

/* Of what changes something a value has to be there at least. */
bool lexical_may_propose(const struct lexical_reading *reading,
                         const struct lexical_candidate *candidate)
{
    const struct lexical_account *account = &candidate->account;
    bool is_meant = account->verb == VERB_MEANT || account->verb == VERB_UNSAID;
    if (candidate->changes)
        is_meant = is_meant &&
                   (account->verb == VERB_UNSAID || begins_with_it(reading, candidate->tool)) &&
                   candidate->slots.n_slots && !account->limited_by && !only_asks(reading) &&
                   account->n_left + account->n_left_values <= 1 &&
                   !is_narrowed(reading, account) && !begins_unknown(reading, account);
    return is_meant && !account->excludes && !account->joined && !says_not_to(reading) &&
           !candidate->slots.n_unused && takes_all(reading, candidate);
}
