#include "application/tools/elicitation.h"
#include "application/tools/elicitation_form.h"
#include "application/tools/elicitation_page.h"
#include <stdint.h>

static void emit_asked(struct journal *journal, const struct asker *asker,
                       const struct elicitation *question, const struct form *form)
{
    json_t *data = asker_event(asker), *fields = json_array();
    for (size_t i = 0; i < form->n_fields; i++)
        json_array_append_new(fields, json_string(form->fields[i].key));
    json_object_set_new(data, "message", journal_text(journal, question->message));
    json_object_set_new(data, "fields", fields);
    journal_emit(journal, EVENT_ELICITATION_ASKED, data);
}

static void emit_answered(struct journal *journal, const struct asker *asker,
                          const struct elicitation_form *form,
                          const struct elicitation_answer *answer)
{
    static const char *const names[] = { "accept", "decline", "cancel" };
    json_t *data = asker_event(asker);
    json_object_set_new(data, "action", json_string(names[answer->action]));
    if (answer->content) {
        json_t *loggable = elicitation_form_loggable(form, answer->content);
        json_object_set_new(data, "content", journal_value(journal, loggable));
        json_decref(loggable);
    }
    journal_emit(journal, EVENT_ELICITATION_ANSWERED, data);
}

static const char *title_of(struct arena *arena, const struct asker *asker,
                            const struct elicitation_form *form)
{
    const char *warning = form->asks_for_secret
                              ? "; it wants what looks like a secret, which no server should ask "
                                "for in a form"
                              : "";
    return arena_printf(arena, "%s%s", asker_title(arena, asker, "asks"), warning);
}

/* What the person did, as an answer; other failures end the call. */
static enum err_code conclude(struct journal *journal, const struct elicitation_form *form,
                              enum err_code r, json_t *content, struct arena *arena,
                              struct elicitation_answer *out)
{
    if (r == ERR_DENIED || r == ERR_UNAVAILABLE) {
        *out = (struct elicitation_answer){ .action = r == ERR_DENIED ? ELICITATION_DECLINE
                                                                      : ELICITATION_CANCEL };
        return ERR_NONE;
    }
    if (r)
        return r;
    struct err why;
    if (elicitation_form_check(form, arena, content, &why)) {
        journal_warn(journal, "%s; nothing was sent", why.message);
        *out = (struct elicitation_answer){ .action = ELICITATION_CANCEL };
        return ERR_NONE;
    }
    *out = (struct elicitation_answer){ .action = ELICITATION_ACCEPT, .content = content };
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code ask_with_form(
    struct services *services, struct journal *journal, const struct asker *asker,
    const struct elicitation *question, struct scope *scope, struct arena *arena,
    struct elicitation_answer *out, struct err *err)
{
    struct elicitation_form form;
    json_t *content = NULL;
    enum err_code r = elicitation_form_init(question->schema, arena, &form, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "elicitation");
    form.form.title = title_of(arena, asker, &form);
    form.form.message = question->message;
    form.form.recipient = asker->server;
    emit_asked(journal, asker, question, &form.form);
    r = user_ask(services->user, scope, &form.form, arena, &content, err);
    r = conclude(journal, &form, r, content, arena, out);
    if (!r)
        emit_answered(journal, asker, &form, out);
    elicitation_form_finish(&form);
    return r;
}

enum err_code elicitation_ask(struct services *services, struct journal *journal,
                              const struct asker *asker, const struct elicitation *question,
                              struct scope *scope, struct arena *arena,
                              struct elicitation_answer *out, struct err *err)
{
    if (!question->url)
        return ask_with_form(services, journal, asker, question, scope, arena, out, err);
    enum err_code r =
        elicitation_page_ask(services, journal, asker, question, scope, arena, out, err);
    if (!r)
        emit_answered(journal, asker, NULL, out);
    return r;
}
