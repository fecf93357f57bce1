#include "application/orchestrators/lexical/lexical_analyst.h"
#include "application/orchestrators/lexical/lexical_actions.h"
#include "application/orchestrators/lexical/lexical_carry.h"
#include "application/orchestrators/lexical/lexical_explain.h"
#include "application/orchestrators/lexical/lexical_permission.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/schema_view.h"
#include <math.h>
#include <string.h>

#define UNLIKELY (-20.0)      /* the logit of no tool */
#define SURE 0.55             /* of a call that is made, its probability */
#define LIKELY 0.6            /* of a tool that is proposed, its probability */
#define CLOSE 0.25            /* logits between two tools of which either may be meant */
#define CHANGES_CLOSE 1.5     /* the same where the best changes something */
#define LIKELY_FOR_LITTLE 0.2 /* of a tool that is only asked about, its probability */
#define CLEAR_FOR_LITTLE 0.5  /* logits by which it leads */
#define NAMED 6.0             /* logits, of the tool whose identifier is said */

struct analyst {
    struct arena *arena;
    const struct lexical_request *request;
    struct lexical_analysis *out;
    struct lexical_reading reading; /* of the action that is looked at */
    double least;                   /* the score of the least likely call */
};

/* "Use read_file to …", "files/read_file path=…": an identifier that is its name means the tool. */
static bool is_named(const struct analyst *analyst, const struct tool *tool)
{
    const struct lexical_text *tokens = &analyst->reading.tokens;
    for (size_t i = 0; i < tokens->n; i++) {
        const char *text = tokens->tokens[i].text;
        bool is_identifier = strpbrk(text, "_-./0123456789") != NULL;
        if (is_identifier && (strcmp(text, tool->name) == 0 || strcmp(text, tool->full_name) == 0))
            return true;
    }
    return false;
}

static void weigh(const struct analyst *analyst, const struct ranked_tool *tool,
                  struct lexical_candidate *out)
{
    struct arena *arena = analyst->arena;
    *out = (struct lexical_candidate){ .tool = tool->tool, .ranked = tool };
    lexical_slots_fill(arena, tool->tool, analyst->reading.text, analyst->request->today,
                       &out->slots);
    out->items =
        lexical_actions_each(arena, analyst->reading.text, &analyst->reading.tokens, &out->slots);
    out->account =
        lexical_account_make(arena, &analyst->reading, tool, &out->slots, &out->items.span);
    out->features = lexical_features_of(arena, &analyst->reading, tool, &out->slots, &out->account);
    out->strength = lexical_strength(&out->features) + (is_named(analyst, tool->tool) ? NAMED : 0);
    out->changes = request_verbs_tool_changes(&analyst->reading.verbs, tool->tool);
    out->may_be_called = lexical_may_call(&analyst->reading, out);
    out->may_be_proposed = lexical_may_propose(&analyst->reading, out);
}

static int better_first(const void *a, const void *b)
{
    const struct lexical_candidate *one = a, *other = b;
    if (one->may_be_called != other->may_be_called)
        return one->may_be_called ? -1 : 1;
    if (one->strength != other->strength)
        return one->strength < other->strength ? 1 : -1;
    return strcmp(one->tool->full_name, other->tool->full_name);
}

/* How likely the call of each is right, as far as that depends on the others. */
static void compare(struct analyst *analyst)
{
    struct lexical_analysis *out = analyst->out;
    for (size_t i = 0; i < out->n_candidates; i++) {
        struct lexical_candidate *one = &out->candidates[i];
        const struct lexical_candidate *next = i ? one - i : one + 1;
        bool has_next = out->n_candidates > 1 && next->may_be_called;
        one->call =
            lexical_call_features_of(&analyst->reading, &one->slots, &one->account, one->tool,
                                     one->strength, has_next ? next->strength : UNLIKELY);
    }
}

/* "show issue 5 and then close it": it is an issue. */
static const char *with_noun(const struct analyst *analyst, const struct lexical_action *action)
{
    const struct lexical_analysis *out = analyst->out;
    if (action->back != BACK_SAME || !out->n_calls)
        return action->text;
    const char *name = out->calls[out->n_calls - 1].tool->name;
    struct lexical_text words = lexical_read(analyst->arena, name, LEXICAL_MAX_WORDS, true);
    return words.n < 2 ? action->text
                       : arena_printf(analyst->arena, "%s %s", action->text,
                                      words.tokens[words.n - 1].text);
}

