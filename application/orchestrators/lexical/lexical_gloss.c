/* Everyday words of German, French, Spanish and Italian with the English word that the rules know.
 * A text is taken for the language that knows most of its words; English wins a tie, so that "die"
 * and "come" stay English in an English text. */
#include "application/orchestrators/lexical/lexical_words.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

/* The English word for a word, NULL when the glossary does not know it. Its lines are
 * "word word -> English". */
static const char *look_up(struct arena *arena, const char *glossary, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = glossary; (at = strstr(at, word)); at++) {
        bool is_whole = at > glossary && strchr(" \n", at[-1]) && at[length] == ' ';
        const char *arrow = is_whole ? strstr(at, "-> ") : NULL;
        if (arrow && arrow < at + strcspn(at, "\n"))
            return arena_strndup(arena, arrow + 3, strcspn(arrow + 3, "\n"));
    }
    return NULL;
}

/* A word of English that the rules know as well counts for English. */
static size_t known_words(struct arena *arena, const char *glossary,
                          const struct lexical_text *text)
{
    size_t n = 0;
    for (size_t i = 0; i < text->n; i++)
        if (text->tokens[i].kind == LEXICAL_WORD)
            n += glossary ? look_up(arena, glossary, text->tokens[i].lower) != NULL
                          : text->tokens[i].is_function || text->tokens[i].sense != SENSE_NONE;
    return n;
}

void lexical_gloss(struct arena *arena, const struct lexical_text *text)
{
    const char *best = NULL;
    size_t most = known_words(arena, NULL, text);
    bool is_english = 2 * most >= text->n;
    for (size_t i = 0; !is_english && lexical_glossaries[i].path; i++) {
        size_t known = known_words(arena, lexical_glossaries[i].text, text);
        if (known > most) {
            most = known;
            best = lexical_glossaries[i].text;
        }
    }
    for (size_t i = 0; best && i < text->n; i++) {
        struct lexical_token *token = &text->tokens[i];
        bool is_code = token->is_capital && isupper((unsigned char)token->text[1]); /* "TODO" */
        bool is_word = token->kind == LEXICAL_WORD && !is_code;
        const char *english = is_word ? look_up(arena, best, token->lower) : NULL;
        if (english)
            token->english = english;
    }
}
