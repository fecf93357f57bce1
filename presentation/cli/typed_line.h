/* A command line that is still being typed: what its last word could become. Shells hand the words
 * over at each press of Tab (`mistro completion words -- WORD…`) and get a line for each candidate:
 * the whole word, and behind a tab what it is. `:files` or `:folders` in their place asks the shell
 * to complete a path behind so many characters of the word. What the tables of commands and flags
 * know is answered here, without settings or services; the rest is for command_completion.c.
 *
 * The shell puts a candidate into the command line as it is. Names of tools and arguments come from
 * servers, so only plain ones are offered, and none that would be a flag. */
#ifndef PRESENTATION_CLI_TYPED_LINE_H
#define PRESENTATION_CLI_TYPED_LINE_H

#include "domain/base/buf.h"
#include "presentation/cli/command.h"

enum typed_kind {
    TYPED_KNOWN, /* all that is known was offered */
    TYPED_FILE,
    TYPED_FOLDER,
    TYPED_COMMAND,
    TYPED_ROLESET, /* from here on only stores know */
    TYPED_SERVER,
    TYPED_PROMPT,   /* SERVER/NAME; the names of prompts are not remembered */
    TYPED_TOOL,     /* SERVER/TOOL */
    TYPED_ARGUMENT, /* of the tool that is the first operand */
    TYPED_RUN,
    TYPED_SESSION,
    TYPED_PERSON, /* who has a token */
};

struct typed_line {
    struct arena *arena;
    struct arguments before; /* the words in front of the last */
    const struct command *command;
    const char *kept;  /* the last word: this stays, like "--as=", */
    const char *begun; /* and this is what has been typed of the rest */
    struct buf *out;
};

/* Whether mistro was asked this question. */
bool typed_line_is_asked(const struct arguments *asked);
/* Appends what the tables know to the buffer, which must be without a bound. Returns what is to be
 * offered beside it. */
enum typed_kind typed_line_read(struct arena *arena, const struct arguments *asked, struct buf *out,
                                struct typed_line *line);
/* Appends the candidate, if it goes on with what was begun and is plain. help: ours, or foreign
 * text made one line. */
void typed_line_offer(const struct typed_line *line, const char *word, const char *help);

#endif
