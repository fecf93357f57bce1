/* The finding room splits an action into words, gives them senses and says which tools have them;
 * here their places are found again, because values are known by place. Numbers are no words of
 * that room and are taken from the tokens. */
#include "application/orchestrators/lexical/lexical_account.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/text/redact.h"
#include <ctype.h>
#include <string.h>

#define MAX_NAMED 4
#define SHOWN_COLUMNS 60

/* The words stand in the text in their order; a sign of typography inside one hides it. */
static void find_words(struct arena *arena, struct lexical_reading *reading)
{
    const struct query_words *words = &reading->ranking.request;
    const char *from = reading->text;
    reading->offsets = arena_array(arena, size_t, words->n + 1);
    for (size_t i = 0; i < reading->n_words; i++) {
        const char *at = strstr(from, words->words[i].said);
        reading->offsets[i] = at ? (size_t)(at - reading->text) : SIZE_MAX;
        if (at && !words->words[i].form)
            from = at + strlen(words->words[i].said);
    }
}

/* The action with the names of its deeds, which tools are called by in English: "lösche" finds
 * delete_file. */
static const char *with_deeds(struct arena *arena, const struct lexical_reading *reading)
{
    const char *text = reading->text;
    for (size_t i = 0; i < reading->verbs.n; i++)
        if (!reading->verbs.list[i].is_negated)
            text = arena_printf(arena, "%s %s", text, reading->verbs.list[i].deed);
    return text;
}

enum err_code lexical_reading_make(struct arena *arena, const struct tool_query *query,
                                   struct lexical_reading *out, struct err *err)
{
    *out = (struct lexical_reading){ .text = query->text,
                                     .safe_text = redact_text(arena, query->text) };
    const char *given = strstr(query->text, "\n\n");
    out->wish_length = given ? (size_t)(given - query->text) : strlen(query->text);
    out->tokens = lexical_read_request(arena, query->text);
    for (size_t i = 0; i < out->tokens.n; i++)
        out->n_numbers += out->tokens.tokens[i].is_number;
    struct query_words own;
    struct tool_query with_verbs = *query;
    enum err_code r = request_verbs_read(arena, query->assets, query->text, &out->verbs, err);
    if (r)
        return r;
    query_words_split(arena, query->text, &own);
    with_verbs.text = with_deeds(arena, out);
    r = tool_ranking_make(arena, &with_verbs, &out->ranking, err);
    out->n_words = own.n < out->ranking.request.n ? own.n : out->ranking.request.n;
    if (!r)
        find_words(arena, out);
    return r;
}

bool lexical_is_marked(const struct lexical_reading *reading, size_t i, const char *marks)
{
    return request_verbs_mark(&reading->verbs, reading->offsets[i], marks);
}

static bool is_in_value(const struct lexical_account *account, const struct lexical_slots *slots,
                        size_t offset)
{
    if (offset - account->items->offset < account->items->length)
        return true;
    for (size_t i = 0; i < slots->n_spans; i++)
        if (offset >= slots->spans[i].offset &&
            offset - slots->spans[i].offset < slots->spans[i].length)
            return true;
    return false;
}

static const struct request_verb *verb_at(const struct lexical_reading *reading, size_t offset)
{
    for (size_t i = 0; i < reading->verbs.n; i++)
        if (reading->verbs.list[i].offset == offset)
            return &reading->verbs.list[i];
    return NULL;
}

static bool is_named(const struct tool *tool, const char *plain)
{
    return strcasestr(tool->name, plain) || (tool->title && strcasestr(tool->title, plain)) ||
           (tool->description && strcasestr(tool->description, plain));
}

