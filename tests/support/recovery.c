#include "tests/support/recovery.h"
#include "application/use_cases/mistral_chat.h"
#include "application/use_cases/studio_chat.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include "tests/support/perfect_model.h"
#include <stdlib.h>
#include <string.h>

#define MOST_ATTEMPTS                                                                              \
    (2 + ENGINE_REMINDERS + ENGINE_COMPACTIONS) /* generate and budget are two                     \
                                                 */
#define SHOWN_MAX 4096

#define FILES                                                                                      \
    "[{\"name\":\"read\",\"description\":\"Reads a file\",\"inputSchema\":{\"type\":\"object\","   \
    "\"properties\":{\"path\":{\"type\":\"string\"},\"mode\":{\"type\":\"string\",\"enum\":["      \
    "\"text\",\"bytes\"]}},\"required\":[\"path\",\"mode\"]},\"annotations\":{\"readOnlyHint\":"   \
    "true}}]"
#define ART                                                                                        \
    "[{\"name\":\"draw\",\"description\":\"Draws\",\"inputSchema\":{\"type\":\"object\","          \
    "\"properties\":{\"prompt\":{\"type\":\"string\"},\"steps\":{\"type\":\"integer\"},\"cfg\":{"  \
    "\"type\":\"number\"},\"seed\":{\"type\":\"integer\"}},\"required\":[\"prompt\"]}}]"

/* One conversation. */
struct talk {
    struct observer observer;
    struct recovery *recovery;
    struct immediate_runtime runtime;
    struct fake_services services;
    struct perfect_model perfect;
    struct noisy_model noisy;
    struct scope scope;
    /* Kinds of the answers of this asking that did not do. */
    enum noise_kind pending[MOST_ATTEMPTS];
    size_t n_pending;
    char shown[SHOWN_MAX]; /* of this attempt */
    size_t n_shown;
};

static enum engine_rung rung_of(const json_t *attempt)
{
    const char *saved_by = json_get_string(attempt, "saved_by");
    const char *name = json_get_string(attempt, "rung");
    if (saved_by)
        return strcmp(saved_by, "extract") == 0 ? RUNG_EXTRACT : RUNG_REPAIR;
    for (int rung = 0; rung < RECOVERY_RUNGS; rung++)
        if (strcmp(engine_rung_name((enum engine_rung)rung), name) == 0)
            return (enum engine_rung)rung;
    return RUNG_LAST;
}

static void lose_pending(struct talk *talk)
{
    for (size_t i = 0; i < talk->n_pending; i++)
        talk->recovery->lost[talk->pending[i]]++;
    talk->n_pending = 0;
}

static void on_attempt(struct talk *talk, const json_t *attempt)
{
    struct recovery *recovery = talk->recovery;
    enum engine_rung rung = rung_of(attempt);
    bool is_request = strcmp(json_get_string(attempt, "rung"), "last") != 0;
    if (json_get_int(attempt, "attempt", 1) == 1)
        lose_pending(talk);
    if (is_request && json_get_int(attempt, "attempt", 1) > MOST_ATTEMPTS)
        recovery->overrun++;
    if (is_request)
        recovery->requests++;
    bool is_damaged = is_request && talk->noisy.just_damaged;
    if (is_damaged)
        recovery->damaged[talk->noisy.last]++;
    if (is_damaged && talk->n_pending < MOST_ATTEMPTS)
        talk->pending[talk->n_pending++] = talk->noisy.last;
    if (strcmp(json_get_string(attempt, "class"), "ok") != 0)
        return;
    for (size_t i = 0; i < talk->n_pending; i++)
        recovery->saved[talk->pending[i]][rung]++;
    talk->n_pending = 0;
}

static void look_at_what_was_shown(struct talk *talk)
{
    static const char *const never[] = { "{",   "}",    "---",     "\"prompt\"",
                                         "```", "</s>", "[/INST]", "User request:" };
    talk->shown[talk->n_shown] = '\0';
    for (size_t i = 0; i < ARRAY_LENGTH(never); i++)
        if (strstr(talk->shown, never[i])) {
            talk->recovery->leaks++;
            break;
        }
    talk->n_shown = 0;
}

