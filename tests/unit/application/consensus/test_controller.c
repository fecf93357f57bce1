/* The game of two agents, with the cases on which the originals failed. */

#include "application/consensus/controller.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
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
    struct controller_rules rules = { .kind = kind, .task = task, .max_rounds = max_rounds };
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
    assert_true(controller_was_promoted(game->controller));
    for (unsigned agent = A; agent <= B; agent++)
        assert_true(controller_latest(game->controller, agent)->promoted);
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
    assert_int_equal(turn.peer->status, ENVELOPE_NEED_PEER);
    assert_non_null(strstr(turn.peer->needs[0], "as one plain JSON object"));
    assert_string_equal(turn.peers->canonical, "4");
    assert_true(has(&lost, NOTE_UNREADABLE));
    assert_int_equal(lost.envelope.status, ENVELOPE_NEED_PEER);
    say(game, B, ENVELOPE_SOLVED, "4");
    assert_end(game, CONSENSUS_RUNNING);
    assert_non_null(strstr(controller_next(game->controller).problem, "could not be read"));
    say(game, A, ENVELOPE_SOLVED, "4");

    assert_end(game, CONSENSUS_CONSENSUS);
    assert_int_equal(controller_round(game->controller), 4);
}

static void first_answers_are_independent_and_taken_in_any_order(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");

    say(game, B, ENVELOPE_SOLVED, "4");
    struct controller_turn first = controller_first(game->controller, A);

    assert_null(first.peer);
    assert_false(first.peers->exists);
    assert_int_equal(controller_next(game->controller).agent, A);
    say(game, A, ENVELOPE_WORKING, "");
    assert_int_equal(controller_next(game->controller).agent, A);
    assert_string_equal(controller_next(game->controller).peers->canonical, "4");
}

static void equal_first_answers_are_promoted_whatever_their_status(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");

    struct controller_verdict a = say(game, A, ENVELOPE_WORKING, "4");
    struct controller_verdict b = say(game, B, ENVELOPE_PROPOSED, " 4");

    assert_true(has(&a, NOTE_WORKING_WITH_TEXT) && has(&b, NOTE_PROMOTED));
    assert_end(game, CONSENSUS_CONSENSUS);
    assert_int_equal(controller_round(game->controller), 1);
    assert_true(controller_latest(game->controller, A)->promoted);
    assert_int_equal(controller_tally(game->controller).coercions, 1);
}

static void who_asks_for_help_has_not_answered_yet(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    struct envelope asks = envelope(ENVELOPE_SOLVED, "4");
    asks.contact = true;
    asks.public_message = "is it so? [CONTACT] [SOLVED]";

    struct controller_verdict verdict = take(game, A, asks);
    say(game, B, ENVELOPE_SOLVED, "4");

    assert_true(has(&verdict, NOTE_CONTACT_COERCED) && has(&verdict, NOTE_TAG_WITHOUT_SOLVED));
    assert_int_equal(verdict.envelope.status, ENVELOPE_NEED_PEER);
    assert_string_equal(verdict.envelope.public_message, "is it so? [CONTACT] ");
    assert_true(verdict.counts);
    assert_end(game, CONSENSUS_RUNNING);
}

static void solved_needs_its_text_and_its_tag(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    struct envelope untagged = envelope(ENVELOPE_SOLVED, "4");
    untagged.solved = false;

    struct controller_verdict empty = say(game, A, ENVELOPE_SOLVED, "");
    struct controller_verdict loose = take(game, B, untagged);

    assert_true(has(&empty, NOTE_SOLVED_WITHOUT_TEXT) && has(&loose, NOTE_SOLVED_WITHOUT_TAG));
    assert_int_equal(empty.envelope.status, ENVELOPE_WORKING);
    assert_false(empty.envelope.solved);
    assert_int_equal(loose.envelope.status, ENVELOPE_READY_TO_SOLVE);
    assert_non_null(strstr(controller_next(game->controller).problem, "canonical_text"));
}

static void another_answer_needs_a_reason(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    say(game, A, ENVELOPE_SOLVED, "5");
    say(game, B, ENVELOPE_SOLVED, "4");

    struct controller_verdict refused = say(game, A, ENVELOPE_SOLVED, "6");
    assert_true(has(&refused, NOTE_CHANGE_REFUSED));
    assert_false(refused.counts);
    assert_int_equal(refused.envelope.status, ENVELOPE_PROPOSED);
    assert_string_equal(controller_standing(game->controller, A)->canonical, "5");
    assert_end(game, CONSENSUS_RUNNING);
    say(game, B, ENVELOPE_SOLVED, "4");
    assert_non_null(strstr(controller_next(game->controller).problem, "change_reason"));
    struct controller_verdict flip = change(game, A, ENVELOPE_SOLVED, "6");

    assert_true(has(&flip, NOTE_FLIPPED) && !has(&flip, NOTE_ADOPTED));
    assert_end(game, CONSENSUS_RUNNING);
    assert_int_equal(controller_tally(game->controller).flips, 1);
    assert_int_equal(controller_tally(game->controller).refused, 1);
}