/* The tools that an action may mean, those that may be called first. */
static enum err_code look_at(struct analyst *analyst, const struct lexical_action *action,
                             struct err *err)
{
    const struct lexical_request *request = analyst->request;
    struct lexical_analysis *out = analyst->out;
    const struct tool_query query = { request->index, request->assets, request->tools,
                                      request->n_tools, with_noun(analyst, action) };
    enum err_code r = lexical_reading_make(analyst->arena, &query, &analyst->reading, err);
    if (r)
        return r;
    analyst->reading.goes_back = action->back != BACK_NOTHING;
    const struct tool_ranking *ranking = &analyst->reading.ranking;
    out->n_candidates = 0;
    out->candidates = arena_array(analyst->arena, struct lexical_candidate, LEXICAL_MAX_CANDIDATES);
    for (size_t i = 0; i < ranking->n && out->n_candidates < LEXICAL_MAX_CANDIDATES; i++)
        if (ranking->tools[i].n_matches)
            weigh(analyst, &ranking->tools[i], &out->candidates[out->n_candidates++]);
    qsort(out->candidates, out->n_candidates, sizeof *out->candidates, better_first);
    compare(analyst);
    return ERR_NONE;
}

static double margin(const struct lexical_analysis *found)
{
    return found->candidates[0].changes ? CHANGES_CLOSE : CLOSE;
}

/* "Close #41": of what changes something another takes the same and is as much spoken of. */
static bool has_twin(const struct analyst *analyst)
{
    const struct request_verbs *verbs = &analyst->reading.verbs;
    const struct lexical_analysis *found = analyst->out;
    const struct lexical_candidate *best = found->candidates;
    bool is_deed = verbs->n && request_verbs_is_deed_of(verbs, verbs->list, best->tool);
    for (size_t i = 1; i < found->n_candidates && best->changes; i++)
        if (best[i].changes && best[i].may_be_called &&
            is_deed == (verbs->n && request_verbs_is_deed_of(verbs, verbs->list, best[i].tool)) &&
            json_equal(best[i].slots.args, best->slots.args) &&
            best[i].account.n_own + best[i].account.n_sense >=
                best->account.n_own + best->account.n_sense &&
            best[i].account.n_own >= best->account.n_own)
            return true;
    return false;
}

/* Whether the second best tool may as well be meant. Of two that read the same on one server either
 * will do. */
static bool is_close(const struct analyst *analyst)
{
    const struct lexical_analysis *found = analyst->out;
    const struct lexical_candidate *all = found->candidates;
    if (found->n_candidates < 2 || !all[1].may_be_called)
        return false;
    if (all[0].strength - all[1].strength >= margin(found))
        return has_twin(analyst);
    bool is_same = strcmp(all[0].tool->server, all[1].tool->server) == 0 &&
                   json_equal(all[0].slots.args, all[1].slots.args);
    return !is_same || all[0].changes || all[1].changes;
}

/* The candidate that is meant; NULL where none is likely enough, or two are too close. */
static const struct lexical_candidate *choose(struct analyst *analyst)
{
    struct lexical_analysis *found = analyst->out;
    const struct lexical_candidate *best = found->n_candidates ? found->candidates : NULL;
    if (!best)
        return NULL;
    found->score = found->tool_score = lexical_probability(best->strength);
    bool is_likely = best->may_be_called && found->score >= found->threshold;
    return is_likely && !is_close(analyst) ? best : NULL;
}

/* "count the words", "search the notes folder": what is counted or looked for has to be said,
 * though no parameter is required; a list of everything does without. The parameter to be asked
 * for. */
static const char *unsaid(const struct analyst *analyst, const struct lexical_action *action,
                          const struct lexical_candidate *best)
{
    static const char *const deeds[] = { "count", "search", "calculate", "convert", "translate" };
    static const char *const places[] = { "path", "folder", "directory", "dir" };
    const struct request_verbs *verbs = &analyst->reading.verbs;
    const json_t *schema = best->tool->input_schema;
    json_t *properties = json_object_get(schema, "properties");
    if (action->back != BACK_NOTHING)
        return NULL;
    const char *name = schema_view_lacks_one_of(schema, best->slots.args);
    name = name ? name : best->slots.wanting;
    if (name || best->slots.n_required || !verbs->n || !LEXICAL_ONE_OF(verbs->list[0].deed, deeds))
        return name;
    bool searches = text_equal(verbs->list[0].deed, "search");
    for (size_t i = 0; i < best->slots.n_slots; i++)
        if (json_is_string(best->slots.slots[i].value) &&
            !(searches && LEXICAL_ONE_OF(best->slots.slots[i].parameter, places)))
            return NULL;
    return json_object_iter_key(json_object_iter(properties));
}