static void on_token(struct talk *talk, const json_t *data)
{
    const char *text = json_get_string(data, "text");
    size_t length = strlen(text), room = SHOWN_MAX - 1 - talk->n_shown;
    memcpy(talk->shown + talk->n_shown, text, length < room ? length : room);
    talk->n_shown += length < room ? length : room;
}

static void observe(struct observer *observer, const struct event *event)
{
    struct talk *talk = (struct talk *)observer;
    if (event->kind == EVENT_TOKEN || event->kind == EVENT_ANSWER_TOKEN)
        on_token(talk, event->data);
    else if (event->kind == EVENT_ATTEMPT)
        on_attempt(talk, event->data);
    if (event->kind == EVENT_ATTEMPT)
        look_at_what_was_shown(talk);
}

static struct talk *talk_create(struct recovery *recovery, const char *root, uint64_t seed,
                                double damage)
{
    static const struct observer_ops ops = { observe };
    struct talk *talk = calloc(1, sizeof *talk);
    talk->observer.ops = &ops;
    talk->recovery = recovery;
    talk->runtime = immediate_runtime();
    talk->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    fake_services_init(&talk->services, &talk->runtime.port, root);
    perfect_model_init(&talk->perfect);
    noisy_model_init(&talk->noisy, &talk->perfect.base, seed, damage);
    talk->services.model_port = &talk->noisy.base;
    talk->services.base.observer = &talk->observer;
    talk->services.base.approve_all = true;
    return talk;
}

static void talk_destroy(struct talk *talk)
{
    lose_pending(talk);
    look_at_what_was_shown(talk);
    fake_services_finish(&talk->services);
    free(talk);
}

static void count_end(struct recovery *recovery, bool ended_well, bool is_right)
{
    recovery->turns++;
    recovery->right += ended_well && is_right;
    recovery->other += ended_well && !is_right;
    recovery->failed += !ended_well;
}

static bool same_value(const char *a, const char *b)
{
    json_auto_t *first = NULL, *second = NULL;
    return !json_parse(a, strlen(a), JSON_OURS, &first, NULL) &&
           !json_parse(b, strlen(b), JSON_OURS, &second, NULL) && json_equal(first, second);
}

/* The calls since `before` are the wanted ones, in any order; all others are strays. */
static bool check_calls(struct talk *talk, const struct fake_tool_server *server, size_t before,
                        const char *const *wanted, size_t n_wanted)
{
    size_t n_right = 0;
    for (size_t i = before; i < server->n_calls; i++) {
        bool is_wanted = false;
        for (size_t j = 0; j < n_wanted; j++)
            is_wanted = is_wanted || same_value(server->calls[i].arguments, wanted[j]);
        n_right += is_wanted;
        talk->recovery->strays += !is_wanted;
    }
    return n_right == n_wanted;
}

static void take_studio_turn(struct talk *talk, struct studio_chat *chat, unsigned turn)
{
    AUTO(arena) arena = { 0 };
    struct fake_tool_server *server = &talk->services.servers[0];
    bool ready = turn % 3 == 2;
    const char *text =
        arena_printf(&arena, "Round %u, a hat of %u feathers!\n- which colour?", turn, turn * 7);
    const char *prompt = arena_printf(&arena, "a cat in hat %u", turn);
    const char *call = arena_printf(
        &arena, "{\"prompt\":\"%s\",\"steps\":%u,\"cfg\":1.5,\"seed\":-1}", prompt, 4 + turn);
    perfect_model_know(&talk->perfect, "image_chat",
                       arena_printf(&arena,
                                    "%s\n---\n{\"prompt\": \"%s\", \"generate_image\": %s, "
                                    "\"steps\": %u, \"cfg\": 1.5, \"seed\": -1}",
                                    text, prompt, ready ? "true" : "false", 4 + turn));
    const struct studio_request request = { .message =
                                                arena_printf(&arena, "make hat %u, please", turn),
                                            .session_id = "talk" };
    struct studio_result result = { 0 };
    const char *session = NULL;
    size_t before = server->n_calls;
    bool ended = !studio_chat_turn(chat, &talk->scope, &arena, &request, &session, &result, NULL) &&
                 result.end == STUDIO_ANSWERED;
    bool called = check_calls(talk, server, before, &call, ended && ready);
    count_end(talk->recovery, ended,
              ended && called && text_equal(result.text, text) &&
                  text_equal(result.state.image.prompt, prompt) &&
                  result.state.image.steps == 4 + (int64_t)turn);
}

