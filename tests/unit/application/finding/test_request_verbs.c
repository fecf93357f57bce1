#include "application/finding/request_verbs.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include <string.h>

struct bench {
    struct arena arena;
    struct fake_services services; /* for its index and its assets: the verbs of the tree */
    struct request_verbs verbs;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    fake_services_init(&bench->services, NULL, SOURCE_DIR);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static enum err_code try_to_read(struct bench *bench, const char *text)
{
    return request_verbs_read(&bench->arena, &bench->services.assets.base, text, &bench->verbs,
                              &bench->err);
}

/* "delete !read ?open": the deeds of a request, with what is negated and what is asked about. */
static const char *deeds_of(struct bench *bench, const char *text)
{
    const char *deeds = "";
    assert_int_equal(try_to_read(bench, text), ERR_NONE);
    for (size_t i = 0; i < bench->verbs.n; i++) {
        const struct request_verb *verb = &bench->verbs.list[i];
        deeds = arena_printf(&bench->arena, "%s%s%s%s%s", deeds, *deeds ? " " : "",
                             verb->is_negated ? "!" : "", verb->is_asked ? "?" : "", verb->deed);
    }
    return deeds;
}

static struct tool tool_named(const char *name, const char *description)
{
    return (
        struct tool){ .server = "s", .name = name, .full_name = name, .description = description };
}

static enum verb_fit fit(struct bench *bench, const char *text, const char *name)
{
    struct tool tool = tool_named(name, NULL);
    assert_int_equal(try_to_read(bench, text), ERR_NONE);
    return request_verbs_fit(&bench->verbs, &tool);
}

static bool forbids(struct bench *bench, const char *text, const char *name)
{
    struct tool tool = tool_named(name, NULL);
    assert_int_equal(try_to_read(bench, text), ERR_NONE);
    return request_verbs_objection(&bench->verbs, &tool) != NULL;
}

static void a_capital_within_a_sentence_makes_a_noun(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(deeds_of(bench, "compare Group A and Group B"), "compare");
    assert_string_equal(deeds_of(bench, "compare them. Group them"), "compare list");
}

static void to_perform_says_what_the_noun_says(void **state)
{
    struct bench *bench = *state;
    struct tool tool = tool_named("sentiment_analysis", "Perform sentiment analysis on a text.");
    assert_int_equal(try_to_read(bench, "analyse it"), ERR_NONE);
    assert_false(request_verbs_tool_changes(&bench->verbs, &tool));
    assert_string_equal(deeds_of(bench, "perform a reset"), "set");
}

static void a_verb_and_its_opposite_are_told_apart(void **state)
{
    struct bench *bench = *state;
    static const char *const rows[][3] = {
        { "freeze card 4821", "freeze_card", "unfreeze_card" },
        { "unmute the channel", "unmute_channel", "mute_channel" },
        { "unshare the document", "unshare_document", "share_document" },
        { "check me in", "check_in", "check_out" },
        { "Sperr bitte die Karte", "freeze_card", "unfreeze_card" },
        { "Kannst du den Alarm scharf schalten?", "arm_alarm", "disarm_alarm" },
        { "blende die Notiz aus", "hide_note", "show_note" },
        { "désarme l'alarme", "disarm_alarm", "arm_alarm" },
        { "oculta la nota", "hide_note", "unhide_note" },
        { "sblocca la carta", "unfreeze_card", "freeze_card" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        assert_int_equal(fit(bench, rows[i][0], rows[i][1]), VERB_MEANT);
        assert_int_equal(fit(bench, rows[i][0], rows[i][2]), VERB_OPPOSITE);
    }
}

static void imperatives_infinitives_and_polite_forms_are_verbs(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(deeds_of(bench, "delete notes.txt"), "delete");
    assert_string_equal(deeds_of(bench, "Could you please remove notes.txt?"), "delete");
    assert_string_equal(deeds_of(bench, "I want to throw away the old logs"), "delete");
    assert_string_equal(deeds_of(bench, "turn the light in the kitchen off"), "turn_off");
    assert_string_equal(deeds_of(bench, "turn off the light on the porch"), "turn_off");
    assert_string_equal(deeds_of(bench, "read a.txt and then send it to ann@example.org"),
                        "read send");
    assert_string_equal(deeds_of(bench, "mark all mails of Ann as read"), "mark");
    assert_string_equal(deeds_of(bench, "can you order 2 pizzas, please"), "buy");
}

static void what_is_noun_quoted_or_a_value_is_no_verb(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(deeds_of(bench, "show the order"), "show");
    assert_string_equal(deeds_of(bench, "search for 'delete all'"), "search");
    assert_string_equal(deeds_of(bench, "search for “delete all” in notes"), "search");
    assert_string_equal(deeds_of(bench, "the search in my list"), "");
    assert_string_equal(deeds_of(bench, "send a mail to Bob saying please delete the file"),
                        "send");
    assert_string_equal(deeds_of(bench, "remind me to delete the branch"), "remind");
    assert_string_equal(deeds_of(bench, "list deleted files"), "list");
    assert_string_equal(deeds_of(bench, "show my bookings"), "show");
    assert_string_equal(deeds_of(bench, "read /tmp/delete.txt"), "read");
}

static void negations_are_found(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(deeds_of(bench, "don't read LICENSE"), "!read");
    assert_string_equal(deeds_of(bench, "don’t read LICENSE"), "!read");
    assert_string_equal(deeds_of(bench, "Do not delete or move a.txt"), "!delete !move");
    assert_string_equal(deeds_of(bench, "close PR 31 without merging"), "close !merge");
    assert_string_equal(deeds_of(bench, "close PR 31 without merging it, then delete the branch"),
                        "close !merge delete");
    assert_string_equal(deeds_of(bench, "archive it instead of deleting it"), "archive !delete");
    assert_string_equal(deeds_of(bench, "not only read it, delete it"), "read delete");
    assert_string_equal(deeds_of(bench, "why not delete it"), "delete");
    assert_string_equal(deeds_of(bench, "delete nothing"), "!delete");
    assert_string_equal(deeds_of(bench, "never send that"), "!send");
}

static void a_question_asks_for_no_deed(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(deeds_of(bench, "did you delete it?"), "?delete");
    assert_true(bench->verbs.is_question);
    assert_string_equal(deeds_of(bench, "How do I delete a file?"), "?delete");
    assert_string_equal(deeds_of(bench, "What would happen if I delete the branch?"), "?delete");
    assert_string_equal(deeds_of(bench, "what is in a.txt and delete it"), "delete");
    assert_string_equal(deeds_of(bench, "Which files are large? Delete them."), "delete");
}

static void a_tool_is_compared_by_its_verb(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(fit(bench, "get rid of a.txt", "delete_file"), VERB_MEANT);
    assert_int_equal(fit(bench, "get rid of a.txt", "fileDelete"), VERB_MEANT);
    assert_int_equal(fit(bench, "mark mail 5 as read", "mark_as_read"), VERB_MEANT);
    assert_int_equal(fit(bench, "read mail 5", "mark_as_read"), VERB_OTHER);
    assert_int_equal(fit(bench, "stop the vacuum", "start_vacuum"), VERB_OPPOSITE);
    assert_int_equal(fit(bench, "close PR 31 without merging", "merge_pull_request"), VERB_NEGATED);
    assert_int_equal(fit(bench, "close PR 31", "merge_pull_request"), VERB_OPPOSITE);
    assert_int_equal(fit(bench, "don't read LICENSE", "read_file"), VERB_NEGATED);
    assert_int_equal(fit(bench, "the weather in Kiel", "get_weather"), VERB_UNSAID);
    assert_int_equal(fit(bench, "comment on issue 5 that it is done", "add_issue_comment"),
                     VERB_MEANT);
    assert_int_equal(fit(bench, "add a comment to issue 5", "comment_on_issue"), VERB_MEANT);
    assert_int_equal(fit(bench, "comment on issue 5", "delete_comment"), VERB_OTHER);
    assert_int_equal(fit(bench, "defragment the disk", "defragment_disk"), VERB_MEANT);
    assert_int_equal(fit(bench, "delete the disk", "defragment_disk"), VERB_OTHER);
    assert_int_equal(fit(bench, "turn off the light", "set_light"), VERB_MEANT);
    assert_int_equal(fit(bench, "turn on the light", "turn_off_light"), VERB_OPPOSITE);
}

static void german_requests_are_read(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(deeds_of(bench, "Lösche notizen.txt"), "delete");
    assert_string_equal(deeds_of(bench, "Bitte nicht löschen!"), "!delete");
    assert_string_equal(deeds_of(bench, "Lösch die Datei a.txt nicht"), "!delete");
    assert_string_equal(deeds_of(bench, "lies nicht LICENSE"), "!read");
    assert_string_equal(deeds_of(bench, "Lösche nichts"), "!delete");
    assert_string_equal(deeds_of(bench, "Lösche die nicht benötigten Dateien"), "delete");
    assert_string_equal(deeds_of(bench, "schalte bitte das Licht in der Küche aus"), "turn_off");
    assert_string_equal(deeds_of(bench, "Kannst du das Licht ausschalten?"), "turn_off");
    assert_string_equal(deeds_of(bench, "mach die Tür zu"), "close");
    assert_string_equal(deeds_of(bench, "mach die Tür auf und das Licht an"), "open");
    assert_string_equal(deeds_of(bench, "schließ PR 31, ohne ihn zu mergen"), "close !merge");
    assert_string_equal(deeds_of(bench, "was wurde gelöscht?"), "");
    assert_true(bench->verbs.is_question);
    assert_string_equal(deeds_of(bench, "Wie lösche ich eine Datei?"), "?delete");
    assert_string_equal(deeds_of(bench, "zeig mir die Bestellungen und storniere die letzte"),
                        "show cancel");
    assert_int_equal(fit(bench, "Schick Ann eine Mail", "send_email"), VERB_MEANT);
    assert_int_equal(fit(bench, "Halte den Staubsauger an", "start_vacuum"), VERB_OPPOSITE);
}

static void french_requests_are_read(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(deeds_of(bench, "Supprime notes.txt"), "delete");
    assert_string_equal(deeds_of(bench, "Peux-tu le supprimer ?"), "delete");
    assert_string_equal(deeds_of(bench, "N’efface pas notes.txt"), "!delete");
    assert_string_equal(deeds_of(bench, "efface pas notes.txt"), "!delete");
    assert_string_equal(deeds_of(bench, "supprime les fichiers que je n'utilise pas"), "delete");
    assert_string_equal(deeds_of(bench, "ferme la PR 31 sans la fusionner"), "close !merge");
    assert_string_equal(deeds_of(bench, "Comment supprimer un fichier ?"), "?delete");
    assert_string_equal(deeds_of(bench, "lis a.txt et puis envoie-le à Ann"), "read send");
    assert_string_equal(deeds_of(bench, "éteins la lumière du salon"), "turn_off");
    assert_string_equal(deeds_of(bench, "montre la commande"), "show");
}

static void spanish_requests_are_read(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(deeds_of(bench, "Borra notas.txt"), "delete");
    assert_string_equal(deeds_of(bench, "¿Puedes borrarlo?"), "delete");
    assert_string_equal(deeds_of(bench, "No borres el archivo"), "!delete");
    assert_string_equal(deeds_of(bench, "Envíame el informe"), "send");
    assert_string_equal(deeds_of(bench, "quiero que borres la nota"), "delete");
    assert_string_equal(deeds_of(bench, "cierra el PR 31 sin fusionarlo"), "close !merge");
    assert_string_equal(deeds_of(bench, "¿Cómo borro un archivo?"), "");
    assert_true(bench->verbs.is_question);
    assert_string_equal(deeds_of(bench, "apaga la luz de la cocina"), "turn_off");
}

static void italian_requests_are_read(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(deeds_of(bench, "Cancella note.txt"), "delete");
    assert_string_equal(deeds_of(bench, "Puoi cancellarlo, per favore?"), "delete");
    assert_string_equal(deeds_of(bench, "Non cancellare il file"), "!delete");
    assert_string_equal(deeds_of(bench, "mandami il rapporto"), "send");
    assert_string_equal(deeds_of(bench, "chiudi la PR 31 senza unirla"), "close !merge");
    assert_string_equal(deeds_of(bench, "accendi la luce in cucina"), "turn_on");
    assert_string_equal(deeds_of(bench, "leggi a.txt e poi invialo ad Anna"), "read send");
}

static void only_evidence_forbids_a_tool(void **state)
{
    struct bench *bench = *state;
    assert_true(forbids(bench, "read a.txt", "delete_file"));
    assert_true(forbids(bench, "don't delete a.txt", "delete_file"));
    assert_true(forbids(bench, "how do I delete a file?", "delete_file"));
    assert_true(forbids(bench, "did you delete a.txt?", "delete_file"));
    assert_true(forbids(bench, "what is in a.txt?", "write_file"));
    assert_false(forbids(bench, "tidy up my inbox and show the rest", "archive_mail"));
    assert_false(forbids(bench, "handle the invoice", "pay_invoice"));
    assert_false(forbids(bench, "I'm done with issue 12", "close_issue"));
    assert_false(forbids(bench, "take care of the bill", "pay_bill"));
    assert_false(forbids(bench, "what is 3 plus 4?", "get_sum"));
    assert_false(forbids(bench, "plot the sales", "create_chart"));
    assert_false(forbids(bench, "yes", "delete_file"));
}

static void a_tool_changes_something_by_its_name_or_else_by_its_description(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *name, *description;
        bool changes;
    } tools[] = {
        { "delete_file", NULL, true },
        { "read_file", NULL, false },
        { "file_info", "Type, size and date", false },
        { "git_log", "Shows the commits", false },
        { "git_commit", "Records what is staged", true },
        { "add", "Adds two numbers", false },
        { "add_note", "Adds a note", true },
        { "match_results", "Returns the results", false },
        { "weather", NULL, false },
    };
    assert_int_equal(try_to_read(bench, "what is that?"), ERR_NONE);
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        struct tool tool = tool_named(tools[i].name, tools[i].description);
        if (request_verbs_tool_changes(&bench->verbs, &tool) != tools[i].changes)
            fail_msg("%s", tools[i].name);
    }
    struct tool hinted = tool_named("delete_file", NULL);
    hinted.read_only = HINT_YES;
    assert_false(request_verbs_tool_changes(&bench->verbs, &hinted));
}

