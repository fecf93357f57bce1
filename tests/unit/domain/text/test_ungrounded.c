/* Claims that an answer may not make without a tool, by the patterns of
 * config/words/claims.json. */
#include "domain/base/json.h"
#include "domain/text/ungrounded.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static json_t *patterns;

static int load(void **state)
{
    (void)state;
    patterns = json_load_file(SOURCE_DIR "/config/words/claims.json", 0, NULL);
    return patterns ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    json_decref(patterns);
    return 0;
}

static void check_all(const char *const *answers, size_t n, bool expected)
{
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < n; i++) {
        const char *claim = ungrounded_claim(&arena, patterns, answers[i], "", NULL);
        if ((claim != NULL) != expected)
            fail_msg("%s: \"%s\"", expected ? "passes" : "is refused", answers[i]);
    }
}

static void actions_are_claims(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "I have turned on the light in the hall.",
        "I've deleted a.txt.",
        "I\u2019ve just sent the mail to Ann.",
        "Sure! I have successfully scheduled the meeting.",
        "I have written the summary to notes.md.",
        "The email has been sent to Ann.",
        "The light in the hall has been turned on.",
        "The file a.txt has been deleted.",
        "Ich habe das Licht im Flur eingeschaltet.",
        "Ich habe die Datei a.txt gelöscht.",
        "Gerne, ich habe Ihren Termin gebucht, wie gewünscht.",
        "Die Nachricht wurde an Ann verschickt.",
        "J'ai allumé la lumière.",
        "J'ai bien envoyé le message.",
        "Le fichier a été supprimé.",
        "He encendido la luz.",
        "He enviado el correo a Ana.",
        "Ho acceso la luce.",
        "Ho cancellato il file.",
        "I turned on the light.",
        "I have created the folder reports.",
        "Your table for two is booked.",
        "Your order has been placed.",
        "Your table is now reserved for 7 pm.",
        "The meeting is scheduled for Monday.",
        "Der Tisch wurde f\u00fcr heute Abend gebucht.",
        "Ihr Flug ist gebucht.",
        "Deine Bestellung wurde storniert.",
        "Votre table est r\u00e9serv\u00e9e.",
        "Le vol a \u00e9t\u00e9 annul\u00e9.",
        "Tu mesa est\u00e1 reservada.",
        "Il tavolo \u00e8 stato prenotato.",
        "Je l\u2019ai envoy\u00e9.",
        "Done!",
        "All done.",
        "OK, it's done.",
        "Erledigt!",
        "Das ist erledigt.",
        "C'est fait !",
        "Hecho.",
        "Fatto!",
    };
    check_all(answers, sizeof answers / sizeof *answers, true);
}

static void facts_of_this_moment_are_claims(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "It is 14:35 in Tokyo.",
        "It's currently 2:35 PM.",
        "The current time in Berlin is 9:05.",
        "It is 21 °C and sunny in Kiel.",
        "The temperature in Kiel is 21 degrees.",
        "It's raining in Kiel.",
        "Bitcoin currently costs $65,000.",
        "The light is now off.",
        "You have 3 new emails.",
        "a.txt contains a shopping list.",
        "Es ist 14:35 Uhr.",
        "In Kiel regnet es gerade.",
        "Die Temperatur in Kiel beträgt aktuell 18 Grad.",
        "Il est 14h35 à Paris.",
        "Il fait 20 degrés à Lyon.",
        "Son las 14:35 en Madrid.",
        "Hace 25 grados en Sevilla.",
        "Sono le 14:35 a Roma.",
        "A Roma ora piove.",
        "Today is Monday.",
        "The price of gold is $2,000 per ounce.",
        "The exchange rate is 1.08.",
        "1 euro is about 1.08 dollars.",
        "The stock is trading at 182.50.",
        "The score is 2-1.",
        "There are 3 seats available on that flight.",
        "Es sind noch 4 Zimmer frei.",
        "Der Wechselkurs liegt bei 1,08.",
        "The current price of gold is $2,000 per ounce.",
    };
    check_all(answers, sizeof answers / sizeof *answers, true);
}

static void general_knowledge_and_modesty_pass(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "Hello! How can I help you?",
        "Water boils at 100 °C at sea level.",
        "The Eiffel Tower has been painted nineteen times.",
        "I have not deleted anything; that could not be done.",
        "I could not turn on the light.",
        "I have no access to files or devices.",
        "I have limited knowledge of that.",
        "I have translated the sentence: \"The plums are ripe.\"",
        "I've listed three ideas below.",
        "If I have deleted a file, I cannot bring it back.",
        "Noon is the middle of the day.",
        "The store opens at 8:00 and closes at 18:00.",
        "If it is 12:00 in London, it is 13:00 in Paris.",
        "Gold cost about 850 dollars in 1980.",
        "The average temperature on Mars is low.",
        "A package.json file contains the dependencies.",
        "Paris is the capital of France.",
        "17 times 23 is 391.",
        "He has been to Rome.",
        "Rain falls when air cools.",
        "Ich habe leider keinen Zugriff auf Ihre Dateien.",
        "Ich habe das nicht gelöscht.",
        "Ich habe den Satz übersetzt.",
        "Wasser kocht bei 100 Grad Celsius.",
        "Der Eiffelturm wurde 1889 fertiggestellt.",
        "Je n'ai pas supprimé le fichier.",
        "J'ai traduit la phrase.",
        "La tour a été construite en 1889.",
        "No he borrado nada.",
        "El agua hierve a 100 grados.",
        "Non ho accesso ai tuoi file.",
        "L'acqua bolle a 100 gradi.",
        "I have found three reasons for that.",
        "I have created a poem for you: roses are red.",
        "The average temperature in Kiel is 9 °C.",
        "La temperatura media era de 15 grados.",
        "Ich habe eine Liste mit Ideen zusammengestellt.",
        "The first e-mail was sent in 1971.",
        "Die erste E-Mail wurde 1971 gesendet.",
        "Tables are usually booked by phone.",
        "A euro is 100 cents.",
        "The tax rate is set by parliament.",
        "There are 24 time zones.",
        "A price is what a buyer pays.",
        "If your table is booked, you get a mail.",
        "Your table is not booked.",
        "You have 3 options: walk, cycle or drive.",
        "Well done!",
        "The oven is hot when the cake is done.",
        "Done is better than perfect.",
    };
    check_all(answers, sizeof answers / sizeof *answers, false);
}

