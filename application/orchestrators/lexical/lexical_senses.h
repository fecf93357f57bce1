/* Words of everyday requests that mean much the same: "show", "print" and "open" ask for what
 * "read" names. General knowledge of English, of no tool in particular. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_SENSES_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_SENSES_H

#include <stdbool.h>
#include <stddef.h>

#define LEXICAL_MAX_SYNONYMS 256 /* words of all senses together */

enum lexical_sense {
    SENSE_NONE, /* means only itself */
    SENSE_READ,
    SENSE_SEARCH,
    SENSE_LIST,
    SENSE_COUNT,
    SENSE_SIZE,
    SENSE_FILE,
    SENSE_FOLDER,
    SENSE_CREATE,
    SENSE_DELETE,
    SENSE_MOVE,
    SENSE_CHANGE,
    SENSE_FETCH,
    SENSE_SUM,
    SENSE_SEND,
    N_SENSES,
};

/* Of a word in lower case. */
enum lexical_sense lexical_sense_of(const char *lower);
/* What is done, as against what it is done to. */
bool lexical_is_action(enum lexical_sense sense);
/* The words of a sense, NULL behind the last. */
const char *const *lexical_words_of(enum lexical_sense sense);

#endif
