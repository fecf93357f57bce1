#include "presentation/web/pages.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "presentation/web/pages_internal.h"
#include <stdlib.h>
#include <string.h>

#define HTML "text/html; charset=utf-8"
#define POLICY                                                                                     \
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "                \
    "img-src data: 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

enum { SECRET_IDS = 8 }; /* of 50 bits of chance each */

const char page_head[] = "<link rel=\"stylesheet\" href=\"/style.css\">\n"
                         "<link rel=\"icon\" href=\"data:,\">\n"
                         "<script src=\"/script.js\" defer></script>\n";
const char page_foot[] =
    "</main>\n<footer class=\"soft\"><p>Made by mistro, which sends these pages "
    "and what they show to nobody else.</p></footer>\n</body>\n</html>\n";

struct pages *pages_create(const struct pages_options *options)
{
    struct pages *pages = calloc(1, sizeof *pages);
    char ids[SECRET_IDS * ID_SIZE] = "", id[ID_SIZE];
    if (!pages)
        abort();
    *pages = (struct pages){ .options = *options,
                             .scope = scope_child(options->scope, SCOPE_NO_DEADLINE) };
    for (size_t i = 0; i < SECRET_IDS; i++)
        strcat(ids, ids_fresh(options->ids, id));
    digest_sha256(options->digest, ids, strlen(ids), pages->secret);
    return pages;
}

void pages_destroy(struct pages *pages)
{
    if (!pages)
        return;
    runtime_cancel(pages->options.runtime, &pages->scope);
    for (size_t i = 0; i < PAGES_MAX_ANSWERS; i++) {
        if (pages->jobs[i].task)
            (void)runtime_wait(pages->options.runtime, pages->jobs[i].task);
        arena_finish(&pages->jobs[i].arena);
    }
    free(pages);
}

/* name: of one more header, or NULL. */
static void reply(struct page_request *request, const struct web_answer *body, const char *name,
                  const char *value, const char *cookie)
{
    /* With no-referrer a browser says "null" for the origin of our own forms. */
    struct web_header headers[6] = { { "Content-Security-Policy", POLICY },
                                     { "Referrer-Policy", "same-origin" },
                                     { "Cache-Control", "no-store" } };
    struct web_answer answer = *body;
    answer.headers = headers;
    answer.n_headers = 3;
    if (name)
        headers[answer.n_headers++] = (struct web_header){ name, value };
    if (cookie)
        headers[answer.n_headers++] = (struct web_header){ "Set-Cookie", cookie };
    web_answer(request->exchange, &answer);
}

void page_reply(struct page_request *request, unsigned status, const char *type, const char *bytes,
                size_t length)
{
    const struct web_answer answer = {
        .status = status, .type = type, .bytes = bytes, .length = length
    };
    reply(request, &answer, NULL, NULL, NULL);
}

void page_redirect(struct page_request *request, const char *to, const char *cookie)
{
    reply(request, &(struct web_answer){ .status = 303, .bytes = "" }, "Location", to, cookie);
}

bool page_is_post(const struct page_request *request)
{
    return strcmp(request->exchange->method, "POST") == 0;
}

const char *page_time(struct page_request *request, int64_t ms)
{
    char text[RFC3339_SIZE];
    rfc3339_print(runtime_local_ms_of(request->pages->options.runtime, ms), text);
    text[10] = ' ';
    return arena_strndup(&request->arena, text, 19);
}

