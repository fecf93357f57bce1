/* Paths that say more or less than one value: "logs/app.log" for a tool that asks for folder and
 * name apart, "acme/router" for owner and repository, and "here". */
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* What stands before the last slash, and what stands behind it. */
static void fill_parted(struct lexical_filling *filling, const struct mention *mention,
                        struct parameter *before, struct parameter *behind)
{
    const char *slash = strrchr(mention->text, '/');
    const char *folder =
        arena_strndup(filling->arena, mention->text, (size_t)(slash - mention->text));
    lexical_fill(filling, before, json_string(folder), mention->first, mention->last, "path", 1);
    lexical_fill(filling, behind, json_string(slash + 1), mention->first, mention->last, "path", 1);
    lexical_use_up(filling, mention->first, mention->last);
}

static bool can_be_term(const struct mention *mention)
{
    return mention->kind == MENTION_QUOTED || mention->kind == MENTION_TERM ||
           mention->kind == MENTION_NAME;
}

/* Where a tool looks in a folder for names, "logs/app.log" is the name app.log in logs; where it
 * asks for owner and repository apart, "acme/router" is both. A path alone is no search. */
static void fill_paths_in_parts(struct lexical_filling *filling)
{
    bool searches = false, has_term = false;
    struct parameter *folder = NULL, *name = NULL, *owner = NULL, *repository = NULL;
    for (size_t p = 0; p < filling->n; p++) {
        struct parameter *parameter = &filling->parameters[p];
        struct parameter **part = strcmp(parameter->name, "owner") == 0 ? &owner
                                  : lexical_listed(" repo repository ", parameter->name)
                                      ? &repository
                                  : parameter->wants_glob   ? &name
                                  : parameter->wants_folder ? &folder
                                                            : NULL;
        searches = searches || parameter->wants_term;
        has_term = has_term || (parameter->wants_term && parameter->value);
        if (part && !parameter->value)
            *part = parameter;
    }
    for (size_t m = 0; m < filling->mentions.n; m++)
        has_term = has_term || (can_be_term(&filling->mentions.list[m]) &&
                                !lexical_is_used(filling, &filling->mentions.list[m]));
    for (size_t m = 0; m < filling->mentions.n; m++) {
        const struct mention *mention = &filling->mentions.list[m];
        const char *slash = strrchr(mention->text, '/');
        bool is_path = mention->kind == MENTION_PATH || mention->kind == MENTION_GLOB;
        if (!is_path || !slash || slash == mention->text || strstr(mention->text, "://") ||
            lexical_is_used(filling, mention))
            continue;
        if (searches && has_term && folder && name && !folder->value && !name->value &&
            strchr(slash, '.'))
            fill_parted(filling, mention, folder, name);
        else if (owner && repository && !owner->value && strchr(mention->text, '/') == slash)
            fill_parted(filling, mention, owner, repository);
    }
}

/* "here", "this folder": the folder that a path starts from, which needs no word where it is the
 * default. */
static void fill_here(struct lexical_filling *filling)
{
    for (size_t i = 0; i < filling->request.n; i++) {
        bool is_folder = lexical_word(filling, i + 1)->sense == SENSE_FOLDER;
        bool is_this =
            is_folder && (lexical_says(filling, i, "this") || lexical_says(filling, i, "current"));
        for (size_t p = 0; (is_this || lexical_says(filling, i, "here")) && p < filling->n; p++) {
            struct parameter *parameter = &filling->parameters[p];
            if (!parameter->wants_folder || parameter->value || filling->used[i])
                continue;
            filling->led[i] = filling->led[i + is_this] = true;
            if (parameter->required)
                lexical_fill(filling, parameter, json_string("."), i, i + is_this, "here", 1);
        }
    }
}

void lexical_fill_paths(struct lexical_filling *filling)
{
    fill_paths_in_parts(filling);
    fill_here(filling);
}
