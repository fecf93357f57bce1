#include "application/orchestrators/turn_contract.h"
#include "application/structured/contracts.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

enum err_code turn_contract_load(const struct turn *turn, const char *name,
                                 struct turn_contract *out, struct err *err)
{
    struct assets *assets = turn->session->services->assets;
    enum err_code r = contract_load(turn->arena, assets, name, &out->contract, err);
    if (r)
        return r;
    out->schema = arena_keep_json(turn->arena, json_share(out->contract.schema));
    out->text = contract_prompt_text(turn->arena, &out->contract);
    return ERR_NONE;
}

/* What the user said, oldest first, this request last. */
static const char *const *wishes_of(const struct turn *turn, size_t *out_n)
{
    const struct conversation *conversation = turn->conversation;
    size_t start = turn_window_start(turn);
    const char **wishes = arena_array(turn->arena, const char *, turn->n_history + 1);
    *out_n = 0;
    for (size_t i = start; i < turn->n_history; i++)
        if (conversation->messages[i].role == MESSAGE_USER)
            wishes[(*out_n)++] = conversation->messages[i].content;
    wishes[(*out_n)++] = turn->message;
    return wishes;
}

/* What earlier steps gave, under the names a new plan may use; cut, for this prompt is a short one.
 */
static const char *print_known(const struct turn *turn)
{
    if (!json_object_size(turn->known_results))
        return "";
    const char *known = json_print_in(turn->arena, turn->known_results);
    size_t length = text_cut(known, strlen(known), TURN_KNOWN_BYTES);
    return arena_printf(turn->arena, "; results so far, as {vars.ID}: %.*s", (int)length, known);
}

/* The object cannot be written without these. */
static const char *state_of(const struct turn *turn)
{
    if (!turn->intent)
        return NULL;
    return arena_printf(turn->arena, "goal: %s; known parameters: %s%s", turn->intent->primary_goal,
                        json_print_in(turn->arena, turn_parameters(turn)), print_known(turn));
}

enum err_code turn_contract_prompt(const struct turn *turn, const struct turn_contract *contract,
                                   const char *user_path, const struct prompt_value *values,
                                   size_t n, struct ask_prompt *out, struct err *err)
{
    const char *name = contract->contract.name;
    const struct turn_prompt wanted = { .contract = contract->text,
                                        .task_path = arena_printf(
                                            turn->arena, "config/prompts/%s_task.txt", name),
                                        .user_path = user_path,
                                        .values = values,
                                        .n_values = n };
    out->wishes = wishes_of(turn, &out->n_wishes);
    if (!out->state)
        out->state = state_of(turn);
    return turn_make_prompt(turn, &wanted, &out->prompt, err);
}
