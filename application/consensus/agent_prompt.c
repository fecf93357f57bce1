#include "application/consensus/model_agent_internal.h"
#include "application/orchestrators/prompt_template.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/contract/token_estimate.h"
#include <string.h>

#define SYSTEM_PATH "config/prompts/consensus_system.txt"
#define TURN_PATH "config/prompts/consensus_turn.txt"

enum {
    ENVELOPE_TOKENS = 400,  /* of an envelope beside its canonical text */
    STATE_MAX_BYTES = 1000, /* of the peer's text where everything else was left out */
};

static const char *form_of(enum canonical_kind kind)
{
    static const char *const forms[] = {
        [CANONICAL_TEXT] = "The canonical text is plain text. Blanks and line breaks do not count "
                           "when the two are compared, every other character does.",
        [CANONICAL_CODE] = "The canonical text is code and nothing else. Its indentation, line "
                           "breaks and blanks count when the two are compared, as every "
                           "character does.",
        [CANONICAL_JSON] =
            "The canonical text is one JSON value, written as a string. The order of "
            "its keys and its blanks do not count.",
        [CANONICAL_NUMBER] = "The canonical text is one number and nothing else, such as 12 or "
                             "-0.5: no unit, no words, no equals sign.",
        [CANONICAL_REGEX] =
            "The canonical text is one regular expression (PCRE2) and nothing else: "
            "no delimiters, no flags behind it.",
        [CANONICAL_SQL] = "The canonical text is one SELECT statement (SQLite) and nothing else. "
                          "Its case and blanks do not count."
    };
    return forms[kind];
}

static const char *stance_of(bool is_auditor)
{
    return is_auditor
               ? "You are the one who checks. Work out your own answer first. Then doubt the text "
                 "of your peer before you take it over: look for the one thing that is wrong. "
                 "When you find none, take it over."
               : "You are the one who writes. Give a complete candidate as soon as you can, and "
                 "say it again word for word until you are shown that it is wrong.";
}

enum err_code agent_prompt_system(struct arena *arena, const struct agent_briefing *briefing,
                                  const char **out, struct err *err)
{
    const struct role_agent *me = &briefing->roles->agents[briefing->index];
    const struct role_agent *peer = &briefing->roles->agents[1 - briefing->index];
    struct role_pack pack = { .text = "" };
    enum err_code r =
        me->pack ? role_pack_load(arena, briefing->assets, me->pack, &pack, err) : ERR_NONE;
    if (r)
        return r;
    const char *own =
        arena_printf(arena, "%s%s%s", pack.text, me->system && *pack.text ? "\n\n" : "",
                     me->system ? me->system : "");
    const struct prompt_value values[] = {
        { .name = "role", .text = me->role },
        { .name = "domain", .text = me->domain && *me->domain ? me->domain : "the task" },
        { .name = "peer", .text = peer->role },
        { .name = "contract", .text = briefing->contract },
        { .name = "form", .text = form_of(briefing->roles->kind) },
        { .name = "stance", .text = stance_of(me->is_auditor) },
        { .name = "pack", .text = own },
    };
    return prompt_load_text(arena, briefing->assets, SYSTEM_PATH, values, ARRAY_LENGTH(values), out,
                            err);
}

/* As a JSON string, so that its end is where it seems to be and it can be copied as it is. */
static const char *quoted(struct arena *arena, const char *text, size_t max_bytes)
{
    size_t length = strlen(text), kept = text_cut(text, length, max_bytes);
    json_auto_t *string = json_stringn(text, kept);
    const char *shown = string ? json_print_in(arena, string) : "\"\"";
    return kept == length
               ? shown
               : arena_printf(arena, "%s (cut: the first %zu of %zu bytes; ask for a shorter text)",
                              shown, kept, length);
}

static bool stand_together(const struct controller_turn *turn)
{
    return turn->own->exists && turn->peers->exists &&
           strcmp(turn->own->canonical, turn->peers->canonical) == 0;
}

static const char *own_text(struct arena *arena, const struct controller_turn *turn,
                            size_t max_bytes)
{
    if (!turn->own->exists)
        return "";
    if (stand_together(turn))
        return arena_printf(arena,
                            "You and your peer stand for the same text: %s\nIf it is right, say "
                            "SOLVED with exactly this text.\n\n",
                            quoted(arena, turn->own->text, max_bytes));
    return arena_printf(arena, "You stand for this text, since round %u: %s\n\n", turn->own->round,
                        quoted(arena, turn->own->text, max_bytes));
}

static const char *peers_text(struct arena *arena, const struct controller_turn *turn,
                              const char *peer, size_t max_bytes)
{
    if (turn->round == 1 || stand_together(turn))
        return "";
    if (!turn->peers->exists)
        return arena_printf(arena, "Your peer, the %s, stands for no text yet.\n\n", peer);
    return arena_printf(arena, "Your peer, the %s, stands for this text, since round %u: %s\n\n",
                        peer, turn->peers->round, quoted(arena, turn->peers->text, max_bytes));
}

