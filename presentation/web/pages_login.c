/* Who a browser is: the token of a person in a cookie, and a token in each form, which only pages
 * of that person carry. */
#include "domain/base/text.h"
#include "presentation/web/pages_internal.h"
#include <string.h>

#define COOKIE_RULES "; Path=/; Secure; HttpOnly; SameSite=Strict"
#define CSRF_FIELD "csrf"

/* RFC 6265, 4.1.1, and nothing that a token has no need of. */
static bool is_token(const char *text)
{
    size_t length = text ? strlen(text) : 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0x80 ||
            (!text_is_word_byte(text[i]) && !strchr("-._~", text[i])))
            return false;
    return length > 0 && length <= PAGES_TOKEN_MAX;
}

const char *pages_cookie_token(struct web_exchange *exchange, struct arena *arena)
{
    const char *at = web_header(exchange, "Cookie");
    while (at && *at) {
        at += strspn(at, " \t;");
        size_t length = strcspn(at, ";");
        size_t name = strlen(PAGES_COOKIE "=");
        if (length > name && strncmp(at, PAGES_COOKIE "=", name) == 0) {
            const char *token = arena_strndup(arena, at + name, length - name);
            return is_token(token) ? token : NULL;
        }
        at += length;
    }
    return NULL;
}

/* H(secret, H(secret, token)), of a secret of fixed length: who has the result of one token cannot
 * make that of another. Without a cookie it is the same for all who have none. */
const char *page_csrf(struct page_request *request)
{
    struct pages *pages = request->pages;
    const char *token = pages_cookie_token(request->exchange, &request->arena);
    char inner[DIGEST_HEX_SIZE], *outer = arena_alloc(&request->arena, DIGEST_HEX_SIZE);
    const char *text = arena_printf(&request->arena, "%s%s", pages->secret, token ? token : "");
    digest_sha256(pages->options.digest, text, strlen(text), inner);
    text = arena_printf(&request->arena, "%s%s", pages->secret, inner);
    return digest_sha256(pages->options.digest, text, strlen(text), outer);
}

bool page_has_csrf(struct page_request *request)
{
    const char *said = web_form_get(&request->form, CSRF_FIELD), *right = page_csrf(request);
    unsigned char difference = 0;
    if (!said || strlen(said) != strlen(right))
        return false;
    for (size_t i = 0; right[i]; i++) /* in the same time wherever they differ */
        difference |= (unsigned char)(said[i] ^ right[i]);
    return !difference;
}

bool page_takes_form(struct page_request *request)
{
    bool is_own = page_has_csrf(request);
    if (!is_own)
        page_say(request, 403, "Nothing was done",
                 "The form is not from a page of yours, or is too old. Look at the run again.");
    return is_own;
}

void page_add_csrf(struct page_request *request, struct html_page *page)
{
    html_add_format(page, "<input type=\"hidden\" name=\"" CSRF_FIELD "\" value=\"%s\">\n",
                    page_csrf(request));
}

static void add_form(struct page_request *request, unsigned status, const char *wrong)
{
    struct html_page page;
    page_begin(request, &page, "Sign in");
    html_add(&page, "<h1>Sign in to mistro</h1>\n<section>\n");
    if (wrong)
        html_add_format(&page, "<p class=\"box bad\" role=\"alert\" id=\"wrong\">%s</p>\n", wrong);
    html_add_format(
        &page,
        "<form method=\"post\" action=\"/login\"><p><label for=\"token\">Your token</label></p>\n"
        "<p><input type=\"password\" id=\"token\" name=\"token\" required "
        "autocomplete=\"current-password\" maxlength=\"%d\" aria-describedby=\"%shint\">"
        "</p>\n<p><button type=\"submit\">Sign in</button></p>\n</form>\n",
        PAGES_TOKEN_MAX, wrong ? "wrong " : "");
    html_add(&page,
             "<p class=\"soft\" id=\"hint\">mistro prints a token when it starts, and "
             "<code>mistro serve token add NAME</code> makes one. The browser keeps it in a cookie "
             "that it takes over HTTPS only, or from this machine (Chromium and Firefox take it at "
             "<code>127.0.0.1</code> and <code>localhost</code>). If this page comes back after a "
             "right token, the browser did not take the cookie: use HTTPS, or another browser."
             "</p>\n</section>\n");
    page_end(request, status, &page);
}

awaits static void sign_in(struct page_request *request, const char *token)
{
    const struct visitors *visitors = request->pages->options.visitors;
    struct visitor visitor;
    bool is_known = false;
    enum err_code r = is_token(token) ? visitors->identify(visitors->context, request->scope, token,
                                                           &visitor, &is_known, NULL)
                                      : ERR_NONE;
    if (r)
        add_form(request, r == ERR_LIMIT ? 503 : 500,
                 r == ERR_LIMIT ? "Too many persons at once. Sign in again in a moment."
                                : "Who you are cannot be found out now.");
    else if (!is_known)
        add_form(request, 403,
                 "This token is nobody\xe2\x80\x99s: it was mistyped, revoked, or has expired.");
    else
        page_redirect(request, "/runs",
                      arena_printf(&request->arena, PAGES_COOKIE "=%s" COOKIE_RULES, token));
    if (is_known)
        visitors->release(visitors->context, visitor.services);
}

void page_login(struct page_request *request)
{
    bool is_post = page_is_post(request);
    const char *token = web_form_get(is_post ? &request->form : &request->query, "token");
    if (!token && !is_post && request->visitor)
        page_redirect(request, "/runs", NULL);
    else if (token && !is_post &&
             text_equal(web_header(request->exchange, "Sec-Fetch-Site"), "cross-site"))
        /* Else a page of somebody else's could sign a browser in as whom it likes. */
        add_form(request, 403,
                 "This link came from a page of others. Sign in with the token here.");
    else if (!token)
        add_form(request, is_post ? 400 : 200, is_post ? "A token is needed." : NULL);
    else
        sign_in(request, token);
}

void page_logout(struct page_request *request)
{
    if (!page_has_csrf(request))
        page_say(request, 403, "Not signed out",
                 "The form is not from a page of yours, or is too old. Sign out once more.");
    else
        page_redirect(request, "/login", PAGES_COOKIE "=" COOKIE_RULES "; Max-Age=0");
}
