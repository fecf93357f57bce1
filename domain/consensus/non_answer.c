/* Whether words say anything. Both rules look at plain words, in lower case and without accents.
 *
 * A text says nothing when each of its sentences is, from its first to its last word, one of the
 * sayings of data/consensus/: "I agree with my peer", "voir ci-dessus". One sentence more than that
 * and it may be an answer. A text restates its task when none of its words is new: each is of the
 * task, one of those that only talk about answers, or one that carries no meaning of its own. That
 * holds of tasks that ask for an explanation; where one of several things is asked for, the answer
 * is made of the words of the task. */
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include "domain/consensus/consensus_internal.h"
#include <string.h>

#define MAX_WORDS 80       /* of a text that says nothing; a longer one says something */
#define MIN_SHARED 4       /* letters in which "explains" and "explanation" are one word */
#define LEAST_COVERED 60   /* per cent of the words of a task in what restates it */
#define MAX_CHOICE_WORDS 3 /* of an answer that is one of the things asked for */

struct words {
    struct span list[MAX_WORDS];
    bool ends[MAX_WORDS]; /* a sentence ends behind it */
    size_t n;
    bool is_long; /* there are more */
};

/* Words that only talk about answers. */
static const char answer_words[] =
    " answer answers solution solutions result results text texts explanation explanations "
    "question "
    "questions task tasks problem problems number value statement output response final complete "
    "correct right following above below peer agent partner given provided requested required "
    "asked desired appropriate proper exact precise full whole good best expected solve solved "
    "explain describe provide give show explained described gives stated reason reasons cause "
    "causes way sense fact sentence sentences responsible answered "
    "antwort antworten losung losungen ergebnis ergebnisse erklarung erklarungen frage fragen "
    "aufgabe aufgaben zahl wert aussage endgultig endgultige vollstandig vollstandige richtig "
    "richtige korrekt korrekte folgende folgt oben unten gefragt gesucht gesuchte erklart lautet "
    "reponse reponses resultat resultats texte explication explications tache probleme nombre "
    "valeur finale complete correcte correct suivante suivant dessus dessous demandee demande "
    "respuesta respuestas solucion resultado explicacion pregunta tarea problema numero valor "
    "completa correcta correcto siguiente arriba abajo pedida pedido "
    "risposta risposte soluzione risultato testo spiegazione domanda compito numero valore "
    "completa corretta corretto seguente sopra sotto richiesta richiesto "
    "grund grunde ursache verantwortlich satz beantwortet klare klar "
    "raison raisons cause expliquer phrase claire maniere repondre convient responsable "
    "definitiva planteada razon motivo causa clara frase "
    "ragione chiara questione merita responsabile "
    "antworte zeile zeilen reponds repondez ligne lignes phrases responde responda linea lineas "
    "frases rispondi rispondete righe riga frasi line lines important wichtig wichtige importante "
    "carefully sorgfaltig consideration analysis decision conclusion know wissen savoir saber "
    "sapere "
    "understand verstehen ";
/* Words that carry no meaning of their own. */
static const char small_words[] =
    " the a an is are was were be been being am do does did has have had will would shall should "
    "can "
    "could may might must of to in on at by for with from as and or but not no so that this these "
    "those it its itself they them their there here he she his her you your yours we our us i my "
    "me "
    "which what who whom whose when where why how than then thus hence therefore because due since "
    "if into about very just only also too more most some any all each both such own same way "
    "please s t "
    "der die das den dem des ein eine einen einem einer eines ist sind war waren sein wird werden "
    "wurde kann konnen muss soll und oder aber nicht kein keine so dass dies diese dieser dieses "
    "es "
    "er sie ihr ihre wir uns ich mein meine du dein deine welche welcher was wer wann wo warum "
    "wieso weshalb wie als weil wegen daher deshalb denn wenn in im an am auf von vom zu zum zur "
    "mit fur aus bei nach uber um auch nur sehr man bitte "
    "le la les un une des du de d l est sont etait etre a ont avoir et ou mais ne pas ce cet cette "
    "ces il elle ils elles on nous vous je tu mon ma mes ton ta tes son sa ses leur qui que quoi "
    "quand pourquoi comment parce car donc si en dans sur par pour avec au aux plus tres aussi "
    "el los las una unos unas es son era ser estar esta estan ha han y o pero no lo se su sus mi "
    "tu yo nosotros que quien cuando donde por porque como si en con para al del mas muy tambien "
    "il lo gli i uno e sono era essere ha hanno ed ma non che chi cui quando dove perche come se "
    "nel nella in di da su per con tra al alla del della dei delle si suo sua mio mia piu molto "
    "anche peut peuvent qu puede pueden puo possono ";