/* "How many lines are there?", "open msg-7": few words, all of them of one tool that reads. Where
 * what it needs is not said, or is of a form that only it takes, that is enough. */
static const struct lexical_candidate *choose_for_little(const struct analyst *analyst,
                                                         const struct lexical_action *action)
{
    const struct lexical_analysis *found = analyst->out;
    const struct lexical_candidate *best = found->n_candidates ? found->candidates : NULL;
    if (!best || !best->may_be_called || best->changes || best->account.n_left ||
        best->account.n_left_values || (!best->account.n_own && best->account.verb != VERB_MEANT) ||
        lexical_probability(best->strength) < LIKELY_FOR_LITTLE)
        return NULL;
    bool is_clear = found->n_candidates < 2 || !best[1].may_be_called ||
                    best->strength - best[1].strength >= CLEAR_FOR_LITTLE;
    bool is_open = best->slots.n_missing || unsaid(analyst, action, best);
    bool is_evident = best->slots.n_suited && best->account.verb == VERB_MEANT;
    return is_clear && (is_open || is_evident || action->back != BACK_NOTHING) ? best : NULL;
}

/* The tools that are about as likely as the best, where that would be likely enough alone. */
static void offer(struct analyst *analyst)
{
    struct lexical_analysis *found = analyst->out;
    found->choices = arena_array(analyst->arena, const struct tool *, LEXICAL_MAX_CHOICES);
    for (size_t i = 0; i < found->n_candidates && found->n_choices < LEXICAL_MAX_CHOICES; i++) {
        const struct lexical_candidate *candidate = &found->candidates[i];
        if (candidate->may_be_called &&
            found->candidates[0].strength - candidate->strength < 2 * margin(found) &&
            lexical_probability(candidate->strength) >= found->threshold)
            found->choices[found->n_choices++] = candidate->tool;
    }
    if (found->n_choices < 2)
        found->n_choices = 0;
}

static void refuse(struct analyst *analyst, const struct lexical_action *action, const char *why)
{
    const char *said = text_one_line(analyst->arena, action->said, strlen(action->said), 60);
    analyst->out->n_calls = 0;
    analyst->out->wanting = analyst->out->doubt = NULL;
    analyst->out->refusal =
        action->said == analyst->request->text
            ? why
            : arena_printf(analyst->arena, "\"%s\": %s; nothing was done", said, why);
}

static void refuse_candidate(struct analyst *analyst, const struct lexical_action *action)
{
    const struct lexical_analysis *found = analyst->out;
    const struct lexical_candidate *best = found->n_candidates ? found->candidates : NULL;
    bool is_undecided = best && best->may_be_called && found->score >= found->threshold &&
                        found->n_candidates > 1 && is_close(analyst);
    refuse(analyst, action,
           is_undecided ? arena_printf(analyst->arena, "it may mean %s or %s",
                                       best[0].tool->full_name, best[1].tool->full_name)
                        : lexical_refusal(analyst->arena, &analyst->reading, best));
}

static struct lexical_call *add_call(struct analyst *analyst, const struct tool *tool,
                                     const struct lexical_slots *slots)
{
    struct lexical_analysis *out = analyst->out;
    struct lexical_call *call = &out->calls[out->n_calls++];
    *call = (struct lexical_call){ tool, slots->args, slots->slots, slots->n_slots, out->score };
    return call;
}

/* The call, or a call for each of "A and B" where the tool takes one of them: all or none. */
static void add_calls(struct analyst *analyst, const struct lexical_candidate *best,
                      const struct lexical_action *action)
{
    const struct lexical_items *items = &best->items;
    for (size_t i = 0; i < items->n && !analyst->out->refusal; i++) {
        struct lexical_slots slots;
        lexical_slots_fill(analyst->arena, best->tool, items->texts[i], analyst->request->today,
                           &slots);
        if (slots.n_slots != best->slots.n_slots || best->account.n_left_values ||
            analyst->out->n_calls == LEXICAL_MAX_CALLS)
            refuse(analyst, action,
                   arena_printf(analyst->arena, "%s takes one of them at a time, and not each fits",
                                best->tool->full_name));
        else
            add_call(analyst, best->tool, &slots);
    }
    if (items->n == 0)
        add_call(analyst, best->tool, &best->slots);
}

