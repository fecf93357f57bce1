#include "presentation/cli/events/model_wait.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <string.h>

/* Purposes are names of contracts, and "sampling". */
static const struct {
    const char *purpose, *words;
} known[] = {
    { "intent", "understanding the request" },
    { "plan", "planning" },
    { "intent_and_plan", "understanding and planning" },
    { "questions", "wording the questions" },
    { "answer", "writing the answer" },
    { "image_chat", "thinking about the image" },
    { "envelope", "working on the task" },
    { "figure_retriever", "choosing references" },
    { "figure_planner", "planning the figure" },
    { "figure_stylist", "styling the figure" },
    { "figure_graph", "drawing the figure" },
    { "figure_plot", "writing the plot" },
    { "figure_critic", "judging the figure" },
    { "sampling", "answering a server" },
};

void model_wait_begin(struct model_wait *wait, const char *purpose, int64_t now_ms)
{
    if (!wait->asked++)
        *wait = (struct model_wait){ .asked = 1, .began_ms = now_ms };
    wait->words = "working";
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (strcmp(known[i].purpose, purpose) == 0)
            wait->words = known[i].words;
}

bool model_wait_end(struct model_wait *wait)
{
    if (!wait->asked || --wait->asked)
        return false;
    wait->words = NULL;
    return true;
}

const char *model_wait_text(struct arena *arena, const struct model_wait *wait, int64_t now_ms,
                            size_t columns)
{
    const char *tokens = "";
    if (wait->tokens)
        tokens = arena_printf(arena, ", %zu token%s", wait->tokens, wait->tokens == 1 ? "" : "s");
    const char *numbers =
        arena_printf(arena, " (%lld s%s)", (long long)(now_ms - wait->began_ms) / 1000, tokens);
    const char *words = arena_printf(arena, "  … %s", wait->words);
    size_t taken = text_columns(numbers), room = columns > taken ? columns - taken : 1;
    return arena_printf(arena, "%s%s", text_one_line(arena, words, strlen(words), room), numbers);
}
