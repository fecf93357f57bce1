
#include "presentation/cli/events/event_text.h"
#include "tests/support/cmocka.h"

static void says(enum event_kind kind, const char *data_text, const char *expected)
{
    AUTO(arena) arena = { 0 };
    json_t *data = json_loads(data_text, 0, NULL);
    struct event event = { .run_id = "r1", .kind = kind, .data = data };
    const char *text = event_text(&arena, &event);
    json_decref(data);
    assert_string_equal(text, expected);
}

static void a_run_says_how_it_began_and_ended(void **state)
{
    (void)state;
    says(EVENT_RUN_STARTED, "{\"kind\":\"ask\",\"title\":\"read it\"}", "ask: read it");
    says(EVENT_RUN_STARTED, "{\"kind\":\"call\",\"title\":\"\"}", "call");
    says(EVENT_RUN_FINISHED, "{\"status\":\"completed\",\"duration_ms\":3}", "completed, 3 ms");
    says(EVENT_RUN_FINISHED, "{\"status\":\"failed\",\"error\":{\"message\":\"no\\u001b[2J\"}}",
         "failed: no\\x1b[2J");
}

static void an_intent_shows_the_evidence_of_its_confidence(void **state)
{
    (void)state;
    says(EVENT_INTENT,
         "{\"tools_needed\":[\"a/b\"],\"parameters\":{\"x\":1},\"confidence\":0.5,"
         "\"evidence\":{\"tool_match\":1,\"completeness\":0.5,\"validity\":1,\"penalty\":0}}",
         "a/b {\"x\":1}, confidence 0.50 = match 1.00 x complete 0.50 x valid 1.00 - doubt 0.00");
    says(EVENT_INTENT, "{\"tools_needed\":[],\"parameters\":{},\"confidence\":0}",
         "no tool {}, confidence 0.00 = match 0.00 x complete 0.00 x valid 0.00 - doubt 0.00");
}

static void calls_and_results_name_step_and_tool(void **state)
{
    (void)state;
    says(EVENT_TOOL_CALL, "{\"step\":\"s1\",\"tool\":\"a/b\",\"args\":{\"x\":1},\"attempt\":1}",
         "s1 a/b {\"x\":1}");
    says(EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"args\":{},\"attempt\":2}", "a/b {}, attempt 2");
    says(EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"line\":3,\"args\":{},\"outcome\":\"unknown\"}",
         "line 3 a/b {}: may have been sent, no answer: it may have taken effect");
    says(EVENT_TOOL_RESULT, "{\"tool\":\"a/b\",\"is_error\":false,\"bytes\":7,\"duration_ms\":2}",
         "a/b: 7 bytes, 2 ms");
    says(EVENT_TOOL_RESULT, "{\"tool\":\"a/b\",\"is_error\":true}", "a/b: the tool's own error");
    says(EVENT_TOOL_RESULT, "{\"tool\":\"a/b\",\"error\":{\"message\":\"gone\"}}", "a/b: gone");
    says(EVENT_STEP_FINISHED,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"status\":\"error\",\"duration_ms\":2,"
         "\"error\":\"gone\"}",
         "s1 a/b error, 2 ms: gone");
    says(EVENT_STEP_PROGRESS,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"progress\":1,\"total\":2,\"message\":\"reading\"}",
         "s1 a/b 1 of 2: reading");
}

static void progress_names_a_total_only_where_there_is_one(void **state)
{
    (void)state;
    says(EVENT_STEP_PROGRESS, "{\"tool\":\"a/b\",\"progress\":1,\"message\":\"reading\"}",
         "a/b 1: reading");
    says(EVENT_STEP_PROGRESS, "{\"tool\":\"a/b\",\"progress\":2.5,\"total\":0}", "a/b 2.5");
    says(EVENT_STEP_PROGRESS, "{\"tool\":\"a/b\",\"progress\":3,\"total\":9}", "a/b 3 of 9");
}

