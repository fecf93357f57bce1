#include "application/orchestrators/lexical/lexical_senses.h"
#include "application/orchestrators/lexical/lexical_words.h"
#include "domain/base/text.h"

#define MOST_WORDS 17 /* of one sense, and the NULL behind them */

static const char *const senses[N_SENSES][MOST_WORDS] = {
    [SENSE_READ] = { "read", "reads", "show", "shows", "print", "prints", "display", "displays",
                     "view", "open", "cat", "content", "contents", "say", "says", "see" },
    [SENSE_SEARCH] = { "search", "searches", "find", "finds", "look", "grep", "locate", "lookup",
                       "seek", "contain", "contains", "containing", "mention", "mentions",
                       "mentioned", "occur" },
    [SENSE_LIST] = { "list", "lists", "listing", "ls", "enumerate" },
    [SENSE_COUNT] = { "count", "counts", "counting", "many" },
    [SENSE_SIZE] = { "size", "sizes", "big", "large", "bytes" },
    [SENSE_FILE] = { "file", "files", "document", "documents" },
    [SENSE_FOLDER] = { "folder", "folders", "directory", "directories", "dir", "subfolder" },
    [SENSE_CREATE] = { "create", "creates", "make", "makes", "new", "mkdir" },
    [SENSE_DELETE] = { "delete", "deletes", "remove", "removes", "erase", "rm" },
    [SENSE_MOVE] = { "move", "moves", "rename", "renames", "mv" },
    [SENSE_CHANGE] = { "change", "changes", "edit", "edits", "modify", "replace", "update" },
    [SENSE_FETCH] = { "fetch", "fetches", "download", "downloads" },
    [SENSE_SUM] = { "sum", "add", "adds", "plus" },
    [SENSE_SEND] = { "send", "sends", "post", "posts" },
};

enum lexical_sense lexical_sense_of(const char *lower)
{
    for (size_t sense = SENSE_NONE + 1; sense < N_SENSES; sense++)
        for (size_t i = 0; senses[sense][i]; i++)
            if (text_equal(senses[sense][i], lower))
                return (enum lexical_sense)sense;
    return SENSE_NONE;
}

bool lexical_is_action(enum lexical_sense sense)
{
    return sense != SENSE_NONE && sense != SENSE_FILE && sense != SENSE_FOLDER &&
           sense != SENSE_SIZE;
}

const char *const *lexical_words_of(enum lexical_sense sense)
{
    return senses[sense];
}
