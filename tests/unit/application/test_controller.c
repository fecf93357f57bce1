/* The game of two agents, with the cases on which the originals failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "application/consensus/controller.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

enum { A, B };

/* One value for one text is all that is asked of it here. */
static void checksum(struct digest *digest, const void *bytes, size_t length,
                     char out_hex[static DIGEST_HEX_SIZE])
{
    uint64_t sum = 1469598103934665603u;
    (void)digest;
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    snprintf(out_hex, DIGEST_HEX_SIZE, "%064llx", (unsigned long long)sum);
}

static const struct digest_ops digest_ops = { .sha256 = checksum };
static struct digest digest = { &digest_ops };

struct game {
    struct arena arena;
    struct controller *controller;
};

static struct game *begin_kind(enum canonical_kind kind, const char *task, unsigned max_rounds)
{
    static struct game game;
    arena_finish(&game.arena);
    game = (struct game){ 0 };
    struct controller_rules rules = { kind, task, max_rounds };
    game.controller = controller_create(&game.arena, &digest, &rules);
    return &game;
}

static struct game *begin(const char *task)
{
    return begin_kind(CANONICAL_TEXT, task, 8);
}

static int finish(void **state)
{
    (void)state;
    begin(""); /* forgets the game before */
    return 0;
}

static struct envelope envelope(enum envelope_status status, const char *text)
{
    return (struct envelope){ .role = "Writer",
                              .domain = "",
                              .task_understanding = "",
                              .public_message = "",
                              .artifact = ENVELOPE_ARTIFACT_RESULTS,
                              .handoff_to = "",
                              .status = status,
                              .solved = status == ENVELOPE_SOLVED,
                              .contact = false,
                              .canonical_text = text,
                              .sha256 = "",
                              .change_reason = "" };
}

static struct controller_verdict take(struct game *game, unsigned agent, struct envelope envelope)
{
    return controller_take(game->controller, agent, &envelope, NULL);
}

static struct controller_verdict say(struct game *game, unsigned agent, enum envelope_status status,
                                     const char *text)
{
    return take(game, agent, envelope(status, text));
}

static struct controller_verdict change(struct game *game, unsigned agent,
                                        enum envelope_status status, const char *text)
{
    struct envelope changed = envelope(status, text);
    changed.change_reason = "the sum was wrong";
    return take(game, agent, changed);
}

static bool has(const struct controller_verdict *verdict, enum controller_note note)
{
    for (size_t i = 0; i < verdict->n_remarks; i++)
        if (verdict->remarks[i].note == note)
            return true;
    return false;
}

static void assert_end(const struct game *game, enum consensus_end end)
{
    assert_string_equal(consensus_end_name(controller_end(game->controller)),
                        consensus_end_name(end));
}

static void the_same_text_with_other_blanks_agrees(void **state)
{
    (void)state;
    struct game *game = begin("greet the world");

    say(game, A, ENVELOPE_SOLVED, "hello\r\n  world ");
    assert_end(game, CONSENSUS_RUNNING);
    say(game, B, ENVELOPE_SOLVED, "hello world");

    assert_end(game, CONSENSUS_CONSENSUS);
    assert_int_equal(controller_round(game->controller), 1);
    assert_false(controller_was_promoted(game->controller));
    assert_string_equal(controller_standing(game->controller, A)->text, "hello\r\n  world ");
    assert_string_equal(controller_standing(game->controller, A)->sha256,
                        controller_standing(game->controller, B)->sha256);
}

static void the_placeholder_twice_is_no_consensus(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");

    for (unsigned round = 1; round <= 8; round++) {
        struct controller_verdict a = say(game, A, ENVELOPE_SOLVED, "<NUMBER>");
        struct controller_verdict b = say(game, B, ENVELOPE_SOLVED, "<NUMBER>");
        assert_true(has(&a, NOTE_CANDIDATE_REFUSED) && has(&b, NOTE_CANDIDATE_REFUSED));
        assert_false(a.counts || b.counts);
        assert_string_equal(a.envelope.canonical_text, "");
    }

    assert_end(game, CONSENSUS_MAX_ROUNDS);
    assert_false(controller_standing(game->controller, A)->exists);
}

