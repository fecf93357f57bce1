#include "application/figure/stages/stage.h"
#include "application/structured/contracts.h"
#include "domain/base/json.h"
#include "domain/figure/figure_words.h"

struct stage_run stage_begin(struct figure_work *work, enum figure_stage stage, unsigned round,
                             json_t *input)
{
    struct stage_run run = { .work = work,
                             .started_ms = run_session_now_ms(work->figure->session) };
    run.record = (struct figure_stage_record){ .stage = stage,
                                               .round = round,
                                               .input = arena_keep_json(work->arena, input) };
    journal_emit(&work->figure->session->journal, EVENT_STAGE_STARTED,
                 json_pack("{s:s, s:i}", "stage", figure_stage_name(stage), "round", (int)round));
    return run;
}

void stage_end(struct stage_run *run, json_t *output)
{
    struct figure_work *work = run->work;
    struct figure_stage_record *record = &run->record;
    record->output = arena_keep_json(work->arena, output);
    record->by_rules = !record->model;
    record->duration_ms = run_session_now_ms(work->figure->session) - run->started_ms;
    *arena_push(work->arena, work->stages, work->n_stages, work->stages_capacity) = *record;
    journal_emit(&work->figure->session->journal, EVENT_STAGE_FINISHED,
                 json_pack("{s:s, s:i, s:o, s:s, s:s*, s:s*, s:I}", "stage",
                           figure_stage_name(record->stage), "round", (int)record->round, "output",
                           journal_value(&work->figure->session->journal, record->output), "by",
                           record->by_rules ? "rules" : "model", "model", record->model, "note",
                           record->note, "ms", (json_int_t)record->duration_ms));
}

void stage_note(struct stage_run *run, const char *note)
{
    struct figure_stage_record *record = &run->record;
    record->note =
        record->note ? arena_printf(run->work->arena, "%s; %s", record->note, note) : note;
}

const json_t *stage_filled_in(struct arena *arena, const json_t *value, const char *member,
                              const char *text)
{
    const json_t *said = json_object_get(value, member);
    bool is_open = !said || json_is_null(said) ||
                   (json_is_string(said) && figure_same_words(json_string_value(said), ""));
    if (!json_is_object(value) || !is_open)
        return value;
    json_t *filled = arena_keep_json(arena, json_deep_copy(value));
    json_object_set_new(filled, member, json_string(text));
    return filled;
}

void stage_want_words(const json_t *value, const char *member, struct problems *problems)
{
    const char *text = json_get_string(value, member);
    if (text && figure_same_words(text, ""))
        problems_add(problems, NULL, json_path_member(problems->arena, "", member), "is blank")
            ->fix = "say something there";
}

static enum err_code make_prompt(struct stage_run *run, const struct contract *contract,
                                 const struct stage_question *question, struct ask_prompt *out,
                                 struct err *err)
{
    struct arena *arena = run->work->arena;
    struct assets *assets = run->work->figure->session->services->assets;
    const struct prompt_value words = { .name = "contract",
                                        .text = contract_prompt_text(arena, contract) };
    const char *system = arena_printf(arena, "config/prompts/%s_system.txt", question->contract);
    const char *user = arena_printf(arena, "config/prompts/%s.txt", question->contract);
    enum err_code r = prompt_load_text(arena, assets, system, &words, 1, &out->prompt.system, err);
    if (r)
        return r;
    out->prompt.images = question->image;
    out->prompt.n_images = question->image ? 1 : 0;
    return prompt_load(arena, assets, user, question->values, question->n_values, &out->prompt,
                       err);
}

enum err_code stage_ask(struct stage_run *run, struct scope *scope,
                        const struct stage_question *question, const json_t **out, struct err *err)
{
    struct figure *figure = run->work->figure;
    struct arena *arena = run->work->arena;
    struct contract contract;
    struct ask_prompt prompt = { 0 };
    struct ask_outcome outcome = { 0 };
    *out = NULL;
    if (!figure->engine)
        return ERR_NONE;
    enum err_code r =
        contract_load(arena, figure->session->services->assets, question->contract, &contract, err);
    if (!r)
        r = make_prompt(run, &contract, question, &prompt, err);
    if (r)
        return r;
    contract.normalise = question->normalise;
    contract.cross_check = question->cross_check;
    contract.context = question->context;
    r = engine_ask(figure->engine, scope, arena, &contract, &prompt, &outcome, err);
    run->work->model_calls += outcome.attempts;
    bool is_unanswered = r == ERR_FAILED || (r == ERR_LIMIT && question->may_be_too_long);
    if (is_unanswered && question->instead) {
        stage_note(run, arena_printf(arena, "%s; %s", err->message, question->instead));
        return ERR_NONE;
    }
    if (r)
        return r;
    *out = outcome.value;
    run->record.model = figure->model;
    return ERR_NONE;
}
