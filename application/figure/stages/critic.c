/* Whether the figure may go out. What the checks found counts whatever a model says of it: a
 * critical finding closes its gate, and no figure stops with a closed gate. An answer that cannot
 * be read approves nothing. What a person says of the figure is a critique as well, which a model
 * writes into the description. */
#include "application/figure/stages/stage.h"
#include "application/ports/model.h"
#include "application/structured/sanitize.h"
#include "domain/base/base64.h"
#include "domain/base/json.h"
#include "domain/figure/figure_words.h"
#include <string.h>

static const char no_approval[] = "this is no approval";

struct criticism {
    struct figure_work *work;
    const struct figure_round *round;
    const struct picture *picture;
    const char *feedback; /* of a person who looked at it, in place of findings; or NULL */
};

static json_t *input_of(const struct criticism *asked)
{
    const struct figure_input *input = asked->work->input;
    const struct figure_artifact *artifact = &asked->round->artifact;
    return json_pack("{s:{s:s, s:s}, s:s, s:s, s:s, s:i}", "artifact", "type",
                     figure_artifact_name(artifact->type), "value", artifact->value,
                     "description_t", asked->round->description_t, "source_context",
                     input->source_context, "caption", input->caption, "round",
                     (int)asked->round->round);
}

static bool has_critical(const struct figure_round *round, bool about_readability)
{
    for (size_t i = 0; i < round->n_findings; i++)
        if (round->findings[i].is_critical &&
            round->findings[i].is_readability == about_readability)
            return true;
    return false;
}

/* The fixes of what was found, as the instructions they are. */
static const char *fixes(struct arena *arena, const struct figure_round *round)
{
    const char *text = "";
    for (size_t i = 0; i < round->n_findings; i++)
        text = arena_printf(arena, "%s%s%s: %s.", text, *text ? " " : "",
                            round->findings[i].message, round->findings[i].fix);
    return *text ? text : "The checks found nothing; no model has looked at it.";
}

/* What the checks alone can say. A gate that a model was to judge stays closed without its answer,
 * and then nothing stops. */
static struct figure_critique by_rules(const struct criticism *asked)
{
    const struct figure_round *round = asked->round;
    bool is_missing = asked->work->figure->engine != NULL;
    struct figure_critique critique = {
        .critic_suggestions = fixes(asked->work->arena, round),
        .revised_description = round->description_t,
        .faithfulness_ok = !is_missing && !has_critical(round, false),
        .readability_ok = !is_missing && !has_critical(round, true),
    };
    critique.stop_flag = round->rendered && critique.faithfulness_ok && critique.readability_ok;
    return critique;
}

static struct figure_critique from_model(struct stage_run *run, const struct criticism *asked,
                                         const json_t *value)
{
    struct figure_critique critique = figure_critique_from_json(value);
    critique.reviewed = true;
    bool was_ok = critique.faithfulness_ok && critique.readability_ok;
    critique.faithfulness_ok = critique.faithfulness_ok && !has_critical(asked->round, false);
    critique.readability_ok = critique.readability_ok && !has_critical(asked->round, true);
    bool is_ok = critique.faithfulness_ok && critique.readability_ok;
    if (was_ok && !is_ok)
        stage_note(run, "a critical finding stands against what the critic said");
    if (critique.stop_flag && !(is_ok && asked->round->rendered)) {
        stage_note(run, "stop_flag ignored: gate failed");
        critique.stop_flag = false;
    }
    return critique;
}

static const char *findings_in_words(const struct criticism *asked)
{
    struct figure_findings *findings = arena_new(asked->work->arena, struct figure_findings);
    if (asked->feedback)
        return arena_printf(asked->work->arena,
                            "A person looked at it and asks for this, which has to be written into "
                            "revised_description:\n%s\n",
                            asked->feedback);
    findings->arena = asked->work->arena;
    findings->n = asked->round->n_findings;
    for (size_t i = 0; i < findings->n; i++)
        findings->list[i] = asked->round->findings[i];
    return findings->n ? figure_findings_print(findings) : "none\n";
}

/* The picture as a model takes it; NULL where it takes none or there is none. */
static const struct model_part *picture_for(struct stage_run *run, const struct criticism *asked)
{
    struct arena *arena = asked->work->arena;
    const char *png = asked->picture->bytes[PICTURE_PNG];
    size_t length = asked->picture->lengths[PICTURE_PNG];
    if (!asked->work->figure->can_see || !png)
        return NULL;
    if (length > FIGURE_MAX_SEEN_BYTES) {
        stage_note(run, "the picture is too large to be shown to the model");
        return NULL;
    }
    struct model_part *part = arena_new(arena, struct model_part);
    *part = (struct model_part){ .kind = MODEL_IMAGE,
                                 .text = base64_text(arena, png, length),
                                 .media_type = "image/png" };
    return part;
}

/* A description that nothing has to change in need not be repeated. */
static const json_t *fill_in(void *context, struct arena *arena, const json_t *value)
{
    const struct criticism *asked = context;
    const json_t *gate = json_object_get(value, "quality_gate");
    if (!json_get_bool(gate, "faithfulness_ok", false) ||
        !json_get_bool(gate, "readability_ok", false))
        return value;
    return stage_filled_in(arena, value, "revised_description", asked->round->description_t);
}

