#include "infrastructure/net/http_transfer.h"
#include "application/ports/runtime.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* Something came: the silence begins anew. */
static void heard(struct http_transfer *transfer)
{
    struct runtime *runtime = uv_runtime_port(transfer->runtime);
    transfer->until_ms = runtime_now_ms(runtime) + transfer->request->silence_ms;
}

void http_transfer_tell_headers(struct http_transfer *transfer)
{
    if (transfer->told_headers)
        return;
    long status = 0;
    transfer->curl->easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    transfer->told_headers = true;
    transfer->response->status = (int)status;
    if (status && transfer->request->on_headers)
        transfer->request->on_headers(transfer->request->context, (int)status);
}

/* The end of the transfer when it returns anything but the length. */
static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
    struct http_transfer *transfer = context;
    size_t length = size * n;
    if (transfer->is_stopped)
        return CURL_WRITEFUNC_ERROR;
    http_transfer_tell_headers(transfer);
    if (length > transfer->request->max_bytes - transfer->bytes) {
        transfer->too_long = true;
        return CURL_WRITEFUNC_ERROR;
    }
    transfer->bytes += length;
    if (!transfer->request->on_bytes(transfer->request->context, bytes, length)) {
        transfer->response->stopped = true;
        return CURL_WRITEFUNC_ERROR;
    }
    heard(transfer);
    return length;
}

/* In seconds; a date is as good as nothing. */
static void read_retry_after(struct http_transfer *transfer, const char *line, size_t length)
{
    static const char name[] = "retry-after:";
    enum { LONGEST_SECONDS = 86400 };
    int64_t seconds = 0;
    if (length < strlen(name) || strncasecmp(line, name, strlen(name)) != 0)
        return;
    size_t at = strlen(name);
    while (at < length && line[at] == ' ')
        at++;
    size_t begin = at;
    for (; at < length && line[at] >= '0' && line[at] <= '9' && seconds <= LONGEST_SECONDS; at++)
        seconds = seconds * 10 + (line[at] - '0');
    bool is_number = at > begin && at < length && (line[at] == '\r' || line[at] == '\n');
    if (is_number && seconds <= LONGEST_SECONDS)
        transfer->response->retry_after_ms = seconds * 1000;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void tell_header(const struct http_transfer *transfer, const char *line, size_t length)
{
    const char *colon = memchr(line, ':', length);
    const char *value = colon ? colon + 1 : NULL, *end = line + length;
    if (!colon || !transfer->request->on_header)
        return;
    while (value < end && is_blank(*value))
        value++;
    while (end > value && is_blank(end[-1]))
        end--;
    transfer->request->on_header(transfer->request->context, line, (size_t)(colon - line), value,
                                 (size_t)(end - value));
}

/* "100 Continue" and its like: the response is still to come. */
static bool is_provisional(const struct http_transfer *transfer)
{
    long status = 0;
    transfer->curl->easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    return status < 200;
}

/* Headers that drip are silence: only their end counts, and only once. */
static size_t on_header_line(char *bytes, size_t size, size_t n, void *context)
{
    struct http_transfer *transfer = context;
    size_t length = size * n;
    if (transfer->is_stopped)
        return 0;
    transfer->header_bytes += length;
    transfer->too_many_headers = transfer->header_bytes > HTTP_MAX_HEADER_BYTES;
    if (transfer->too_many_headers)
        return 0;
    tell_header(transfer, bytes, length);
    bool is_end = length > 0 && (bytes[0] == '\r' || bytes[0] == '\n');
    bool is_whole = is_end && !is_provisional(transfer);
    read_retry_after(transfer, bytes, length);
    if (is_whole)
        http_transfer_tell_headers(transfer);
    if (is_whole && !transfer->heard_headers)
        heard(transfer);
    transfer->heard_headers = transfer->heard_headers || is_whole;
    return length;
}

/* On a connection of its own or on one that was there. */
static bool was_sent(const struct http_transfer *transfer)
{
    long n = 0;
    transfer->curl->easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &n);
    return n > 0;
}

/* Before each sending. Where an old connection breaks off before anything came, libcurl would send
 * the request again on a new one: a POST may have been taken. */
