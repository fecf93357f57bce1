/* Role sets and packs as the assets have them: files of a person before the built-in ones, and any
 * two roles that have a pack each, composed.
 *
 * A pack is config/rolesets/packs/NAME.md. Its first line, "# ROLE (DOMAIN)", says who speaks; what
 * follows is put behind the protocol in the instructions of that agent. Only packs with a domain
 * are composed into pairs: the others are parts of a role set that names them. */
#ifndef APPLICATION_CONSENSUS_ROLE_SETS_H
#define APPLICATION_CONSENSUS_ROLE_SETS_H

#include "application/ports/assets.h"
#include "domain/base/arena.h"
#include "domain/consensus/role_set.h"

#define ROLE_PACK_MAX_BYTES 32768
#define ROLE_SETS_MAX_ROLES 40 /* that are listed in pairs */

/* Letters, digits, '_' and '-', at most ROLE_SET_NAME_MAX: of role sets and of packs. */
bool role_set_name_is_valid(const char *name);

struct role_pack {
    const char *role, *domain; /* NULL where the first line does not say */
    const char *text;          /* without that line */
};

/* ERR_NOT_FOUND: no such pack, with the nearest names; ERR_LIMIT: too long for a prompt. */
MUST_CHECK
enum err_code role_pack_load(struct arena *arena, struct assets *assets, const char *name,
                             struct role_pack *out, struct err *err);

/* By name: a file, else a pair. ERR_INVALID: there is none, with the nearest names; or the file is
 * not a role set, with the first problem. */
MUST_CHECK
enum err_code role_sets_find(struct arena *arena, struct assets *assets, const char *name,
                             struct role_set *out, struct err *err);
/* From the text of a file that a person named. */
MUST_CHECK
enum err_code role_sets_read(struct arena *arena, const char *name, const char *text,
                             struct role_set *out, struct err *err);
/* Names, sorted, each once. */
MUST_CHECK
enum err_code role_sets_list(struct arena *arena, struct assets *assets, const char ***out_names,
                             size_t *out_n, struct err *err);

#endif
