/* Everything a use case may need, as fakes: a model with a script, tool servers, stores in memory,
 * a person with prepared answers, ids that count, a digest that tells texts apart. The prompts and
 * schemas are the real ones, read from the source tree. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_SERVICES_H
#define TESTS_SUPPORT_FAKES_FAKE_SERVICES_H

#include "application/services.h"
#include "tests/support/fakes/fake_approval_repository.h"
#include "tests/support/fakes/fake_artifacts.h"
#include "tests/support/fakes/fake_conversation_repository.h"
#include "tests/support/fakes/fake_model.h"
#include "tests/support/fakes/fake_pin_repository.h"
#include "tests/support/fakes/fake_run_repository.h"
#include "tests/support/fakes/fake_tool_server.h"

#define FAKE_SERVICES_SERVERS 4

#define FAKE_USER_WORDS 4

/* A question with yes or no, as it was shown. */
struct fake_confirmation {
    char title[300], message[600], url[100], question[100], warnings[300];
};

struct fake_user {
    struct user base;
    bool present;
    enum approval_answer answer;
    unsigned n_asked;
    char always[160];                     /* what "always" meant beyond, of the latest request */
    const json_t *form_answers;           /* NULL: declines every form */
    enum err_code form_fails;             /* … or fails it this way */
    char form_title[300];                 /* of the latest form */
    enum err_code words[FAKE_USER_WORDS]; /* to questions with yes (ERR_NONE) or no, in order */
    struct fake_confirmation confirmed[FAKE_USER_WORDS];
    size_t n_confirmed;
};

struct fake_assets {
    struct assets base;
    const char *root;          /* the source tree */
    const char *override_path; /* this asset has … */
    const char *override_text; /* … this text instead */
};

/* Words of the request that stand in a tool's name or description, or have a sense that does,
 * counted. */
struct fake_index {
    struct tool_index base;
    const struct tool *const *tools;
    size_t n_tools;
    enum err_code build_fails;
};

struct fake_ids {
    struct ids base;
    unsigned n;
};

struct fake_services {
    struct services base; /* hand this to the code under test */
    struct settings settings;
    struct fake_model model;
    struct model *model_port; /* what services_model gives; the fake unless a test wraps it */
    enum model_choice choice;
    enum err_code new_index_fails;
    struct renderer *renderer_port; /* NULL: nothing draws */
    enum err_code model_fails;      /* services_model itself, and the one below */
    struct model *other_port; /* what services_model_of gives; NULL: the same as services_model */
    const char *other_name, *other_url; /* what it was last asked for */
    struct fake_tool_server servers[FAKE_SERVICES_SERVERS];
    struct tool_server *server_ports[FAKE_SERVICES_SERVERS]; /* … likewise */
    size_t n_servers;
    struct fake_conversation_repository conversations;
    struct conversation_repository *conversations_port;
    struct fake_run_repository runs;
    struct run_repository *runs_port;
    struct fake_approval_repository approvals;
    struct fake_pin_repository pins;
    struct pin_repository *pins_port; /* NULL: there is no home folder */
    struct run_queue *queue_port;     /* NULL: there is none */
    struct fake_artifacts artifacts;
    struct fake_user user;
    struct fake_assets assets;
    struct fake_index index;
    struct fake_ids ids;
};

/* No server yet, MODEL_CHOICE_NAMED, nobody present, --yes not given. */
void fake_services_init(struct fake_services *fake, struct runtime *runtime, const char *root);
void fake_services_finish(struct fake_services *fake);
struct fake_tool_server *fake_services_add_server(struct fake_services *fake, const char *name,
                                                  const char *definitions);
/* A fake index of its own, to be destroyed with tool_index_destroy. */
struct tool_index *fake_index_create(void);
/* How many events of a kind the run log has. */
size_t fake_services_count(const struct fake_services *fake, enum event_kind kind);

#endif
