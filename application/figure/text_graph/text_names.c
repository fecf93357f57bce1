/* Which phrases are names. There is no dictionary: a name is a short run of words none of which
 * belongs to the words that hold sentences together, and whatever could be a clause instead ("the
 * server and waits", "client rarely") is none. */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

enum { MAX_NAME_WORDS = 8 };

static const char articles[] = " the a an this these ";
static const char possessives[] = " its their ";
static const char ordinals[] = " first second third fourth fifth sixth seventh eighth last ";
/* Words that make a sentence and no name. */
static const char closed_words[] =
    " to into from in on at by for with without via through over under between among across "
    "against about around during within upon onto toward towards inside outside behind beyond per "
    "along beside besides near off out up down as and or but nor so yet if when while whenever "
    "because since until unless although though whereas whether than that which who whom whose "
    "what where why how once before after is are was were be been being has have had do does did "
    "can could may might must shall should will would cannot it they them he she him her we us "
    "you i me one ones itself themselves each every both either neither any some all another "
    "other others none nobody nothing something everything anything someone anyone everyone such "
    "same the an this these those its their his our your my there here not no never also then now "
    "again still just even only too very much more most less least few fewer many several always "
    "often sometimes usually soon later earlier already almost nearly instead otherwise however "
    "therefore thus hence next previous following respective own back away together twice itself "
    "finally former latter rest alone aloud below above better worse e.g i.e etc cf al - – — & ";
/* Bare, they mean something that was said before, and not always the same. */
static const char anaphors[] = " output outputs result results input inputs value values thing "
                               "things step steps process way case part parts side use ";
/* When, and not who; "mar", "sat" and "sun" are things as well. */
static const char times[] =
    " monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays mon tue tues wed thu thur thurs fri "
    "january february march april june july august september october november december "
    "jan feb apr jun jul aug sep sept oct nov dec today tomorrow yesterday tonight morning "
    "afternoon evening noon midday midnight weekday weekend week month year hour o'clock ";
/* Verbs that are not drawn, in their first form; as a bare last word they end a clause. */
static const char other_verbs[] =
    " wait check verify verifie validate close open start stop begin end finish continue process "
    "update "
    "delete remove add apply use keep hold hear win lose discover learn train test compare sleep "
    "grow run work retry fail "
    "exit repeat vote agree move spin block listen die leave join wake try trie become get go come "
    "decide know see look show choose select need want allow let help happen proceed count rest "
    "sort filter authenticate detect average drop ignore ";
/* What two things may share: "the forward and backward passes". */
static const char shared_adjectives[] = " forward backward left right upper lower inner outer "
                                        "positive negative local global public private old new "
                                        "real fake small large input output high low ";

bool phrase_next_word(struct phrase *rest, struct phrase *out_word)
{
    size_t n = 0;
    while (rest->length && rest->text[0] == ' ')
        *rest = phrase_behind(*rest, rest->text, 1);
    while (n < rest->length && rest->text[n] != ' ')
        n++;
    if (n == 0)
        return false;
    *out_word = phrase_before(*rest, rest->text + n);
    *rest = phrase_behind(*rest, rest->text, n);
    while (out_word->length > 1 && strchr(",;:.!?", out_word->text[out_word->length - 1]))
        out_word->length--;
    return true;
}

struct phrase phrase_last_word(struct phrase phrase)
{
    struct phrase last = { "", 0 };
    while (phrase_next_word(&phrase, &last))
        ;
    return last;
}

bool phrase_is_listed(struct phrase word, const char *list)
{
    return text_is_listed(list, word.text, word.length);
}

bool phrase_has_listed(struct phrase phrase, const char *list)
{
    struct phrase word;
    while (phrase_next_word(&phrase, &word))
        if (phrase_is_listed(word, list))
            return true;
    return false;
}

bool phrase_drop_listed(struct phrase *phrase, const char *list)
{
    struct phrase rest = *phrase, word;
    if (!phrase_next_word(&rest, &word) || !rest.length || !phrase_is_listed(word, list))
        return false;
    *phrase = phrase_trim(rest);
    return true;
}