static void a_task_says_how_far_it_is_and_not_its_id(void **state)
{
    (void)state;
    says(EVENT_TASK,
         "{\"server\":\"a\",\"step\":\"s1\",\"tool\":\"a/b\",\"task\":\"7f3a\",\"status\":"
         "\"working\",\"message\":\"gathering\"}",
         "s1 a/b is a task, working: gathering");
    says(EVENT_TASK,
         "{\"server\":\"a\",\"tool\":\"a/b\",\"task\":\"\\u001b[2J\",\"status\":\"failed\"}",
         "a/b is a task, failed");
}

static void a_model_exchange_shows_its_purpose_and_size(void **state)
{
    (void)state;
    says(
        EVENT_PROMPT_SENT,
        "{\"purpose\":\"intent\",\"system\":{\"bytes\":10},\"user\":{\"bytes\":5},\"schema\":true}",
        "for the intent, 15 bytes, answer held to a schema");
    says(EVENT_PROMPT_SENT,
         "{\"purpose\":\"plan\",\"system\":{\"bytes\":10},\"user\":{\"bytes\":5},\"tokens\":4}",
         "for the plan, 15 bytes, about 4 tokens");
    says(EVENT_MODEL_REPLIED,
         "{\"purpose\":\"answer\",\"reply\":{\"text\":\"Yes.\"},\"prompt_tokens\":1463,"
         "\"cached_tokens\":899,\"completion_tokens\":120}",
         "for the answer, 1463 tokens in, 899 of them cached, 120 out: Yes.");
    says(EVENT_MODEL_REPLIED,
         "{\"purpose\":\"plan\",\"reply\":{\"text\":\"{}\"},\"prompt_tokens\":-1,"
         "\"cached_tokens\":-1,\"completion_tokens\":-1}",
         "for the plan: {}");
    says(EVENT_MODEL_REPLIED,
         "{\"purpose\":\"intent\",\"reply\":{\"text\":\"{}\"},\"prompt_tokens\":3,"
         "\"completion_tokens\":2,\"ms\":9}",
         "for the intent, 3 tokens in, 2 out, 9 ms: {}");
    says(EVENT_ATTEMPT, "{\"contract\":\"intent\",\"attempt\":2,\"class\":\"ok\"}",
         "2 for the intent: ok");
    says(EVENT_ATTEMPT,
         "{\"attempt\":3,\"contract\":\"plan\",\"rung\":\"reminder\",\"class\":\"ok\",\"saved_by\":"
         "\"extract\"}",
         "3 for the plan, reminder: ok by extract");
}

static void plans_questions_and_problems_are_lists(void **state)
{
    (void)state;
    says(EVENT_PLAN, "{\"by\":\"file\",\"plan\":{\"steps\":[{\"tool\":\"a/b\"},{\"tool\":\"c\"}]}}",
         "by file: a/b, c");
    says(EVENT_QUESTIONS, "{\"questions\":[{\"key\":\"k\",\"text\":\"which?\"}]}", "which?");
    says(EVENT_PLAN_REJECTED, "{\"problems\":[{\"message\":\"one\"},{\"message\":\"two\"}]}",
         "one; two");
}