/* A verb that means what the tool does is a word of it, whichever language it is in. */
static enum lexical_use use_of(const struct lexical_reading *reading,
                               const struct lexical_account *account, size_t i,
                               const struct lexical_slots *slots)
{
    const struct query_word *word = &reading->ranking.request.words[i];
    if (is_in_value(account, slots, reading->offsets[i]))
        return LEXICAL_OF_VALUE;
    if (reading->offsets[i] >= reading->wish_length)
        return LEXICAL_SAYS_NOTHING;
    if (account->heard[i])
        return LEXICAL_TOOL_WORD;
    if (verb_at(reading, reading->offsets[i]) && account->verb == VERB_MEANT)
        return LEXICAL_TOOL_WORD;
    return word->is_dropped && !word->is_quoted ? LEXICAL_SAYS_NOTHING : LEXICAL_LEFT;
}

static bool negates_a_verb(const struct lexical_reading *reading, size_t offset)
{
    for (size_t i = 0; i < reading->verbs.n; i++)
        if (reading->verbs.list[i].is_negated && reading->verbs.list[i].offset > offset)
            return true;
    return false;
}

/* "If it rains, show …": of a clause that has no value. */
static bool begins_condition(const struct lexical_account *account,
                             const struct lexical_reading *reading, size_t i)
{
    const struct query_word *words = reading->ranking.request.words;
    if (!lexical_is_marked(reading, i, "@condition") || reading->verbs.is_question ||
        (i && !words[i - 1].ends_clause))
        return false;
    if (!i && text_equal(words[i].plain, "if"))
        return true;
    for (; i < reading->n_words && !words[i].ends_clause; i++)
        if (account->uses[i] == LEXICAL_OF_VALUE)
            return false;
    return true;
}

/* "sorted" for a folder's name: it was read where a value stands, and is none. */
static bool is_alone(const struct lexical_slots *slots, const char *said)
{
    for (size_t i = 0; i < slots->n_slots; i++)
        if (strcmp(slots->slots[i].said, said) == 0 && strcmp(slots->slots[i].rule, "quoted") != 0)
            return true;
    return false;
}

static const char *english_of(const struct lexical_reading *reading, size_t i)
{
    for (size_t t = 0; t < reading->tokens.n; t++)
        if (reading->tokens.tokens[t].offset == reading->offsets[i])
            return reading->tokens.tokens[t].english;
    return reading->ranking.request.words[i].plain;
}

/* What no parameter takes: what is not wanted, which of many, their order, what was done before.
 * Such words say nothing of tools and everything of what is wanted. */
static bool is_limit(const struct lexical_account *account, const struct lexical_reading *reading,
                     const struct lexical_slots *slots, const struct tool *tool, size_t i)
{
    const struct query_word *word = &reading->ranking.request.words[i];
    if (reading->offsets[i] >= reading->wish_length)
        return false;
    bool may_limit = (account->uses[i] != LEXICAL_OF_VALUE || is_alone(slots, word->said)) &&
                     !is_named(tool, word->plain) && !is_named(tool, english_of(reading, i));
    bool is_beside = (i && account->uses[i - 1] == LEXICAL_OF_VALUE) ||
                     (i + 1 < reading->n_words && account->uses[i + 1] == LEXICAL_OF_VALUE);
    if (is_beside && lexical_is_marked(reading, i, "@only")) /* "jazz only" */
        return false;
    return may_limit && (begins_condition(account, reading, i) ||
                         (lexical_is_marked(reading, i, "@limit @not @not_behind @why") &&
                          !negates_a_verb(reading, reading->offsets[i])));
}

static void count_word(struct lexical_account *account, const struct lexical_reading *reading,
                       size_t i)
{
    const struct tool_match *match = account->heard[i];
    bool is_own = match && strcmp(match->as, reading->ranking.request.words[i].plain) == 0;
    enum lexical_use use = account->uses[i];
    account->n_content += use != LEXICAL_SAYS_NOTHING;
    account->n_left += use == LEXICAL_LEFT;
    account->n_own += use == LEXICAL_TOOL_WORD && is_own;
    account->n_sense += use == LEXICAL_TOOL_WORD && !is_own;
}

