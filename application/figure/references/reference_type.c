#include "application/figure/references/reference_pool.h"
#include <ctype.h>
#include <string.h>

/* A type and the words for it: names, which decide, and cues, which count where no name was found.
 * Words match from their beginning ("state" in "states"), in any case. */
struct type_words {
    const char *type;
    const char *names[6], *cues[12];
};

static const struct type_words diagram_types[] = {
    { "sequence diagram",
      { "sequence diagram", "message sequence", "ladder diagram" },
      { "handshake", "login", "messages between", "exchange", "request and response", "session",
        "round trip", "protocol" } },
    { "state machine",
      { "state machine", "state diagram", "automaton", "state chart" },
      { "states", "transition", "life cycle of", "modes of" } },
    { "flowchart",
      { "flowchart", "flow chart", "decision tree", "activity diagram" },
      { "decides", "decision", "whether", "steps of", "procedure", "process of" } },
    { "pipeline",
      { "pipeline", "workflow", "processing chain" },
      { "stages", "passes through", "from source", "training of", "transforms" } },
    { "process diagram",
      { "process diagram", "reaction scheme" },
      { "reaction", "photosynthesis", "produces", "is made" } },
    { "tree", { "tree", "hierarchy", "taxonomy" }, { "parent", "root", "ancestor" } },
    { "cycle",
      { "cycle", "circular" },
      { "returns to", "regenerat", "loop of", "again and again" } },
    { "control loop",
      { "control loop", "feedback loop", "block diagram of a control" },
      { "controller", "feedback", "setpoint", "sensor" } },
    { "architecture diagram",
      { "architecture", "system diagram", "component diagram", "deployment diagram" },
      { "components", "layers", "two-tower", "services", "model of" } },
    { "network diagram",
      { "network diagram", "food web", "relationship graph", "dependency graph" },
      { "who eats", "relations between", "depends on", "feeds on" } },
};

static const struct type_words plot_types[] = {
    { "bar chart", { "bar chart", "bar plot", "bars" }, { "per ", "compar", "by category" } },
    { "line chart",
      { "line chart", "line plot", "time series" },
      { "over time", "trend", "per year", "per month", "curve" } },
    { "scatter plot",
      { "scatter" },
      { "correlat", "against", "versus", " vs", "relation between" } },
    { "histogram", { "histogram" }, { "distribution of", "frequency of" } },
    { "box plot", { "box plot", "boxplot" }, { "spread", "quartile", "median", "variation" } },
    { "area chart", { "area chart", "stacked area" }, { "share", "composition", "cumulative" } },
};

/* Whether a word of the text begins with the words, in any case. */
static bool speaks_of(const char *text, const char *words)
{
    size_t length = strlen(words);
    for (const char *at = text; *at; at++) {
        if (at > text && isalnum((unsigned char)at[-1]))
            continue;
        size_t i = 0;
        while (i < length && at[i] && tolower((unsigned char)at[i]) == words[i])
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static bool speaks_of_any(const char *text, const char *const *words, size_t room)
{
    for (size_t i = 0; i < room && words[i]; i++)
        if (speaks_of(text, words[i]))
            return true;
    return false;
}

static const char *find_type(const struct type_words *types, size_t n, const char *text,
                             bool by_name)
{
    for (size_t i = 0; i < n; i++)
        if (by_name ? speaks_of_any(text, types[i].names, ARRAY_LENGTH(types[i].names))
                    : speaks_of_any(text, types[i].cues, ARRAY_LENGTH(types[i].cues)))
            return types[i].type;
    return NULL;
}

const char *reference_type_of(const struct figure_input *input)
{
    bool is_plot = input->mode == FIGURE_MODE_PLOT_CODE;
    const struct type_words *types = is_plot ? plot_types : diagram_types;
    size_t n = is_plot ? ARRAY_LENGTH(plot_types) : ARRAY_LENGTH(diagram_types);
    const char *type = find_type(types, n, input->caption, true);
    if (!type)
        type = find_type(types, n, input->communicative_intent, true);
    if (!type)
        type = find_type(types, n, input->caption, false);
    return type ? type : find_type(types, n, input->communicative_intent, false);
}