struct phrase phrase_name(struct phrase phrase)
{
    phrase = phrase_trim(phrase);
    while (phrase_drop_listed(&phrase, articles) || phrase_drop_listed(&phrase, possessives) ||
           phrase_drop_listed(&phrase, " own "))
        ;
    return phrase;
}

static bool ends_in_s(struct phrase word)
{
    size_t n = word.length;
    return n > 2 && word.text[n - 1] == 's' && !strchr("sui'", word.text[n - 2]) &&
           word.text[n - 2] > 0;
}

enum number phrase_other_verb(struct phrase word)
{
    if (phrase_is_listed(word, other_verbs))
        return NUMBER_MANY;
    size_t es = word.length > 3 && strchr("hsxo", word.text[word.length - 3]) ? 2 : 1;
    struct phrase stem = { word.text, word.length > es ? word.length - es : 0 };
    return ends_in_s(word) && phrase_is_listed(stem, other_verbs) ? NUMBER_ONE : NUMBER_NONE;
}

enum number phrase_number(struct phrase name)
{
    struct phrase word = { "", 0 }, next;
    if (phrase_find(name, "and") || phrase_is(name, "they"))
        return NUMBER_MANY;
    for (name = phrase_name(name); phrase_next_word(&name, &next) && !phrase_is(next, "of");)
        word = next;
    bool is_proper = word.length && isupper((unsigned char)word.text[0]);
    if (is_proper || phrase_is_listed(word, " data media people children criteria "))
        return NUMBER_ANY;
    if (word.length > 1 && word.text[word.length - 1] == 's' && !ends_in_s(word))
        return NUMBER_ANY;
    return ends_in_s(word) ? NUMBER_MANY : NUMBER_ONE;
}

/* "rarely" ends no name, "assembly" does. */
static bool is_adverb(struct phrase word)
{
    return word.length > 3 && strncasecmp(word.text + word.length - 2, "ly", 2) == 0 &&
           !phrase_is_listed(word, " assembly family reply supply anomaly ally poly ");
}

static bool may_be_in_name(struct phrase word, size_t n_words)
{
    if (phrase_is_listed(word, " a A ")) /* a name may be "A" */
        return word.text[0] == 'A' || n_words == 0;
    return !phrase_is_listed(word, closed_words);
}

/* "Monday", "the end of the month", "May 5", "5 March 2026", "9am"; a number alone may be one. */
static bool is_time(struct phrase name)
{
    struct phrase last = phrase_last_word(name), first = last;
    phrase_next_word(&name, &first);
    bool begins = isdigit((unsigned char)*first.text) || phrase_is_listed(first, times);
    return phrase_is_listed(last, times) || (begins && isdigit((unsigned char)*last.text));
}

bool phrase_is_name(struct phrase name)
{
    struct phrase rest = name, word, last = { "", 0 };
    size_t n = 0;
    if (name.length == 0 || name.length > TEXT_GRAPH_NAME_BYTES || is_time(name))
        return false;
    if (phrase_is(name, "will") && isupper((unsigned char)name.text[0]))
        return true;
    for (size_t i = 0; i < name.length; i++)
        if (name.text[i] && strchr(",;:!?\"()[]{}", name.text[i]))
            return false;
    while (phrase_next_word(&rest, &word)) {
        bool is_of = phrase_is(word, "of");
        bool is_many = ends_in_s(last) && islower((unsigned char)last.text[0]);
        if (is_of ? n == 0 : is_many || !may_be_in_name(word, n))
            return false; /* "tokens types" is no compound */
        n++;
        last = is_of ? (struct phrase){ "", 0 } : word;
        if (is_of)
            phrase_drop_listed(&rest, articles);
    }
    bool is_owner = n && last.length > 2 && memcmp(last.text + last.length - 2, "'s", 2) == 0;
    bool is_verb = n > 1 && phrase_other_verb(last) == NUMBER_ONE;
    return last.length && !is_owner && n <= MAX_NAME_WORDS && !is_verb && !is_adverb(last) &&
           !phrase_is_listed(last, ordinals) && !(n == 1 && phrase_is_listed(last, anaphors));
}

