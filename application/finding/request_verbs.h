/* What a request asks to be done: its verbs, each with the deeds that it may mean, and whether it
 * is said, negated ("don't", "without merging", "ne … pas") or only asked about ("how do I …?").
 * Quoted text and what stands behind "saying", "named" or "remind me to" is no verb. A word that is
 * verb and noun ("order", "list") is a verb where a verb stands: at the head of a clause or behind
 * such words as "please" and "to"; no verb stands behind an article or a preposition.
 *
 * The words are data: the files of data/verbs/ (word_files.h). Of the languages, the one whose file
 * knows most words of the request counts. A line is one of
 *
 *     erase wipe get_rid_of turn..off -> delete edit     words of requests, and their deeds
 *     order search -> buy @noun                          the words are nouns as well
 *     don_t never -> @not                                words of grammar
 *     delete archive -> !restore                         deeds, and their opposites
 *     read list -> @reads                                deeds that change nothing
 *
 * The first deed is what a tool with that verb in its name does; a request may mean any of them.
 * `..` stands between parts that other words may part. The marks: @noun; @light, a verb that means
 * what the noun behind it says ("make a reservation"); @says and @told, behind which "that" or "to"
 * begins what others are told; @article, @preposition, @pronoun, @person; @lead, behind which a
 * verb stands; @and, @or and @then, which begin a clause; @not, and @not_behind, which may follow
 * its verb; @limit, which says which of many are meant or in what order, @only, which may be part
 * of the value beside it, and @condition, which says when; @why, which asks for a reason;
 * @question, and @whole_question, which is about the whole sentence; @value, behind which the
 * clause is a value; @text, behind which the sentence is. */
#ifndef APPLICATION_FINDING_REQUEST_VERBS_H
#define APPLICATION_FINDING_REQUEST_VERBS_H

#include "application/ports/assets.h"
#include "domain/tool/tool.h"

#define REQUEST_MAX_VERB_WORDS 400 /* of a request; what follows is not read */
#define REQUEST_VERBS_FOLDER "data/verbs"

struct request_verb {
    const char *deed;      /* "delete": one name for all verbs that mean it, in any language */
    const char *deeds;     /* all that it may mean, with a blank around each: " delete edit " */
    size_t offset, length; /* bytes of the text, a separable part apart */
    bool is_negated;       /* "don't", "without merging" */
    bool is_asked;         /* it stands in a question that asks for no deed */
    bool changes;          /* doing it changes something */
};

struct request_verbs {
    struct request_verb *list; /* in their order */
    size_t n;
    size_t n_words;   /* of the text */
    bool is_question; /* it has a question */
    bool is_open; /* it has a wish without a known verb: "tidy up my inbox", "I'm done with it" */
    /* What tools are compared by. */
    struct arena *arena;
    const struct word_folder *words;
    const struct verb_text *text;
};

enum verb_fit {
    VERB_MEANT,    /* a verb of the request means what the tool does */
    VERB_UNSAID,   /* the request has no verb that says what to do */
    VERB_OTHER,    /* it says another deed */
    VERB_OPPOSITE, /* start for a tool that stops */
    VERB_NEGATED,  /* it says not to do it */
};

/* Everything is in the arena, which has to live as long as the verbs are compared with tools.
 * ERR_INVALID and ERR_LIMIT are about a file of a settings folder. */
MUST_CHECK
enum err_code request_verbs_read(struct arena *arena, struct assets *assets, const char *text,
                                 struct request_verbs *out, struct err *err);
/* By the verb of the tool's name, else of its title, else of the beginning of its description. A
 * tool whose verb is in no file is meant where the request has the first word of its name. */
enum verb_fit request_verbs_fit(const struct request_verbs *verbs, const struct tool *tool);
/* Whether the tool makes or sets something and the verb may mean that: "book a slot" and
 * create_event. */
bool request_verbs_may_make(const struct request_verbs *verbs, const struct request_verb *verb,
                            const struct tool *tool);
/* Whether the tool's own verb means in the first place what the verb does: "flip" and "toggle". */
bool request_verbs_is_deed_of(const struct request_verbs *verbs, const struct request_verb *verb,
                              const struct tool *tool);
/* Whether the word at that byte of the text has one of the marks: "@limit @condition". */
bool request_verbs_mark(const struct request_verbs *verbs, size_t offset, const char *marks);
/* Whether the tool changes something: it does not say that it only reads, and the verb of its name,
 * or else the first word of its title or description, is one that changes things. A word of the
 * name that is a noun as well ("file_info") is no evidence. */
bool request_verbs_tool_changes(const struct request_verbs *verbs, const struct tool *tool);
/* What the request has against a tool that changes something: it says not to do it, or the
 * opposite, or only reads or asks while the tool's verb changes something. NULL: nothing; what is
 * only unknown is no objection. */
const char *request_verbs_objection(const struct request_verbs *verbs, const struct tool *tool);

#endif