/* "… and make it nice": what is joined and is not understood at all is another thing to do. */
static void find_joined(struct lexical_account *account, const struct lexical_reading *reading)
{
    const struct query_word *words = reading->ranking.request.words;
    size_t n = reading->n_words;
    const char *left = NULL;
    bool is_joined = false, is_heard = false;
    for (size_t i = 0; i <= n; i++) {
        bool joins =
            i < n && lexical_joins(words[i].plain) && account->uses[i] == LEXICAL_SAYS_NOTHING;
        if ((joins || i == n) && is_joined && left && !is_heard)
            account->joined = left;
        if (joins) {
            is_joined = true;
            is_heard = false;
            left = NULL;
        } else if (i < n) {
            left = account->uses[i] == LEXICAL_LEFT && !left ? words[i].said : left;
            is_heard = is_heard || account->uses[i] == LEXICAL_TOOL_WORD ||
                       account->uses[i] == LEXICAL_OF_VALUE;
        }
    }
}

/* One of the choices of a parameter that has another, "balance of checking, balance of credit", or
 * that stands in a longer word, "squash-merge". */
static bool is_other_choice(const struct tool *tool, const struct lexical_slots *slots,
                            const char *word)
{
    const char *name;
    size_t i;
    json_t *property, *choice;
    json_each_member (json_object_get(tool->input_schema, "properties"), name, property) {
        bool has_other = false;
        for (i = 0; i < slots->n_slots; i++)
            has_other = has_other || strcmp(slots->slots[i].parameter, name) == 0;
        json_array_foreach (json_object_get(property, "enum"), i, choice) {
            const char *text = json_is_string(choice) ? json_string_value(choice) : " ";
            size_t length = strlen(text);
            if (strncmp(word, text, length) == 0 &&
                (word[length] == '-' || (has_other && !word[length])))
                return true;
        }
    }
    return false;
}

/* "Roth & Co" where the value is "Roth". */
static bool goes_on(const struct lexical_text *tokens, const struct lexical_account *account,
                    const struct lexical_slots *slots, size_t i)
{
    return i && tokens->tokens[i].is_capital && tokens->tokens[i].before == '&' &&
           is_in_value(account, slots, tokens->tokens[i - 1].offset);
}

/* A capital within a sentence makes a name, but in German any noun has one. */
static bool is_left_name(const struct lexical_reading *reading,
                         const struct lexical_account *account, size_t at)
{
    const struct lexical_token *token = &reading->tokens.tokens[at];
    if (!at || !token->is_capital || (token->before && strchr(".!?:", token->before)) ||
        text_equal(reading->ranking.request.language, "de"))
        return false;
    for (size_t i = 0; i < reading->n_words; i++)
        if (reading->offsets[i] == token->offset)
            return account->uses[i] == LEXICAL_LEFT;
    return false;
}

/* "Two weeks" where no value has it; "two agents" may only be how the tool is described. */
static bool is_left_number(const struct lexical_reading *reading,
                           const struct lexical_account *account, size_t at)
{
    const struct lexical_token *token = &reading->tokens.tokens[at];
    if (!token->is_number || token->number <= 1 || at + 1 == reading->tokens.n)
        return token->is_number && token->number > 1;
    for (size_t i = 0; i < reading->n_words; i++)
        if (reading->offsets[i] == token[1].offset)
            return account->uses[i] != LEXICAL_TOOL_WORD;
    return true;
}

/* "Use echo0 to …": what tool or server is called is said, and is no value. */
static bool is_identifier_of(const struct tool *tool, const char *text)
{
    return strcmp(text, tool->name) == 0 || strcmp(text, tool->full_name) == 0 ||
           strcmp(text, tool->server) == 0;
}

