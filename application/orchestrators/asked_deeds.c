#include "application/orchestrators/asked_deeds.h"
#include "domain/base/text.h"

#define FEW_WORDS 5 /* of a message that only refers to an earlier one: "yes, go on with it" */

/* What the person said before, unless the message answers a question of the model's. */
static const char *earlier_message(const struct turn *turn)
{
    const struct message *messages = turn->conversation->messages;
    const char *text = NULL;
    for (size_t i = turn->n_history; !text && i-- > turn_window_start(turn);) {
        bool asks =
            messages[i].role == MESSAGE_ASSISTANT && text_ends_with(messages[i].content, "?");
        if (asks)
            return NULL;
        text = messages[i].role == MESSAGE_USER ? messages[i].content : NULL;
    }
    return text;
}

enum err_code asked_deeds_read(struct turn *turn, struct err *err)
{
    struct assets *assets = turn->session->services->assets;
    enum err_code r = request_verbs_read(turn->arena, assets, turn->message, &turn->deeds, err);
    bool refers =
        !r && turn->deeds.n == 0 && !turn->deeds.is_question && turn->deeds.n_words <= FEW_WORDS;
    const char *earlier = refers ? earlier_message(turn) : NULL;
    if (earlier)
        r = request_verbs_read(turn->arena, assets, earlier, &turn->earlier_deeds, err);
    return r;
}

static const char *objection(const struct turn *turn, const struct tool *tool)
{
    const char *now = request_verbs_objection(&turn->deeds, tool);
    bool was_denied =
        turn->earlier_deeds.n && request_verbs_fit(&turn->earlier_deeds, tool) == VERB_NEGATED;
    return !now && was_denied ? "the message before says not to do this" : now;
}

bool asked_deeds_check(const struct turn *turn, const struct plan *plan, struct problems *problems)
{
    bool is_asked = true;
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct tool *tool = shortlist_find(&turn->shortlist, plan->steps[i].tool);
        bool changes = tool && tool->read_only != HINT_YES && !turn->has_chosen_tool;
        const char *against = changes ? objection(turn, tool) : NULL;
        is_asked = is_asked && !against;
        if (against)
            problems_add(problems, plan->steps[i].id, "/tool", "%s: %s", tool->full_name, against)
                ->fix = "do only what the request asks for, with a tool that does just that";
    }
    return is_asked;
}
