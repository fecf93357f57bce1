/* A folder comes from a disk where anybody may have changed it: nothing is believed of it that the
 * contract of the log does not say, and no picture that is none is shown. */
#include "application/figure/report/figure_files_internal.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/picture_bytes.h"
#include "domain/figure/stage_contract.h"
#include <string.h>

struct reading {
    struct arena *arena;
    const struct figure_folder *folder;
    bool is_plot;
};

bool figure_folder_keeps(const char *name)
{
    static const char names[] =
        " 01_input.json 02_retriever.json 03_planner.json 04_stylist.json " FIGURE_LOG_FILE
        " " FIGURE_STAGES_FILE " " FIGURE_REQUEST_FILE " ";
    static const char suffixes[] = " .svg .png .pdf .graph.json .dot .mmd .drawio .plot.json "
                                   ".vl.json .py .txt ";
    const char *number = text_starts_with(name, "round_") ? name + strlen("round_") : "";
    size_t n = strspn(number, "0123456789");
    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")])
        return false; /* lists know no case and no blank */
    return n == 1 || (n == 2 && *number != '0')
               ? text_is_listed(suffixes, number + n, strlen(number + n))
               : text_is_listed(names, name, strlen(name));
}

static const struct figure_file *find(const struct reading *r, const char *name)
{
    for (size_t i = 0; i < r->folder->n_files; i++)
        if (text_equal(r->folder->files[i].name, name))
            return &r->folder->files[i];
    return NULL;
}

static enum err_code missing(const char *name, struct err *err)
{
    (void)err_set(err, ERR_INVALID, 0, "there is no %.100s in it", name);
    return err_hint(err, ERR_INVALID,
                    "name the folder of a figure that this version of mistro made: runs/tcp");
}

static enum err_code read_json(const struct reading *r, const char *name, const json_t **out,
                               struct err *err)
{
    const struct figure_file *file = find(r, name);
    json_t *value = NULL;
    if (!file)
        return missing(name, err);
    if (json_parse(file->bytes, file->length, JSON_OURS, &value, err))
        return err_prefix(err, ERR_INVALID, "%s", name);
    *out = arena_keep_json(r->arena, value);
    return ERR_NONE;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_get_string(object, key);
    return text ? text : "";
}

static const struct figure_finding *read_findings(struct arena *arena, const json_t *list)
{
    struct figure_finding *findings =
        arena_array(arena, struct figure_finding, json_array_size(list) + 1);
    const json_t *value;
    size_t i;
    json_array_foreach (list, i, value) {
        int64_t count = json_get_int(value, "count", 1);
        findings[i] = (struct figure_finding){
            .rule = text_of(value, "rule"),
            .is_critical = json_get_bool(value, "critical", false),
            .is_readability = text_equal(json_get_string(value, "about"), "readability"),
            .message = text_of(value, "message"),
            .fix = text_of(value, "fix"),
            .count = count > 0 ? (size_t)count : 1,
        };
    }
    return findings;
}

static enum err_code read_picture(const struct reading *r, const struct figure_round *round,
                                  struct picture *out, struct err *err)
{
    for (enum picture_format format = PICTURE_SVG; format < PICTURE_N_FORMATS; format++) {
        const char *name = figure_picture_path(r->arena, round->round, picture_suffix(format));
        const struct figure_file *file = find(r, name);
        const char *fault = file ? picture_fault(file->bytes, file->length) : NULL;
        if (fault)
            return err_set(err, ERR_INVALID, 0, "%s: %s", name, fault);
        out->bytes[format] = file ? file->bytes : NULL;
        out->lengths[format] = file ? file->length : 0;
    }
    bool is_there = round->artifact.type != FIGURE_ARTIFACT_IMAGE_PATH ||
                    find(r, round->artifact.value) != NULL;
    return is_there ? ERR_NONE : missing(round->artifact.value, err);
}