/* Whether the value is all that several actions lack: then a question for it says whose it is. */
static bool is_all_they_lack(const struct lexical_analysis *found, const struct lexical_call *call,
                             const struct lexical_candidate *best, const char *name)
{
    const json_t *input = call->tool->input_schema;
    const char *other;
    json_t *schema;
    if (found->wanting || best->items.n || best->account.n_left || best->account.n_left_values)
        return false;
    json_object_foreach (json_object_get(input, "properties"), other, schema)
        if (strcmp(other, name) != 0 && schema_view_requires(input, other) &&
            !json_object_get(call->args, other))
            return false;
    return true;
}

/* unsaid: a parameter that has to be said though it is not required; or NULL. */
static void complete(struct analyst *analyst, const struct lexical_action *action,
                     const struct lexical_candidate *best, const char *unsaid)
{
    struct lexical_analysis *out = analyst->out;
    struct lexical_call *call = &out->calls[out->n_calls - 1];
    bool is_bare = call > out->calls && best->account.n_content <= 1 && !call->n_slots;
    bool goes_back = action->back != BACK_NOTHING;
    bool is_passed_on =
        !goes_back || lexical_carry_over(analyst->arena, action->back, call, out->n_calls);
    const char *name = lexical_missing(call) ? lexical_missing(call) : unsaid;
    if (!is_passed_on) {
        refuse(analyst, action, "what it stands for cannot be passed on to a tool");
    } else if (name && is_all_they_lack(out, call, best, name)) {
        out->wanting = name;
        out->wanting_call = out->n_calls - 1;
    } else if (name) {
        refuse(analyst, action,
               arena_printf(analyst->arena, "it does not say the %.60s for %s", name,
                            call->tool->full_name));
    } else if (is_bare && !goes_back) {
        refuse(analyst, action, "it does not say to what");
    }
}

/* Whether the whole call is right, not only its tool; for a change, each word has to be said. */
static bool is_sure(const struct lexical_candidate *best)
{
    const struct lexical_account *account = &best->account;
    bool is_doubtful = account->n_left || account->n_left_values;
    for (size_t i = 0; i < best->slots.n_slots; i++)
        is_doubtful = is_doubtful || lexical_is_weak(&best->slots.slots[i]);
    return lexical_call_probability(&best->call) >= SURE && !account->n_left_values &&
           !(best->changes && is_doubtful);
}

/* The required value that nothing but its place speaks for; NULL: there is none. */
static const char *doubted(const struct lexical_candidate *best)
{
    for (size_t i = 0; i < best->slots.n_slots; i++) {
        const struct lexical_slot *slot = &best->slots.slots[i];
        if (schema_view_requires(best->tool->input_schema, slot->parameter) &&
            lexical_is_weak(slot))
            return slot->parameter;
    }
    return NULL;
}

static void add_action(struct analyst *analyst, const struct lexical_action *action,
                       const struct lexical_candidate *best, size_t n_actions)
{
    struct lexical_analysis *out = analyst->out;
    double least = out->n_calls ? analyst->least : 1;
    const char *name = unsaid(analyst, action, best);
    bool is_open = name || best->slots.n_missing, is_sure_of = is_open || is_sure(best);
    if (n_actions == 1)
        out->wanting = is_sure_of ? name : doubted(best);
    if (!is_sure_of && n_actions > 1)
        refuse_candidate(analyst, action);
    else if (!is_sure_of && !out->wanting)
        out->doubt = lexical_refusal(analyst->arena, &analyst->reading, best);
    if (out->refusal)
        return;
    if (!is_open && is_sure_of)
        out->score = lexical_call_probability(&best->call);
    add_calls(analyst, best, action);
    out->score = analyst->least = fmin(out->score, least);
    if (n_actions > 1 && !out->refusal)
        complete(analyst, action, best, name);
}

/* The likeliest of the tools that may be meant although a word is against it: whether to do without
 * the word is a person's to say. */