/* A task with one of these asks for an explanation. "how" is not among them where it counts. */
static const char explaining_words[] =
    " why explain describe define discuss explanation warum wieso weshalb erklare erklaren "
    "erlautere beschreibe beschreiben pourquoi explique expliquez expliquer decris decrivez "
    "decrire "
    "explica explique explicar describe describir perche spiega spiegare spiegate descrivi "
    "descrivere ";

/* A task with one of these wants words that may be any, also those of a saying. */
static const char translating_words[] =
    " translate translation say ubersetze ubersetzen ubersetzung traduis traduisez traduire "
    "traduction traduce traduzca traducir traduccion traduci traduca tradurre traduzione ";
/* First words of a question for an explanation, unless it is how many. */
static const char how_words[] = " how wie comment como come ";
static const char many_words[] = " many much old long far tall big large often high deep fast viel "
                                 "viele lang alt oft gross hoch weit ";

/* Signs of UTF-8 that separate words: general punctuation, and those of Latin 1. */
static size_t sign_at(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] == 0xE2 && (at[1] == 0x80 || at[1] == 0x81) && at[2])
        return 3;
    return at[0] == 0xC2 && at[1] >= 0x80 && at[1] <= 0xBF ? 2 : 0;
}

static bool is_word_byte(const char *at)
{
    unsigned char c = (unsigned char)*at;
    return (c >= 0x80 && !sign_at(at)) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

/* The text is plain: see text_unaccented. */
static void read_words(const char *text, struct words *out)
{
    *out = (struct words){ 0 };
    for (const char *at = text; *at;) {
        size_t n = 0;
        while (is_word_byte(at + n))
            n++;
        if (n && out->n == MAX_WORDS) {
            out->is_long = true;
            return;
        }
        if (n)
            out->list[out->n++] = (struct span){ at, n };
        else if (out->n && strchr(".!?;:\n", *at))
            out->ends[out->n - 1] = true;
        at += n ? n : sign_at(at) ? sign_at(at) : 1;
    }
    if (out->n)
        out->ends[out->n - 1] = true;
}

static bool is_listed(const char *list, struct span word)
{
    return text_is_listed(list, word.text, word.length);
}

/* Whether the word is one of "a|b|c". */
static bool is_one_of(struct span choices, struct span word)
{
    for (size_t n; choices.length; choices.text += n, choices.length -= n) {
        const char *bar = memchr(choices.text, '|', choices.length);
        n = bar ? (size_t)(bar - choices.text) : choices.length;
        if (n == word.length && memcmp(choices.text, word.text, n) == 0)
            return true;
        n += bar != NULL;
    }
    return false;
}

/* How many of the words from `at` on are as the saying has them, at most up to end; whole: it must
 * be all of them. SIZE_MAX: they are others. */
static size_t follow(const char *saying, const struct words *words, size_t at, size_t end,
                     bool whole)
{
    saying += strspn(saying, " ");
    size_t n = strcspn(saying, " \n"), found = SIZE_MAX;
    if (!n)
        return !whole || at == end ? at : SIZE_MAX;
    if (n == 3 && memcmp(saying, "...", n) == 0) {
        for (; at <= end && found == SIZE_MAX; at++)
            found = follow(saying + n, words, at, end, whole);
        return found;
    }
    bool may_be_missing = saying[n - 1] == '?';
    const struct span choices = { saying, n - may_be_missing };
    if (at < end && is_one_of(choices, words->list[at]))
        found = follow(saying + n, words, at + 1, end, whole);
    return found == SIZE_MAX && may_be_missing ? follow(saying + n, words, at, end, whole) : found;
}

/* In the order of cmake/Embed.cmake. */
enum { OPENINGS, SAYINGS };

/* The next one that is neither empty nor a comment; NULL behind the last. */
static const char *next_line(const char *line)
{
    while ((line = strchr(line, '\n'))) {
        line++;
        if (*line != '#' && *line != '\n' && *line)
            return line;
    }
    return NULL;
}

static bool is_saying(const struct words *words, size_t at, size_t end)
{
    const char *line = consensus_sayings[SAYINGS].text;
    while ((line = next_line(line)))
        if (follow(line, words, at, end, /* whole= */ true) != SIZE_MAX)
            return true;
    return false;
}

static bool all_are_sayings(const struct words *words)
{
    size_t from = 0;
    for (size_t i = 0; i < words->n; i++) {
        if (!words->ends[i])
            continue;
        if (!is_saying(words, from, i + 1))
            return false;
        from = i + 1;
    }
    return words->n > 0 && !words->is_long;
}

static const char choices[] = " or oder ou o entweder either between zwischen entre tra fra "
                              "which welche welcher welches quel quelle cual quale who wer qui "
                              "quien chi ";

/* The task offers these very words: "answer with: I agree, or: I disagree". */
static bool offers(const struct words *task, const struct words *words)
{
    for (size_t at = 0; at + words->n <= task->n; at++) {
        size_t n = 0;
        while (n < words->n && words->list[n].length == task->list[at + n].length &&
               memcmp(words->list[n].text, task->list[at + n].text, words->list[n].length) == 0)
            n++;
        if (n == words->n)
            return true;
    }
    return false;
}

static bool has_listed(const struct words *words, const char *list)
{
    for (size_t i = 0; i < words->n; i++)
        if (is_listed(list, words->list[i]))
            return true;
    return false;
}

/* "N/A", "n.d.", "k. A.": that there is nothing to say. */
static bool is_abbreviation(struct span text)
{
    static const char none[] = " na nd ka nv sr sd ";
    char letters[4] = "";
    size_t n = 0;
    bool has_sign = false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if ((!is_letter && !strchr("./ -", c)) || n == sizeof letters - 1)
            return false;
        has_sign = has_sign || !is_letter;
        if (is_letter)
            letters[n++] = c;
    }
    return n == 2 && has_sign && text_is_listed(none, letters, n);
}

