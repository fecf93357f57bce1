/* The sentences that are drawn, as patterns. In a pattern a capital stands for words (of what kind,
 * text_patterns.h says), "+sends" for a verb of that list in the present, "=sends" for the same in
 * the passive, and other words, some to choose from, for themselves. */
#include "application/figure/text_graph/text_patterns.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

/* Of each verb: he …, they …, it is … */
static const char *const verbs[] = {
    "sends send sent passes pass passed forwards forward forwarded transmits transmit transmitted "
    "hands hand handed delivers deliver delivered submits submit submitted relays relay relayed "
    "publishes publish published issues issue issued ",
    "writes write written feeds feed fed pushes push pushed uploads upload uploaded ",
    "answers answer answered replies reply replied responds respond responded ",
    "returns return returned ",
    "confirms confirm confirmed acknowledges acknowledge acknowledged ",
    "asks ask asked tells tell told ",
    "queries query queried notifies notify notified invokes invoke invoked contacts contact "
    "contacted ",
    "requests request requested ",
    "turns turn turned converts convert converted transforms transform transformed translates "
    "translate translated compiles compile compiled encodes encode encoded decodes decode decoded "
    "maps map mapped splits split split combines combine combined rewrites rewrite rewritten "
    "embeds embed embedded projects project projected merges merge merged divides divide divided ",
    "produces produce produced generates generate generated creates create created emits emit "
    "emitted outputs output output yields yield yielded builds build built releases release "
    "released computes compute computed predicts predict predicted ",
    "reads read read receives receive received fetches fetch fetched downloads download downloaded "
    "retrieves retrieve retrieved loads load loaded consumes consume consumed absorbs absorb "
    "absorbed ",
    "takes take taken ",
    "flows flow flown goes go gone ",
    "stores store stored saves save saved  ",
    "moves move moved goes go gone changes change changed switches switch switched transitions "
    "transition transitioned passes pass passed returns return returned advances advance advanced ",
};

const struct text_pattern text_patterns[] = {
    { "X +sends M back to Y; X +sends back M to Y; X +returns M to Y", "~X>Y:M" },
    { "X +answers to K with M; X +answers with M to K; X +answers by sending M to K; "
      "X +answers K with M",
      "~X>K:M" },
    { "X +sends M back; X +sends back M; X +answers with M; X +answers by sending M; "
      "X +returns M; X +confirms with M",
      "~X>?:M" },
    { "X +confirms M", "~X>?:@M" },
    { "X +answers", "~X>?" },
    { "X +sends M to Y; M =sends to Y by X; M =sends by X to Y; M =sends from X to Y; "
      "X +asks Y for|to M; X +queries Y for M; X +requests M from Y",
      "!X>Y:M" },
    { "X +queries Y", "!X>Y:@" },
    { "X receives|receive M from Y", "!Y>X:M" },
    { "X +writes M to|into Y; M =writes to|into Y by X; M =writes by X to|into Y", "X>Y:M" },
    { "Z feeds|feed|drives|drive|powers|power Y", "Z>Y" },
    { "B =sends to Y; B =writes to|into Y; B +flows into|to Y", "B>Y" },
    { "X +turns B into|to C; X +produces C from B", "B>X X>C ." },
    { "B =turns into|to C by X; B =turns by X into|to C; C =produces from B by X; "
      "C =produces by X from B",
      "B>X X>C" },
    { "B =turns into|to C; C =produces from B", "B>C" },
    { "X +produces C", "X>C ." },
    { "C =produces by X", "X>C" },
    { "X +reads M from Y", "Y>X:M" },
    { "X +reads B; X +takes B as input; X +takes in B", "B>X ." },
    { "X +takes B", "B>X . ," },
    { "B =reads by X", "B>X" },
    { "X +stores M in|into S; M =stores in|into S by X; M =stores by X in|into S", "X>S:M" },
    { "B =stores in|into S", "B>S" },
    { "X +moves from A to|into D", "*A>D" },
    { "X +moves back to|into D; X +moves to|into D; X becomes|become|enters|enter D", "*X>D" },
    { "B enters|enter Y", "B>Y" },
    { "X starts|start|begins|begin as|in D; T states D", "*D" },
    { "P takes|take place in G; P happens|happen in G", "P@G ." },
    { "G consists|consist of P; G is|are made of P; G is divided into P; "
      "G contains|comprises P; P is|are part of G; P belongs|belong to G",
      "P@G" },
};
const size_t n_text_patterns = ARRAY_LENGTH(text_patterns);

