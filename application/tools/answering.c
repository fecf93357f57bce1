#include "application/tools/answering.h"
#include "application/tools/elicitation_form.h"
#include "application/tools/sampling.h"
#include "domain/base/text.h"
#include "domain/text/web_url.h"
#include <stdint.h>
#include <string.h>

#define SHOWN_COLUMNS 200

/* A question of a server. */
struct asked {
    const struct answering *by;
    const struct elicitation *question;
    struct scope *scope;
    struct arena *arena;
    struct web_url url; /* of a page */
};

json_t *asker_event(const struct asker *asker)
{
    static const char *const members[] = { "tool", "resource", "prompt" };
    json_t *data =
        json_pack("{s:s, s:s}", "server", asker->server, members[asker->work], asker->name);
    if (asker->step_id)
        json_object_set_new(data, "step", json_string(asker->step_id));
    return data;
}

const char *asker_title(struct arena *arena, const struct asker *asker, const char *what)
{
    static const char *const before[] = { "", "its resource ", "its prompt " };
    static const char *const after[] = { " runs", " is read", " is made" };
    return arena_printf(arena, "the server \"%s\" %s, while %s%s%s", asker->server, what,
                        before[asker->work], asker->name, after[asker->work]);
}

/* A question about a page has no form. */
static void emit_asked(const struct asked *asked, const struct form *form)
{
    struct journal *journal = asked->by->journal;
    json_t *data = asker_event(&asked->by->asker);
    json_object_set_new(data, "message", journal_text(journal, asked->question->message));
    if (form) {
        json_t *fields = json_array();
        for (size_t i = 0; i < form->n_fields; i++)
            json_array_append_new(fields, json_string(form->fields[i].key));
        json_object_set_new(data, "fields", fields);
    } else {
        json_object_set_new(data, "url", json_string(asked->question->url));
    }
    journal_emit(journal, EVENT_ELICITATION_ASKED, data);
}

static void emit_answered(const struct asked *asked, const struct elicitation_form *form,
                          const struct elicitation_answer *answer)
{
    static const char *const names[] = { "accept", "decline", "cancel" };
    struct journal *journal = asked->by->journal;
    json_t *data = asker_event(&asked->by->asker);
    json_object_set_new(data, "action", json_string(names[answer->action]));
    if (answer->content) {
        json_auto_t *loggable = elicitation_form_loggable(form, answer->content);
        json_object_set_new(data, "content", journal_value(journal, loggable));
    }
    journal_emit(journal, EVENT_ELICITATION_ANSWERED, data);
}