static void add_top(struct page_request *request, struct html_page *page)
{
    const struct visitor *visitor = request->visitor;
    html_add(page, "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
                   "<header class=\"top\">\n<nav aria-label=\"mistro\">");
    html_add(page,
             visitor ? "<a href=\"/runs\">mistro: runs</a>" : "<a href=\"/login\">mistro</a>");
    html_add(page, visitor && page_queue(visitor->services)
                       ? " <a href=\"/queues\">queues</a></nav>\n"
                       : "</nav>\n");
    if (visitor && pages_cookie_token(request->exchange, &request->arena)) {
        html_add(page, "<form method=\"post\" action=\"/logout\"><p><bdi>");
        html_add_text(page, visitor->name);
        html_add(page, visitor->is_admin && *visitor->name
                           ? "</bdi>, who sees everybody\xe2\x80\x99s runs</p>\n"
                           : "</bdi></p>\n");
        page_add_csrf(request, page);
        html_add(page, "<button type=\"submit\">Sign out</button></form>\n");
    }
    html_add(page, "</header>\n<main id=\"main\" tabindex=\"-1\">\n");
}

const char *page_top(struct page_request *request)
{
    AUTO(html_page) page;
    html_page_init(&page, PAGES_MAX_BYTES);
    add_top(request, &page);
    return arena_strdup(&request->arena, buf_string(&page.out));
}

void page_begin(struct page_request *request, struct html_page *page, const char *title)
{
    html_page_init(page, PAGES_MAX_BYTES);
    html_page_begin_served(page, title, page_head);
    add_top(request, page);
}

void page_end(struct page_request *request, unsigned status, struct html_page *page)
{
    html_add(page, page_foot);
    page_reply(request, status, HTML, buf_string(&page->out), page->out.length);
    html_page_finish(page);
}

void page_say(struct page_request *request, unsigned status, const char *title, const char *text)
{
    struct html_page page;
    page_begin(request, &page, title);
    html_add_element(&page, "h1", "", title);
    html_add(&page, "<section>\n");
    html_add_element(&page, "p", "", text);
    html_add(&page, "<p><a href=\"/runs\">All runs</a></p>\n</section>\n");
    page_end(request, status, &page);
}

void page_not_found(struct page_request *request)
{
    page_say(request, 404, "There is no such page",
             "There is no such run, or it is not yours, or the address is mistyped.");
}

void page_failed(struct page_request *request, const struct err *err)
{
    bool is_away =
        err->code == ERR_UNAVAILABLE || err->code == ERR_CANCELLED || err->code == ERR_LIMIT;
    page_say(
        request, is_away ? 503 : 500, "This cannot be shown",
        arena_printf(&request->arena, "%s%s%s", err->message, *err->hint ? ": " : "", err->hint));
}

/* One text of what all pages need, so that it is fetched once. */
static void answer_style(struct page_request *request)
{
    static const char *const files[] = { "data/pages/common.css", "data/pages/run.css" };
    AUTO(html_page) text;
    html_page_init(&text, PAGES_MAX_BYTES);
    for (size_t i = 0; i < ARRAY_LENGTH(files); i++)
        html_add(&text, embedded_file_find(page_styles, files[i])->text);
    html_add(&text, embedded_file_find(web_files, "data/web/pages.css")->text);
    page_reply(request, 200, "text/css; charset=utf-8", buf_string(&text.out), text.out.length);
}

static void answer_script(struct page_request *request)
{
    const struct embedded_file *file = embedded_file_find(web_files, "data/web/live.js");
    page_reply(request, 200, "text/javascript; charset=utf-8", file->text, file->length);
}

static void answer_root(struct page_request *request)
{
    page_redirect(request, "/runs", NULL);
}

/* A run's page by what is behind its id. */
static const struct {
    const char *behind, *method;
    void (*answer)(struct page_request *request, const char *id);
} run_pages[] = {
    { "", "GET", page_one_run },
    { "/events", "GET", page_stream },
    { "/answer", "POST", page_take_answer },
    { "/cancel", "POST", page_cancel_run },
};

static const struct {
    const char *path, *methods;
    bool is_open; /* to those whom nobody knows */
    void (*answer)(struct page_request *request);
} fixed_pages[] = {
    { "/", "GET", false, answer_root },          { "/runs", "GET", false, page_list_of_runs },
    { "/login", "GET, POST", true, page_login }, { "/logout", "POST", false, page_logout },
    { "/style.css", "GET", true, answer_style }, { "/script.js", "GET", true, answer_script },
    { "/queues", "GET", false, page_queues },
};