/* Which form of a verb in the list the word is; NUMBER_NONE where it is none. */
static enum number verb_form(const char *list, struct phrase word, bool is_passive)
{
    int form = 0;
    for (; *list; list += strcspn(list, " ") + 1, form = (form + 1) % 3)
        if ((form == 2) == is_passive && word.length == strcspn(list, " ") &&
            strncasecmp(list, word.text, word.length) == 0)
            return form == 0 ? NUMBER_ONE : NUMBER_MANY;
    return NUMBER_NONE;
}

bool text_verb_at(struct phrase at)
{
    struct phrase word = { "", 0 };
    phrase_next_word(&at, &word);
    for (size_t i = 0; i < ARRAY_LENGTH(verbs); i++)
        if (verb_form(verbs[i], word, false))
            return true;
    return phrase_is_listed(word, " is are enters contains feeds drives powers receives becomes ");
}

/* How many bytes the element takes at the front; 0 when it is not there. */
static size_t element_length(const char *element, struct phrase at, struct text_match *match)
{
    size_t length = strcspn(element, " ;");
    struct phrase rest = at, word = { "", 0 };
    enum number number = NUMBER_NONE;
    phrase_next_word(&rest, &word);
    if (*element == '=' && phrase_is_listed(word, " is are ")) {
        number = phrase_is(word, "is") ? NUMBER_ONE : NUMBER_MANY;
        phrase_next_word(&rest, &word);
    }
    while (phrase_is_listed(word, " then also next now finally immediately directly simply "))
        if (!phrase_next_word(&rest, &word))
            return 0;
    if (strchr("+=", *element)) {
        for (size_t i = 0; i < ARRAY_LENGTH(verbs); i++)
            if (strncmp(verbs[i], element + 1, length - 1) == 0)
                match->number = verb_form(verbs[i], word, *element == '=');
        if (*element == '=' && match->number)
            match->number = number;
        match->verb = word;
        return match->number ? (size_t)(word.text - at.text) + word.length : 0;
    }
    for (size_t i = 0; i < length; i += strcspn(element + i, "| ;") + 1)
        if (word.length == strcspn(element + i, "| ;") &&
            strncasecmp(word.text, element + i, word.length) == 0)
            return (size_t)(word.text - at.text) + word.length;
    return 0;
}

/* Takes off what only says how, where or what for. False where it says more than that. */
static bool cut_aside(struct phrase *words, bool is_label)
{
    struct phrase rest = *words, word, next = { "", 0 };
    while (phrase_next_word(&rest, &word)) {
        /* A clause about a thing would make two things one: "the server that has the key". */
        bool is_clause = phrase_is_listed(word, " that who whose where ");
        bool is_by = phrase_is(word, "by");
        if (!is_clause && !is_by &&
            !phrase_is_listed(word, " with for in at during because so using as "))
            continue;
        phrase_next_word(&rest, &next);
        *words = phrase_trim(phrase_before(*words, word.text));
        if (is_by)
            return next.length > 4 && memcmp(next.text + next.length - 3, "ing", 3) == 0;
        return is_clause ? is_label
                         : !phrase_is_listed(next, " case place spite lieu contrast theory soon "
                                                   "long well if much many most least ");
    }
    return true;
}

bool text_pattern_fits(const char *pattern, struct phrase clause, struct text_match *out)
{
    struct phrase rest = clause, peek, word;
    char slot = 0;
    *out = (struct text_match){ .number = NUMBER_ANY, .subject = *pattern };
    for (const char *element = pattern; !strchr(";", *element); element += strspn(element, " ")) {
        if (isupper((unsigned char)*element)) {
            slot = *element++;
            continue;
        }
        const char *begin = rest.text;
        size_t length = 0;
        for (peek = rest; !length; rest = peek) {
            if (!phrase_next_word(&peek, &word))
                return false;
            bool is_far_enough = !slot || word.text > begin + 1; /* a slot is not empty */
            if (is_far_enough)
                length = element_length(element, phrase_behind(clause, word.text, 0), out);
            if (!length && !slot)
                return false;
        }
        if (slot)
            out->slots[slot - 'A'] =
                phrase_trim((struct phrase){ begin, (size_t)(word.text - begin) });
        slot = 0;
        rest = phrase_behind(clause, word.text, length);
        element += strcspn(element, " ;");
    }
    size_t length = (rest = phrase_trim(rest)).length;
    if (!cut_aside(&rest, slot == 'M') || (rest.length > 0) != (slot != 0))
        return false;
    if (slot)
        out->slots[slot - 'A'] = rest;
    out->last = rest.length == length ? slot : 0;
    return (phrase_number(out->slots[out->subject - 'A']) & out->number) != 0;
}
