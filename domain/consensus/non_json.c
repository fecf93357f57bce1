/* Values of JSON that only say what should stand in their places: a schema's words for types, the
 * key said back, "your name here", "item 1, item 2, item 3". The rule is about all texts of the
 * value: one that is data makes it an answer. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/consensus/consensus_internal.h"
#include <ctype.h>
#include <string.h>

#define MAX_DEPTH 16
#define MIN_STEM 3    /* letters: "Q1" may be a quarter */
#define MAX_FORMS 100 /* so many, and no data, are all that has to be seen */

static const char type_words[] =
    " string str text number integer int float double boolean bool array object null date any "
    "zeichenkette zahl wahrheitswert chaîne nombre booléen cadena número numero booleano stringa ";
static const char *const type_tasks[] = { "type", "schema", "typ", "esquema", "tipo", "schéma" };
static const char *const to_do[] = { "TODO", "TBD", "FIXME", "XXX", "...", "\xE2\x80\xA6" };

struct looking {
    const char *task;
    size_t n_forms, n_data;
};

/* "<id>" and "{id}" under the key "id". */
static bool is_key_again(const char *key, const char *text)
{
    size_t n = strlen(key), length = strlen(text);
    return n && length == n + 2 && strchr("<{[", *text) && strncasecmp(text + 1, key, n) == 0;
}

static bool is_form_text(const struct looking *looking, const char *key, const char *text)
{
    bool names_types = false;
    for (size_t i = 0; i < ARRAY_LENGTH(type_tasks); i++)
        names_types = names_types || strcasestr(looking->task, type_tasks[i]) ||
                      (key && strcasestr(key, type_tasks[i]));
    return (!names_types && text_is_listed(type_words, text, strlen(text))) ||
           text_is_one_of(text, to_do, ARRAY_LENGTH(to_do)) || (key && is_key_again(key, text)) ||
           candidate_says_nothing(candidate_bare(text), looking->task) ||
           (key && candidate_only_names(text, key, looking->task));
}

static void look(struct looking *looking, const char *key, const json_t *value, unsigned depth)
{
    const char *name;
    const json_t *member;
    if (looking->n_data || looking->n_forms == MAX_FORMS)
        return;
    if (json_is_string(value))
        *(is_form_text(looking, key, json_string_value(value)) ? &looking->n_forms
                                                               : &looking->n_data) += 1;
    else if (!json_is_object(value) && !json_is_array(value))
        looking->n_data++;
    for (size_t i = 0; depth < MAX_DEPTH && i < json_array_size(value); i++)
        look(looking, key, json_array_get(value, i), depth + 1);
    json_each_member (value, name, member)
        if (depth < MAX_DEPTH)
            look(looking, name, member, depth + 1);
}

/* ["color1", "color2"]: what the task asks for, with the numbers from one on; the task has no
 * "color1". */
static bool is_counted(const json_t *list, const char *task)
{
    AUTO(arena) arena = { 0 };
    const char *first = json_string_value(json_array_get(list, 0));
    size_t n = json_array_size(list), length = first ? strcspn(first, " 1") : 0;
    struct span word = { first, length };
    const char *stem = first ? arena_strndup(&arena, first, length) : "";
    if (n < 2 || n > 9 || length < MIN_STEM || strstr(task, first) ||
        (!strcasestr(task, stem) && !candidate_gap_words(word)))
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        size_t at = text ? strspn(text + strnlen(text, length), " ") : 0;
        if (!text || strncmp(text, first, length) != 0 || text[length + at] != (char)('1' + i) ||
            text[length + at + 1])
            return false;
    }
    return true;
}

bool candidate_is_form(const json_t *value, const char *task)
{
    struct looking looking = { .task = task };
    if (is_counted(value, task))
        return true;
    look(&looking, NULL, value, 0);
    return looking.n_forms && !looking.n_data;
}
