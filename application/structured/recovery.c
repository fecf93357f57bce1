#include "application/structured/recovery.h"
#include "application/structured/sanitize.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

const char *engine_rung_name(enum engine_rung rung)
{
    static const char *const names[] = {
#define X(rung, name) [RUNG_##rung] = name,
        ENGINE_RUNGS(X)
#undef X
    };
    return names[rung];
}

enum engine_rung ladder_climb(struct ladder *ladder, enum attempt_class class)
{
    if (class == ATTEMPT_TRUNCATED && !ladder->budget_used) {
        ladder->budget_used = true;
        return RUNG_BUDGET;
    }
    /* Told what it made up, a model that does so again has nothing better. */
    if (class == ATTEMPT_UNGROUNDED && ladder->reminders)
        return RUNG_LAST;
    bool compacts = ladder->can_compact && ladder->compactions < ENGINE_COMPACTIONS;
    bool reminds = ladder->reminders < ENGINE_REMINDERS && ladder->compactions == 0;
    if (reminds && (class != ATTEMPT_TRUNCATED || !compacts)) {
        ladder->reminders++;
        return RUNG_REMINDER;
    }
    if (!compacts)
        return RUNG_LAST;
    ladder->compactions++;
    return RUNG_COMPACTION;
}

/* The text with its first `name`, if any, replaced by the value. */
static const char *replace(struct arena *arena, const char *text, const char *name,
                           const char *value)
{
    const char *found = strstr(text, name);
    return found ? arena_printf(arena, "%.*s%s%s", (int)(found - text), text, value,
                                found + strlen(name))
                 : text;
}

/* Quotes the reply back as data: cut at a character, and sanitized. */
static bool add_quote(struct buf *text, struct arena *arena, const char *reply, unsigned number)
{
    size_t length = strlen(reply), kept = text_cut(reply, length, REMINDER_MAX_QUOTE_BYTES);
    const char *quoted = sanitize_text(arena, arena_strndup(arena, reply, kept));
    const char *which = number > 1 ? "After a reminder your answer was" : "Your last answer was";
    return buf_printf(text, "\n\n%s:\n<answer>\n%s%s\n</answer>\n", which, quoted,
                      kept < length ? " [...]" : "");
}

static const char *instruction(struct problems *problems, const struct problem *problem)
{
    const char *fix = problem->fix;
    if (!fix)
        return arena_printf(problems->arena, "- Correct this: %s.\n",
                            problem_print(problems, problem));
    bool has_place = !problem->path || !problem->path[0] || strstr(fix, ", args");
    return arena_printf(problems->arena, "- %c%s%s%s%s%s.\n", toupper((unsigned char)fix[0]),
                        fix + 1,
                        has_place       ? ""
                        : problem->step ? ", in step "
                                        : "",
                        has_place || !problem->step ? "" : problem->step, has_place ? "" : ", at ",
                        has_place ? "" : problem->path);
}

/* The sentence before the instructions; the contract's own may have a gap for the example. */
static bool add_opening(struct buf *text, struct arena *arena, const struct contract *contract)
{
    static const char *const ask[] = {
        [CONTRACT_OBJECT] = "with one complete JSON object and nothing else",
        [CONTRACT_TEXT_AND_OBJECT] = "with text, a line with --- alone, and one JSON object",
        [CONTRACT_TEXT] = "in plain words",
    };
    if (contract->reminder)
        return buf_printf(
            text, "%s\nThis time:\n",
            replace(arena, contract->reminder, "{example}", contract->good ? contract->good : ""));
    return buf_printf(text, "It cannot be used. Answer again, %s. This time:\n",
                      ask[contract->shape]);
}

/* One at a time: what a small model sees often it copies. */
static bool add_bad_example(struct buf *text, const struct contract *contract, unsigned number)
{
    size_t i = contract->n_bad ? (number - 1) % contract->n_bad : 0;
    return !contract->n_bad || buf_printf(text, "Another bad answer, because %s: %s\n",
                                          contract->bad_why[i], contract->bad[i]);
}

const char *reminder_text(struct arena *arena, const struct contract *contract, const char *reply,
                          struct problems *problems, unsigned number)
{
    AUTO(buf) text = { 0 };
    buf_init(&text, REMINDER_MAX_BYTES);
    bool ok = add_quote(&text, arena, reply, number) && add_bad_example(&text, contract, number) &&
              add_opening(&text, arena, contract);
    /* Problems quote what the model wrote and what a tool's schema says. */
    for (size_t i = 0; i < problems->n && i < REMINDER_MAX_INSTRUCTIONS; i++)
        ok = ok && buf_puts(&text, sanitize_text(arena, instruction(problems, &problems->list[i])));
    bool has_shown_it = contract->reminder && strstr(contract->reminder, "{example}");
    if (contract->good && !has_shown_it)
        ok = ok && buf_printf(&text, "A good answer has this form: %s\n", contract->good);
    return ok ? arena_strdup(arena, buf_string(&text)) : "";
}

