#include "domain/policy/command_risk.h"
#include "domain/base/attributes.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum meaning { NOTHING, RIGHTS, REMOVAL, SHELL, DOWNLOAD, INTERPRETER };

static const struct {
    const char *name;
    enum meaning meaning;
} programs[] = {
    { "sudo", RIGHTS },        { "doas", RIGHTS },
    { "su", RIGHTS },          { "pkexec", RIGHTS },
    { "rm", REMOVAL },         { "rmdir", REMOVAL },
    { "shred", REMOVAL },      { "unlink", REMOVAL },
    { "mkfs", REMOVAL },       { "dd", REMOVAL },
    { "sh", SHELL },           { "bash", SHELL },
    { "dash", SHELL },         { "zsh", SHELL },
    { "fish", SHELL },         { "eval", SHELL },
    { "curl", DOWNLOAD },      { "wget", DOWNLOAD },
    { "python", INTERPRETER }, { "python3", INTERPRETER },
    { "perl", INTERPRETER },   { "ruby", INTERPRETER },
    { "node", INTERPRETER },
};

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' ||
           (unsigned char)c >= 0x80;
}

static enum meaning meaning_of(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(programs); i++)
        if (strlen(programs[i].name) == length && memcmp(programs[i].name, name, length) == 0)
            return programs[i].meaning;
    return NOTHING;
}

struct findings {
    bool rights, removal, shell, runs_download;
    bool downloads, pipes; /* so far, in this word */
};

static void note(struct findings *found, enum meaning meaning)
{
    bool runs = meaning == SHELL || meaning == INTERPRETER;
    found->rights = found->rights || meaning == RIGHTS;
    found->removal = found->removal || meaning == REMOVAL;
    found->shell = found->shell || meaning == SHELL;
    found->runs_download = found->runs_download || (runs && found->downloads && found->pipes);
    found->downloads = found->downloads || meaning == DOWNLOAD;
}

/* Names within a word: a shell's text is one argument. "-rm" and "rm.txt" are not programs. */
static void look(struct findings *found, const char *word)
{
    found->downloads = found->pipes = false;
    for (const char *at = word; *at;) {
        size_t length = 0;
        while (at[length] && is_part_of_name(at[length]))
            length++;
        if (length == 0) {
            found->pipes = found->pipes || (*at == '|' && found->downloads);
            at++;
            continue;
        }
        size_t skipped = at > word && at[-1] == ':' && *at == '-' ? 1 : 0; /* ${VAR:-rm} */
        note(found, meaning_of(at + skipped, length - skipped));
        at += length;
    }
}

size_t command_risk(const char *const *words, size_t n, const char *out[static COMMAND_RISKS])
{
    /* $(curl …), `curl …` and <(curl …) within what a shell is given run what they fetch as well.
     */
    static const char *const forms[] = { "$(curl", "$(wget", "`curl", "`wget", "<(curl", "<(wget" };
    struct findings found = { 0 };
    size_t n_out = 0;
    for (size_t i = 0; i < n; i++) {
        look(&found, words[i]);
        for (size_t form = 0; form < ARRAY_LENGTH(forms); form++)
            found.runs_download = found.runs_download || strstr(words[i], forms[form]);
    }
    if (found.rights)
        out[n_out++] = "it asks for the rights of another user";
    if (found.removal)
        out[n_out++] = "it removes or overwrites files";
    if (found.runs_download)
        out[n_out++] = "it runs what it downloads";
    if (found.shell)
        out[n_out++] = "it starts a shell, which does whatever its text says";
    return n_out;
}