static const struct lexical_candidate *proposal(const struct analyst *analyst)
{
    const struct lexical_analysis *found = analyst->out;
    const struct lexical_candidate *best = NULL;
    for (size_t i = 0; i < found->n_candidates; i++)
        if (found->candidates[i].may_be_proposed &&
            (!best || found->candidates[i].strength > best->strength))
            best = &found->candidates[i];
    return best && lexical_probability(best->strength) >= LIKELY ? best : NULL;
}

/* "Card 5521", "close #41": the tools that change something and that no word tells apart. */
static bool offer_changes(struct analyst *analyst, const struct lexical_candidate *best)
{
    struct lexical_analysis *found = analyst->out;
    found->n_choices = 0;
    for (size_t i = 0; i < found->n_candidates && found->n_choices < LEXICAL_MAX_CHOICES; i++) {
        const struct lexical_candidate *one = &found->candidates[i];
        if (best->changes && one->changes && one->may_be_proposed &&
            one->account.verb == best->account.verb && one->slots.n_slots == best->slots.n_slots &&
            best->strength - one->strength < 2 * CHANGES_CLOSE)
            found->choices[found->n_choices++] = one->tool;
    }
    found->n_choices = found->n_choices < 2 ? 0 : found->n_choices;
    return found->n_choices;
}

static void propose(struct analyst *analyst, const struct lexical_action *action,
                    const struct lexical_candidate *best)
{
    if (offer_changes(analyst, best))
        return;
    analyst->out->score = analyst->out->tool_score = lexical_probability(best->strength);
    analyst->out->doubt = lexical_refusal(analyst->arena, &analyst->reading, best);
    add_calls(analyst, best, action);
}

static enum err_code do_action(struct analyst *analyst, const struct lexical_action *action,
                               size_t n_actions, struct err *err)
{
    enum err_code r = look_at(analyst, action, err);
    const struct lexical_candidate *best = r ? NULL : choose(analyst);
    if (!r && !best)
        best = choose_for_little(analyst, action);
    if (best)
        add_action(analyst, action, best, n_actions);
    else if (!r && n_actions == 1)
        offer(analyst);
    if (r || best || analyst->out->n_choices)
        return r;
    best = n_actions == 1 ? proposal(analyst) : NULL;
    if (best)
        propose(analyst, action, best);
    else
        refuse_candidate(analyst, action);
    return r;
}

/* Whether one tool does the whole of what was cut: "open a.txt and show me lines 3 to 5". */
static bool is_whole(struct analyst *analyst)
{
    const struct lexical_candidate *best = choose(analyst);
    if (!best || best->account.n_left || best->account.n_left_values || best->slots.n_missing ||
        best->slots.n_unused)
        return false;
    const struct request_verbs *verbs = &analyst->reading.verbs;
    for (size_t i = 0; i < verbs->n; i++)
        if (!text_equal(verbs->list[i].deed, verbs->list[0].deed))
            return false;
    return true;
}

/* Whether what was cut, and is not understood so, tells about one call: "… and set the level to
 * 5". first: the likeliest tool of the first part. */
static bool is_one_call(struct analyst *analyst, const struct lexical_actions *actions,
                        const struct tool *first)
{
    const struct lexical_candidate *best = choose(analyst);
    if (!best || best->tool != first || best->slots.n_unused)
        return false;
    for (size_t i = 1; i < actions->n; i++)
        if (actions->list[i].back != BACK_NOTHING ||
            !lexical_account_covers(&analyst->reading, &best->account, actions->list[i].offset,
                                    strlen(actions->list[i].said)))
            return false;
    return true;
}

/* Whether a tool is there for an action that only shows what was read: one that prints on paper. */
static bool is_done_by_tool(const struct analyst *analyst)
{
    const struct lexical_analysis *found = analyst->out;
    for (size_t i = 0; i < found->n_candidates; i++)
        if (found->candidates[i].may_be_called && found->candidates[i].changes)
            return true;
    return false;
}

static enum err_code read_actions(struct analyst *analyst, bool shares, struct lexical_actions *out,
                                  struct err *err)
{
    const struct lexical_request *request = analyst->request;
    enum err_code r =
        lexical_actions_read(analyst->arena, request->assets, request->text, shares, out, err);
    size_t n = 0;
    for (size_t i = 0; !r && i < out->n; i++) {
        const struct lexical_action *action = &out->list[i];
        if (action->only_shows)
            r = look_at(analyst, action, err);
        if (!action->only_shows || is_done_by_tool(analyst))
            out->list[n++] = *action;
    }
    out->n = n;
    return r;
}