static int admit_sending(void *context, char *address, char *local, int port, int local_port)
{
    struct http_transfer *transfer = context;
    (void)address;
    (void)local;
    (void)port;
    (void)local_port;
    transfer->is_lost = transfer->request->body && was_sent(transfer);
    return transfer->is_lost ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* Also keeps the socket from programs that are started meanwhile. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct http_transfer *transfer = context;
    (void)purpose;
    if (!http_destination_admits(&transfer->destination, &address->addr))
        return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static void add_header(struct http_transfer *transfer, const char *name, const char *value)
{
    AUTO(buf) line = { 0 };
    buf_init(&line, 65536);
    if (!buf_puts(&line, name) || !buf_puts(&line, value))
        return; /* refused by check_request already */
    struct curl_slist *longer = transfer->curl->slist_append(transfer->headers, buf_string(&line));
    if (!longer)
        abort();
    transfer->headers = longer;
}

/* libcurl takes "Name:" for the wish to leave a header out. */
static void add_header_line(struct http_transfer *transfer, const char *line)
{
    size_t name_length = strcspn(line, ":");
    auto_str name = strndup(line, name_length);
    if (!name)
        abort();
    bool is_empty = line[name_length + strspn(line + name_length, ": \t")] == '\0';
    add_header(transfer, is_empty ? name : line, is_empty ? ";" : "");
}

static void set_headers(struct http_transfer *transfer)
{
    const struct http_request *request = transfer->request;
    add_header(transfer, "Expect:", ""); /* no round trip before a large body */
    if (request->body)
        add_header(transfer, "Content-Type: ",
                   request->content_type ? request->content_type : "application/json");
    if (request->accept)
        add_header(transfer, "Accept: ", request->accept);
    if (request->bearer)
        add_header(transfer, "Authorization: Bearer ", request->bearer);
    for (size_t i = 0; i < request->n_headers; i++)
        add_header_line(transfer, request->headers[i]);
    transfer->curl->easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
}

/* Certificates are verified by what the system trusts or, as with OpenSSL's own tools, by what
 * these two variables name. Requests to one host share a connection where HTTP/2 allows that, and
 * wait for each other's until that is known. */
static void set_tls(struct http_transfer *transfer)
{
    const struct curl_library *curl = transfer->curl;
    const char *file = getenv("SSL_CERT_FILE"), *folder = getenv("SSL_CERT_DIR");
    if (!transfer->destination.is_secure)
        return;
    if (file && *file)
        curl->easy_setopt(transfer->easy, CURLOPT_CAINFO, file);
    if (folder && *folder)
        curl->easy_setopt(transfer->easy, CURLOPT_CAPATH, folder);
    curl->easy_setopt(transfer->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl->easy_setopt(transfer->easy, CURLOPT_PIPEWAIT, 1L);
    curl->easy_setopt(transfer->easy, CURLOPT_ERRORBUFFER, transfer->words);
}

static void set_options(struct http_transfer *transfer)
{
    const struct curl_library *curl = transfer->curl;
    const struct http_request *request = transfer->request;
    CURL *easy = transfer->easy;
    curl->easy_setopt(easy, CURLOPT_URL, request->url);
    curl->easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl->easy_setopt(easy, CURLOPT_FORBID_REUSE, (long)request->closes);
    curl->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    set_tls(transfer);
    curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_timeout_ms);
    curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl->easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header_line);
    curl->easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl->easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl->easy_setopt(easy, CURLOPT_PREREQFUNCTION, admit_sending);
    curl->easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl->easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    http_destination_set_options(&transfer->destination, curl, easy);
    if (request->unix_socket)
        curl->easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, request->unix_socket);
    if (request->body) {
        curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
        curl->easy_setopt(easy, CURLOPT_POSTFIELDS, request->body);
    }
    if (request->method)
        curl->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
    if (transfer->on_done)
        curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)request->total_ms);
    set_headers(transfer);
}

static bool is_header_line(const char *line)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t name_length = strspn(line, token), length = strlen(line);
    return name_length && line[name_length] == ':' && length <= 16384 &&
           strcspn(line, "\r\n") == length;
}

/* A header is a line: nothing in it may end it early. */
static enum err_code check_headers(const struct http_request *request, struct err *err)
{
    size_t length = request->bearer ? strlen(request->bearer) : 0;
    for (size_t i = 0; i < length; i++)
        if (request->bearer[i] <= ' ' || request->bearer[i] > '~')
            return err_set(err, ERR_INVALID, 0,
                           "the API key contains a blank or a control "
                           "character");
    if (length > 16384)
        return err_set(err, ERR_INVALID, 0, "the API key is longer than 16384 bytes");
    for (size_t i = 0; i < request->n_headers; i++)
        if (!is_header_line(request->headers[i]))
            return err_set(err, ERR_INVALID, 0,
                           "a header is not 'Name: value', or is longer than 16384 bytes");
    return ERR_NONE;
}

enum err_code http_transfer_check(struct http_transfer *transfer, struct err *err)
{
    const struct http_request *request = transfer->request;
    enum err_code r = check_headers(request, err);
    return r ? r
             : http_destination_init(&transfer->destination, transfer->curl, request->url,
                                     request->reach, err);
}

/* What helps depends on what the verification found, in OpenSSL's numbers. Where only the name is
 * another one libcurl has found nothing yet, which is 0 or its begin value, 1. */
static const char *certificate_hint(const struct http_transfer *transfer)
{
    enum { NOTHING_FOUND = 1, NOT_YET_VALID = 9, HAS_EXPIRED = 10 };
    long found = -1;
    (void)transfer->curl->easy_getinfo(transfer->easy, CURLINFO_SSL_VERIFYRESULT, &found);
    if (found >= 0 && found <= NOTHING_FOUND)
        return "is the host in the URL right? The certificate is for another one";
    if (found == NOT_YET_VALID || found == HAS_EXPIRED)
        return "is the clock of this machine right? Else the server needs a new certificate";
    return "if you trust who issued it, name their certificate in SSL_CERT_FILE";
}

