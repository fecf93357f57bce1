#include "infrastructure/repositories/tool_words.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/* Length of the first piece of a run: "getUser" 3, "HTTPServer" 4, "plain" 5. */
static size_t piece_length(const char *run, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        bool rises = is_upper(run[i]) && !is_upper(run[i - 1]);
        bool ends_capitals =
            i + 1 < length && is_upper(run[i - 1]) && is_upper(run[i]) && is_lower(run[i + 1]);
        if (rises || ends_capitals)
            return i;
    }
    return length;
}

static size_t run_length(const char *text)
{
    size_t n = 0;
    while (text_is_word_byte(text[n]))
        n++;
    return n;
}

static void append_piece(struct buf *out, const char *bytes, size_t length)
{
    if (buf_append(out, bytes, length))
        (void)!buf_append(out, " ", 1);
}

static void append_run(struct buf *out, const char *run, size_t length)
{
    append_piece(out, run, length);
    size_t piece = piece_length(run, length);
    for (size_t at = 0; piece < length && at < length; at += piece) {
        piece = piece_length(run + at, length - at);
        append_piece(out, run + at, piece);
    }
}

void tool_words_append(struct buf *out, const char *text)
{
    while (text && *text) {
        size_t run = run_length(text);
        if (run)
            append_run(out, text, run);
        text += run ? run : 1;
    }
}

/* A name also without its separators: "read_file" is found by "readfile". */
static void append_name(struct buf *out, const char *name)
{
    tool_words_append(out, name);
    if (run_length(name) == strlen(name))
        return;
    for (const char *c = name; *c; c++)
        if (text_is_word_byte(*c))
            (void)!buf_append(out, c, 1);
    (void)!buf_append(out, " ", 1);
}

static void append_parameters(struct tool_words *words, const json_t *schema, unsigned depth)
{
    struct buf *about = &words->fields[TOOL_FIELD_PARAMETER_DESCRIPTIONS];
    if (depth > TOOL_WORDS_MAX_DEPTH)
        return;
    json_t *properties = json_object_get(schema, "properties");
    const char *name;
    json_t *parameter;
    json_object_foreach (properties, name, parameter) {
        append_name(&words->fields[TOOL_FIELD_PARAMETERS], name);
        tool_words_append(about, json_get_string(parameter, "title"));
        tool_words_append(about, json_get_string(parameter, "description"));
        size_t i;
        json_t *choice;
        json_array_foreach (json_object_get(parameter, "enum"), i, choice)
            tool_words_append(about, json_string_value(choice));
        append_parameters(words, parameter, depth + 1);
        append_parameters(words, json_object_get(parameter, "items"), depth + 1);
    }
}

void tool_words_init(struct tool_words *words, const struct tool *tool)
{
    for (size_t i = 0; i < N_TOOL_FIELDS; i++)
        buf_init(&words->fields[i], TOOL_WORDS_MAX_BYTES);
    append_name(&words->fields[TOOL_FIELD_NAME], tool->name);
    tool_words_append(&words->fields[TOOL_FIELD_TITLE], tool->title);
    tool_words_append(&words->fields[TOOL_FIELD_DESCRIPTION], tool->description);
    append_parameters(words, tool->input_schema, 1);
    if (tool->server)
        append_name(&words->fields[TOOL_FIELD_SERVER], tool->server);
}

void tool_words_finish(struct tool_words *words)
{
    for (size_t i = 0; i < N_TOOL_FIELDS; i++)
        buf_finish(&words->fields[i]);
}