bool candidate_says_nothing(struct span text, const char *task)
{
    AUTO(arena) arena = { 0 };
    struct words words, asked;
    read_words(text_unaccented(&arena, text.text, text.length), &words);
    read_words(text_unaccented(&arena, task, strlen(task)), &asked);
    if (is_abbreviation(text))
        return true;
    bool is_offered = offers(&asked, &words) && (words.n >= 2 || has_listed(&asked, choices));
    return all_are_sayings(&words) && !is_offered && !has_listed(&asked, translating_words);
}

/* "explains" and "explanation" are. */
static bool is_same_word(struct span a, struct span b)
{
    size_t shorter = a.length < b.length ? a.length : b.length, n = 0;
    while (n < shorter && a.text[n] == b.text[n])
        n++;
    return n == a.length && n == b.length ? true : n >= MIN_SHARED && 3 * n >= 2 * shorter;
}

static bool is_in(const struct words *words, size_t from, struct span word)
{
    for (size_t i = from; i < words->n; i++)
        if (is_same_word(words->list[i], word))
            return true;
    return false;
}

/* Per cent of the task's words with a meaning that are in the text from a word on. */
static size_t covered(const struct words *task, const struct words *words, size_t from)
{
    size_t n = 0, found = 0;
    for (size_t i = 0; i < task->n; i++) {
        if (is_listed(small_words, task->list[i]) || is_listed(answer_words, task->list[i]))
            continue;
        n++;
        found += is_in(words, from, task->list[i]);
    }
    return n ? 100 * found / n : 0;
}