static void to_adopt_the_peers_answer_word_for_word_is_reason_enough(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    say(game, A, ENVELOPE_SOLVED, "5");
    say(game, B, ENVELOPE_SOLVED, "4");

    struct controller_verdict flip = say(game, A, ENVELOPE_SOLVED, "4");

    assert_true(has(&flip, NOTE_FLIPPED) && has(&flip, NOTE_ADOPTED));
    assert_end(game, CONSENSUS_CONSENSUS);
    assert_true(controller_standing(game->controller, A)->adopted);
}

static void who_needs_the_peer_writes_contact(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    struct controller_verdict asked = say(game, A, ENVELOPE_NEED_PEER, "");
    assert_true(asked.envelope.contact && has(&asked, NOTE_CONTACT_COERCED));
    assert_non_null(strstr(asked.envelope.public_message, "[CONTACT]"));
}

/* The third time the same two answers stand a run ends; who could not be read gave none. */
static void a_turn_that_could_not_be_read_is_no_repetition(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    for (unsigned round = 1; round <= 2; round++) {
        say(game, A, ENVELOPE_PROPOSED, "5");
        say(game, B, ENVELOPE_PROPOSED, "4");
    }
    controller_take_nothing(game->controller, A, "not JSON: line 1", false);
    say(game, B, ENVELOPE_PROPOSED, "4");
    assert_end(game, CONSENSUS_RUNNING);
    say(game, A, ENVELOPE_PROPOSED, "5");
    say(game, B, ENVELOPE_PROPOSED, "4");
    assert_end(game, CONSENSUS_LOOP);
}

static void a_proposal_is_confirmed_by_saying_it_again(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    say(game, A, ENVELOPE_PROPOSED, "4");
    say(game, B, ENVELOPE_WORKING, "");
    say(game, A, ENVELOPE_PROPOSED, "4");
    say(game, B, ENVELOPE_PROPOSED, "4");
    assert_end(game, CONSENSUS_RUNNING);

    say(game, A, ENVELOPE_PROPOSED, "4");

    assert_end(game, CONSENSUS_CONSENSUS);
    assert_true(controller_was_promoted(game->controller));
}

static void ready_invites_adoption_at_once(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    say(game, A, ENVELOPE_READY_TO_SOLVE, "4");
    say(game, B, ENVELOPE_WORKING, "");
    say(game, A, ENVELOPE_READY_TO_SOLVE, "4");

    say(game, B, ENVELOPE_SOLVED, "4");

    assert_end(game, CONSENSUS_CONSENSUS);
    assert_true(controller_latest(game->controller, A)->promoted);
    assert_false(controller_latest(game->controller, B)->promoted);
}

static void a_pair_seen_twice_earns_a_hint_and_three_times_ends_the_run(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    for (unsigned round = 1; round <= 2; round++) {
        assert_null(controller_take_hint(game->controller));
        say(game, A, ENVELOPE_SOLVED, "4");
        say(game, B, ENVELOPE_SOLVED, "5");
    }

    const char *hint = controller_take_hint(game->controller);
    assert_non_null(hint);
    assert_null(controller_take_hint(game->controller));
    assert_string_equal(controller_next(game->controller).hint, hint);
    say(game, A, ENVELOPE_SOLVED, "4");
    assert_string_equal(controller_next(game->controller).hint, hint);
    say(game, B, ENVELOPE_SOLVED, "5");

    assert_end(game, CONSENSUS_LOOP);
    assert_int_equal(controller_round(game->controller), 3);
    assert_string_equal(controller_standing(game->controller, A)->text, "4");
    assert_string_equal(controller_standing(game->controller, B)->text, "5");
}

static void two_that_stand_for_the_same_and_wait_are_told_to_say_so(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    for (unsigned round = 1; round <= 2; round++) {
        say(game, A, ENVELOPE_NEED_PEER, "4");
        say(game, B, ENVELOPE_SOLVED, "4");
    }

    assert_non_null(strstr(controller_next(game->controller).hint, "the same text"));
    say(game, A, ENVELOPE_SOLVED, "4");

    assert_end(game, CONSENSUS_CONSENSUS);
}

static void a_text_that_failed_its_check_is_nobodys_answer(void **state)
{
    (void)state;
    struct game *game = begin_kind(CANONICAL_REGEX, "Match a1", 2);
    struct envelope same = envelope(ENVELOPE_SOLVED, "/b+/");
    assert_string_equal(controller_candidate(game->controller, &same), "b+");

    struct controller_verdict verdict =
        controller_take(game->controller, A, &same, "it must match \"a1\" and does not");
    controller_take(game->controller, B, &same, "it must match \"a1\" and does not");

    assert_true(has(&verdict, NOTE_CHECK_FAILED));
    assert_int_equal(verdict.envelope.status, ENVELOPE_PROPOSED);
    assert_false(controller_standing(game->controller, A)->exists);
    assert_end(game, CONSENSUS_RUNNING);
}

