/* Requests with the calls they ask for, tests/data/requests.jsonl: what the lexical analyst is
 * measured by without outside data. The tools are the built-in ones ("workspace") or a handful
 * as other servers have them (request_tools.json, "office"). Lines count from 0; even ones were
 * worked on when the rules were written, odd ones were kept aside. */
#ifndef TESTS_SUPPORT_FULL_LEXICAL_REQUEST_SET_H
#define TESTS_SUPPORT_FULL_LEXICAL_REQUEST_SET_H

#include <stdbool.h>

enum request_half { REQUESTS_EVEN, REQUESTS_ODD, REQUEST_HALVES };

struct request_tally {
    unsigned answerable;
    unsigned right_tool, right_call; /* of the answerable: the tool; and its arguments, exactly */
    unsigned irrelevant, refused;    /* requests for which there is no tool; those not called */
};

/* False when a file cannot be read or a request not be analysed. tell: prints what goes wrong in
 * the even half. */
bool request_set_measure(bool tell, struct request_tally out[REQUEST_HALVES]);

#endif
