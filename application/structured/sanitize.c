#include "application/structured/sanitize.h"
#include "domain/base/text.h"
#include <stdbool.h>
#include <string.h>

/* Spellings of control tokens without the opening bracket and an optional slash: those of Mistral's
 * vocabularies, and of the families whose models people run instead. Tokenizers know them in this
 * spelling only: other capitals, or a blank, make them text. */
static const char *const square[] = {
    "INST]",      "TOOL_CALLS]",  "TOOL_RESULTS]",  "AVAILABLE_TOOLS]", "SYSTEM_PROMPT]",
    "ARGS]",      "CALL_ID]",     "TOOL_CONTENT]",  "THINK]",           "IMG]",
    "IMG_BREAK]", "IMG_END]",     "PREFIX]",        "MIDDLE]",          "SUFFIX]",
    "AUDIO]",     "BEGIN_AUDIO]", "MODEL_SETTINGS]"
};
static const char *const angle[] = {
    "s>",     "unk>",     "pad>",       "bos>",           "eos>",           "mask>",       "<SYS>",
    "</SYS>", "SPECIAL_", "tool_call>", "tool_response>", "start_of_turn>", "end_of_turn>"
};

/* "|im_start|>" and its like: every family has its own names between the bars. */
static bool is_bar_token(const char *name)
{
    size_t length = strspn(name + (*name == '|'), "abcdefghijklmnopqrstuvwxyz"
                                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return *name == '|' && length && strncmp(name + 1 + length, "|>", 2) == 0;
}

static bool starts_with_any(const char *text, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_token(const char *at)
{
    if (*at != '[' && *at != '<')
        return false;
    const char *name = at + 1 + (at[1] == '/');
    return *at == '[' ? starts_with_any(name, square, ARRAY_LENGTH(square))
                      : is_bar_token(name) || starts_with_any(name, angle, ARRAY_LENGTH(angle));
}

size_t control_token_length(const char *at)
{
    size_t end = is_token(at) ? strcspn(at + 1 + (at[1] == '<'), *at == '[' ? "]" : ">") : 0;
    return end ? end + 1 + (at[1] == '<') + (at[end + 1 + (at[1] == '<')] != '\0') : 0;
}

/* NULL when there is none. */
static const char *next_token(const char *text)
{
    for (text += strcspn(text, "[<"); *text; text += 1 + strcspn(text + 1, "[<"))
        if (is_token(text))
            return text;
    return NULL;
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if ((*text < ' ' || *text > '~') && *text != '\n' && *text != '\t')
            return false;
    return true;
}

/* A carriage return that ends a line by itself is one of '\n'. Bytes that are not UTF-8 stay. */
static const char *without_hidden(struct arena *arena, const char *text)
{
    size_t length = strlen(text), kept = 0;
    if (is_plain(text))
        return text;
    char *seen = arena_alloc(arena, length + 1);
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t code = 0;
        size = text_utf8_next(text + at, length - at, &code);
        bool is_seen = !size || text_sight(code, seen, kept) == TEXT_SEEN;
        bool ends_line = code == '\r' && text[at + 1] != '\n';
        size = size ? size : 1;
        if (!is_seen && !ends_line)
            continue;
        memcpy(seen + kept, ends_line ? "\n" : text + at, size);
        kept += size;
    }
    seen[kept] = '\0';
    return kept == length && memcmp(seen, text, length) == 0 ? text : seen;
}

const char *sanitize_text(struct arena *arena, const char *text)
{
    size_t n = 0;
    text = without_hidden(arena, text); /* first: what is left may be a token */
    for (const char *token = next_token(text); token; token = next_token(token + 1))
        n++;
    if (!n)
        return text;
    char *safe = arena_alloc(arena, strlen(text) + n + 1), *to = safe;
    for (const char *token; (token = next_token(text)); text = token + 1) {
        size_t upto = (size_t)(token - text) + 1;
        memcpy(to, text, upto);
        to += upto;
        *to++ = ' ';
    }
    memcpy(to, text, strlen(text) + 1);
    return safe;
}

static size_t longest_run(const char *text, char c)
{
    size_t longest = 0, run = 0;
    for (; *text; text++) {
        run = *text == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

const char *fence_text(struct arena *arena, const char *text)
{
    size_t run = longest_run(sanitize_text(arena, text), '`'), length = strlen(text);
    char *bars = arena_alloc(arena, run + 4);
    memset(bars, '`', run + 3);
    bars[run < 3 ? 3 : run + 1] = '\0';
    const char *end = length && text[length - 1] == '\n' ? "" : "\n";
    return arena_printf(arena, "%s\n%s%s%s", bars, text, end, bars);
}

const char *fence_lines(struct arena *arena, const char *text)
{
    return strpbrk(text, "\r\n") ? arena_printf(arena, "\n%s\n", fence_text(arena, text)) : text;
}
