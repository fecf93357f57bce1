/* Any JSON as a stage's payload and as a round log: checking ends, says no more than fits its list,
 * says nothing without a path that points into it or to what is missing, and a log is complete only
 * when it is well-formed. */
#include "domain/base/json.h"
#include "domain/figure/stage_contract.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>

static void insist(bool holds)
{
    if (!holds)
        abort();
}

static void check_list(const struct problems *problems, bool is_fine)
{
    insist(is_fine == (problems->n == 0) && problems->n <= PROBLEMS_MAX);
    for (size_t i = 0; i < problems->n; i++)
        insist(problems->list[i].path && problems->list[i].message && problems->list[i].fix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    json_t *value = NULL;
    if (size < 1 || json_parse((const char *)data + 1, size - 1, JSON_FOREIGN, &value, NULL))
        return 0;
    struct problems of_stage = { .arena = &arena }, of_log = { .arena = &arena };
    enum figure_stage stage = (enum figure_stage)(data[0] % (STAGE_CRITIC + 1));
    const json_t *output = json_object_get(value, "output");
    check_list(&of_stage, stage_contract_check(stage, value, output, &of_stage));
    struct round_log_verdict verdict = round_log_check(value, data[0] >> 4, data[0] & 8, &of_log);
    check_list(&of_log, verdict.complete);
    insist(verdict.well_formed || !verdict.complete);
    json_decref(value);
    return 0;
}