static void a_file_of_the_settings_adds_verbs_deeds_and_opposites(void **state)
{
    struct bench *bench = *state;
    bench->services.assets.override_path = "data/verbs/deeds.txt";
    bench->services.assets.override_text = "yeet chuck..out -> defenestrate\n"
                                           "defenestrate -> !catch\ncatch -> catch\n"
                                           "audit -> audit\naudit -> @reads\n";
    assert_string_equal(deeds_of(bench, "yeet it"), "defenestrate");
    assert_true(bench->verbs.list[0].changes);
    assert_string_equal(deeds_of(bench, "chuck the old box out"), "defenestrate");
    assert_string_equal(deeds_of(bench, "audit the box"), "audit");
    assert_false(bench->verbs.list[0].changes);
    assert_int_equal(fit(bench, "yeet the box", "catch_box"), VERB_OPPOSITE);
    assets_finish(&bench->services.assets.base);
    bench->services.assets.override_text = "yeet delete";
    assert_int_equal(try_to_read(bench, "yeet it"), ERR_INVALID);
    assert_non_null(strstr(bench->err.message, "line 1: there is no"));
}

static void verbs_are_read_up_to_the_bound_of_words(void **state)
{
    struct bench *bench = *state;
    char *text = arena_strdup(&bench->arena, "");
    for (size_t i = 0; i + 1 < REQUEST_MAX_VERB_WORDS; i++)
        text = arena_printf(&bench->arena, "%szebra ", text);
    assert_string_equal(deeds_of(bench, arena_printf(&bench->arena, "%sdelete", text)), "delete");
    assert_string_equal(deeds_of(bench, arena_printf(&bench->arena, "%szebra delete", text)), "");
}

static void the_bytes_of_a_verb_are_told(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(try_to_read(bench, "“Ännchen” – bitte lösche “a b” und das"), ERR_NONE);
    assert_int_equal(bench->verbs.list[0].offset, strlen("“Ännchen” – bitte "));
    assert_int_equal(bench->verbs.list[0].length, strlen("lösche"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_capital_within_a_sentence_makes_a_noun, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_verb_and_its_opposite_are_told_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(to_perform_says_what_the_noun_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(imperatives_infinitives_and_polite_forms_are_verbs, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_noun_quoted_or_a_value_is_no_verb, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(negations_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_question_asks_for_no_deed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tool_is_compared_by_its_verb, set_up, tear_down),
        cmocka_unit_test_setup_teardown(german_requests_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(french_requests_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spanish_requests_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(italian_requests_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_evidence_forbids_a_tool, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_tool_changes_something_by_its_name_or_else_by_its_description, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_the_settings_adds_verbs_deeds_and_opposites,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(verbs_are_read_up_to_the_bound_of_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_bytes_of_a_verb_are_told, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
