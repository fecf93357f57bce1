/* How many tokens a text has for a Mistral tokenizer, without the tokenizer: from its words,
 * digits, punctuation and the bytes of other scripts. Within 15 % on English, JSON and source code
 * of 20 KB and more (measured against /tokenize by ./dev deep). Pure; one pass. */
#ifndef DOMAIN_RULES_TOKEN_ESTIMATE_H
#define DOMAIN_RULES_TOKEN_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

int64_t token_estimate(const char *text, size_t length);

#endif