const char *phrase_label(struct arena *arena, struct phrase phrase)
{
    /* Words that a message's name does not have: they begin a clause. */
    static const char breaks[] =
        " that which who whose where when while because so is are was were has have had do does "
        "not no never can may must will would it they them he she we you to into from by via "
        "through over if unless until before after as keep send pass more less fewer "
        "nothing everything ";
    phrase = phrase_name(phrase);
    phrase_drop_listed(&phrase, " last ");
    if (phrase_is(phrase, "it") || phrase_is(phrase, "them"))
        return "";
    if (phrase.length == 0 || phrase.length > TEXT_GRAPH_LABEL_BYTES ||
        phrase_has_listed(phrase, breaks) || memchr(phrase.text, '(', phrase.length))
        return NULL;
    return phrase_is_listed(phrase_last_word(phrase), " and on off out up along ")
               ? NULL
               : arena_strndup(arena, phrase.text, phrase.length);
}

bool phrase_is_marked(struct phrase item)
{
    return phrase_drop_listed(&item, articles) || phrase_drop_listed(&item, ordinals) ||
           (item.length && isupper((unsigned char)item.text[0]));
}

/* Gives "third" and "fourth" of "the third, fourth and fifth layers" their noun; false when there
 * is none. */
static bool share_noun(struct arena *arena, struct phrase *items, size_t n)
{
    struct phrase noun = phrase_name(items[n - 1]);
    bool is_shared = phrase_is_listed(phrase_name(items[0]), ordinals);
    if (!is_shared)
        return true;
    if (!phrase_drop_listed(&noun, ordinals) || !ends_in_s(noun))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct phrase item = phrase_name(items[i]), word;
        phrase_next_word(&item, &word);
        if (!phrase_is_listed(word, ordinals) || (i + 1 < n && item.length))
            return false;
        const char *name = arena_printf(arena, "the %.*s %.*s", (int)word.length, word.text,
                                        (int)noun.length - 1, noun.text);
        items[i] = (struct phrase){ name, strlen(name) };
    }
    return true;
}

size_t phrase_list(struct arena *arena, struct phrase list, bool ends_clause, struct phrase *out,
                   size_t room)
{
    static const char *const marks[] = { ", and ", ", ", " and " };
    size_t n = 0, length = 0;
    struct phrase rest = list = phrase_trim(list);
    while (rest.length && n < room) {
        const char *first = NULL;
        for (size_t i = 0; i < ARRAY_LENGTH(marks); i++) {
            const char *found = phrase_find(rest, marks[i]);
            if (found && (!first || found < first)) {
                first = found;
                length = strlen(marks[i]);
            }
        }
        out[n++] = first ? phrase_before(rest, first) : rest;
        rest = first ? phrase_behind(rest, first, length) : (struct phrase){ "", 0 };
    }
    if (n < 2 || rest.length)
        return rest.length ? 0 : n;
    /* "A, and B" joins clauses, and "A, a B" says what A is; of "list of A and B" nobody knows
     * where it ends. */
    bool is_list = n == 2 ? length == strlen(" and ") : length > strlen(", ");
    if (!is_list || phrase_find(phrase_before(list, out[n - 1].text), "of") ||
        phrase_is_listed(phrase_name(out[0]), shared_adjectives) || !share_noun(arena, out, n))
        return 0;
    struct phrase last = out[n - 1];
    bool is_long = phrase_find(phrase_name(last), " ");
    /* "training and test sets" may share their noun. */
    if (is_long && !phrase_is_marked(last) &&
        (phrase_is_marked(out[0]) || !phrase_find(out[0], " ")))
        return 0;
    /* "x and waits" is no list, nor "the server and the session opens". */
    bool is_verb = !phrase_is_marked(last) && (ends_in_s(last) || phrase_other_verb(last) ||
                                               ends_in_s(out[0]) || phrase_is_marked(out[0]));
    bool is_clause = phrase_is_marked(last) && is_long && ends_in_s(last);
    return ends_clause && (is_verb || is_clause) ? 0 : n;
}