static enum err_code read_round(const struct reading *r, const json_t *value,
                                struct figure_round *out, struct picture *picture, struct err *err)
{
    const json_t *artifact = json_object_get(value, "artifact");
    const json_t *findings = json_object_get(value, "findings");
    *out = (struct figure_round){
        .round = (unsigned)json_get_int(value, "round", 0),
        .description_t = json_get_string(value, "description_t"),
        .artifact.value = json_get_string(artifact, "value"),
        .critique = figure_critique_from_json(json_object_get(value, "critique")),
        .before_feedback = json_object_get(value, "before_feedback"),
        .findings = read_findings(r->arena, findings),
        .n_findings = json_array_size(findings),
    };
    (void)figure_artifact_parse(json_get_string(artifact, "type"), &out->artifact.type);
    out->rendered = out->artifact.type != FIGURE_ARTIFACT_IMAGE_PROMPT;
    picture->renderer = json_get_string(value, "renderer");
    const char *drawn =
        figure_picture_path(r->arena, out->round, r->is_plot ? "plot.json" : "graph.json");
    if (find(r, drawn) && read_json(r, drawn, &out->drawn, err))
        return ERR_INVALID;
    return read_picture(r, out, picture, err);
}

static enum figure_end end_of(const char *reason)
{
    enum figure_end end = *reason ? FIGURE_END_APPROVED : FIGURE_END_MAX_ROUNDS;
    while (*reason && end < FIGURE_END_STAGE_FAILED && !text_equal(reason, figure_end_name(end)))
        end++;
    return end;
}

static enum err_code read_log(struct reading *r, struct figure_result *out, struct err *err)
{
    const json_t *log;
    struct problems problems = { .arena = r->arena };
    enum err_code code = read_json(r, FIGURE_LOG_FILE, &log, err);
    if (code)
        return code;
    bool is_sound = round_log_check(log, 0, false, &problems).well_formed;
    size_t n = json_array_size(json_object_get(log, "rounds"));
    int64_t best = json_get_int(log, "best", -1), most = json_get_int(log, "max_rounds", 0);
    if (!is_sound || best < 0 || best >= (int64_t)n || most > FIGURE_MAX_LOGGED_ROUNDS ||
        !figure_mode_parse(json_get_string(log, "mode"), &out->log.mode))
        return err_set(err, ERR_INVALID, 0, FIGURE_LOG_FILE ": %s",
                       is_sound ? "best, max_rounds or mode cannot be"
                                : problem_print(&problems, &problems.list[0]));
    struct figure_round *rounds = arena_array(r->arena, struct figure_round, n);
    struct picture *pictures = arena_array(r->arena, struct picture, n);
    r->is_plot = out->log.mode == FIGURE_MODE_PLOT_CODE;
    out->log.max_rounds = (unsigned)most;
    out->log.terminated_early = json_get_bool(log, "terminated_early", false);
    out->log.termination_reason = json_get_string(log, "termination_reason");
    out->log.rounds = rounds;
    out->log.n_rounds = n;
    out->end = end_of(out->log.termination_reason);
    out->best = (size_t)best;
    out->pictures = pictures;
    for (size_t i = 0; i < n && !code; i++)
        code = read_round(r, json_array_get(json_object_get(log, "rounds"), i), &rounds[i],
                          &pictures[i], err);
    return code;
}

enum err_code figure_folder_read(struct arena *arena, const struct figure_file *files, size_t n,
                                 struct figure_folder *out, struct err *err)
{
    struct reading reading = { .arena = arena, .folder = out };
    struct figure_result *result = &out->result;
    *out = (struct figure_folder){ .files = files, .n_files = n };
    enum err_code r = read_log(&reading, result, err);
    if (!r)
        r = read_json(&reading, FIGURE_STAGES_FILE, &result->stages_before, err);
    if (!r)
        r = read_json(&reading, FIGURE_REQUEST_FILE, &out->request, err);
    if (!r)
        result->retrieval_confidence =
            text_of(json_path_find(result->stages_before, "/0/output"), "retrieval_confidence");
    return r;
}
