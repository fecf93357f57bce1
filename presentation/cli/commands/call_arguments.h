/* The arguments of `mistro call` as people type them: k=v (text, or the number, boolean or list
 * that the tool's schema asks for), k:=JSON, k@FILE, one '{JSON}' object, - for an object on
 * standard input. Later words win over earlier ones. */
#ifndef PRESENTATION_CLI_COMMANDS_CALL_ARGUMENTS_H
#define PRESENTATION_CLI_COMMANDS_CALL_ARGUMENTS_H

#include "presentation/cli/cli.h"

#define CALL_ARGUMENTS_MAX_BYTES (16 * 1024 * 1024)

/* input_schema may be NULL: everything k=v is text then. The object is in the arena. ERR_INVALID
 * names the word that is not an argument. */
awaits MUST_CHECK enum err_code call_arguments_parse(struct cli *cli, const char *const *words,
                                                     size_t n_words, const json_t *input_schema,
                                                     json_t **out, struct err *err);

/* Text as the schema of a property wants it: "5" for an integer, "true" for a boolean. A new
 * value; text stays text where the schema allows it or nothing fits. */
json_t *call_argument_value(const json_t *property_schema, const char *text);

#endif