static void who_waits_while_the_peer_adopts_has_confirmed_nothing(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    say(game, A, ENVELOPE_PROPOSED, "4");
    say(game, B, ENVELOPE_PROPOSED, "5");

    say(game, A, ENVELOPE_NEED_PEER, "");
    struct controller_verdict adopts = change(game, B, ENVELOPE_SOLVED, "4");
    assert_end(game, CONSENSUS_RUNNING);
    assert_true(has(&adopts, NOTE_ADOPTED) && has(&adopts, NOTE_FLIPPED));
    say(game, A, ENVELOPE_SOLVED, "4");

    assert_end(game, CONSENSUS_CONSENSUS);
    assert_int_equal(controller_round(game->controller), 3);
}

static void a_wrong_hash_is_a_remark_and_no_failure(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    struct envelope lie = envelope(ENVELOPE_SOLVED, "4");
    lie.sha256 = "0123";

    struct controller_verdict verdict = take(game, A, lie);
    say(game, B, ENVELOPE_SOLVED, "4");

    assert_true(has(&verdict, NOTE_WRONG_HASH) && verdict.counts);
    assert_string_equal(verdict.envelope.sha256, verdict.sha256);
    assert_end(game, CONSENSUS_CONSENSUS);
}

static void both_ready_with_the_same_text_are_promoted(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    say(game, A, ENVELOPE_WORKING, "");
    say(game, B, ENVELOPE_WORKING, "");

    say(game, A, ENVELOPE_READY_TO_SOLVE, "4");
    struct controller_verdict last = say(game, B, ENVELOPE_READY_TO_SOLVE, "4");

    assert_end(game, CONSENSUS_CONSENSUS);
    assert_true(controller_was_promoted(game->controller));
    assert_true(has(&last, NOTE_PROMOTED) && last.envelope.promoted);
    for (unsigned agent = A; agent <= B; agent++) {
        const struct envelope *latest = controller_latest(game->controller, agent);
        assert_int_equal(latest->status, ENVELOPE_SOLVED);
        assert_true(latest->solved && latest->promoted);
        assert_string_equal(latest->canonical_text, "4");
    }
}

static void garbage_in_round_three_is_told_to_the_peer_and_the_run_goes_on(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    for (unsigned round = 1; round <= 2; round++) {
        say(game, A, ENVELOPE_PROPOSED, "4");
        say(game, B, ENVELOPE_WORKING, "");
    }

    struct controller_verdict lost =
        controller_take_nothing(game->controller, A, "not JSON: line 1", false);
    struct controller_turn turn = controller_next(game->controller);
    assert_int_equal(turn.agent, B);
    assert_string_equal(turn.peer_error, "not JSON: line 1");
    assert_string_equal(turn.peer->canonical_text, "4");
    assert_true(has(&lost, NOTE_UNREADABLE));
    assert_int_equal(lost.envelope.status, ENVELOPE_NEED_PEER);
    say(game, B, ENVELOPE_SOLVED, "4");
    assert_end(game, CONSENSUS_RUNNING);
    assert_non_null(strstr(controller_next(game->controller).problem, "could not be read"));
    say(game, A, ENVELOPE_SOLVED, "4");

    assert_end(game, CONSENSUS_CONSENSUS);
    assert_int_equal(controller_round(game->controller), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_with_other_blanks_agrees),
        cmocka_unit_test(the_placeholder_twice_is_no_consensus),
        cmocka_unit_test(who_waits_while_the_peer_adopts_has_confirmed_nothing),
        cmocka_unit_test(a_wrong_hash_is_a_remark_and_no_failure),
        cmocka_unit_test(both_ready_with_the_same_text_are_promoted),
        cmocka_unit_test(garbage_in_round_three_is_told_to_the_peer_and_the_run_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
