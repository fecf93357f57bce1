#include "tests/support/full/asked_person.h"
#include <stdio.h>

struct asked_person asked_person;

enum err_code asked_person_react(void *context, struct scope *scope,
                                 const struct elicitation *question, struct arena *arena,
                                 struct elicitation_answer *out, struct err *err)
{
    struct peer *peer = context;
    struct asked_person *person = &asked_person;
    person->n_asked++;
    if (++person->n_standing > person->max_standing)
        person->max_standing = person->n_standing;
    snprintf(person->message, sizeof person->message, "%s", question->message);
    snprintf(person->url, sizeof person->url, "%s", question->url ? question->url : "");
    person->must_finish = question->must_finish;
    if (person->thinks_ms)
        person->ended_with =
            runtime_sleep(uv_runtime_port(peer->runtime), scope, person->thinks_ms, err);
    person->n_standing--;
    if (person->ended_with)
        return person->ended_with;
    if (person->fails)
        return err_set(err, person->fails, 0, "no form");
    *out = (struct elicitation_answer){ .action = person->action };
    if (person->action == ELICITATION_ACCEPT)
        out->content = arena_keep_json(arena, json_pack("{s:s}", "name", "Ada"));
    return ERR_NONE;
}

const char *asked_person_call(struct peer *peer, struct asked_person somebody)
{
    asked_person = somebody;
    peer->on_question = asked_person_react;
    peer_keep_record(peer);
    peer_run(peer, peer_call);
    return peer_record(peer);
}
