#include "domain/figure/figure_findings.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include "domain/figure/figure_finding.h"
#include "domain/figure/figure_words.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMNS = 80 };

void figure_finding_add(struct figure_findings *findings, const char *rule,
                        enum figure_weight weight, const char *fix, const char *format, ...)
{
    char message[400];
    va_list arguments;
    if (findings->n == FIGURE_MAX_FINDINGS) {
        findings->dropped++;
        return;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_trim_broken_end(message);
    findings->list[findings->n++] = (struct figure_finding){
        .rule = rule,
        .is_critical = weight == FINDING_UNFAITHFUL || weight == FINDING_UNREADABLE,
        .is_readability = weight == FINDING_UNREADABLE || weight == FINDING_HARD_TO_READ,
        .message = arena_strdup(findings->arena, message),
        .fix = fix,
    };
}

const char *figure_finding_name(struct figure_findings *findings, const char *text)
{
    return text_one_line(findings->arena, text, strlen(text), NAME_COLUMNS);
}

bool figure_text_names(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strcasestr(text, name); at; at = strcasestr(at + 1, name)) {
        bool is_cut = (at > text && text_is_word_byte(at[-1]) && text_is_word_byte(name[0])) ||
                      (isalnum((unsigned char)at[length]) && at[length] != 's' &&
                       text_is_word_byte(name[length - 1]));
        if (!is_cut || (unsigned char)name[0] >= 0x80)
            return true;
    }
    return false;
}

void find_lost_entities(struct figure_findings *findings, const char *before, const char *after)
{
    size_t n = 0;
    const char **entities = figure_entities(findings->arena, before, &n);
    /* A line that was broken anew has the same names. */
    const char *kept = text_with_single_blanks(findings->arena, after, strlen(after));
    for (size_t i = 0; i < n; i++) {
        const char *name =
            text_with_single_blanks(findings->arena, entities[i], strlen(entities[i]));
        if (!figure_text_names(kept, name))
            figure_finding_add(findings, "entity_lost", FINDING_UNFAITHFUL,
                               "write it again, in the same words", "\"%s\" was lost on the way",
                               figure_finding_name(findings, name));
    }
}

const char *figure_findings_print(const struct figure_findings *findings)
{
    const char *text = "";
    for (size_t i = 0; i < findings->n; i++) {
        const struct figure_finding *finding = &findings->list[i];
        text = arena_printf(findings->arena, "%s- %s%s: %s; %s\n", text,
                            finding->is_critical ? "critical, " : "",
                            finding->is_readability ? "readability" : "faithfulness",
                            finding->message, finding->fix ? finding->fix : "look at it");
    }
    if (findings->dropped)
        text = arena_printf(findings->arena, "%s- and %zu more\n", text, findings->dropped);
    return text;
}

json_t *figure_findings_to_json(const struct figure_finding *list, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array,
                              json_pack("{s:s, s:b, s:s, s:s, s:s*}", "rule", list[i].rule,
                                        "critical", (int)list[i].is_critical, "about",
                                        list[i].is_readability ? "readability" : "faithfulness",
                                        "message", list[i].message, "fix", list[i].fix));
    return array;
}