/* What the person did with a form or a page; other failures end the call. */
static enum err_code conclude(enum err_code r, json_t *content, struct elicitation_answer *out)
{
    if (r && r != ERR_DENIED && r != ERR_UNAVAILABLE)
        return r;
    *out = (struct elicitation_answer){
        .action = r == ERR_NONE     ? ELICITATION_ACCEPT
                  : r == ERR_DENIED ? ELICITATION_DECLINE
                                    : ELICITATION_CANCEL,
        .content = r ? NULL : content,
    };
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code ask_with_form(const struct asked *asked,
                                                     struct elicitation_answer *out,
                                                     struct err *err)
{
    const struct asker *asker = &asked->by->asker;
    struct elicitation_form form;
    struct err why;
    json_t *content = NULL;
    enum err_code r = elicitation_form_init(asked->question->schema, asked->arena, &form, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "elicitation");
    form.form.title = asker_title(asked->arena, asker, "asks");
    if (form.asks_for_secret)
        form.form.title = arena_printf(asked->arena,
                                       "%s; it wants what looks like a secret, which no server "
                                       "should ask for in a form",
                                       form.form.title);
    form.form.message = asked->question->message;
    form.form.recipient = asker->server;
    emit_asked(asked, &form.form);
    r = user_ask(asked->by->services->user, asked->scope, &form.form, asked->arena, &content, err);
    if (!r && elicitation_form_check(&form, asked->arena, content, &why)) {
        journal_warn(asked->by->journal, "%s; nothing was sent", why.message);
        r = ERR_UNAVAILABLE;
    }
    r = conclude(r, content, out);
    if (!r)
        emit_answered(asked, &form, out);
    elicitation_form_finish(&form);
    return r;
}

/* What a person should know before they open it. */
static size_t add_warnings(const struct web_url *url, const char **warnings)
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

awaits MUST_CHECK static enum err_code get_consent(const struct asked *asked, struct err *err)
{
    const char *warnings[3];
    const struct confirmation confirmation = {
        .title = asker_title(asked->arena, &asked->by->asker, "wants you to open a page"),
        .message = asked->question->message,
        .url = asked->question->url,
        .host_at = asked->url.host_at,
        .host_length = asked->url.host_length,
        .warnings = warnings,
        .n_warnings = add_warnings(&asked->url, warnings),
        .question = asked->by->services->browser ? "Open it in your browser?"
                                                 : "Will you open it yourself?",
    };
    return user_confirm(asked->by->services->user, asked->scope, &confirmation, err);
}

/* Where that cannot be done the person has the address before their eyes, and says whether they
 * went there: consent to a page that was not opened is worth nothing. */
awaits static enum err_code open_page(const struct asked *asked, struct err *err)
{
    struct err why;
    struct browser *browser = asked->by->services->browser;
    enum err_code r =
        browser ? browser_open(browser, asked->scope, asked->question->url, &why) : ERR_NONE;
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT) {
        if (err)
            *err = why;
        return r;
    }
    if (r == ERR_NONE)
        return ERR_NONE;
    journal_warn(asked->by->journal, "no browser was opened (%s): please open the page yourself",
                 why.message);
    static const struct confirmation by_hand = { .question = "Have you opened it yourself?" };
    return asked->question->must_finish
               ? ERR_NONE
               : user_confirm(asked->by->services->user, asked->scope, &by_hand, err);
}

awaits MUST_CHECK static enum err_code visit_page(const struct asked *asked, struct err *err)
{
    const struct confirmation done = {
        .question = arena_printf(asked->arena, "Are you done there, and may %s go on?",
                                 asked->by->asker.server),
    };
    enum err_code r = get_consent(asked, err);
    if (!r)
        r = open_page(asked, err);
    if (!r && asked->question->must_finish)
        r = user_confirm(asked->by->services->user, asked->scope, &done, err);
    return r;
}

static enum err_code refuse_page(const struct asked *asked, struct err *err)
{
    const char *url = asked->question->url;
    journal_warn(asked->by->journal,
                 "the server \"%s\" wants to send you to \"%s\", which is not a web page; "
                 "declined",
                 asked->by->asker.server,
                 text_one_line(asked->arena, url, strlen(url), SHOWN_COLUMNS));
    return err_set(err, ERR_DENIED, 0, "not a web page");
}

enum err_code elicitation_ask(const struct answering *answering, const struct elicitation *question,
                              struct scope *scope, struct arena *arena,
                              struct elicitation_answer *out, struct err *err)
{
    struct asked asked = { .by = answering, .question = question, .scope = scope, .arena = arena };
    if (!question->url)
        return ask_with_form(&asked, out, err);
    emit_asked(&asked, NULL);
    enum err_code r = web_url_read(question->url, &asked.url) ? visit_page(&asked, err)
                                                              : refuse_page(&asked, err);
    r = conclude(r, NULL, out);
    if (!r)
        emit_answered(&asked, NULL, out);
    return r;
}

awaits static enum err_code on_question(void *context, struct scope *scope,
                                        const struct elicitation *question, struct arena *arena,
                                        struct elicitation_answer *out, struct err *err)
{
    return elicitation_ask(context, question, scope, arena, out, err);
}

awaits static enum err_code on_sampling(void *context, struct scope *scope, const json_t *params,
                                        struct arena *arena, json_t **out_result, struct err *err)
{
    return sampling_answer(context, params, scope, arena, out_result, err);
}

void answering_init(struct answering *answering, struct services *services, struct journal *journal,
                    struct asker asker)
{
    *answering = (struct answering){ .services = services, .journal = journal, .asker = asker };
    answering->answerer = (struct answerer){
        .on_question = user_present(services->user) ? on_question : NULL,
        .on_sampling = sampling_is_allowed(services, asker.server) ? on_sampling : NULL,
        .context = answering,
    };
}
