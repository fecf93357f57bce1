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

static const char *system_path(struct arena *arena, const char *name)
{
    return arena_printf(arena, "config/prompts/%s_system.txt", name);
}

enum err_code turn_contract_system(struct arena *arena, struct assets *assets, const char *name,
                                   const char **out, struct err *err)
{
    struct contract contract;
    enum err_code r = contract_load(arena, assets, name, &contract, err);
    if (r)
        return r;
    const struct prompt_value words = { .name = "contract",
                                        .text = contract_prompt_text(arena, &contract) };
    return prompt_print(arena, assets, system_path(arena, name), &words, 1, out, err);
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

static const char *print_tools(const struct turn *turn)
{
    const char *text = "";
    for (size_t i = 0; i < turn->shortlist.n; i++)
        text = arena_printf(turn->arena, "%s%s", text,
                            shortlist_line(turn->arena, &turn->shortlist.tools[i]));
    return *text ? arena_printf(turn->arena, "Tools:\n%s", text) : "Tools: none\n";
}

/* What earlier steps gave, under the names a new plan may use; cut, for this prompt is a short one.
 */
static const char *print_known(const struct turn *turn)
{
    if (!turn->known_results)
        return "";
    const char *known = json_print_in(turn->arena, turn->known_results);
    size_t length = text_cut(known, strlen(known), TURN_KNOWN_BYTES);
    return arena_printf(turn->arena, "Results so far, as {vars.ID}: %.*s\n", (int)length, known);
}

/* The object cannot be written without these. */
static const char *state_of(const struct turn *turn)
{
    const char *tools = print_tools(turn);
    if (!turn->intent)
        return tools;
    return arena_printf(turn->arena, "%sGoal: %s\nKnown parameters: %s\n%s", tools,
                        turn->intent->primary_goal,
                        json_print_in(turn->arena, turn->intent->parameters), print_known(turn));
}

enum err_code turn_contract_prompt(const struct turn *turn, const struct turn_contract *contract,
                                   const char *user_path, const struct prompt_value *values,
                                   size_t n, struct ask_prompt *out, struct err *err)
{
    const struct turn_prompt wanted = { .contract = contract->text,
                                        .system_path =
                                            system_path(turn->arena, contract->contract.name),
                                        .user_path = user_path,
                                        .values = values,
                                        .n_values = n };
    out->wishes = wishes_of(turn, &out->n_wishes);
    if (!out->state)
        out->state = state_of(turn);
    return turn_make_prompt(turn, &wanted, &out->prompt, err);
}