static void servers_approvals_and_answers_are_short(void **state)
{
    (void)state;
    says(EVENT_SERVER_STATE,
         "{\"server\":\"a\",\"state\":\"ready\",\"start_ms\":2,\"transport\":\"stdio\"}",
         "a: ready in 2 ms (stdio)");
    says(EVENT_SERVER_STATE, "{\"server\":\"a\",\"state\":\"failed\",\"message\":\"gone\"}",
         "a: failed: gone");
    says(EVENT_SERVER_LOG, "{\"server\":\"a\",\"level\":\"info\",\"text\":\"hm\"}", "a [info] hm");
    says(EVENT_TOOLS_CHANGED, "{\"server\":\"a\"}", "a: its list of tools changed");
    says(EVENT_APPROVAL_ASKED, "{\"tool\":\"a/b\",\"args\":{\"x\":1}}", "a/b {\"x\":1}");
    says(EVENT_APPROVAL_ASKED,
         "{\"tool\":\"sure\",\"text\":\"pay?\",\"calls\":[{\"tool\":\"a/b\"}]}", "sure: pay?: a/b");
    says(EVENT_APPROVAL_GIVEN, "{\"tool\":\"a/b\",\"answer\":\"once\"}", "a/b: once");
    says(EVENT_ELICITATION_ASKED, "{\"server\":\"a\",\"message\":{\"text\":\"Who?\"}}", "a: Who?");
    says(EVENT_ELICITATION_ANSWERED,
         "{\"server\":\"a\",\"action\":\"accept\",\"content\":{\"n\":1}}", "a: accept {\"n\":1}");
    says(EVENT_ELICITATION_ANSWERED, "{\"server\":\"a\",\"action\":\"decline\"}", "a: decline");
    says(EVENT_ANSWER, "{\"answer\":{\"bytes\":3,\"text\":\"a\\nb\"}}", "3 bytes: a\\nb");
    says(EVENT_WARNING, "{\"text\":\"careful\"}", "careful");
}

static void what_a_prompt_and_a_schema_lost_is_told(void **state)
{
    (void)state;
    says(EVENT_PROMPT_TRIMMED,
         "{\"what\":\"history\",\"tokens_before\":9000,\"context_tokens\":8192}",
         "history: 9000 tokens for a context of 8192");
    says(EVENT_PROMPT_TRIMMED, "{\"what\":\"\",\"tokens_before\":9000,\"context_tokens\":-1}",
         ": 9000 tokens");
    says(EVENT_SCHEMA_QUARANTINED, "{\"tool\":\"a/b\",\"message\":\"no such type\"}",
         "a/b: no such type");
    says(EVENT_SCHEMA_QUARANTINED, "{\"path\":\"/steps\",\"message\":\"no such type\"}",
         "/steps: no such type");
    says(EVENT_MODEL_STATE, "{\"state\":\"loading\",\"message\":\"40 %\"}", "loading: 40 %");
}

static void a_studio_tells_prompt_settings_and_image(void **state)
{
    (void)state;
    says(EVENT_PROMPT_UPDATE, "{\"prompt\":\"a cat\",\"by\":\"user\"}", "by the user: a cat");
    says(EVENT_SETTINGS_UPDATE, "{\"settings\":{\"steps\":4}}", "{\"steps\":4}");
    says(EVENT_SETTINGS_UPDATE, "{\"settings\":{},\"text\":\"Settings adjusted\"}",
         "Settings adjusted");
    says(EVENT_GENERATION_STARTED, "{\"tool\":\"a/b\",\"args\":{\"x\":1}}", "a/b {\"x\":1}");
    says(EVENT_IMAGE_READY, "{\"tool\":\"a/b\",\"image\":\"cat.png\"}", "a/b: cat.png");
    says(EVENT_ATTEMPT_DISCARDED, "{\"contract\":\"image_chat\",\"attempt\":2}",
         "2 for the image_chat");
    says(EVENT_CONTEXT_RESET, "{\"text\":\"fresh\"}", "fresh");
    says(EVENT_DONE, "{\"settings\":{\"steps\":4}}", "{\"steps\":4}");
}

