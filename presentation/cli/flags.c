#include "presentation/cli/flags.h"
#include "domain/base/buf.h"
#include <stdio.h>
#include <string.h>

#define LEFT_COLUMNS 28

/* What a flag takes where that is one of a few words, and what it means where commands differ. */
static const struct meaning {
    const char *flag, *commands; /* NULL: all others */
    const char *values, *help;   /* NULL: anything; as in OPTIONS */
} meanings[] = {
    { "as", " plans ", "text svg mermaid dot", "form of graph: text, svg, mermaid or dot" },
    { "as", " run ", "text json table", "outputs alone, as json or table; or text" },
    { "as", " runs ", "run transcript final round_log otlp-json text json table",
      "run, transcript, final, round_log or otlp-json" },
    { "answer", " consensus ", NULL, "with --mock: what both say" },
    { "header", " servers ", NULL, "'Name: value' for the server that is added" },
    { "json", " chat studio ", NULL, "one JSON object per turn on stdout" },
    { "output", " plans ", NULL, "write the plan or the graph there" },
    { "output", " runs ", NULL, "write the page or the export there" },
    { "yes", " servers ", NULL, "review: approve what is shown without asking" },
    { "jobs", " worker ", NULL, "runs at once, in the place of worker.jobs" },
    { "queue", " runs ", NULL, "list: its runs" },
    { "json", " worker ", NULL, "one JSON object on stdout at the end" },
    { "agent-a", NULL, "model mock_rule mock_echo", NULL },
    { "agent-b", NULL, "model mock_rule mock_echo", NULL },
    { "color", NULL, "auto always never", NULL },
    { "live", NULL, "model tools", NULL },
    { "mode", NULL, "diagram_image plot_code", NULL },
    { "model", NULL, "none", NULL },
    { "role", NULL, "retriever planner stylist visualizer critic", NULL },
    { "schema-mode", NULL, "strict compatible", NULL },
    { "uncertain", NULL, "ask repeat done fail", NULL },
};

static const struct meaning *meaning_of(const struct option *option, const char *command)
{
    for (size_t i = 0; i < ARRAY_LENGTH(meanings); i++)
        if (strcmp(meanings[i].flag, option->name) == 0 &&
            (!meanings[i].commands || arguments_names(meanings[i].commands, command)))
            return &meanings[i];
    return NULL;
}

static bool is_common(const struct option *option)
{
    return option->commands[0] == '*';
}

bool flag_matters(const struct option *option, const char *command)
{
    return arguments_names(option->commands, command) ||
           (is_common(option) &&
            (strcmp(command, "help") == 0 || strcmp(option->name, "help") == 0));
}

const char *flag_help(const struct option *option, const char *command)
{
    const struct meaning *meaning = meaning_of(option, command);
    return meaning && meaning->help ? meaning->help : option->help;
}

const char *flag_values(const struct option *option, const char *command)
{
    const struct meaning *meaning = meaning_of(option, command);
    return meaning ? meaning->values : NULL;
}

const char *flags_help(struct arena *arena, const char *command, bool are_common)
{
    const char *text = "";
    size_t n;
    const struct option *options = arguments_options(&n);
    for (size_t i = 0; i < n; i++) {
        const struct option *o = &options[i];
        char letter[] = "    ", left[64];
        if (is_common(o) != are_common || !flag_matters(o, command))
            continue;
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value_name ? " " : "",
                 o->value_name ? o->value_name : "");
        text =
            arena_printf(arena, "%s  %-*s %s\n", text, LEFT_COLUMNS, left, flag_help(o, command));
    }
    return text;
}
