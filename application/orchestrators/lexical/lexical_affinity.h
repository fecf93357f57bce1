/* How well a mention of the request suits a parameter of a tool: by the words around it, the
 * preposition before it, and what the parameter's name and description ask for. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_AFFINITY_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_AFFINITY_H

#include "application/orchestrators/lexical/lexical_mentions.h"
#include <jansson.h>

enum parameter_type {
    PARAMETER_STRING,
    PARAMETER_INTEGER,
    PARAMETER_NUMBER,
    PARAMETER_BOOLEAN,
    PARAMETER_STRINGS, /* array of strings */
    PARAMETER_NUMBERS, /* array of numbers */
    PARAMETER_OTHER,   /* never filled by words */
};

struct parameter {
    const char *name;
    const json_t *schema;
    enum parameter_type type;
    bool required;
    bool wants_date, wants_time, wants_place, wants_path;
    bool wants_file, wants_folder, wants_glob, wants_sql, wants_term, wants_link;
    bool wants_id, wants_email, wants_year;
    bool wants_text; /* whole sentences; takes what is quoted or led to it, never a stray word */
    struct lexical_text name_words, about_words;
    json_t *value;   /* NULL while it has none; then owned by the arena */
    bool is_doubted; /* it has a value that is better asked for */
};

void lexical_parameter_read(struct arena *arena, const char *name, const json_t *schema,
                            bool required, struct parameter *out);
struct affinity {
    double all;  /* negative when the mention is of the wrong kind */
    double said; /* of it: what the words around the mention say for the parameter */
};

struct affinity lexical_affinity(const struct parameter *parameter, const struct mention *mention,
                                 const struct lexical_text *request);
/* True when the parameter is there for mentions of this kind: a path for a path. */
bool lexical_is_made_for(const struct parameter *parameter, const struct mention *mention);
/* True when one of the words, " a b ", stands in the parameter's name. */
bool lexical_is_called(const struct parameter *parameter, const char *words);
/* True when one of the parameter's own words is the token's word. */
bool lexical_names(const struct parameter *parameter, const struct lexical_token *token);

#endif
