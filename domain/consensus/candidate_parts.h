/* The questions that candidate.c asks of a text; the tables behind them are long. Pure. */
#ifndef DOMAIN_CONSENSUS_CANDIDATE_PARTS_H
#define DOMAIN_CONSENSUS_CANDIDATE_PARTS_H

#include "domain/consensus/canonical_parts.h"
#include <stdbool.h>

/* Without quotes, stars, backticks and the point of a sentence around it. */
struct span candidate_bare(const char *text);

/* Nothing but marks, "…", "___", "\"\"": nobody's answer. */
bool candidate_is_blank(struct span text);
/* The whole is a gap to be filled: "<NUMBER>", "{answer}", "[your answer here]", "${x}", "tbd"; or
 * a short sentence has one within. */
bool candidate_is_gap(struct span text);
/* The same of text that may have brackets of its own: only what cannot be meant. */
bool candidate_is_plain_gap(struct span text);
/* A word of the protocol, alone. One that the task names ("answer APPROVED or REJECTED") is an
 * answer. */
bool candidate_is_status_word(struct span text, const char *task);
/* The same, however it is written and whatever the task says. */
bool candidate_is_protocol_word(struct span text);
/* A sentence of the envelope's own template. */
bool candidate_is_template(struct span text);
/* The task said back. */
bool candidate_is_echo(struct span text, const char *task);

#endif
