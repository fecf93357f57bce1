#include "application/structured/defuse.h"
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
static const char *const angle[] = { "s>",
                                     "unk>",
                                     "pad>",
                                     "SPECIAL_",
                                     "|im_start|>",
                                     "|im_end|>",
                                     "|endoftext|>",
                                     "|begin_of_text|>",
                                     "|eot_id|>",
                                     "|eom_id|>",
                                     "|python_tag|>",
                                     "|start_header_id|>",
                                     "|end_of_text|>",
                                     "|end_header_id|>",
                                     "start_of_turn>",
                                     "end_of_turn>" };

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
                      : starts_with_any(name, angle, ARRAY_LENGTH(angle));
}

/* NULL when there is none. */
static const char *next_token(const char *text)
{
    for (text += strcspn(text, "[<"); *text; text += 1 + strcspn(text + 1, "[<"))
        if (is_token(text))
            return text;
    return NULL;
}

const char *defuse_text(struct arena *arena, const char *text)
{
    size_t n = 0;
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