/* ERR_NONE: it is not about TLS. */
static enum err_code explain_tls(const struct http_transfer *transfer, struct err *err)
{
    int code = (int)transfer->result;
    if (transfer->result == CURLE_SSL_CACERT_BADFILE) {
        (void)err_set(err, ERR_UNAVAILABLE, code, "the certificates to trust cannot be read");
        return err_hint(err, ERR_UNAVAILABLE, "what do SSL_CERT_FILE and SSL_CERT_DIR name?");
    }
    if (transfer->result == CURLE_PEER_FAILED_VERIFICATION) {
        (void)err_set(err, ERR_UNAVAILABLE, code, "its certificate is not trusted: %s",
                      transfer->words);
        return err_hint(err, ERR_UNAVAILABLE, "%s", certificate_hint(transfer));
    }
    if (transfer->result != CURLE_SSL_CONNECT_ERROR)
        return ERR_NONE;
    (void)err_set(err, ERR_UNAVAILABLE, code, "no TLS connection: %s", transfer->words);
    return err_hint(err, ERR_UNAVAILABLE, "does the server speak https?");
}

/* The connection broke, or over HTTP/2 the one stream of it. */
static bool was_lost(CURLcode result)
{
    return result == CURLE_RECV_ERROR || result == CURLE_SEND_ERROR ||
           result == CURLE_GOT_NOTHING || result == CURLE_PARTIAL_FILE || result == CURLE_HTTP2 ||
           result == CURLE_HTTP2_STREAM;
}

/* libcurl hands over whole lines only. One that is longer than it takes (100 KiB, which is more
 * than all headers may have together) it calls "Out of memory", in newer versions "too large". */
static bool has_endless_header(const struct http_transfer *transfer)
{
    enum { TOO_LARGE = 100 }; /* CURLE_TOO_LARGE, since 8.6 */
    int code = (int)transfer->result;
    return (code == CURLE_OUT_OF_MEMORY || code == TOO_LARGE) && was_sent(transfer);
}

enum err_code http_transfer_outcome(const struct http_transfer *transfer, struct err *err)
{
    transfer->response->was_sent = was_sent(transfer);
    if (transfer->too_long)
        return err_set(err, ERR_LIMIT, 0, "the response is longer than %zu bytes",
                       transfer->request->max_bytes);
    if (transfer->too_many_headers || has_endless_header(transfer))
        return err_set(err, ERR_LIMIT, 0, "the headers of the response are longer than %d bytes",
                       HTTP_MAX_HEADER_BYTES);
    int code = (int)transfer->result;
    if (transfer->is_stopped)
        return err_set(err, ERR_CANCELLED, 0, "stopped");
    if (transfer->result == CURLE_OK || transfer->response->stopped)
        return ERR_NONE;
    if (transfer->result == CURLE_UNSUPPORTED_PROTOCOL && transfer->response->was_sent)
        return err_set(err, ERR_PROTOCOL, code, "it does not speak HTTP");
    if (transfer->result == CURLE_URL_MALFORMAT || transfer->result == CURLE_UNSUPPORTED_PROTOCOL)
        return err_set(err, ERR_INVALID, code, "not an http or https URL");
    if (transfer->result == CURLE_COULDNT_CONNECT && transfer->destination.refused[0])
        return http_destination_explain(&transfer->destination, err);
    if (transfer->result == CURLE_COULDNT_CONNECT)
        return err_set(err, ERR_UNAVAILABLE, code, "connection refused or impossible");
    if (transfer->result == CURLE_OPERATION_TIMEDOUT && transfer->response->was_sent)
        return err_set(err, ERR_TIMEOUT, code, "no answer for %.3g s",
                       (double)transfer->request->total_ms / 1000.0);
    if (transfer->result == CURLE_OPERATION_TIMEDOUT)
        return err_set(err, ERR_UNAVAILABLE, code, "no connection within %lld ms",
                       (long long)transfer->request->connect_timeout_ms);
    if (transfer->is_lost || was_lost(transfer->result))
        return err_set(err, ERR_UNAVAILABLE, code, "the connection was lost");
    if (explain_tls(transfer, err))
        return ERR_UNAVAILABLE;
    return err_set(err, ERR_UNAVAILABLE, code, "%s",
                   transfer->curl->easy_strerror(transfer->result));
}

void http_transfer_init(struct http_transfer *transfer)
{
    transfer->easy = transfer->curl->easy_init();
    if (!transfer->easy)
        abort();
    heard(transfer);
    set_options(transfer);
}

void http_transfer_finish(struct http_transfer *transfer)
{
    transfer->curl->easy_cleanup(transfer->easy);
    transfer->curl->slist_free_all(transfer->headers);
}
