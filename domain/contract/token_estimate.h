/* How many tokens a text has for a Mistral tokenizer, without the tokenizer: what a word, a digit,
 * a run of punctuation or a character of another script costs on average. Within 15 % on English,
 * JSON and source code of 20 KB and more (./dev deep compares with /tokenize); other scripts and
 * random letters may be off by 30 %. Pure; one pass. */
#ifndef DOMAIN_CONTRACT_TOKEN_ESTIMATE_H
#define DOMAIN_CONTRACT_TOKEN_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

/* Any bytes; 0 for none, at least 1 for some. */
int64_t token_estimate(const char *text, size_t length);

#endif