static void count_left_values(struct lexical_account *account,
                              const struct lexical_reading *reading, const struct tool *tool,
                              const struct lexical_slots *slots)
{
    /* "git commit -m …": of a program that is not here. */
    bool is_command = !reading->verbs.n || reading->verbs.list[0].offset > 0;
    for (size_t i = 0; i < reading->tokens.n; i++) {
        const struct lexical_token *token = &reading->tokens.tokens[i];
        if (token->offset >= reading->wish_length)
            break;
        bool is_short_form =
            token->before == '(' && token->is_capital; /* "body mass index (BMI)" */
        bool is_option =
            is_command && *token->text == '-' && isalpha((unsigned char)token->text[1]);
        bool is_value = token->kind != LEXICAL_WORD || is_option ||
                        strpbrk(token->text, "0123456789/@") || is_left_name(reading, account, i) ||
                        is_left_number(reading, account, i) ||
                        (token->is_capital && i && isupper((unsigned char)token->text[1])) ||
                        is_other_choice(tool, slots, token->lower) ||
                        goes_on(&reading->tokens, account, slots, i);
        account->n_left_values += is_value && !is_short_form &&
                                  !is_identifier_of(tool, token->text) &&
                                  !is_in_value(account, slots, token->offset);
    }
}

struct lexical_account lexical_account_make(struct arena *arena,
                                            const struct lexical_reading *reading,
                                            const struct ranked_tool *tool,
                                            const struct lexical_slots *slots,
                                            const struct lexical_span *items)
{
    size_t n = reading->n_words, n_all = reading->ranking.request.n;
    struct lexical_account account = {
        .items = items,
        .uses = arena_array(arena, enum lexical_use, n_all + 1),
        .heard = arena_array(arena, const struct tool_match *, n_all + 1),
        .verb = request_verbs_fit(&reading->verbs, tool->tool),
    };
    for (size_t i = 0; i < tool->n_matches; i++)
        account.heard[tool->matches[i].word] = &tool->matches[i];
    for (size_t i = 0; i < n; i++) {
        account.uses[i] = use_of(reading, &account, i, slots);
        count_word(&account, reading, i);
    }
    for (size_t i = n; i-- > 0;)
        if (is_limit(&account, reading, slots, tool->tool, i)) {
            account.limited_by = reading->ranking.request.words[i].said;
            account.excludes |= lexical_is_marked(reading, i, "@not @not_behind @why");
        }
    count_left_values(&account, reading, tool->tool, slots);
    find_joined(&account, reading);
    return account;
}

const char *lexical_told(struct arena *arena, const struct lexical_reading *reading,
                         const char *said)
{
    bool is_safe = strstr(reading->safe_text, said) || !strstr(reading->text, said);
    return is_safe ? text_one_line(arena, said, strlen(said), SHOWN_COLUMNS) : REDACTED;
}

const char *lexical_account_left(struct arena *arena, const struct lexical_reading *reading,
                                 const struct lexical_account *account)
{
    const char *text = "";
    size_t n = 0;
    for (size_t i = 0; i < reading->n_words && n < MAX_NAMED; i++) {
        const char *said = reading->ranking.request.words[i].said;
        if (account->uses[i] == LEXICAL_LEFT)
            text = arena_printf(arena, "%s%s\"%s\"", text, n++ ? ", " : "",
                                lexical_told(arena, reading, said));
    }
    return text;
}

/* "and set the level to 5", of a tool that makes something, only says how. */
static bool describes(const struct lexical_reading *reading, const struct lexical_account *account,
                      const struct request_verb *verb)
{
    static const char *const deeds[] = { "set", "add", "edit", "write", "mark", "label" };
    return verb && account->verb == VERB_MEANT && !verb->is_negated &&
           (text_equal(verb->deed, reading->verbs.list[0].deed) ||
            LEXICAL_ONE_OF(verb->deed, deeds));
}

/* A verb alone, "and count", is another thing to do. */
bool lexical_account_covers(const struct lexical_reading *reading,
                            const struct lexical_account *account, size_t offset, size_t length)
{
    size_t n_of_it = 0;
    for (size_t i = 0; i < reading->n_words; i++) {
        if (reading->offsets[i] - offset >= length || account->uses[i] == LEXICAL_SAYS_NOTHING)
            continue;
        const struct request_verb *verb = verb_at(reading, reading->offsets[i]);
        bool is_its = account->uses[i] == LEXICAL_OF_VALUE || account->heard[i];
        if (!is_its && !describes(reading, account, verb))
            return false;
        n_of_it += is_its && !verb;
    }
    return n_of_it > 0;
}