#define GENERAL_TEXT                                                                               \
    "Respond with ONLY JSON (no conversational text): {example}\nUser wants: {wishes}"
#define BETWEEN "; "
#define DELIMITER "\n---\n"

/* A message of nothing but these carries no wish. */
static const char *const greetings[] = { "hi",   "hello",  "hey", "thanks", "thank",
                                         "you",  "please", "ok",  "okay",   "great",
                                         "good", "nice",   "yes", "sure",   "cool" };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Ignoring the case of ASCII letters. */
static bool same_words(const char *a, size_t length, const char *b)
{
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
            return false;
    return b[length] == '\0';
}

static bool is_greeting(const char *word, size_t length)
{
    while (length && strchr("!.,?", word[length - 1]))
        length--;
    for (size_t i = 0; i < ARRAY_LENGTH(greetings); i++)
        if (same_words(word, length, greetings[i]))
            return true;
    return length == 0;
}

/* The words of a message with one blank between them; *out_is_wish: not all of them are greetings.
 */
static const char *words_of(struct arena *arena, const char *text, bool *out_is_wish)
{
    char *words = arena_alloc(arena, strlen(text) + 1), *to = words;
    *out_is_wish = false;
    while (*text) {
        size_t length = strcspn(text, " \t\r\n");
        if (length && to > words)
            *to++ = ' ';
        memcpy(to, text, length);
        to += length;
        *out_is_wish = *out_is_wish || !is_greeting(text, length);
        text += length;
        text += strspn(text, " \t\r\n");
    }
    *to = '\0';
    return words;
}

/* The most whole words that fit; of a single word that does not, its beginning. */
static size_t cut_at_word(const char *text, size_t max_bytes)
{
    size_t length = strlen(text), kept = text_cut(text, length, max_bytes), word = kept;
    if (kept == length || is_blank(text[kept]))
        return kept;
    while (word && !is_blank(text[word - 1]))
        word--;
    while (word && is_blank(text[word - 1]))
        word--;
    return word ? word : kept;
}

static bool was_said(const char *const *said, size_t n, const char *words)
{
    for (size_t i = 0; i < n; i++)
        if (same_words(said[i], strlen(said[i]), words))
            return true;
    return false;
}

const char *compaction_wishes(struct arena *arena, const struct compaction_input *input,
                              size_t max_bytes)
{
    const char *all = "";
    const char **said = arena_array(arena, const char *, input->n_wishes + 1);
    size_t n_said = 0, left = max_bytes;
    for (size_t i = input->n_wishes; i-- > 0;) {
        bool is_wish;
        const char *words = words_of(arena, input->wishes[i], &is_wish);
        if (!is_wish || was_said(said, n_said, words))
            continue;
        size_t needed = strlen(words) + (n_said ? strlen(BETWEEN) : 0);
        if (needed > left && n_said)
            break; /* everything before it is older and goes as well */
        size_t kept = cut_at_word(words, left);
        all = arena_printf(arena, "%s%s%.*s", all, n_said ? BETWEEN : "", (int)kept, words);
        left = needed > left ? 0 : left - needed;
        said[n_said++] = words;
    }
    return all;
}

const char *compaction_text(struct arena *arena, const struct contract *contract,
                            const struct compaction_input *input)
{
    /* A compaction asks for the object alone, so it shows no text before a delimiter. */
    const char *good = contract->good ? contract->good : "{}", *delimiter = strstr(good, DELIMITER);
    const char *example = delimiter ? delimiter + strlen(DELIMITER) : good;
    const char *text = contract->compaction ? contract->compaction : GENERAL_TEXT;
    const char *wishes = compaction_wishes(arena, input, COMPACTION_MAX_WISHES_BYTES);
    if (input->state && *input->state)
        wishes = arena_printf(arena, "%s%s%s", wishes, *wishes ? BETWEEN : "", input->state);
    /* The example first: what a person said may contain "{example}". */
    text = replace(arena, text, "{example}", example);
    return replace(arena, text, "{wishes}", sanitize_text(arena, wishes));
}
