/* JSON-RPC 2.0 messages as MCP uses them: telling them apart, and writing them as text. Pure
 * functions over bytes and values; who sends what to whom is the business of connection.h and
 * stdio_rpc.h. */
#ifndef INFRASTRUCTURE_MCP_WIRE_JSONRPC_H
#define INFRASTRUCTURE_MCP_WIRE_JSONRPC_H

#include "domain/base/buf.h"
#include "domain/base/err.h"
#include "domain/tool/result_outline.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define JSONRPC_PARSE_ERROR (-32700)
#define JSONRPC_INVALID_REQUEST (-32600)
#define JSONRPC_METHOD_NOT_FOUND (-32601)
#define JSONRPC_INVALID_PARAMS (-32602)
#define JSONRPC_INTERNAL_ERROR (-32603)
#define JSONRPC_NO_RESOURCE (-32002) /* of legacy servers; modern ones say -32602 */
#define JSONRPC_REJECTED (-1)        /* a person did not let a model answer; of legacy clients */
#define JSONRPC_URL_NEEDED (-32042)  /* of legacy servers: a URL must be visited first */
#define JSONRPC_HEADER_MISMATCH (-32020)
#define JSONRPC_MISSING_CAPABILITY (-32021)
#define JSONRPC_UNSUPPORTED_VERSION (-32022)

/* How our own requests are numbered. The probe's id is a string ("era-1"), so that no answer to
 * it can be taken for the answer to a numbered request. */
struct jsonrpc_id {
    int64_t number;
    bool is_text;
};

enum jsonrpc_kind {
    JSONRPC_JUNK, /* no JSON-RPC */
    JSONRPC_REQUEST,
    JSONRPC_NOTIFICATION,
    JSONRPC_RESULT,
    JSONRPC_ERROR,
};

/* Everything is borrowed from the value that was classified. */
struct jsonrpc_message {
    enum jsonrpc_kind kind;
    json_t *id; /* as received; NULL when absent */
    const char *method;
    json_t *params; /* object, or NULL */
    json_t *result;
    json_t *error; /* object */
};

/* Never fails: what is not a message is JSONRPC_JUNK. */
struct jsonrpc_message jsonrpc_classify(json_t *value);
/* A whole number; 7.0 is one too, because that is how 7 is read beside an integer beyond 64 bits.
 */
bool jsonrpc_read_whole(const json_t *value, int64_t *out_number);
/* True when the id has the form of our own ids. */
bool jsonrpc_read_id(const json_t *id, struct jsonrpc_id *out_id);
/* Finds our id in text that could not be parsed but looks like an answer, so that the request it
 * belongs to can be failed. */
bool jsonrpc_salvage_id(const char *text, size_t length, struct jsonrpc_id *out_id);

/* A message as its text was walked: the result that it brings is only ever looked at here, and goes
 * on as a slice. Everything is borrowed from the text; zeroed slices stand for absent members. */
struct jsonrpc_outline {
    struct json_slice version, id, method, params, error;
    struct result_outline result; /* zeroed but for a result */
};

/* Walks a text once, whole. The outline means something when it is sound. */
enum json_verdict jsonrpc_scan(const char *text, size_t length, struct jsonrpc_outline *out);
/* Whether it is the answer to a request, with a result. */
bool jsonrpc_is_result(const struct jsonrpc_outline *outline);
/* As jsonrpc_read_id, from text. */
bool jsonrpc_scan_id(struct json_slice id, struct jsonrpc_id *out_id);

/* Appends `{"jsonrpc":"2.0","id":7,"method":"m"`; the caller adds params and "}\n". */
MUST_CHECK
bool jsonrpc_append_head(struct buf *out, struct jsonrpc_id id, const char *method);
/* Appends valid UTF-8 as a JSON string with its quotes. */
MUST_CHECK
bool jsonrpc_append_string(struct buf *out, const char *text);
MUST_CHECK
bool jsonrpc_append_json(struct buf *out, const json_t *value);
/* Whole lines. params, id and data may be NULL (left out; an id NULL is sent as null). */
MUST_CHECK
bool jsonrpc_append_request(struct buf *out, struct jsonrpc_id id, const char *method,
                            const json_t *params);
MUST_CHECK
bool jsonrpc_append_notification(struct buf *out, const char *method, const json_t *params);
MUST_CHECK
bool jsonrpc_append_result(struct buf *out, const json_t *id, const char *result, size_t length);
MUST_CHECK
bool jsonrpc_append_error(struct buf *out, const json_t *id, int code, const char *message,
                          const json_t *data);

/* What a peer's error object says, for people: `error -32602: "its message"`, escaped and cut.
 * The code of the err follows the JSON-RPC code; err->origin is it. Returns the err_code. */
enum err_code jsonrpc_explain_error(const json_t *error, struct err *err);
int jsonrpc_error_code(const json_t *error);

#endif