/* Whether the method is one of those, HEAD being a GET; else that was answered. */
static bool takes_method(struct page_request *request, const char *methods)
{
    static const char *const reading[] = { "GET", "HEAD" };
    bool reads = text_is_one_of(request->exchange->method, reading, ARRAY_LENGTH(reading));
    if ((reads || page_is_post(request)) && strstr(methods, reads ? "GET" : "POST"))
        return true;
    static const char text[] = "this page takes another method\n";
    const struct web_answer answer = {
        .status = 405, .type = "text/plain; charset=utf-8", .bytes = text, .length = sizeof text - 1
    };
    reply(request, &answer, "Allow", methods, NULL);
    return false;
}

/* Whether its fields can be read; else what is wrong with them was answered. */
static bool read_fields(struct page_request *request)
{
    struct web_exchange *x = request->exchange;
    const char *type = web_header(x, "Content-Type");
    bool is_form = type && text_starts_with(type, "application/x-www-form-urlencoded");
    if (page_is_post(request) && x->length > PAGES_FORM_BYTES)
        page_say(request, 413, "Too much", "The form is larger than any that a page here has.");
    else if (page_is_post(request) && !is_form)
        page_say(request, 415, "No form", "What was sent is not a form of a page.");
    else if (!web_form_read(&request->arena, x->query, strlen(x->query), &request->query) ||
             (page_is_post(request) &&
              !web_form_read(&request->arena, x->body, x->length, &request->form)))
        page_say(request, 400, "Not understood", "The fields that were sent cannot be read.");
    else
        return true;
    return false;
}

/* Whether the request may go on; else it was answered. */
static bool is_let_in(struct page_request *request, bool is_open, const char *methods)
{
    if (!request->visitor && !is_open) {
        page_redirect(request, "/login", NULL);
        return false;
    }
    return takes_method(request, methods) && read_fields(request);
}

/* What a path can hold of an id: it becomes a question to the log, and a link. */
static const char *id_of(struct page_request *request, const char *path, const char **out_behind)
{
    size_t length = strcspn(path, "/");
    const char *id = arena_strndup(&request->arena, path, length);
    *out_behind = path + length;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)id[i] >= 0x80 || (!text_is_word_byte(id[i]) && !strchr("-_", id[i])))
            return NULL;
    return length > 0 && length < RUN_ID_MAX ? id : NULL;
}

static void answer_about_run(struct page_request *request, const char *path)
{
    const char *behind, *id = id_of(request, path, &behind);
    for (size_t i = 0; id && i < ARRAY_LENGTH(run_pages); i++) {
        if (strcmp(behind, run_pages[i].behind) != 0)
            continue;
        if (is_let_in(request, false, run_pages[i].method))
            run_pages[i].answer(request, id);
        return;
    }
    if (is_let_in(request, false, "GET, POST"))
        page_not_found(request);
}

static void page_request_finish(struct page_request *request)
{
    const struct visitors *visitors = request->pages->options.visitors;
    if (request->other.services)
        visitors->release(visitors->context, request->other.services);
    arena_finish(&request->arena);
}

bool pages_answer(struct pages *pages, struct scope *scope, struct web_exchange *exchange,
                  const struct visitor *visitor)
{
    AUTO(page_request)
    request = { .pages = pages, .scope = scope, .exchange = exchange, .visitor = visitor };
    for (size_t i = 0; i < ARRAY_LENGTH(fixed_pages); i++) {
        if (strcmp(exchange->path, fixed_pages[i].path) != 0)
            continue;
        if (is_let_in(&request, fixed_pages[i].is_open, fixed_pages[i].methods))
            fixed_pages[i].answer(&request);
        return true;
    }
    if (!text_starts_with(exchange->path, "/runs/"))
        return false;
    answer_about_run(&request, exchange->path + strlen("/runs/"));
    return true;
}
