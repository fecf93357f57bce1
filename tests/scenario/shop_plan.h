/* A plan of version 2 with everything in it that is carried out more than once, in a list of its
 * own or in the end, and the shop that it buys in: a server that counts what it did by its
 * arguments. Shared by the scenarios that kill such a plan and those that let its ports fail. */
#ifndef TESTS_SCENARIO_SHOP_PLAN_H
#define TESTS_SCENARIO_SHOP_PLAN_H

#include "domain/base/arena.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/tool/step_result.h"
#include <string.h>

#define SHOP_LOOKS 3 /* until the order is done */
#define SHOP_TOOLS                                                                                 \
    "[{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\"}},"                                \
    "{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"}}]"
/* Its apostrophes are quotes. */
#define SHOP_PLAN                                                                                  \
    "{'version':2,'goal':'buy','inputs':{'names':{'type':'array','default':['p','q','r']}},"       \
    "'steps':["                                                                                    \
    "{'id':'one','each':'{inputs.names}','max_parallel':%d,'tool':'shop/charge',"                  \
    "'args':{'n':'one-{item}'}},"                                                                  \
    "{'id':'grid','each':['x','y'],'as':'row','index':'nr','max_parallel':%d,'steps':["            \
    "{'id':'cells','each':[1,2,3],'as':'col','max_parallel':%d,'tool':'shop/charge',"              \
    "'args':{'n':'cell-{row}-{col}','x':'{one.items[0].n}'}},"                                     \
    "{'id':'sum','tool':'shop/look','args':{'n':'sum-{row}','x':'{cells.items[*].n}'}},"           \
    "{'id':'pay','when':'{nr} == 0','tool':'shop/charge','args':{'n':'pay-{row}','x':'{sum.n}'}}"  \
    "],'outputs':{'cells':'{cells.items[*].n}','sum':'{sum.n}'}},"                                 \
    "{'id':'also','when':'{one.count} == 3','steps':["                                             \
    "{'id':'a1','tool':'shop/charge','args':{'n':'a1'}},"                                          \
    "{'id':'a2','tool':'shop/look','args':{'n':'a2-{a1.n}'}}]},"                                   \
    "{'id':'part','use':'part.yml','each':[1,2],'max_parallel':%d,'with':{'k':'{item}'}},"         \
    "{'id':'wait','needs':['also'],'tool':'shop/look','args':{'n':'order'},"                       \
    "'repeat':{'until':'{wait.done}','max':1000,'delay_ms':5}},"                                   \
    "{'id':'some','each':['bad-1','good','bad-2','fine'],'on_item_error':'continue','max_"         \
    "parallel':%d,"                                                                                \
    "'tool':'shop/charge','args':{'n':'some-{item}'}},"                                            \
    "{'id':'last','needs':['grid','part','wait','some'],'tool':'shop/charge','args':{'n':'last'}," \
    "'check':[{'that':'{last.done}','else':'it is not done'}]}],"                                  \
    "'finally':[{'id':'tidy','tool':'shop/charge','args':{'n':'tidy'}}],"                          \
    "'outputs':{'one':'{one.items[*].n}','grid':'{grid.items}','also':'{also.n}',"                 \
    "'part':'{part.items}','some':'{some.items}','sold_out':'{some.errors[*].index}','waited':'{"  \
    "wait.done}','last':'{last.n}'},"                                                              \
    "'used':{'part.yml':{'version':2,'inputs':{'k':{'type':'integer'}},'steps':["                  \
    "{'id':'f','tool':'shop/charge','args':{'n':'f-{inputs.k}'}},"                                 \
    "{'id':'g','tool':'shop/look','args':{'n':'g-{f.n}'}}],"                                       \
    "'finally':[{'id':'h','tool':'shop/charge','args':{'n':'h-{inputs.k}'}}],"                     \
    "'outputs':{'g':'{g.n}'}}}}"

struct shop {
    json_t *effects; /* what is charged -> how often */
    unsigned looks;  /* at the order */
};

static inline void shop_open(struct shop *shop)
{
    *shop = (struct shop){ .effects = json_object() };
}

static inline void shop_close(struct shop *shop)
{
    json_decref(shop->effects);
}

static inline json_int_t shop_charged(const struct shop *shop, const char *n)
{
    return json_integer_value(json_object_get(shop->effects, n));
}

/* The plan with that many elements at once in each loop. NULL: it is no JSON. In the arena. */
static inline const json_t *shop_plan(struct arena *arena, int parallel)
{
    json_t *plan = NULL;
    char *text = arena_printf(arena, SHOP_PLAN, parallel, parallel, parallel, parallel, parallel);
    for (char *at = text; (at = strchr(at, '\''));)
        *at = '"';
    return json_parse(text, strlen(text), JSON_OURS, &plan, NULL) ? NULL
                                                                  : arena_keep_json(arena, plan);
}

/* Calls that policy lets be made again. */
static inline bool shop_is_look(const char *tool)
{
    return text_ends_with(tool, "look");
}

/* What a call gives that came through. Owned by the caller. */
static inline json_t *shop_value(const struct shop *shop, const char *n)
{
    bool is_done = strcmp(n, "order") != 0 || shop->looks >= SHOP_LOOKS;
    return json_pack("{s:s, s:b}", "n", n, "done", is_done);
}

/* Takes effect. */
static inline void shop_serve(struct shop *shop, const char *tool, const char *n)
{
    if (strcmp(n, "order") == 0)
        shop->looks++;
    if (!shop_is_look(tool))
        json_object_set_new(shop->effects, n, json_integer(shop_charged(shop, n) + 1));
}

static inline bool shop_is_sold_out(const char *n)
{
    return text_starts_with(n, "some-bad");
}

static inline void shop_answer(const struct shop *shop, struct arena *arena, const char *n,
                               struct step_result *out)
{
    if (shop_is_sold_out(n))
        step_result_from_text(arena, "it is sold out", NULL, true, out);
    else
        step_result_from_text(arena, n, shop_value(shop, n), false, out);
}

#endif