static enum err_code do_all(struct analyst *analyst, const struct lexical_actions *actions,
                            struct err *err)
{
    enum err_code r = ERR_NONE;
    analyst->out->refusal = NULL;
    analyst->out->wanting = analyst->out->doubt = NULL;
    analyst->out->n_calls = 0;
    analyst->out->calls = arena_array(analyst->arena, struct lexical_call,
                                      LEXICAL_MAX_CALLS + LEXICAL_MAX_CANDIDATES);
    for (size_t i = 0; !r && i < actions->n && !analyst->out->refusal; i++)
        r = do_action(analyst, &actions->list[i], actions->n, err);
    return r;
}

/* Does what was cut in another way, where that is understood. */
static enum err_code do_otherwise(struct analyst *analyst, const struct lexical_actions *actions,
                                  const struct lexical_actions *whole, struct err *err)
{
    struct lexical_actions shared;
    const struct lexical_analysis found = *analyst->out;
    const struct lexical_reading reading = analyst->reading;
    bool may_be_one = actions->n > 1 && !actions->is_ordered;
    enum err_code r = may_be_one ? look_at(analyst, actions->list, err) : ERR_NONE;
    const struct tool *first = analyst->out->n_candidates ? analyst->out->candidates->tool : NULL;
    if (!r && may_be_one)
        r = look_at(analyst, whole->list, err);
    if (!r && may_be_one && is_one_call(analyst, actions, first))
        return do_all(analyst, whole, err);
    if (!r)
        r = read_actions(analyst, /* shares */ true, &shared, err);
    analyst->out->refusal = reading.text;
    if (!r && shared.n > actions->n)
        r = do_all(analyst, &shared, err);
    if (!analyst->out->refusal && !analyst->out->wanting)
        return r;
    *analyst->out = found;
    analyst->reading = reading;
    return r;
}

static bool are_of_one_tool(const struct lexical_analysis *found)
{
    for (size_t i = 1; i < found->n_calls; i++)
        if (found->calls[i].tool != found->calls->tool)
            return false;
    return true;
}

static enum err_code analyse(struct analyst *analyst, struct err *err)
{
    const struct lexical_request *request = analyst->request;
    struct lexical_actions actions;
    enum err_code r = read_actions(analyst, /* shares */ false, &actions, err);
    struct lexical_action all = { .text = request->text, .said = request->text };
    const struct lexical_actions whole = { .list = &all, .n = 1 };
    bool may_be_one = !r && actions.n > 1 && !actions.is_ordered;
    if (may_be_one)
        r = look_at(analyst, &all, err);
    if (!r)
        r = do_all(analyst, may_be_one && is_whole(analyst) ? &whole : &actions, err);
    const struct lexical_analysis *found = analyst->out;
    bool leaves_values = actions.n == 1 && found->n_calls && /* a value is in no call */
                         found->candidates->account.n_left_values;
    bool lacks_value = found->n_calls > 1 && found->wanting && are_of_one_tool(found);
    if (!r && (found->refusal || lacks_value || leaves_values))
        r = do_otherwise(analyst, &actions, &whole, err);
    if (analyst->out->n_calls > 1 && strchr(request->text, '{'))
        refuse(analyst, &all, "several actions with braces in them have to be said one by one");
    return r;
}

enum err_code lexical_analyse(struct arena *arena, const struct lexical_request *request,
                              struct lexical_analysis *out, struct err *err)
{
    struct lexical_analysis found = { .threshold = request->threshold };
    struct analyst analyst = { .arena = arena, .request = request, .out = &found };
    enum err_code r = analyse(&analyst, err);
    if (r)
        return r;
    const struct lexical_call *first = found.calls;
    found.tool = found.n_calls ? first->tool : NULL;
    found.args = found.n_calls ? first->args : arena_keep_json(arena, json_object());
    found.slots = found.n_calls ? first->slots : NULL;
    found.n_slots = found.n_calls ? first->n_slots : 0;
    found.explanation = lexical_explain(arena, &analyst.reading, &found);
    *out = found;
    return ERR_NONE;
}
