#include "presentation/cli/typed_line.h"
#include "domain/base/text.h"
#include "presentation/cli/flags.h"
#include <stdlib.h>
#include <string.h>

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=-"

/* The values of flags and the operands of commands; where a command has words, behind those. */
static const struct {
    const char *names, *words;
    enum typed_kind kind;
} places[] = {
    { " --servers tools resources prompts read ", NULL, TYPED_SERVER },
    { " --session ", NULL, TYPED_SESSION },
    { " --roleset ", NULL, TYPED_ROLESET },
    { " tool call ", NULL, TYPED_TOOL },
    { " prompt ", NULL, TYPED_PROMPT },
    { " run submit ", NULL, TYPED_FILE },
    { " help ", NULL, TYPED_COMMAND },
    { " plans ", " check graph ", TYPED_FILE },
    { " plans ", " list ", TYPED_FOLDER },
    { " plans ", " save ", TYPED_RUN },
    { " runs ", " show resume fork events export replay wait cancel ", TYPED_RUN },
    { " sessions ", " show rename export delete ", TYPED_SESSION },
    { " sessions ", " import ", TYPED_FILE },
    { " servers ", " remove review login logout ", TYPED_SERVER },
    { " serve ", " plans ", TYPED_FOLDER },
    { " serve ", " replay ", TYPED_FILE },
    { " figure ", " validate-log ", TYPED_FILE },
    { " figure ", " choose continue ", TYPED_FOLDER },
};

bool typed_line_is_asked(const struct arguments *asked)
{
    return text_equal(asked->command, "completion") && asked->n_operands > 1 &&
           strcmp(asked->operands[0], "words") == 0 && asked->n_before_dashes == 1;
}

static enum typed_kind kind_at(const char *name, const char *word)
{
    for (size_t i = 0; i < ARRAY_LENGTH(places); i++)
        if (arguments_names(places[i].names, name) &&
            (!places[i].words || arguments_names(places[i].words, word)))
            return places[i].kind;
    return TYPED_KNOWN;
}

void typed_line_offer(const struct typed_line *line, const char *word, const char *help)
{
    bool may_be_flag = line->begun[0] == '-', is_plain = *word && !word[strspn(word, PLAIN)];
    if (is_plain && (*word != '-' || may_be_flag) && text_starts_with(word, line->begun) &&
        !buf_printf(line->out, "%s%s\t%s\n", line->kept, word, help))
        abort();
}

/* So many bytes of what was begun stay as they are. */
static void keep(struct typed_line *line, size_t n)
{
    line->kept = arena_printf(line->arena, "%s%.*s", line->kept, (int)n, line->begun);
    line->begun += n;
}

static enum typed_kind offer_kind(const struct typed_line *line, enum typed_kind kind)
{
    const char *what = kind == TYPED_FILE ? ":files" : ":folders";
    if (kind >= TYPED_ROLESET)
        return kind;
    if (kind == TYPED_COMMAND)
        for (const struct command *command = commands; command->name; command++)
            typed_line_offer(line, command->name, command_help(line->arena, command).summary);
    else if (kind != TYPED_KNOWN && !buf_printf(line->out, "%s\t%zu\n", what,
                                                text_code_points(line->kept, strlen(line->kept))))
        abort();
    return TYPED_KNOWN;
}

/* Before a command stands what matters for any of them. */
static const char *name_of(const struct typed_line *line)
{
    return line->command ? line->command->name : "help";
}

static enum typed_kind offer_values(struct typed_line *line, const struct option *option)
{
    const char *values = flag_values(option, name_of(line)), *comma = strrchr(line->begun, ',');
    enum typed_kind kind = kind_at(arena_printf(line->arena, "--%s", option->name), "");
    if (kind == TYPED_SERVER && comma)
        keep(line, (size_t)(comma - line->begun) + 1);
    for (const char *at = values ? values : ""; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        typed_line_offer(line, arena_strndup(line->arena, at, length), "");
        at += length;
    }
    return offer_kind(line, text_equal(option->value_name, "FILE")  ? TYPED_FILE
                            : text_equal(option->value_name, "DIR") ? TYPED_FOLDER
                                                                    : kind);
}

/* Or the value that is attached to one. */
static enum typed_kind offer_flags(struct typed_line *line)
{
    size_t n, length = strcspn(line->begun, "=");
    const struct option *options = arguments_options(&n);
    if (line->begun[length] && length > 2) {
        const struct option *option = arguments_option(line->begun + 2, length - 2);
        keep(line, length + 1);
        return option ? offer_values(line, option) : TYPED_KNOWN;
    }
    for (size_t i = 0; i < n; i++) {
        const char letter[] = { '-', options[i].letter, '\0' };
        const char *help = flag_help(&options[i], name_of(line));
        if (!flag_matters(&options[i], name_of(line)))
            continue;
        if (options[i].letter)
            typed_line_offer(line, letter, help);
        typed_line_offer(line, arena_printf(line->arena, "--%s", options[i].name), help);
    }
    return TYPED_KNOWN;
}

/* Behind `serve token`. */
static enum typed_kind offer_token_words(struct typed_line *line)
{
    static const char *const words[] = { "add", "list", "revoke" };
    const struct arguments *before = &line->before;
    for (size_t i = 0; before->n_operands == 1 && i < ARRAY_LENGTH(words); i++)
        typed_line_offer(line, words[i], "");
    bool wants_person = before->n_operands == 2 && text_equal(before->operands[1], "revoke");
    return wants_person ? TYPED_PERSON : TYPED_KNOWN;
}

static enum typed_kind offer_operand(struct typed_line *line)
{
    const struct command *command = line->command;
    const struct arguments *before = &line->before;
    size_t own = command && command->words, length = strcspn(line->begun, "=@");
    if (!command)
        return offer_kind(line, TYPED_COMMAND);
    if (before->n_operands < own) {
        for (const struct command_word *word = command->words; word->name; word++)
            typed_line_offer(line, word->name, "");
        return TYPED_KNOWN;
    }
    if (text_equal(command->name, "serve") && text_equal(before->operands[0], "token"))
        return offer_token_words(line);
    enum typed_kind kind = kind_at(command->name, own ? before->operands[0] : "");
    if (kind == TYPED_FILE || (kind && before->n_operands == own))
        return offer_kind(line, kind);
    if (line->begun[length]) { /* @FILE of a request, NAME@FILE and NAME=VALUE of a call */
        keep(line, length + 1);
        return offer_kind(line, TYPED_FILE);
    }
    return strcmp(command->name, "call") == 0 ? TYPED_ARGUMENT : TYPED_KNOWN;
}

enum typed_kind typed_line_read(struct arena *arena, const struct arguments *asked, struct buf *out,
                                struct typed_line *line)
{
    const struct option *waiting;
    bool flags_ended;
    size_t last = asked->n_operands - 1;
    *line = (struct typed_line){
        .arena = arena, .out = out, .kept = "", .begun = asked->operands[last]
    };
    arguments_parse_begun(arena, (int)last, asked->operands, &line->before, &waiting, &flags_ended);
    const char *name = line->before.command;
    line->command = name ? command_find(name) : NULL;
    if (waiting)
        return offer_values(line, waiting);
    if (!flags_ended && line->begun[0] == '-')
        return offer_flags(line);
    return !name || line->command ? offer_operand(line) : TYPED_KNOWN;
}
