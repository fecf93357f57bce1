#include "application/tools/elicitation_page.h"
#include "domain/base/text.h"
#include "domain/text/web_url.h"
#include <string.h>

#define SHOWN_COLUMNS 200

/* A question about a page. */
struct page {
    struct services *services;
    struct journal *journal;
    const struct asker *asker;
    const struct elicitation *question;
    struct scope *scope;
    struct arena *arena;
    struct web_url url;
};

/* What a person should know before they open it. */
static size_t warn(const struct web_url *url, const char **warnings)
{
    size_t n = 0;
    if (url->is_punycode)
        warnings[n++] = "careful: the name of the host is spelled in punycode (xn--) and may look "
                        "like another one in a browser";
    if (url->has_user)
        warnings[n++] = "careful: what stands before the \"@\" is not the host";
    if (!url->is_https && !url->is_here)
        warnings[n++] = "careful: the page is not encrypted (http)";
    return n;
}

awaits MUST_CHECK static enum err_code get_consent(const struct page *page, struct err *err)
{
    const char *warnings[3];
    const struct confirmation confirmation = {
        .title = asker_title(page->arena, page->asker, "wants you to open a page"),
        .message = page->question->message,
        .url = page->question->url,
        .host_at = page->url.host_at,
        .host_length = page->url.host_length,
        .warnings = warnings,
        .n_warnings = warn(&page->url, warnings),
        .question =
            page->services->browser ? "Open it in your browser?" : "Will you open it yourself?",
    };
    return user_confirm(page->services->user, page->scope, &confirmation, err);
}

/* Where that cannot be done the person has the address before their eyes, and says whether they
 * went there: a page that nobody opened is no consent. */
awaits static enum err_code open_page(const struct page *page, struct err *err)
{
    struct err why;
    struct browser *browser = page->services->browser;
    enum err_code r =
        browser ? browser_open(browser, page->scope, page->question->url, &why) : ERR_NONE;
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT) {
        if (err)
            *err = why;
        return r;
    }
    if (r == ERR_NONE)
        return ERR_NONE;
    journal_warn(page->journal, "no browser was opened (%s): please open the page yourself",
                 why.message);
    static const struct confirmation by_hand = { .question = "Have you opened it yourself?" };
    return page->question->must_finish
               ? ERR_NONE
               : user_confirm(page->services->user, page->scope, &by_hand, err);
}

awaits MUST_CHECK static enum err_code visit(const struct page *page, struct err *err)
{
    const struct confirmation done = {
        .question =
            arena_printf(page->arena, "Are you done there, and may %s go on?", page->asker->server),
    };
    enum err_code r = get_consent(page, err);
    if (!r)
        r = open_page(page, err);
    if (!r && page->question->must_finish)
        r = user_confirm(page->services->user, page->scope, &done, err);
    return r;
}

static void emit_asked(const struct page *page)
{
    json_t *data = asker_event(page->asker);
    json_object_set_new(data, "message", journal_text(page->journal, page->question->message));
    json_object_set_new(data, "url", json_string(page->question->url));
    journal_emit(page->journal, EVENT_ELICITATION_ASKED, data);
}

static enum err_code refuse(const struct page *page, struct err *err)
{
    const char *url = page->question->url;
    journal_warn(page->journal,
                 "the server \"%s\" wants to send you to \"%s\", which is no web page; "
                 "declined",
                 page->asker->server, text_one_line(page->arena, url, strlen(url), SHOWN_COLUMNS));
    return err_set(err, ERR_DENIED, 0, "no web page");
}

enum err_code elicitation_page_ask(struct services *services, struct journal *journal,
                                   const struct asker *asker, const struct elicitation *question,
                                   struct scope *scope, struct arena *arena,
                                   struct elicitation_answer *out, struct err *err)
{
    struct page page = { services, journal, asker, question, scope, arena, { 0 } };
    emit_asked(&page);
    bool is_page = web_url_read(question->url, &page.url);
    enum err_code r = is_page ? visit(&page, err) : refuse(&page, err);
    if (r && r != ERR_DENIED && r != ERR_UNAVAILABLE)
        return r;
    out->content = NULL;
    out->action = r == ERR_NONE     ? ELICITATION_ACCEPT
                  : r == ERR_DENIED ? ELICITATION_DECLINE
                                    : ELICITATION_CANCEL;
    return ERR_NONE;
}