static bool check_words(void *context, const json_t *value, struct problems *problems)
{
    (void)context;
    stage_want_words(value, "critic_suggestions", problems);
    if (!json_get_string(value, "revised_description"))
        problems_add(problems, NULL, "/revised_description", "is missing although a gate is false")
            ->fix = "write the whole description with what has to change";
    stage_want_words(value, "revised_description", problems);
    return problems->n == 0;
}

/* The style is dropped first where the context has no room: the renderer keeps to it anyway. */
static struct prompt_value style_of(const struct criticism *asked)
{
    struct prompt_part *part = arena_new(asked->work->arena, struct prompt_part);
    *part = (struct prompt_part){ .text = asked->work->figure->style->guide,
                                  .keep = PROMPT_DROP_FIRST,
                                  .what = "style",
                                  .instead = "(no room for it)" };
    return (struct prompt_value){ .name = "style", .parts = part, .n_parts = 1 };
}

static enum err_code ask(struct stage_run *run, struct scope *scope, const struct criticism *asked,
                         const json_t **out, struct err *err)
{
    const struct figure_work *work = run->work;
    const char *assumed = work->assumption_block;
    /* For a critic that takes no pictures. */
    const char *drawn =
        asked->round->drawn ? json_print_in(work->arena, asked->round->drawn) : NULL;
    const struct stage_question question = {
        .contract = "figure_critic",
        .values = { { .name = "source",
                      .text = fence_text(work->arena, work->input->source_context) },
                    { .name = "caption", .text = work->input->caption },
                    { .name = "description", .text = asked->round->description_t },
                    { .name = "assumptions", .text = assumed ? assumed : "none" },
                    { .name = "artifact",
                      .text = figure_artifact_name(asked->round->artifact.type) },
                    { .name = "drawn", .text = drawn ? drawn : asked->round->artifact.value },
                    { .name = "findings", .text = findings_in_words(asked) },
                    style_of(asked) },
        .n_values = 8,
        .normalise = fill_in,
        .cross_check = check_words,
        .context = (void *)(uintptr_t)asked,
        .image = picture_for(run, asked),
        .instead = no_approval,
    };
    return stage_ask(run, scope, &question, out, err);
}

/* said: what the critic answered, whose further members are passed on; NULL by rules. */
static void keep(struct stage_run *run, struct figure_critique critique, const json_t *said)
{
    json_t *output = figure_critique_to_json(&critique);
    const char *key;
    const json_t *member;
    json_each_member (said, key, member) {
        if (!json_object_get(output, key))
            json_object_set_new(output, key, json_share(member));
    }
    run->work->rounds[run->record.round].critique = critique;
    stage_end(run, output);
}

enum err_code critic_run(struct figure_work *work, struct scope *scope, unsigned round,
                         struct err *err)
{
    struct criticism asked = { .work = work,
                               .round = &work->rounds[round],
                               .picture = &work->pictures[round] };
    const json_t *value = NULL;
    enum err_code r = ERR_NONE;
    struct stage_run run = stage_begin(work, STAGE_CRITIC, round, input_of(&asked));
    bool was_drawn_before = false;
    for (unsigned i = 0; i < round; i++)
        was_drawn_before = was_drawn_before || work->rounds[i].rendered;
    if (!asked.round->rendered && was_drawn_before)
        stage_note(&run, "not reviewed: the round could not be drawn");
    else
        r = ask(&run, scope, &asked, &value, err);
    if (r)
        stage_note(&run, arena_printf(work->arena, "%s; %s", err->message, no_approval));
    keep(&run, value ? from_model(&run, &asked, value) : by_rules(&asked), value);
    return r;
}

enum err_code critic_take_feedback(struct figure_work *work, struct scope *scope, struct err *err)
{
    const struct figure *figure = work->figure;
    size_t shown = figure->before->best;
    struct figure_round *last = &work->rounds[work->n_rounds - 1];
    const struct criticism asked = { work, &work->rounds[shown], &work->pictures[shown],
                                     figure->feedback };
    const json_t *value;
    if (!figure->engine) {
        enum err_code r = err_set(err, ERR_INVALID, 0, "rules cannot follow feedback");
        return err_hint(err, r,
                        "name a model (-m NAME), show another round (mistro figure choose), or "
                        "change the text and draw it anew");
    }
    struct stage_run run = stage_begin(work, STAGE_CRITIC, asked.round->round, input_of(&asked));
    enum err_code r = ask(&run, scope, &asked, &value, err);
    if (r)
        return r;
    const char *revised = json_get_string(value, "revised_description");
    if (!revised || figure_same_words(revised, asked.round->description_t))
        revised = arena_printf(work->arena, "%s\n%s", asked.round->description_t, asked.feedback);
    last->before_feedback = arena_keep_json(work->arena, figure_critique_to_json(&last->critique));
    last->critique.critic_suggestions = asked.feedback;
    last->critique.revised_description = work->description = revised;
    last->critique.stop_flag = false;
    stage_note(&run, "a person's feedback");
    stage_end(&run, figure_critique_to_json(&last->critique));
    return ERR_NONE;
}