/* What the peer said around its candidate. */
static const char *peers_words(struct arena *arena, const struct envelope *peer, size_t max_bytes)
{
    const char *content = "";
    if (json_object_size(peer->content))
        content =
            arena_printf(arena, "Its artifact (%s): %s\n", envelope_artifact_name(peer->artifact),
                         quoted(arena, json_print_in(arena, peer->content), max_bytes));
    const char *reason = "";
    if (*peer->change_reason)
        reason = arena_printf(arena, "Why it has another answer than before: %s\n",
                              quoted(arena, peer->change_reason, max_bytes));
    return arena_printf(arena, "Your peer says %s: %s\n%s%s\n", envelope_status_name(peer->status),
                        quoted(arena, peer->public_message, max_bytes), reason, content);
}

/* The needs of a peer that wrote [CONTACT] are put to this agent as questions. */
static const char *questions_text(struct arena *arena, const struct envelope *peer,
                                  size_t max_bytes)
{
    const char *text = "";
    for (size_t i = 0; peer && i < peer->n_needs; i++)
        text = arena_printf(arena, "%s%zu. %s\n", text, i + 1,
                            quoted(arena, peer->needs[i], max_bytes));
    return *text ? arena_printf(arena, "Your peer asks you, and waits for your answer:\n%s\n", text)
                 : "";
}

static const char *notes_text(struct arena *arena, const struct controller_turn *turn,
                              const char *left_over)
{
    const char *text = "";
    if (turn->peer_error)
        text = arena_printf(arena,
                            "The last turn of your peer could not be read (%s). Say again, in "
                            "simpler words, what you stand for.\n",
                            turn->peer_error);
    if (turn->problem)
        text = arena_printf(arena, "%sYour last answer was not taken as it was: %s\n", text,
                            turn->problem);
    if (left_over)
        text = arena_printf(arena, "%sYour last artifact did not have its form: %s\n", text,
                            left_over);
    if (turn->hint)
        text = arena_printf(arena, "%sThe referee says: %s\n", text, turn->hint);
    return *text ? arena_printf(arena, "%s\n", text) : "";
}

static int64_t tokens_of(const struct standing *standing)
{
    return standing->exists ? token_estimate(standing->text, strlen(standing->text)) : 0;
}

/* A text that was agreed on has to be said again: a budget that cuts it off every time would make
 * an agreement impossible. */
static int budget_of(const struct settings *settings, const struct controller_turn *turn)
{
    int64_t own = tokens_of(turn->own), peers = tokens_of(turn->peers);
    int64_t needed = ENVELOPE_TOKENS + 2 * (own > peers ? own : peers);
    int64_t least = settings->consensus_max_tokens;
    int64_t most = settings->max_tokens > least ? settings->max_tokens : least;
    return (int)(needed < least ? least : needed < most ? needed : most);
}

enum err_code agent_prompt_turn(struct arena *arena, const struct agent_briefing *briefing,
                                const char *system, const struct controller_turn *turn,
                                const char *left_over, struct ask_prompt *out, struct err *err)
{
    size_t max_bytes = (size_t)briefing->settings->consensus_peer_bytes;
    const char *peer_role = briefing->roles->agents[1 - briefing->index].role;
    const char *examples = "";
    if (briefing->examples)
        examples = arena_printf(arena, "Every candidate is run against these examples: %s\n\n",
                                json_print_in(arena, briefing->examples));
    const char *words = turn->peer ? peers_words(arena, turn->peer, max_bytes) : "";
    const struct prompt_part peer[] = {
        { .text = sanitize_text(arena, peers_text(arena, turn, peer_role, max_bytes)),
          .keep = PROMPT_KEEP_ALWAYS },
        { .text = sanitize_text(arena, words), .keep = PROMPT_DROP_FIRST, .what = "peer" },
    };
    const struct prompt_value values[] = {
        { .name = "task", .text = briefing->task },
        { .name = "examples", .text = examples },
        { .name = "own", .text = own_text(arena, turn, max_bytes) },
        { .name = "peer", .parts = peer, .n_parts = ARRAY_LENGTH(peer) },
        { .name = "questions", .text = questions_text(arena, turn->peer, max_bytes) },
        { .name = "notes", .text = notes_text(arena, turn, left_over) },
        { .name = "round", .text = arena_printf(arena, "%u", turn->round) },
    };
    const char **wishes = arena_array(arena, const char *, 1);
    struct ask_prompt prompt = { .wishes = wishes,
                                 .n_wishes = 1,
                                 .max_tokens = budget_of(briefing->settings, turn) };
    wishes[0] = briefing->task;
    enum err_code r = prompt_load(arena, briefing->assets, TURN_PATH, values, ARRAY_LENGTH(values),
                                  &prompt.prompt, err);
    if (r)
        return r;
    prompt.prompt.system = system;
    if (turn->round > 1 && turn->peers->exists)
        prompt.state = arena_printf(arena, "[your peer stands for: %s]",
                                    quoted(arena, turn->peers->text, STATE_MAX_BYTES));
    *out = prompt;
    return ERR_NONE;
}
