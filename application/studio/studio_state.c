#include "application/studio/studio.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/text/text_difference.h"
#include <ctype.h>
#include <string.h>

enum {
    SHORTEST_WORD = 3,
    LONGEST_ENDING = 3,          /* "rain" and "raining" are one word */
    GENERAL_PUNCTUATION = 0xe2,  /* first byte in UTF-8, of quotation marks too */
    FIRST_WITHOUT_BLANKS = 0xe3, /* first bytes of UTF-8 from here on: kana, hanzi, hangul */
};

struct studio_state studio_state_of(struct arena *arena, const struct conversation *conversation)
{
    const json_t *stored = json_object_get(conversation->context, STUDIO_CONTEXT_KEY);
    struct studio_state state = {
        .image = image_prompt_from_json(arena, json_object_get(stored, "image")),
        .edited = json_get_bool(stored, "edited", false),
    };
    const char *edit = json_get_string(stored, "edit");
    state.edit = edit ? arena_strdup(arena, edit) : NULL;
    (void)image_prompt_clamp(arena, &state.image); /* people edit stored conversations */
    return state;
}

void studio_state_store(struct conversation *conversation, const struct studio_state *state)
{
    json_object_set_new(conversation->context, STUDIO_CONTEXT_KEY,
                        json_pack("{s:o, s:b, s:s*}", "image", image_prompt_to_json(&state->image),
                                  "edited", (int)state->edited, "edit", state->edit));
}

void studio_edit_prompt(struct arena *arena, struct conversation *conversation, const char *text,
                        int64_t now_ms)
{
    struct studio_state state = studio_state_of(arena, conversation);
    state.image.prompt = state.edit = text;
    state.image.generate_image = false;
    state.edited = true;
    studio_state_store(conversation, &state);
    bool is_later = now_ms > conversation->updated_at_ms;
    conversation->updated_at_ms = is_later ? now_ms : conversation->updated_at_ms + 1;
}

/* Each word on a line of its own, in small letters, so that texts are compared word by word. */
static const char *words_of(struct arena *arena, const char *text)
{
    char *words = arena_alloc(arena, strlen(text) + 1), *to = words;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == GENERAL_PUNCTUATION && text[1] && text[2])
            text += 2;
        if (c != GENERAL_PUNCTUATION && (c >= 0x80 || isalnum(c)))
            *to++ = (char)tolower(c);
        else if (to > words && to[-1] != '\n')
            *to++ = '\n';
    }
    *to = '\0';
    return words;
}

/* Words that stand in every text say nothing about an image. */
static bool has_meaning(const struct difference_line *word)
{
    static const char fillers[] =
        " the and with for from that mit und der die das den dem ein eine "
        "avec les des une dans con los las del una ";
    return word->length >= SHORTEST_WORD && (unsigned char)*word->text < FIRST_WITHOUT_BLANKS &&
           !text_is_listed(fillers, word->text, word->length);
}

/* Words that only end differently are the same. */
static bool stands_in(const struct difference_line *word, const char *words)
{
    for (; *words; words += strcspn(words, "\n"), words += *words == '\n') {
        size_t length = strcspn(words, "\n"), same = 0;
        size_t longer = length > word->length ? length : word->length;
        size_t shorter = length + word->length - longer;
        while (same < shorter && words[same] == word->text[same])
            same++;
        if (same >= SHORTEST_WORD && same + LONGEST_ENDING >= longer &&
            (same == shorter || same > SHORTEST_WORD))
            return true;
    }
    return false;
}

static bool asks_anew(const char *message)
{
    static const char *const asks[] = { "start over",     "start again",   "from scratch",
                                        "something else", "something new", "something different",
                                        "surprise me",    "go back",       "undo",
                                        "rewrite",        "rephrase",      "short",
                                        "simpl",          "translate" };
    for (size_t i = 0; i < ARRAY_LENGTH(asks); i++)
        if (strcasestr(message, asks[i]))
            return true;
    return false;
}

bool studio_state_overrides(struct arena *arena, const struct studio_state *before,
                            const char *prompt, const char *message)
{
    if (!before->edit || asks_anew(message))
        return false;
    const char *own = words_of(arena, before->edit), *said = words_of(arena, message);
    const char *now = words_of(arena, prompt);
    struct text_difference difference =
        text_difference(arena, words_of(arena, before->image.prompt), now);
    bool is_lost = false, is_asked = false; /* in one stretch without a word that stayed */
    for (size_t i = 0; i < difference.n; i++) {
        const struct difference_line *word = &difference.lines[i];
        if (word->mark == ' ' && is_lost && !is_asked)
            return true;
        if (word->mark == ' ')
            is_lost = is_asked = false;
        else if (has_meaning(word)) {
            is_lost =
                is_lost || (word->mark == '-' && stands_in(word, own) && !stands_in(word, now));
            is_asked = is_asked || stands_in(word, said);
        }
    }
    return is_lost && !is_asked;
}