static bool asks_to_explain(const struct words *task)
{
    for (size_t i = 0; i < task->n; i++) {
        bool begins = !i || task->ends[i - 1];
        if (is_listed(explaining_words, task->list[i]))
            return true;
        if (begins && is_listed(how_words, task->list[i]) && i + 1 < task->n &&
            !is_listed(many_words, task->list[i + 1]))
            return true;
    }
    return false;
}

/* Behind the longest opening that it begins with; 0: with none. */
static size_t behind_opening(const struct words *words)
{
    size_t most = 0;
    const char *line = consensus_sayings[OPENINGS].text;
    while ((line = next_line(line))) {
        size_t n = follow(line, words, 0, words->n, /* whole= */ false);
        if (n != SIZE_MAX && n > most)
            most = n;
    }
    return most;
}

/* "The title of the film": part of a task that offers no choice. */
static bool is_part_of(const struct words *task, const struct words *words)
{
    static const char articles[] =
        " the a an der die das den ein eine le la les un une l el los las "
        "una il lo gli i uno ";
    size_t n = 0;
    for (size_t i = 0; i < words->n; i++)
        n += !is_listed(small_words, words->list[i]);
    return n >= 2 && is_listed(articles, words->list[0]) && !has_listed(task, choices) &&
           offers(task, words);
}

/* "First name LAST NAME", where the task says that this is the form. */
static bool is_format_of(const struct words *task, const struct words *words)
{
    static const char forms[] = " format formats form forme formato formular ";
    return words->n >= 2 && has_listed(task, forms) && !has_listed(task, choices) &&
           offers(task, words);
}

bool candidate_only_names(const char *text, const char *key, const char *task)
{
    AUTO(arena) arena = { 0 };
    struct words words, keys, asked;
    read_words(text_unaccented(&arena, text, strlen(text)), &words);
    read_words(text_unaccented(&arena, key, strlen(key)), &keys);
    read_words(text_unaccented(&arena, task, strlen(task)), &asked);
    bool has_key = false;
    for (size_t i = 0; i < words.n; i++) {
        bool is_key = is_in(&keys, 0, words.list[i]);
        if (!is_key && !is_listed(small_words, words.list[i]) && !is_in(&asked, 0, words.list[i]))
            return false;
        has_key = has_key || is_key;
    }
    return has_key && words.n >= 3 && is_listed(small_words, words.list[0]);
}

/* "The answer is right", where left or right was asked. */
static bool chooses(const struct words *task, const struct words *words)
{
    static const char alternatives[] = " or oder ou o entweder either ";
    size_t from = behind_opening(words), n = words->n - from;
    return n && n <= MAX_CHOICE_WORDS && has_listed(task, alternatives);
}

bool candidate_restates(struct span text, const char *task)
{
    AUTO(arena) arena = { 0 };
    struct words words, asked;
    size_t n_task = 0, n_answer = 0;
    read_words(text_unaccented(&arena, text.text, text.length), &words);
    read_words(text_unaccented(&arena, task, strlen(task)), &asked);
    if (words.is_long || asked.is_long || !words.n || chooses(&asked, &words))
        return false;
    if (is_part_of(&asked, &words) || is_format_of(&asked, &words))
        return true;
    size_t from = behind_opening(&words);
    for (size_t i = from; i < words.n; i++) {
        struct span word = words.list[i];
        bool is_answer_word = is_listed(answer_words, word);
        if (is_listed(small_words, word))
            continue;
        if (!is_answer_word && !is_in(&asked, 0, word))
            return false;
        n_answer += is_answer_word;
        n_task += !is_answer_word;
    }
    if (!n_task)
        return from ? n_answer > 0 || from == words.n : n_answer >= 2;
    bool is_covered = covered(&asked, &words, from) >= LEAST_COVERED;
    return is_covered && (from || (n_task >= 2 && asks_to_explain(&asked)));
}
