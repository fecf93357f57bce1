#include "presentation/cli/arguments.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

static const struct option options[] = {
#define FLAG(m, name, letter, help, commands)                                                      \
    { name, letter, OPTION_FLAG, NULL, help, commands, offsetof(struct arguments, m) },
#define COUNT(m, name, letter, help, commands)                                                     \
    { name, letter, OPTION_COUNT, NULL, help, commands, offsetof(struct arguments, m) },
#define VALUE(m, name, letter, value, help, commands)                                              \
    { name, letter, OPTION_VALUE, value, help, commands, offsetof(struct arguments, m) },
#define LIST(m, name, letter, value, help, commands)                                               \
    { name, letter, OPTION_LIST, value, help, commands, offsetof(struct arguments, m) },
    OPTIONS(FLAG, COUNT, VALUE, LIST)
#undef FLAG
#undef COUNT
#undef VALUE
#undef LIST
};

struct parsing {
    struct arena *arena;
    struct arguments *out;
    int argc, at;
    const char *const *argv;
    bool flags_ended;
    const struct option *waiting; /* the last word is a flag without its value */
    bool given[ARRAY_LENGTH(options)];
};

const struct option *arguments_options(size_t *out_n)
{
    *out_n = ARRAY_LENGTH(options);
    return options;
}

const struct option *arguments_option(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(options); i++)
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static const struct option *find_short(char letter)
{
    for (size_t i = 0; i < ARRAY_LENGTH(options); i++)
        if (options[i].letter && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static enum err_code unknown_flag(const char *word, struct err *err)
{
    const char *names[ARRAY_LENGTH(options)];
    for (size_t i = 0; i < ARRAY_LENGTH(options); i++)
        names[i] = options[i].name;
    enum err_code r = err_set(err, ERR_INVALID, 0, "unknown flag %.60s", word);
    size_t nearest;
    const char *name = word + strspn(word, "-");
    if (strlen(name) > 1 && text_nearest(name, names, ARRAY_LENGTH(options), &nearest, 1))
        return err_hint(err, r, "did you mean --%s?", names[nearest]);
    return err_hint(
        err, r, "arguments of a tool are written NAME=VALUE; mistro help COMMAND has the flags");
}

static void apply(struct parsing *p, const struct option *option, const char *value)
{
    void *member = (char *)p->out + option->offset;
    struct argument_list *list = member;
    p->given[option - options] = true;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return;
    case OPTION_COUNT:
        ++*(unsigned *)member;
        return;
    case OPTION_VALUE:
        *(const char **)member = value;
        return;
    case OPTION_LIST:
        *arena_push(p->arena, list->values, list->n, list->capacity) = value;
        return;
    }
}

static bool takes_value(const struct option *option)
{
    return option->kind == OPTION_VALUE || option->kind == OPTION_LIST;
}

/* The value of an option: what stands attached to it, else the next word. */
static enum err_code take_value(struct parsing *p, const struct option *option,
                                const char *attached, struct err *err)
{
    if (!attached && p->at + 1 >= p->argc) {
        p->waiting = option;
        return err_set(err, ERR_INVALID, 0, "--%s needs a value (%s)", option->name,
                       option->value_name);
    }
    apply(p, option, attached ? attached : p->argv[++p->at]);
    return ERR_NONE;
}

static enum err_code parse_long(struct parsing *p, const char *word, struct err *err)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct option *option = arguments_option(name, length);
    if (!option)
        return unknown_flag(word, err);
    if (takes_value(option))
        return take_value(p, option, equals ? equals + 1 : NULL, err);
    if (equals)
        return err_set(err, ERR_INVALID, 0, "--%s takes no value", option->name);
    apply(p, option, NULL);
    return ERR_NONE;
}

static enum err_code parse_short(struct parsing *p, const char *word, struct err *err)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option *option = find_short(*letter);
        if (!option)
            return unknown_flag(word, err);
        if (takes_value(option))
            return take_value(p, option, letter[1] ? letter + 1 : NULL, err);
        apply(p, option, NULL);
    }
    return ERR_NONE;
}

static bool is_color(const char *when)
{
    return text_equal(when, "auto") || text_equal(when, "always") || text_equal(when, "never");
}

static void add_operand(struct parsing *p, const char *word)
{
    struct arguments *out = p->out;
    if (!out->command)
        out->command = word;
    else
        *arena_push(p->arena, out->operands, out->n_operands, out->capacity) = word;
}

static enum err_code parse_word(struct parsing *p, struct err *err)
{
    struct arguments *out = p->out;
    const char *word = p->argv[p->at];
    if (!p->flags_ended && strcmp(word, "--") == 0) {
        p->flags_ended = true;
        out->n_before_dashes = out->n_operands;
        return ERR_NONE;
    }
    if (!p->flags_ended && text_starts_with(word, "--"))
        return parse_long(p, word, err);
    if (!p->flags_ended && word[0] == '-' && word[1])
        return parse_short(p, word, err);
    add_operand(p, word);
    return ERR_NONE;
}

bool arguments_names(const char *list, const char *word)
{
    char listed[64];
    snprintf(listed, sizeof listed, " %.40s ", word);
    return strstr(list, listed) != NULL;
}

static enum err_code check_command_flags(const struct parsing *p, struct err *err)
{
    const char *command = p->out->command ? p->out->command : "chat";
    for (size_t i = 0; i < ARRAY_LENGTH(options); i++) {
        if (p->given[i] && options[i].commands[0] != '*' &&
            !arguments_names(options[i].commands, command))
            return err_set(err, ERR_INVALID, 0, "%.40s does not understand --%s", command,
                           options[i].name);
    }
    return ERR_NONE;
}

enum err_code arguments_parse(struct arena *arena, int argc, const char *const *argv,
                              struct arguments *out, struct err *err)
{
    *out = (struct arguments){ .n_before_dashes = (size_t)-1 };
    struct parsing p = { .arena = arena, .out = out, .argc = argc, .argv = argv };
    for (p.at = 1; p.at < argc; p.at++) {
        enum err_code r = parse_word(&p, err);
        if (r)
            return r;
    }
    if (out->n_before_dashes > out->n_operands)
        out->n_before_dashes = out->n_operands;
    if (out->color && !is_color(out->color))
        return err_set(err, ERR_INVALID, 0, "--color %.40s: auto, always or never", out->color);
    return check_command_flags(&p, err);
}

void arguments_parse_begun(struct arena *arena, int argc, const char *const *argv,
                           struct arguments *out, const struct option **out_waiting,
                           bool *out_flags_ended)
{
    struct err ignored;
    *out = (struct arguments){ 0 };
    struct parsing p = { .arena = arena, .out = out, .argc = argc, .argv = argv };
    for (p.at = 1; p.at < argc; p.at++)
        (void)parse_word(&p, &ignored);
    *out_waiting = p.waiting;
    *out_flags_ended = p.flags_ended;
}

enum err_code arguments_count(const char *flag, const char *word, unsigned most, unsigned *out,
                              struct err *err)
{
    int64_t n = 0;
    if (!word)
        return ERR_NONE;
    if (!text_to_int64(word, &n) || n < 1 || n > most)
        return err_set(err, ERR_INVALID, 0, "%s %.40s: a number from 1 to %u", flag, word, most);
    *out = (unsigned)n;
    return ERR_NONE;
}

const char *arguments_joined(struct arena *arena, const struct arguments *arguments)
{
    const char *text = arguments->n_operands ? arguments->operands[0] : NULL;
    for (size_t i = 1; i < arguments->n_operands; i++)
        text = arena_printf(arena, "%s %s", text, arguments->operands[i]);
    return text;
}
