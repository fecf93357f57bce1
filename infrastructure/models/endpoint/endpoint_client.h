/* What both dialects need of an endpoint: its address, its key, small JSON answers, and what its
 * error bodies mean. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_CLIENT_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_CLIENT_H

#include "application/settings.h"
#include "domain/base/arena.h"
#include "infrastructure/net/http_client.h"
#include <jansson.h>

#define ENDPOINT_MAX_JSON_BYTES (8u << 20u) /* a list of models, a server's properties */
#define ENDPOINT_MAX_ERROR_BYTES 65536      /* read of an error body */
#define ENDPOINT_ANSWER_MS 5000             /* for anything but a completion */
#define ENDPOINT_MAX_URL 2048

/* Of an endpoint that answers, and then fails. */
#define ENDPOINT_GAVE_UP_HINT "the model server is at fault: its log may say why"

struct endpoint_client {
    struct uv_runtime *runtime;
    const struct settings *settings;
    struct http_client *http;
    char base_url[ENDPOINT_MAX_URL];  /* no slash and no /v1 at its end; or "unix:PATH" */
    char shown_url[ENDPOINT_MAX_URL]; /* the same without user and password: for messages */
    const char *unix_socket;          /* PATH of "unix:PATH", else NULL */
    const char *request_url;          /* what the URL of a request begins with */
    const char *key;                  /* NULL unless settings name it for this very address */
    const char *start_hint;           /* how such a server is started */
    bool closes;                      /* no connection is kept behind an answer */
};

/* base_url: as people write it, with or without http:// and /v1, or "unix:PATH"; copied. */
void endpoint_client_init(struct endpoint_client *client, struct uv_runtime *runtime,
                          const char *base_url, const struct settings *settings);
void endpoint_client_finish(struct endpoint_client *client);

struct endpoint_answer {
    int status;
    const json_t *json; /* in the arena; NULL when the body is not JSON */
};

/* GET base_url + path. ERR_NONE for any status. Unreachable: ERR_UNAVAILABLE with start_hint. */
awaits MUST_CHECK enum err_code endpoint_client_get(struct endpoint_client *client,
                                                    const struct scope *scope, const char *path,
                                                    struct arena *arena,
                                                    struct endpoint_answer *out, struct err *err);

/* Puts the address in front of an error and adds the hint that fits an endpoint. */
enum err_code endpoint_client_explain(const struct endpoint_client *client, enum err_code code,
                                      struct err *err);
/* As endpoint_client_get, but a POST of a JSON text. */
awaits MUST_CHECK enum err_code endpoint_client_post(struct endpoint_client *client,
                                                     const struct scope *scope, const char *path,
                                                     const char *text, struct arena *arena,
                                                     struct endpoint_answer *out, struct err *err);

/* The text of `error`, `error.message` or `message`; NULL when there is none. */
const char *endpoint_error_text(const json_t *body);
/* What a status of 300 and more, or (status 200) an error in the middle of a stream, means. The
 * body may not be JSON. Always fails. */
enum err_code endpoint_error(int status, const char *body, size_t length, struct err *err);
/* The server is there and its model is still being loaded. */
bool endpoint_error_is_loading(int status, const char *body);
/* Its chat template does not take the roles of the messages. */
bool endpoint_error_is_about_roles(int status, const char *body);
/* It refused the schema, not the request. */
bool endpoint_error_is_about_schema(int status, const char *body);

#endif
