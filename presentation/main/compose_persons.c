/* A composition for each person who is served, beside that of the process: what is the person's own
 * it makes itself, below persons/NAME of the same folders, and the rest it has from the process. */
#include "application/agent_tools/agent_turn.h"
#include "infrastructure/repositories/repository_create.h"
#include "presentation/main/composition.h"
#include <stdlib.h>
#include <string.h>

/* More than can have tools at once: these hold their services while they have nothing running, and
 * another person must be known before one of them can be sent away. */
enum { MAX_SERVED = 96 };

struct served_person {
    struct composition own;
    struct agent_user nobody;
    char name[PERSON_NAME_SIZE];
    size_t n_users; /* that have not released the services */
};

struct served_persons {
    struct served_person *all[MAX_SERVED]; /* who came or went last is last */
    size_t n;
};

enum err_code composition_persons(struct cli_host *host, struct person_repository **out,
                                  struct err *err)
{
    struct composition *c = composition_of_host(host);
    if (!c->paths.persons) /* a folder that a project brings must not say who is let in */
        return err_set(err, ERR_INVALID, 0, "there is no home folder to keep persons in");
    if (!c->persons)
        c->persons =
            json_person_repository_create(c->runtime, c->paths.persons, c->services.digest);
    *out = c->persons;
    return ERR_NONE;
}

/* Nobody sits at a terminal for a person, no --yes of whoever started the process is the person's
 * consent, and a page would open on the wrong desk. */
static void provide_services(struct served_person *person)
{
    struct composition *own = &person->own, *process = own->process;
    agent_user_init(&person->nobody, NULL);
    own->services = process->services;
    own->services.settings = &own->settings;
    own->services.user = &person->nobody.base;
    own->services.browser = NULL;
    own->services.observer = NULL;
    own->services.approve_all = false;
    own->services.wants_server_logs = false;
    own->services.run_tapes = process->services.run_tapes ? &own->run_tapes : NULL;
    own->run_tapes = process->run_tapes;
    own->recorder = process->recorder;
    composition_open_state(own);
}

static struct served_person *make_person(struct composition *process, const char *name)
{
    struct served_person *person = calloc(1, sizeof *person);
    if (!person)
        abort();
    struct composition *own = &person->own;
    memcpy(person->name, name, strlen(name) + 1);
    own->process = process;
    own->person = person->name;
    own->arguments = process->arguments;
    own->command = process->command;
    own->runtime = process->runtime;
    own->console = process->console;
    own->settings = process->settings;
    own->paths = config_paths_of_person(&process->paths, name, &own->arena);
    own->cli = process->cli;
    own->cli.services = &own->services;
    own->cli.arena = &own->arena;
    provide_services(person);
    return person;
}

static struct served_person *take_out(struct served_persons *served, size_t at)
{
    struct served_person *person = served->all[at];
    served->n--;
    for (size_t i = at; i < served->n; i++)
        served->all[i] = served->all[i + 1];
    return person;
}

awaits static void close_person(struct served_person *person, const struct scope *outer)
{
    composition_close_own(&person->own, outer);
    arena_finish(&person->own.arena);
    free(person);
}

static size_t find_person(const struct served_persons *served, const char *name)
{
    size_t at = 0;
    while (at < served->n && strcmp(served->all[at]->name, name) != 0)
        at++;
    return at;
}

/* Of those who have nothing running, the one who has not come for the longest time leaves; NULL
 * where there is room. False: there is none. */
static bool make_room(struct served_persons *served, struct served_person **out_leaving)
{
    size_t at = 0;
    *out_leaving = NULL;
    if (served->n < MAX_SERVED)
        return true;
    while (at < served->n && served->all[at]->n_users)
        at++;
    if (at < served->n)
        *out_leaving = take_out(served, at);
    return *out_leaving != NULL;
}

enum err_code composition_services_of(struct cli_host *host, const char *name,
                                      struct services **out, struct err *err)
{
    struct composition *c = composition_of_host(host);
    struct served_person *person, *leaving = NULL;
    *out = &c->services;
    if (!*name)
        return ERR_NONE;
    if (!person_name_is_valid(name))
        return err_set(err, ERR_INVALID, 0, "not the name of a person");
    if (!c->served && !(c->served = calloc(1, sizeof *c->served)))
        abort();
    size_t at = find_person(c->served, name);
    if (at == c->served->n && !make_room(c->served, &leaving))
        return err_hint(err,
                        err_set(err, ERR_LIMIT, 0, "%d persons have something running", MAX_SERVED),
                        "try again when one of them is done");
    person = at < c->served->n ? take_out(c->served, at) : make_person(c, name);
    person->n_users++;
    c->served->all[c->served->n++] = person;
    *out = &person->own.services;
    if (leaving)
        close_person(leaving, NULL);
    return ERR_NONE;
}

void composition_hold_services(struct cli_host *host, struct services *services)
{
    if (services != &composition_of_host(host)->services)
        ((struct served_person *)services)->n_users++;
}

void composition_release_services(struct cli_host *host, struct services *services)
{
    struct composition *c = composition_of_host(host);
    struct served_person *person = (struct served_person *)services;
    if (services == &c->services)
        return;
    person->n_users--;
    (void)take_out(c->served, find_person(c->served, person->name));
    c->served->all[c->served->n++] = person;
}

static enum err_code close_task(struct runtime *runtime, struct scope *scope, void *person)
{
    (void)runtime;
    close_person(person, scope);
    return ERR_NONE;
}

enum err_code composition_close_persons(struct runtime *runtime, struct scope *scope, void *process)
{
    struct served_persons *served = ((struct composition *)process)->served;
    struct task *closing[MAX_SERVED];
    for (size_t i = 0; i < served->n; i++)
        closing[i] = runtime_spawn(runtime, scope, close_task, served->all[i]);
    for (size_t i = 0; i < served->n; i++)
        (void)runtime_wait(runtime, closing[i]);
    free(served);
    return ERR_NONE;
}
