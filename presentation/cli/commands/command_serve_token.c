/* `mistro serve token`: who may use what is served over HTTP. A token is shown when it is made and
 * never again. */
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/duration.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include <string.h>

#define DAY_MS INT64_C(86400000)
#define MAX_LIFE_MS (3650 * DAY_MS)

/* A date is the last day, in UTC. False: it is neither a date nor a duration, or not to come. */
static bool read_expiry(const struct cli *cli, int64_t now_ms, int64_t *out_ms)
{
    AUTO(arena) scratch = { 0 };
    const char *text = cli->args->expires;
    int64_t life_ms = 0;
    bool is_number = !text[strspn(text, "0123456789")]; /* a year is not meant as seconds */
    if (rfc3339_parse(text, out_ms))
        return *out_ms > now_ms;
    if (rfc3339_parse(arena_printf(&scratch, "%.11sT00:00:00Z", text), out_ms)) {
        *out_ms += DAY_MS;
        return *out_ms > now_ms;
    }
    if (is_number || !duration_read(text, MAX_LIFE_MS, &life_ms))
        return false;
    *out_ms = now_ms + life_ms;
    return true;
}

static json_t *person_json(struct arena *arena, const struct person *person)
{
    json_t *value =
        json_pack("{s:s, s:s, s:b}", "name", person->name, "created_at",
                  list_options_time(arena, person->created_ms), "admin", person->is_admin);
    if (person->expires_ms)
        json_object_set_new(value, "expires_at",
                            json_string(list_options_time(arena, person->expires_ms)));
    return value;
}

static int add(struct cli *cli, struct person_repository *persons, const char *name)
{
    struct err err = { 0 };
    int64_t now_ms = runtime_wall_ms(cli->services->runtime);
    struct person person = { .created_ms = now_ms, .is_admin = cli->args->admin };
    char secret[SECRET_SIZE];
    if (!person_name_is_valid(name))
        return command_misused(cli, "serve",
                               "a name is 1 to 64 letters, digits, '_', '-' or '.', the first of "
                               "them no '.'");
    if (cli->args->expires && !read_expiry(cli, now_ms, &person.expires_ms))
        return command_misused(cli, "serve",
                               "--expires takes a time up to 3650d (12h, 30d) or a day to come "
                               "(2030-12-31)");
    memcpy(person.name, name, strlen(name) + 1);
    const char *token =
        arena_printf(cli->arena, PERSON_TOKEN_PREFIX "%s", ids_secret(cli->services->ids, secret));
    if (person_repository_add(persons, cli->scope, &person, token, &err))
        return output_error(cli, &err);
    if (cli->args->json) {
        json_t *value = person_json(cli->arena, &person);
        json_object_set_new(value, "token", json_string(token));
        return output_status_json(cli, value, 0);
    }
    output_note(cli, "the token of %s%s, shown this once:", name,
                person.is_admin ? ", an administrator" : "");
    return !output_line(cli, "%s", token);
}

static const char *expiry(struct cli *cli, const struct person *person, int64_t now_ms)
{
    const char *when = list_options_local_time(cli, person->expires_ms);
    if (!person->expires_ms)
        return "until it is revoked";
    return arena_printf(cli->arena, "%s %s", person_may_enter(person, now_ms) ? "until" : "expired",
                        when);
}

static int list(struct cli *cli, struct person_repository *persons)
{
    struct err err = { 0 };
    struct person *all = NULL;
    size_t n = 0;
    int64_t now_ms = runtime_wall_ms(cli->services->runtime);
    struct table table;
    json_auto_t *values = json_array();
    if (person_repository_list(persons, cli->scope, cli->arena, &all, &n, &err))
        return output_error(cli, &err);
    table_init(&table, cli->arena, 4);
    for (size_t i = 0; i < n; i++) {
        json_t *value = person_json(cli->arena, &all[i]);
        json_object_set_new(value, "expired", json_boolean(!person_may_enter(&all[i], now_ms)));
        json_array_append_new(values, value);
        table_row(&table, all[i].name, all[i].is_admin ? "admin" : "person",
                  list_options_local_time(cli, all[i].created_ms), expiry(cli, &all[i], now_ms));
    }
    if (cli->args->json)
        return output_status_json(
            cli, json_pack("{s:i, s:O}", "version", LIST_OPTIONS_VERSION, "persons", values), 0);
    if (!n)
        output_note(cli, "nobody has a token; mistro serve token add NAME makes one");
    (void)table_print(&table, cli);
    return 0;
}

static int revoke(struct cli *cli, struct person_repository *persons, const char *name)
{
    struct err err = { 0 };
    if (person_repository_revoke(persons, cli->scope, name, &err))
        return output_error(cli, &err);
    output_note(cli, "revoked the token of %s; what %s has stays on disk", name, name);
    return 0;
}

int command_serve_token(struct cli *cli)
{
    struct err err = { 0 };
    struct person_repository *persons = NULL;
    size_t n = cli->args->n_operands;
    const char *what = n > 1 ? cli->args->operands[1] : "";
    const char *name = n > 2 ? cli->args->operands[2] : NULL;
    if (text_equal(what, "list") ? n != 2 : !name)
        return command_misused(cli, "serve", "token add NAME, token list or token revoke NAME?");
    if ((cli->args->expires || cli->args->admin) && !text_equal(what, "add"))
        return command_misused(cli, "serve", "--expires and --admin belong to token add");
    if (cli->host->ops->persons(cli->host, &persons, &err))
        return output_error(cli, &err);
    if (text_equal(what, "list"))
        return list(cli, persons);
    if (text_equal(what, "add"))
        return add(cli, persons, name);
    if (text_equal(what, "revoke"))
        return revoke(cli, persons, name);
    return command_misused(cli, "serve", "token add NAME, token list or token revoke NAME?");
}