static void beside_tools_only_the_authors_deeds_are_claims(void **state)
{
    (void)state;
    static const char *const claims[] = {
        "I have mailed the report to Ann.", "I deleted the file.",
        "Ich habe den Bericht verschickt.", "J'ai envoyé le rapport.",
        "He enviado el informe.",           "Ho inviato il rapporto.",
    };
    static const char *const passes[] = {
        "I have read the file: it is 14:35.",
        "The order has been cancelled.",
        "Done!",
        "I have not mailed it.",
        "I have searched all files.",
        "The light is off.",
        "The mail that I sent is there.",
    };
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (!ungrounded_claim(&arena, patterns, claims[i], "", ""))
            fail_msg("passes: %s", claims[i]);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (ungrounded_claim(&arena, patterns, passes[i], "", ""))
            fail_msg("is refused: %s", passes[i]);
}

static void beside_a_change_deeds_that_its_tool_speaks_for_are_no_claims(void **state)
{
    (void)state;
    static const char write[] = "files/write_file Create a text file in the workspace.";
    static const struct {
        const char *done_by, *answer;
        bool is_claim;
    } rows[] = {
        { write, "I have saved a.md.", false },
        { write, "I have removed the line from a.md.", false },
        { write, "I have sent the mail to Ann.", true },
        { write, "I have written the report to a.md and mailed it to Ann.", true },
        { write, "I wrote a.md and sent it to Ann.", true },
        { write, "Ich habe a.md geschrieben und an Anna geschickt.", true },
        { write, "J'ai écrit a.md et envoyé le courriel.", true },
        { write, "He escrito a.md y enviado el correo.", true },
        { write, "Ho scritto a.md e inviato il messaggio.", true },
        { write, "I have booked the table.", true },
        { write, "I have not sent the mail.", false },
        { write, "The mail that Bob and Ann sent is in a.md.", false },
        { "post/sendMail", "I have sent the mail to Ann.", false },
        { "files/write_file\ncalendar/create_event", "I have invited Ann.", false },
        { "sh/run_command Runs a command.", "I have sent the mail to Ann.", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AUTO(arena) arena = { 0 };
        if (!ungrounded_claim(&arena, patterns, rows[i].answer, "", rows[i].done_by) ==
            rows[i].is_claim)
            fail_msg("%s: %s", rows[i].is_claim ? "passes" : "is refused", rows[i].answer);
    }
}

static void what_was_said_or_told_before_passes(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_null(
        ungrounded_claim(&arena, patterns, "It is 14:35 there.", "the clock says 14:35", NULL));
    assert_non_null(
        ungrounded_claim(&arena, patterns, "It is 14:36 there.", "it says 14:35", NULL));
    assert_null(ungrounded_claim(&arena, patterns, "I have sent the mail.",
                                 "Yes. I have sent the mail. Anything else?", NULL));
}

static void the_sentence_with_the_claim_is_given(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *claim =
        ungrounded_claim(&arena, patterns, "Hello.\nI have sent it. Bye.", "", NULL);
    assert_string_equal(claim, "I have sent it.");
}

static void broken_patterns_and_endless_sentences_do_no_harm(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char text[6 * (UNGROUNDED_MAX_WORDS + 1) + 32] = "";
    for (size_t i = 0; i < UNGROUNDED_MAX_WORDS; i++)
        memcpy(text + 6 * i, "it is ", 7);
    assert_null(ungrounded_claim(&arena, patterns, text, "", NULL));
    memcpy(text + 6 * (size_t)UNGROUNDED_MAX_WORDS, "i have sent it", 15);
    assert_non_null(ungrounded_claim(&arena, patterns, text, "", NULL));
    json_auto_t *broken =
        json_pack("{s:[n, s], s:[s], s:{s:[n]}}", "facts", "", "actions", "@x @none", "lists", "x");
    assert_null(ungrounded_claim(&arena, broken, "I have sent it.", "", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions_are_claims),
        cmocka_unit_test(facts_of_this_moment_are_claims),
        cmocka_unit_test(general_knowledge_and_modesty_pass),
        cmocka_unit_test(beside_tools_only_the_authors_deeds_are_claims),
        cmocka_unit_test(beside_a_change_deeds_that_its_tool_speaks_for_are_no_claims),
        cmocka_unit_test(what_was_said_or_told_before_passes),
        cmocka_unit_test(the_sentence_with_the_claim_is_given),
        cmocka_unit_test(broken_patterns_and_endless_sentences_do_no_harm),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
