#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/unit/application/orchestrators/lexical/slot_rows.h"
#include <stdlib.h>
#include <string.h>

#define NUMBERS "{\"base\":{\"type\":\"integer\"},\"height\":{\"type\":\"number\"}}"

static void gives_numbers_to_the_parameters_named_beside_them(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { NUMBERS, "[\"base\",\"height\"]", "a height of 2.5 and a base of 10",
          "{\"base\":10,\"height\":2.5}" },
        { NUMBERS, "[\"base\",\"height\"]", "height=3, base=4", "{\"base\":4,\"height\":3}" },
        { NUMBERS, "[\"base\"]", "base seven", "{\"base\":7}" },
        { NUMBERS, "[\"base\"]", "a base of 3 million", "{\"base\":3000000}" },
        { NUMBERS, "[\"base\"]", "a base of 1,250 m", "{\"base\":1250}" },
        { NUMBERS, "[\"base\"]", "a base of -4", "{\"base\":-4}" },
        { NUMBERS, "[]", "something with 5", "{}" },
        { NUMBERS, "[\"height\"]", "height 5%", "{\"height\":0.05}" },
        { "{\"numbers\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}}}", "[\"numbers\"]",
          "the mean of 3, 4.5 and 5", "{\"numbers\":[3,4.5,5]}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define SEARCH                                                                                     \
    "{\"query\":{\"type\":\"string\",\"description\":\"text to find in the contents\"},"           \
    "\"name\":{\"type\":\"string\",\"description\":\"glob for file names\"},"                      \
    "\"path\":{\"type\":\"string\",\"description\":\"folder, relative to the workspace\"}}"

#define READ "{\"path\":{\"type\":\"string\",\"description\":\"file to read\"}}"

static void gives_folders_searched_words_and_assigned_words(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { SEARCH, "[]", "search for TODO", "{\"query\":\"TODO\"}" },
        { SEARCH, "[]", "search for plums in the folder notes",
          "{\"path\":\"notes\",\"query\":\"plums\"}" },
        { SEARCH, "[]", "look in the notes folder", "{\"path\":\"notes\"}" },
        { SEARCH, "[]", "look in the docs folder sorted by date", "{\"path\":\"docs\"}" },
        { SEARCH, "[]", "search in notes for plums", "{\"path\":\"notes\",\"query\":\"plums\"}" },
        { SEARCH, "[]", "look for files named *.log", "{\"name\":\"*.log\"}" },
        { SEARCH, "[]", "look for PLUM there in .rs files",
          "{\"name\":\"*.rs\",\"query\":\"PLUM\"}" },
        { SEARCH, "[]", "grep in logs", "{\"path\":\"logs\"}" },
        { SEARCH, "[]", "run it on sales.csv", "{}" },
        { READ, "[\"path\"]", "read LICENSE", "{\"path\":\"LICENSE\"}" },
        { SEARCH, "[]", "show the folder contents", "{}" },
        { SEARCH, "[]", "search query=cats", "{\"query\":\"cats\"}" },
        { SEARCH, "[]", "search the plums as text", "{\"query\":\"plums\"}" },
        { READ, "[\"path\"]", "read 6.md as text", "{\"path\":\"6.md\"}" },
        { READ, "[\"path\"]", "read 2024_notes.md", "{\"path\":\"2024_notes.md\"}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define CARD "{\"card\":{\"type\":\"string\",\"pattern\":\"^[0-9]{4}$\"}}"
#define BRANCH                                                                                     \
    "{\"branch\":{\"type\":\"string\"},"                                                           \
    "\"repo\":{\"type\":\"string\",\"pattern\":\"^[^/ ]+/[^/ ]+$\"}}"
#define ROOM                                                                                       \
    "{\"room\":{\"type\":\"string\",\"description\":\"which one, for example kitchen or living "   \
    "room\"}}"
#define METHOD "{\"method\":{\"enum\":[\"tool\",\"squash\"]}}"

static void gives_what_the_schema_shows_or_its_pattern_takes(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { CARD, "[\"card\"]", "freeze card 0937", "{\"card\":\"0937\"}" },
        { CARD, "[\"card\"]", "freeze card 93", "{}" },
        { BRANCH, "[\"repo\",\"branch\"]", "make a branch in acme/api", "{\"repo\":\"acme/api\"}" },
        { ROOM, "[\"room\"]", "turn on the kitchen light", "{\"room\":\"kitchen\"}" },
        { ROOM, "[\"room\"]", "turn on the living room light", "{\"room\":\"living room\"}" },
        { METHOD, "[]", "tool it with squash", "{\"method\":\"squash\"}" },
        { METHOD, "[]", "with the method tool", "{\"method\":\"tool\"}" },
        { SEARCH, "[]", "who made logs/app.log", "{}" },
        { "{\"guests\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"format\":\"email\"}}}",
          "[]", "guests jo@example.com and kim@example.com",
          "{\"guests\":[\"jo@example.com\",\"kim@example.com\"]}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define FOLDER "{\"path\":{\"type\":\"string\",\"description\":\"folder to list\"}}"
#define ENTITIES                                                                                   \
    "{\"entities\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"name\":"   \
    "{\"type\":\"string\"},\"entityType\":{\"type\":\"string\"},\"observations\":{\"type\":"       \
    "\"array\",\"items\":{\"type\":\"string\"}}},\"required\":[\"name\",\"entityType\","           \
    "\"observations\"]}}}"
#define TICKETS "{\"status\":{\"enum\":[\"open\",\"closed\"]}}"

static void gives_folders_ids_choices_and_objects_in_everyday_words(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { FOLDER, "[]", "list everything in the folder \"old photos\"",
          "{\"path\":\"old photos\"}" },
        { FOLDER, "[]", "ls -l assets", "{\"path\":\"assets\"}" },
        { FOLDER, "[]", "liste src three levels deep", "{\"path\":\"src\"}" },
        { FOLDER, "[\"path\"]", "crée un nouveau dossier", "{}" },
        { "{\"machine\":{\"type\":\"string\"}}", "[\"machine\"]", "start build-runner-3",
          "{\"machine\":\"build-runner-3\"}" },
        { TICKETS, "[]", "which open tickets are there", "{\"status\":\"open\"}" },
        { TICKETS, "[]", "open a ticket", "{}" },
        { "{\"subject\":{\"type\":\"string\"}}", "[\"subject\"]", "a ticket: rear brake squeals",
          "{\"subject\":\"rear brake squeals\"}" },
        { ENTITIES, "[\"entities\"]",
          "an entity \"Otto\" of type person with the observation \"plays the cello\"",
          "{\"entities\":[{\"entityType\":\"person\",\"name\":\"Otto\",\"observations\":"
          "[\"plays the cello\"]}]}" },
        { ENTITIES, "[\"entities\"]", "an entity \"Otto\" of type person", "{}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define MESSAGE                                                                                    \
    "{\"message_id\":{\"type\":\"string\",\"description\":\"id of the message, for example "       \
    "msg-1\","                                                                                     \
    "\"pattern\":\"^msg-[0-9]+$\"}}"
#define PLATE "{\"plate\":{\"type\":\"string\",\"description\":\"Licence plate, e.g. KA-TR 512\"}}"
#define OBJECT_NUMBER                                                                              \
    "{\"number\":{\"type\":\"string\",\"description\":\"Inventory number, such as 1987.44.2\"}}"
#define DOMAIN "{\"zone\":{\"type\":\"string\",\"description\":\"Zone, e.g. example.org\"}}"

static void takes_what_is_built_like_the_example(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { MESSAGE, "[\"message_id\"]", "archive msg-2231", "{\"message_id\":\"msg-2231\"}" },
        { MESSAGE, "[\"message_id\"]", "archive ev-2231", "{}" },
        { PLATE, "[\"plate\"]", "unlock B-MX 88, please", "{\"plate\":\"B-MX 88\"}" },
        { PLATE, "[\"plate\"]", "unlock it", "{}" },
        { OBJECT_NUMBER, "[\"number\"]", "show 1962.18.", "{\"number\":\"1962.18\"}" },
        { DOMAIN, "[\"zone\"]", "the records of lindenworks.org?",
          "{\"zone\":\"lindenworks.org\"}" },
        { DOMAIN, "[\"zone\"]", "the records of tidewater", "{}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define EDITS                                                                                      \
    "{\"edits\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"oldText\":"   \
    "{\"type\":\"string\"},\"newText\":{\"type\":\"string\"}},\"required\":[\"oldText\","          \
    "\"newText\"]"                                                                                 \
    "}}}"
#define RELATIONS                                                                                  \
    "{\"relations\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"from\":"  \
    "{\"type\":\"string\"},\"to\":{\"type\":\"string\"},\"relationType\":{\"type\":\"string\"}},"  \
    "\"required\":[\"from\",\"to\",\"relationType\"]}}}"
#define ITEMS "{\"items\":{\"type\":\"array\",\"items\":" STRING "}}"
#define DEGREES "{\"degrees\":{\"type\":\"integer\",\"enum\":[90,180,270]}}"
#define PASSENGERS "{\"passengers\":{\"type\":\"integer\"}}"
#define AMOUNTS "{\"min_amount\":{\"type\":\"number\"},\"max_amount\":{\"type\":\"number\"}}"

static void gives_what_the_verb_is_done_to(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { EDITS, "[\"edits\"]", "replace 'port = 1' with 'port = 2'",
          "{\"edits\":[{\"newText\":\"port = 2\",\"oldText\":\"port = 1\"}]}" },
        { RELATIONS, "[\"relations\"]", "add the relation works_at from Ines to Acme",
          "{\"relations\":[{\"from\":\"Ines\",\"relationType\":\"works_at\",\"to\":\"Acme\"}]}" },
        { ITEMS, "[\"items\"]", "please add oat milk, bananas and rye bread to the list",
          "{\"items\":[\"oat milk\",\"bananas\",\"rye bread\"]}" },
        { "{\"item\":" STRING "}", "[\"item\"]", "take 200 grams of flour out of stock",
          "{\"item\":\"flour\"}" },
        { "{\"item\":" STRING "}", "[\"item\"]", "what is out of stock", "{}" },
        { DEGREES, "[\"degrees\"]", "rotate it by 90 degrees", "{\"degrees\":90}" },
        { PASSENGERS, "[]", "flights for two people", "{\"passengers\":2}" },
        { AMOUNTS, "[]", "payments, 200 or more", "{\"min_amount\":200}" },
        { SEARCH, "[]", "search names matching *_test.go that contain \"Skip\"",
          "{\"name\":\"*_test.go\",\"query\":\"Skip\"}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define PLACES "{\"from\":{\"type\":\"string\"},\"to\":{\"type\":\"string\"}}"

static void gives_text_by_quotes_capitals_and_prepositions(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { "{\"city\":{\"type\":\"string\"}}", "[\"city\"]", "What is the weather in New York?",
          "{\"city\":\"New York\"}" },
        { PLACES, "[\"from\",\"to\"]", "a train to Rome from Paris",
          "{\"from\":\"Paris\",\"to\":\"Rome\"}" },
        { "{\"text\":{\"type\":\"string\"}}", "[\"text\"]", "translate \"Guten Tag, Welt\" now",
          "{\"text\":\"Guten Tag, Welt\"}" },
        { "{\"path\":{\"type\":\"string\"}}", "[\"path\"]", "read docs/notes.txt for me",
          "{\"path\":\"docs/notes.txt\"}" },
        { "{\"path\":{\"type\":\"string\"}}", "[\"path\"]", "read ./a/b now",
          "{\"path\":\"./a/b\"}" },
        { "{\"topic\":{\"type\":\"string\"}}", "[\"topic\"]", "find books about deep sea fish",
          "{\"topic\":\"deep sea fish\"}" },
        { "{\"names\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}", "[\"names\"]",
          "invite 'Ann', 'Bob' and 'Cy'", "{\"names\":[\"Ann\",\"Bob\",\"Cy\"]}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

static void reads_dates_choices_and_switches(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { "{\"date\":{\"type\":\"string\",\"description\":\"in the format YYYY-MM-DD\"}}",
          "[\"date\"]", "on May 5, 2022", "{\"date\":\"2022-05-05\"}" },
        { "{\"date\":{\"type\":\"string\"}}", "[\"date\"]", "on 5 May 2022",
          "{\"date\":\"5 May 2022\"}" },
        { "{\"date\":{\"type\":\"string\",\"format\":\"date\"}}", "[\"date\"]", "on 2022-05-05",
          "{\"date\":\"2022-05-05\"}" },
        { "{\"unit\":{\"type\":\"string\",\"enum\":[\"celsius\",\"kelvin\"]}}", "[]",
          "how warm is it in Kelvin", "{\"unit\":\"kelvin\"}" },
        { "{\"unit\":{\"type\":\"string\",\"enum\":[\"celsius\",\"kelvin\"]}}", "[\"unit\"]",
          "how warm is Oslo", "{}" },
        { "{\"order\":{\"type\":\"string\",\"enum\":[\"high\",\"very_high\"]}}", "[]",
          "very high please", "{\"order\":\"very_high\"}" },
        { "{\"include_hidden\":{\"type\":\"boolean\"}}", "[]", "list all, include hidden files",
          "{\"include_hidden\":true}" },
        { "{\"include_hidden\":{\"type\":\"boolean\"}}", "[]", "list all without hidden files",
          "{\"include_hidden\":false}" },
        { "{\"include_hidden\":{\"type\":\"boolean\"}}", "[]", "list all files", "{}" },
        { "{\"filter\":{\"type\":\"object\"}}", "[\"filter\"]", "with filter 5", "{}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define CASE "{\"ignore_case\":{\"type\":\"boolean\"}}"
#define SENSITIVE "{\"case_sensitive\":{\"type\":\"boolean\"}}"
#define WRITE                                                                                      \
    "{\"overwrite\":{\"type\":\"boolean\",\"description\":\"replace the file if it exists\"}}"
#define SHUFFLE "{\"shuffle\":{\"type\":\"boolean\",\"description\":\"Play in random order\"}}"
#define STATE "{\"state\":{\"type\":\"string\",\"enum\":[\"open\",\"closed\",\"all\"]}}"
#define POWER "{\"power\":{\"type\":\"string\",\"enum\":[\"on\",\"off\"]}}"
#define SORT "{\"order\":{\"type\":\"string\",\"enum\":[\"asc\",\"desc\"]}}"

static void reads_flags_and_choices_by_their_words(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { CASE, "[]", "find TODO, ignoring case", "{\"ignore_case\":true}" },
        { CASE, "[]", "grep -i TODO", "{\"ignore_case\":true}" },
        { CASE, "[]", "grep -rni TODO", "{\"ignore_case\":true}" },
        { CASE, "[]", "a case-insensitive search", "{\"ignore_case\":true}" },
        { CASE, "[]", "regardless of upper or lower case", "{\"ignore_case\":true}" },
        { CASE, "[]", "suche TODO, Groß- und Kleinschreibung egal", "{\"ignore_case\":true}" },
        { CASE, "[]", "cherche TODO sans tenir compte de la casse", "{\"ignore_case\":true}" },
        { CASE, "[]", "busca TODO sin distinguir mayúsculas", "{\"ignore_case\":true}" },
        { CASE, "[]", "cerca TODO ignorando maiuscole e minuscole", "{\"ignore_case\":true}" },
        { CASE, "[]", "in this case find TODO", "{}" },
        { SENSITIVE, "[]", "ignoring case", "{\"case_sensitive\":false}" },
        { SENSITIVE, "[]", "grep -i TODO", "{\"case_sensitive\":false}" },
        { SENSITIVE, "[]", "case sensitive please", "{\"case_sensitive\":true}" },
        { WRITE, "[]", "write it and overwrite what is there", "{\"overwrite\":true}" },
        { WRITE, "[]", "write it but don't overwrite", "{\"overwrite\":false}" },
        { WRITE, "[]", "write the file", "{}" },
        { SHUFFLE, "[]", "play it in random order", "{\"shuffle\":true}" },
        { STATE, "[]", "which closed issues are there", "{\"state\":\"closed\"}" },
        { STATE, "[]", "zeige die offenen Tickets", "{\"state\":\"open\"}" },
        { STATE, "[]", "open an issue", "{}" },
        { POWER, "[\"power\"]", "turn the light off", "{\"power\":\"off\"}" },
        { POWER, "[\"power\"]", "what is on the light", "{}" },
        { SORT, "[]", "in descending order", "{\"order\":\"desc\"}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define MAIL                                                                                       \
    "{\"to\":{\"type\":\"string\",\"format\":\"email\"},\"subject\":" STRING ",\"text\":" STRING "}"
#define MAIL_REQUIRED "[\"to\",\"subject\",\"text\"]"
#define ISSUE                                                                                      \
    "{\"repository\":" STRING ",\"title\":" STRING ",\"body\":" STRING                             \
    ",\"labels\":{\"type\":\"array\",\"items\":" STRING "}}"
#define COMMENT "{\"task_id\":" STRING ",\"comment\":" STRING "}"
#define TASK "{\"title\":" STRING ",\"due_date\":{\"type\":\"string\",\"format\":\"date\"}}"

static void gives_free_text_all_of_its_words(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { MAIL, MAIL_REQUIRED,
          "send an e-mail to ann@example.org with subject Budget and text The numbers are in.",
          "{\"subject\":\"Budget\",\"text\":\"The numbers are in.\",\"to\":\"ann@example.org\"}" },
        { MAIL, MAIL_REQUIRED,
          "schick eine Mail an ann@example.org mit dem Betreff Budget und dem Text Die Zahlen sind "
          "da.",
          "{\"subject\":\"Budget\",\"text\":\"Die Zahlen sind da.\",\"to\":\"ann@example.org\"}" },
        { MAIL, MAIL_REQUIRED,
          "envoie un mail à ann@example.org avec l'objet Budget et le texte Les chiffres sont là.",
          "{\"subject\":\"Budget\",\"text\":\"Les chiffres sont "
          "là.\",\"to\":\"ann@example.org\"}" },
        { MAIL, MAIL_REQUIRED,
          "envía un correo a ann@example.org con asunto Presupuesto y texto Ya están los números.",
          "{\"subject\":\"Presupuesto\",\"text\":\"Ya están los números.\","
          "\"to\":\"ann@example.org\"}" },
        { MAIL, MAIL_REQUIRED,
          "manda una mail a ann@example.org con oggetto Bilancio e testo I numeri ci sono.",
          "{\"subject\":\"Bilancio\",\"text\":\"I numeri ci sono.\",\"to\":\"ann@example.org\"}" },
        { MAIL, MAIL_REQUIRED, "send an e-mail to Bob about the budget",
          "{\"subject\":\"budget\"}" },
        { MAIL, MAIL_REQUIRED, "mail ann@example.org that I am late",
          "{\"text\":\"I am late\",\"to\":\"ann@example.org\"}" },
        { ISSUE, "[\"repository\",\"title\"]", "open an issue titled crash on start in acme/app",
          "{\"repository\":\"acme/app\",\"title\":\"crash on start\"}" },
        { ISSUE, "[\"repository\",\"title\"]",
          "create an issue with title Crash and labels bug, urgent and ui",
          "{\"labels\":[\"bug\",\"urgent\",\"ui\"],\"title\":\"Crash\"}" },
        { COMMENT, "[\"task_id\",\"comment\"]", "comment on T-104: it arrives on Monday, wait",
          "{\"comment\":\"it arrives on Monday, wait\",\"task_id\":\"T-104\"}" },
        { COMMENT, "[\"task_id\",\"comment\"]", "comment on the task on Monday", "{}" },
        { TASK, "[\"title\"]", "new task: water the plants in the lobby, due 2026-12-03",
          "{\"due_date\":\"2026-12-03\",\"title\":\"water the plants in the lobby\"}" },
        { TASK, "[\"title\"]", "create a task with Bob", "{}" },
        { TASK, "[\"title\"]", "create a task due tomorrow", "{\"due_date\":\"2026-11-24\"}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define LAMP "{\"room\":" STRING ",\"on\":{\"type\":\"boolean\"}}"
#define TRANSLATE                                                                                  \
    "{\"text\":" STRING                                                                            \
    ",\"target_language\":{\"type\":\"string\",\"description\":\"Language code\"}}"
#define COPY                                                                                       \
    "{\"source\":{\"type\":\"string\",\"description\":\"File to copy\"},"                          \
    "\"destination\":{\"type\":\"string\",\"description\":\"Where to\"}}"
#define FROM_TO                                                                                    \
    "{\"from_language\":" STRING ",\"to_language\":{\"type\":\"string\","                          \
    "\"enum\":[\"English\",\"Italian\"]}}"
#define QUERY                                                                                      \
    "{\"path\":{\"type\":\"string\",\"description\":\"file, relative to the workspace folder\"},"  \
    "\"sql\":" STRING "}"
#define VALVE "{\"valve_id\":" STRING ",\"percent\":{\"type\":\"integer\"}}"
#define SHOWN_ID                                                                                   \
    "{\"task_id\":{\"type\":\"string\",\"description\":\"Task id, for example T-104\"}}"
#define EXCLUDE "{\"excludePatterns\":{\"type\":\"array\",\"items\":" STRING "}}"
#define COPIES "{\"to\":" STRING ",\"cc\":{\"type\":\"array\",\"items\":" STRING "}}"

static void reads_switches_codes_places_and_paths(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { LAMP, "[\"room\",\"on\"]", "turn on the light in the kitchen",
          "{\"on\":true,\"room\":\"kitchen\"}" },
        { LAMP, "[\"room\",\"on\"]", "schalte das Licht in der Küche aus",
          "{\"on\":false,\"room\":\"Küche\"}" },
        { LAMP, "[\"room\",\"on\"]", "allume la lumière dans la cuisine",
          "{\"on\":true,\"room\":\"cuisine\"}" },
        { LAMP, "[\"room\",\"on\"]", "apaga la luz en la cocina",
          "{\"on\":false,\"room\":\"cocina\"}" },
        { LAMP, "[\"room\",\"on\"]", "spegni la luce in cucina",
          "{\"on\":false,\"room\":\"cucina\"}" },
        { TRANSLATE, "[\"text\",\"target_language\"]", "translate \"good day\" into German",
          "{\"target_language\":\"de\",\"text\":\"good day\"}" },
        { TRANSLATE, "[\"text\",\"target_language\"]", "traduis « bonjour » en espagnol",
          "{\"target_language\":\"es\",\"text\":\"bonjour\"}" },
        { COPY, "[\"source\",\"destination\"]", "copy a.txt to b.txt",
          "{\"destination\":\"b.txt\",\"source\":\"a.txt\"}" },
        { COPY, "[\"source\",\"destination\"]", "kopiere a.txt nach b.txt",
          "{\"destination\":\"b.txt\",\"source\":\"a.txt\"}" },
        { "{\"name\":" STRING "}", "[]", "which name has it", "{}" },
        { "{\"url\":{\"type\":\"string\",\"format\":\"uri\"}}", "[\"url\"]",
          "get https://example.org/a?b=1&c=2.", "{\"url\":\"https://example.org/a?b=1&c=2\"}" },
        { FROM_TO, "[\"to_language\"]", "from English to Italian please",
          "{\"from_language\":\"English\",\"to_language\":\"Italian\"}" },
        { QUERY, "[\"path\",\"sql\"]", "SELECT a FROM t GROUP BY a on b.csv",
          "{\"path\":\"b.csv\",\"sql\":\"SELECT a FROM t GROUP BY a\"}" },
        { QUERY, "[\"path\",\"sql\"]", "SELECT a FROM t GROUP BY a",
          "{\"sql\":\"SELECT a FROM t GROUP BY a\"}" },
        { VALVE, "[\"valve_id\"]", "öffne Ventil V-3 auf 40 %",
          "{\"percent\":40,\"valve_id\":\"V-3\"}" },
        { SEARCH, "[]", "suche nach Lindner in den Dateien", "{\"query\":\"Lindner\"}" },
        { SEARCH, "[]", "find files named report.py", "{\"name\":\"report.py\"}" },
        { "{\"playlist\":" STRING "}", "[\"playlist\"]", "add it to a playlist", "{}" },
        { SHOWN_ID, "[\"task_id\"]", "delete T-9", "{\"task_id\":\"T-9\"}" },
        { SHOWN_ID, "[\"task_id\"]", "delete trk_11", "{}" },
        { QUERY, "[\"path\",\"sql\"]", "how many Words has a.csv", "{\"path\":\"a.csv\"}" },
        { EXCLUDE, "[]", "the tree without node_modules",
          "{\"excludePatterns\":[\"node_modules\"]}" },
        { READ, "[\"path\"]", "show the files of src", "{}" },
        { READ, "[\"path\"]", "Lies LICENSE", "{\"path\":\"LICENSE\"}" },
        { READ, "[\"path\"]", "Read LICENSE", "{\"path\":\"LICENSE\"}" },
        { "{\"style\":" STRING "}", "[\"style\"]", "paint it on the kitchen wall", "{}" },
        { COPIES, "[\"to\"]", "mail ann@x.org and bob@x.org", "{\"to\":\"ann@x.org\"}" },
        { SEARCH, "[]", "grep 'BATTERY LOW' logs/app.log",
          "{\"name\":\"app.log\",\"path\":\"logs\",\"query\":\"BATTERY LOW\"}" },
        { SEARCH, "[]", "find markdown files in docs", "{\"name\":\"*.md\",\"path\":\"docs\"}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

static void says_where_a_value_came_from(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_slots slots;
    static const struct slot_row row = { "{\"text\":{\"type\":\"string\"}}", "[\"text\"]",
                                         "say \"hi\" loudly", NULL };
    slot_rows_fill(&arena, &row, &slots);
    assert_int_equal(slots.n_slots, 1);
    assert_string_equal(slots.slots[0].parameter, "text");
    assert_string_equal(slots.slots[0].rule, "quoted");
    assert_string_equal(slots.slots[0].said, "\"hi\"");
    assert_string_equal(json_string_value(slots.slots[0].value), "hi");
}

static void check_spans(const struct slot_row *row, const char *wanted)
{
    AUTO(arena) arena = { 0 };
    struct lexical_slots slots;
    const char *got = "";
    slot_rows_fill(&arena, row, &slots);
    for (size_t i = 0; i < slots.n_spans; i++)
        got = arena_printf(&arena, "%s[%.*s]", got, (int)slots.spans[i].length,
                           row->request + slots.spans[i].offset);
    assert_string_equal(got, wanted);
}

static void tells_which_words_the_values_used_up(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { PLACES, "[]", "a slow train to Rome from Paris now", "[to Rome from Paris]" },
        { MAIL, MAIL_REQUIRED, "mail ann@x.org with the subject Hi and text Well, hello.",
          "[ann@x.org with the subject Hi and text Well, hello]" },
        { WRITE, "[]", "write it without overwriting", "[without overwriting]" },
        { AT, "[]", "meet tomorrow at 3 pm please", "[tomorrow at 3 pm]" },
        { LIMIT, "[]", "print the first 5 results", "[the first 5 results]" },
        { START_AND_COUNT, "[]", "read the last line", "" },
        { LINES, "[]", "read the last 5 lines", "" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        check_spans(&rows[i], rows[i].args);
}

#define PEOPLE "{\"player\":{\"type\":\"string\"},\"club\":{\"type\":\"string\"}}"
#define TOPIC_TEXT "{\"task\":{\"type\":\"string\"}}"
#define PLACE_KIND "{\"room_type\":{\"type\":\"string\"}}"

static void leaves_open_what_little_speaks_for(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { NUMBERS, "[\"base\",\"height\"]", "for 10 and 20", "{}" },
        { NUMBERS, "[\"base\",\"height\"]", "a base of 10 and 20", "{\"base\":10,\"height\":20}" },
        { "{\"num1\":{\"type\":\"integer\"},\"num2\":{\"type\":\"integer\"}}",
          "[\"num1\",\"num2\"]", "for 10 and 20", "{\"num1\":10,\"num2\":20}" },
        { "{\"num1\":{\"type\":\"integer\"},\"num2\":{\"type\":\"integer\"}}",
          "[\"num1\",\"num2\"]", "for 10, 20 or 30", "{}" },
        { PEOPLE, "[\"player\",\"club\"]", "how well did Anna Keller do at Rosewood", "{}" },
        { TOPIC_TEXT, "[\"task\"]", "I want two of them to agree", "{}" },
        { PEOPLE, "[\"player\"]", "how well did Anna Keller do", "{\"player\":\"Anna Keller\"}" },
        { PLACE_KIND, "[\"room_type\"]", "book it with a view of the sea", "{}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

/* What slots tell beside the values. */
static void tells_what_it_could_not_take(void **state)
{
    (void)state;
    static const struct {
        const char *properties, *description, *request, *unmet, *wanting;
    } rows[] = {
        { LINES, NULL, "read lines 3 to 5", NULL, NULL },
        { LINES, NULL, "read the last 5 lines", "last 5", NULL },
        { LINES, NULL, "tail -n 5", "tail -n 5", NULL },
        { SEARCH, NULL, "look in the docs folder sorted by date", "sorted", NULL },
        { SEARCH, NULL, "search for plums in notes, newest first", "newest", NULL },
        { SEARCH, "Find text. Give query or name.", "look in the notes folder", NULL, "query" },
        { SEARCH, "Find text. Give query or name.", "search for TODO", NULL, NULL },
        { SEARCH, "Find text. Give query.", "look in the notes folder", NULL, NULL },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_slots slots;
        json_t *schema = json_pack("{s:s, s:o}", "type", "object", "properties",
                                   slot_rows_parse(rows[i].properties));
        struct tool tool = { .name = "tool",
                             .description = rows[i].description,
                             .input_schema = arena_keep_json(&arena, schema) };
        lexical_slots_fill(&arena, &tool, rows[i].request, TODAY, &slots);
        assert_string_equal(slots.unmet ? slots.unmet : "", rows[i].unmet ? rows[i].unmet : "");
        assert_string_equal(slots.wanting ? slots.wanting : "",
                            rows[i].wanting ? rows[i].wanting : "");
    }
}

static void leaves_no_path_that_a_value_has_taken(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { READ, "[\"path\"]", "read a.txt\n\na.txt:\nplums", "0" },
        { READ, "[\"path\"]", "read a.txt b.txt", "1" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_slots slots;
        slot_rows_fill(&arena, &rows[i], &slots);
        assert_int_equal(slots.n_unused, strtoul(rows[i].args, NULL, 10));
    }
}

static void reads_no_more_parameters_than_it_may(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    json_t *properties = json_object();
    for (int i = 0; i < LEXICAL_MAX_PARAMETERS + 1; i++)
        json_object_set_new(properties,
                            arena_printf(&arena, "flag%c%c", 'a' + i / 26, 'a' + i % 26),
                            json_pack("{s:[s]}", "enum", "yes"));
    json_t *schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);
    struct tool tool = { .name = "tool", .input_schema = arena_keep_json(&arena, schema) };
    struct lexical_slots slots;
    lexical_slots_fill(&arena, &tool, "yes", TODAY, &slots);
    assert_int_equal(slots.n_slots, LEXICAL_MAX_PARAMETERS);
}

static void survives_requests_without_words(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { NUMBERS, "[\"base\"]", "", "{}" },          { NUMBERS, "[\"base\"]", "?!.,;", "{}" },
        { NUMBERS, "[\"base\"]", "\"", "{}" },        { NUMBERS, "[\"base\"]", "' ' - . e", "{}" },
        { NUMBERS, "[\"base\"]", "%s%n \x01", "{}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_numbers_to_the_parameters_named_beside_them),
        cmocka_unit_test(gives_folders_searched_words_and_assigned_words),
        cmocka_unit_test(gives_what_the_schema_shows_or_its_pattern_takes),
        cmocka_unit_test(gives_folders_ids_choices_and_objects_in_everyday_words),
        cmocka_unit_test(takes_what_is_built_like_the_example),
        cmocka_unit_test(gives_what_the_verb_is_done_to),
        cmocka_unit_test(gives_text_by_quotes_capitals_and_prepositions),
        cmocka_unit_test(reads_dates_choices_and_switches),
        cmocka_unit_test(reads_flags_and_choices_by_their_words),
        cmocka_unit_test(gives_free_text_all_of_its_words),
        cmocka_unit_test(reads_switches_codes_places_and_paths),
        cmocka_unit_test(says_where_a_value_came_from),
        cmocka_unit_test(tells_which_words_the_values_used_up),
        cmocka_unit_test(leaves_open_what_little_speaks_for),
        cmocka_unit_test(tells_what_it_could_not_take),
        cmocka_unit_test(leaves_no_path_that_a_value_has_taken),
        cmocka_unit_test(reads_no_more_parameters_than_it_may),
        cmocka_unit_test(survives_requests_without_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