static void talk_with_studio(struct talk *talk)
{
    talk->services.settings.studio_image_tool = "art/draw";
    fake_services_add_server(&talk->services, "art", ART);
    struct studio_chat *chat = studio_chat_create(&talk->services.base);
    for (unsigned turn = 0; turn < RECOVERY_TURNS; turn++)
        take_studio_turn(talk, chat, turn);
    studio_chat_destroy(chat);
}

static const char *step(struct arena *arena, unsigned id, unsigned turn, const char *mode)
{
    return arena_printf(arena,
                        "{\"id\":\"s%u\",\"tool\":\"files__read\",\"args\":{\"path\":\"%u.md\","
                        "\"mode\":\"%s\"}}",
                        id, turn, mode);
}

/* What the perfect model says about reading one file, or two. */
static void know_turn(struct talk *talk, struct arena *arena, unsigned turn, bool two)
{
    const char *intent = arena_printf(
        arena,
        "\"reason\":\"it reads\",\"primary_goal\":\"Read note %u\",\"tools_needed\":[\"files__read"
        "\"],\"parameters\":{\"path\":\"%u.md\",\"mode\":\"text\"},\"unclear_aspects\":[],"
        "\"needs_clarification\":false,\"confidence\":0.9",
        turn, turn);
    const char *first = step(arena, 1, turn, "text"), *second = step(arena, 2, turn, "bytes");
    const char *steps =
        arena_printf(arena, "\"steps\":[%s%s%s]", first, two ? "," : "", two ? second : "");
    perfect_model_know(&talk->perfect, "intent", arena_printf(arena, "{%s}", intent));
    perfect_model_know(&talk->perfect, "plan", arena_printf(arena, "{%s}", steps));
    perfect_model_know(&talk->perfect, "intent_and_plan",
                       arena_printf(arena, "{%s,%s}", intent, steps));
    perfect_model_know(&talk->perfect, "answer", arena_printf(arena, "Note %u says ok.", turn));
}

static void take_turn(struct talk *talk, struct mistral_chat *chat, unsigned turn)
{
    AUTO(arena) arena = { 0 };
    struct fake_tool_server *server = &talk->services.servers[0];
    const char *calls[] = {
        arena_printf(&arena, "{\"path\":\"%u.md\",\"mode\":\"text\"}", turn),
        arena_printf(&arena, "{\"path\":\"%u.md\",\"mode\":\"bytes\"}", turn),
    };
    bool two = turn % 2 == 1;
    know_turn(talk, &arena, turn, two);
    const struct turn_request request = {
        .message = arena_printf(&arena, "read the file %u.md as %s", turn,
                                two ? "text and as bytes" : "text"),
        .session_id = "talk",
        .interactive = true,
    };
    struct turn_result result = { 0 };
    size_t before = server->n_calls;
    bool ended = !mistral_chat_turn(chat, &talk->scope, &arena, &request, &result, NULL) &&
                 result.status == RUN_COMPLETED;
    bool called = check_calls(talk, server, before, calls, two ? 2 : 1);
    /* Chatter and fences around words for a person are words. */
    count_end(talk->recovery, ended,
              ended && called &&
                  strstr(result.answer, arena_printf(&arena, "Note %u says ok.", turn)));
}

static void talk_with_orchestrator(struct talk *talk)
{
    fake_services_add_server(&talk->services, "files", FILES);
    struct mistral_chat *chat = mistral_chat_create(&talk->services.base);
    for (unsigned turn = 0; turn < RECOVERY_TURNS; turn++)
        take_turn(talk, chat, turn);
    mistral_chat_destroy(chat);
}

void recovery_run(struct recovery *recovery, const char *root, uint64_t first, uint64_t n,
                  double damage)
{
    for (uint64_t seed = first; seed < first + n; seed++) {
        struct talk *talk = talk_create(recovery, root, seed, damage);
        if (seed % 2)
            talk_with_studio(talk);
        else
            talk_with_orchestrator(talk);
        talk_destroy(talk);
    }
}