static void what_the_rules_refuse_is_no_candidate(void **state)
{
    (void)state;
    struct game *game = begin_kind(CANONICAL_NUMBER, "Compute 3+1", 8);
    struct envelope words = envelope(ENVELOPE_SOLVED, "four");

    assert_null(controller_candidate(game->controller, &words));
    struct controller_verdict verdict = take(game, A, words);

    assert_true(has(&verdict, NOTE_CANDIDATE_REFUSED));
    assert_string_equal(verdict.remarks[0].text,
                        "it is not a number: give one number and nothing else, with a point before "
                        "decimals");
}

static void code_that_differs_in_its_indentation_is_another_answer(void **state)
{
    (void)state;
    static const char task[] = "Call b when a holds, then c";
    struct game *game = begin_kind(CANONICAL_CODE, task, 8);
    say(game, A, ENVELOPE_SOLVED, "if a:\n    b()\n    c()");
    say(game, B, ENVELOPE_SOLVED, "if a:\n    b()\nc()");
    assert_end(game, CONSENSUS_RUNNING);

    game = begin_kind(CANONICAL_CODE, task, 8);
    say(game, A, ENVELOPE_SOLVED, "if a:\n    b()\nc()\n");
    say(game, B, ENVELOPE_SOLVED, "if a:\r\n    b()\r\nc()");
    assert_end(game, CONSENSUS_CONSENSUS);
}

static void the_last_round_is_the_last(void **state)
{
    (void)state;
    struct game *game = begin_kind(CANONICAL_TEXT, "Compute 3+1", 2);
    for (unsigned round = 1; round <= 2; round++) {
        assert_end(game, CONSENSUS_RUNNING);
        say(game, A, ENVELOPE_WORKING, "");
        say(game, B, ENVELOPE_WORKING, "");
    }
    assert_end(game, CONSENSUS_MAX_ROUNDS);
    assert_int_equal(controller_round(game->controller), 2);
}

static void an_endpoint_that_is_gone_ends_the_run(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    controller_take_nothing(game->controller, A, "connection refused", true);
    assert_end(game, CONSENSUS_AGENTS_LOST);
    assert_int_equal(controller_tally(game->controller).unreadable, 1);
}

static void two_that_cannot_be_read_several_turns_in_a_row_end_the_run(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    const struct controller_rules rules = {
        .kind = CANONICAL_TEXT, .task = "Compute 3+1", .max_rounds = 20, .max_unreadable = 3
    };
    game->controller = controller_create(&game->arena, &digest, &rules);
    for (unsigned turn = 0; turn < 6; turn++) {
        assert_end(game, CONSENSUS_RUNNING);
        if (turn == 2) /* the count begins anew */
            say(game, A, ENVELOPE_WORKING, "");
        else
            controller_take_nothing(game->controller, turn % 2, "no JSON object", false);
    }
    assert_end(game, CONSENSUS_UNREADABLE);
}

/* The records of older runs have no such bound. */
static void without_a_bound_it_goes_on_to_the_last_round(void **state)
{
    (void)state;
    struct game *game = begin("Compute 3+1");
    for (unsigned turn = 0; turn < 16; turn++)
        controller_take_nothing(game->controller, turn % 2, "no JSON object", false);
    assert_end(game, CONSENSUS_MAX_ROUNDS);
}

static void every_note_has_a_name(void **state)
{
    (void)state;
    for (int note = 0; note <= NOTE_UNREADABLE; note++)
        assert_true(*controller_note_name((enum controller_note)note));
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
        cmocka_unit_test(first_answers_are_independent_and_taken_in_any_order),
        cmocka_unit_test(equal_first_answers_are_promoted_whatever_their_status),
        cmocka_unit_test(who_asks_for_help_has_not_answered_yet),
        cmocka_unit_test(solved_needs_its_text_and_its_tag),
        cmocka_unit_test(another_answer_needs_a_reason),
        cmocka_unit_test(to_adopt_the_peers_answer_word_for_word_is_reason_enough),
        cmocka_unit_test(who_needs_the_peer_writes_contact),
        cmocka_unit_test(a_turn_that_could_not_be_read_is_no_repetition),
        cmocka_unit_test(a_proposal_is_confirmed_by_saying_it_again),
        cmocka_unit_test(ready_invites_adoption_at_once),
        cmocka_unit_test(a_pair_seen_twice_earns_a_hint_and_three_times_ends_the_run),
        cmocka_unit_test(two_that_stand_for_the_same_and_wait_are_told_to_say_so),
        cmocka_unit_test(a_text_that_failed_its_check_is_nobodys_answer),
        cmocka_unit_test(what_the_rules_refuse_is_no_candidate),
        cmocka_unit_test(code_that_differs_in_its_indentation_is_another_answer),
        cmocka_unit_test(the_last_round_is_the_last),
        cmocka_unit_test(an_endpoint_that_is_gone_ends_the_run),
        cmocka_unit_test(two_that_cannot_be_read_several_turns_in_a_row_end_the_run),
        cmocka_unit_test(without_a_bound_it_goes_on_to_the_last_round),
        cmocka_unit_test(every_note_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
