/* What is in the text of a result of MCP, noted while the message that brings it is walked: where
 * the members are that mistro asks for, and whether a tool's result may look like this. No value is
 * made of anything; a caller that wants one makes it of the slice that it needs. */
#ifndef DOMAIN_TOOL_RESULT_OUTLINE_H
#define DOMAIN_TOOL_RESULT_OUTLINE_H

#include "domain/base/err.h"
#include "domain/base/json_scan.h"

/* What a tool's result must not be. Other results may be what they like. */
enum result_flaw {
    RESULT_WELL_FORMED,
    RESULT_NO_OBJECT,
    RESULT_CONTENT_NO_ARRAY,
    RESULT_IS_ERROR_NO_BOOLEAN,
    RESULT_BLOCK_WITHOUT_TYPE,
    RESULT_TEXT_WITHOUT_TEXT,
};

/* Slices of the text that was walked; zeroed where there is no such member. */
struct result_outline {
    struct json_slice text; /* all of it */
    /* All of it as it came, where the text is a repaired one: what can only go back to the server
     * goes back untouched. Zeroed otherwise. */
    struct json_slice received;
    struct json_slice type; /* resultType, whatever value it has */
    struct json_slice content, structured;
    struct json_slice first_text; /* what the first text block of the content says */
    bool is_error;
    enum result_flaw flaw;
    size_t flawed_block; /* of the content, from 0 */
};

/* One block of a content. */
struct content_block {
    struct json_slice whole, type;
    struct json_slice text; /* its member "text", whatever kind of block it is */
};

/* The next element of a content that was entered; false at its end. */
bool content_block_next(struct json_scan *content, struct content_block *out);
bool content_block_is_text(const struct content_block *block);

/* Passes the next value, which is a result. The outline means nothing when the walk finds that the
 * text is not sound. */
void result_outline_scan(struct json_scan *scan, struct result_outline *out);
/* ERR_PROTOCOL when it is not what a tool may answer. */
MUST_CHECK
enum err_code result_outline_check_tool(const struct result_outline *outline, struct err *err);

#endif