static void agents_say_round_status_and_what_became_of_it(void **state)
{
    (void)state;
    says(EVENT_CONSENSUS_STARTED,
         "{\"kind\":\"number\",\"max_rounds\":8,\"agents\":[{\"role\":\"Writer\",\"by\":"
         "\"mock_rule\"},{\"role\":\"Physicist\",\"by\":\"model\",\"model\":\"mistral:7b\"}]}",
         "Writer by mock_rule and Physicist by mistral:7b, kind number, at most 8 rounds");
    says(EVENT_ENVELOPE,
         "{\"round\":2,\"agent\":\"b\",\"envelope\":{\"status\":\"SOLVED\"},\"canonical\":\"4\","
         "\"remarks\":[{\"note\":\"adopted\",\"text\":\"took over\\u001b\"}]}",
         "round 2, b SOLVED: 4; took over\\x1b");
    says(EVENT_ENVELOPE,
         "{\"round\":1,\"agent\":\"a\",\"envelope\":{\"status\":\"PROPOSED\",\"public_message\":"
         "\"look\","
         "\"final_solution\":{\"canonical_text\":\"b+\"}},\"remarks\":[{\"text\":\"it must match "
         "a\"}]}",
         "round 1, a PROPOSED: b+; it must match a");
    says(EVENT_ENVELOPE,
         "{\"round\":1,\"agent\":\"a\",\"remarks\":[{\"note\":\"unreadable\",\"text\":\"no "
         "JSON\"}]}",
         "round 1, a; no JSON");
    says(EVENT_ARBITER_HINT, "{\"round\":3,\"text\":\"move\"}", "round 3, to both: move");
    says(EVENT_VOTE, "{\"agree\":3,\"usable\":4,\"text\":\"4\",\"ms\":9}",
         "3 of 4 usable answers: 4, 9 ms");
    says(EVENT_CONSENSUS_ENDED,
         "{\"end\":\"consensus\",\"rounds\":1,\"promoted\":true,\"text\":\"4\"}",
         "consensus after 1 round, promoted: 4");
    says(EVENT_CONSENSUS_ENDED,
         "{\"end\":\"agents_lost\",\"rounds\":2,\"error\":{\"message\":\"gone\"}}",
         "agents_lost after 2 rounds: gone");
}

static void stages_say_round_and_who_did_them(void **state)
{
    (void)state;
    says(EVENT_FIGURE_STARTED,
         "{\"mode\":\"diagram_image\",\"by\":\"rules\",\"style\":\"plain\",\"pool\":30,"
         "\"max_rounds\":1}",
         "diagram_image by rules, style plain, 30 references, at most 1 round");
    says(EVENT_STAGE_STARTED, "{\"stage\":\"planner\",\"round\":0}", "planner, round 0");
    says(EVENT_STAGE_FINISHED,
         "{\"stage\":\"critic\",\"round\":1,\"by\":\"model\",\"model\":\"m\",\"ms\":4,\"note\":"
         "\"cut\"}",
         "critic, round 1, by m, 4 ms: cut");
    says(EVENT_FIGURE_FINDINGS, "{\"round\":0,\"findings\":[]}", "round 0: nothing was found");
    says(EVENT_FIGURE_RENDERED, "{\"round\":0,\"rendered\":true,\"renderer\":\"dot\"}",
         "round 0: drawn by dot");
    says(EVENT_FIGURE_RENDERED, "{\"round\":1,\"rendered\":true}", "round 1: a script");
    says(EVENT_FIGURE_RENDERED, "{\"round\":0,\"rendered\":false,\"error\":\"no dot\"}",
         "round 0: no picture: no dot");
    says(EVENT_FIGURE_ENDED,
         "{\"end\":\"approved\",\"rounds\":2,\"best\":1,\"manual_review_required\":true}",
         "approved after 2 rounds, best is 1, a person should look at it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_says_how_it_began_and_ended),
        cmocka_unit_test(an_intent_shows_the_evidence_of_its_confidence),
        cmocka_unit_test(calls_and_results_name_step_and_tool),
        cmocka_unit_test(progress_names_a_total_only_where_there_is_one),
        cmocka_unit_test(a_task_says_how_far_it_is_and_not_its_id),
        cmocka_unit_test(a_model_exchange_shows_its_purpose_and_size),
        cmocka_unit_test(plans_questions_and_problems_are_lists),
        cmocka_unit_test(servers_approvals_and_answers_are_short),
        cmocka_unit_test(what_a_prompt_and_a_schema_lost_is_told),
        cmocka_unit_test(a_studio_tells_prompt_settings_and_image),
        cmocka_unit_test(agents_say_round_status_and_what_became_of_it),
        cmocka_unit_test(stages_say_round_and_who_did_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
