/* `mistro sessions`: the conversations that are kept. */
#include "application/use_cases/sessions.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include <string.h>

static json_t *summary_json(struct cli *cli, const struct conversation_summary *s)
{
    return json_pack("{s:s, s:s, s:s*, s:s, s:s, s:s, s:s, s:I, s:s*}", "id", s->id, "label",
                     s->label, "kind", s->kind, "last_request", s->last_request, "folder",
                     s->folder, "created_at", list_options_time(cli->arena, s->created_at_ms),
                     "updated_at", list_options_time(cli->arena, s->updated_at_ms), "messages",
                     (json_int_t)s->n_messages, "damage", s->damage);
}

/* The label, and where that is an older request the last one. */
static const char *what_about(struct arena *arena, const struct conversation_summary *s)
{
    if (s->damage)
        return text_one_line(arena, s->damage, strlen(s->damage), 300);
    bool is_all = !*s->last_request || text_equal(s->label, s->last_request);
    return is_all ? s->label : arena_printf(arena, "%s … %s", s->label, s->last_request);
}

static int print_sessions(struct cli *cli, const struct conversation_summary *sessions, size_t n)
{
    json_auto_t *all = json_array();
    struct table table;
    table_init(&table, cli->arena, 6);
    for (size_t i = 0; i < n; i++) {
        const struct conversation_summary *s = &sessions[i];
        json_array_append_new(all, summary_json(cli, s));
        table_row(
            &table, s->id, s->damage ? "damaged" : s->kind, output_age(cli, s->updated_at_ms),
            arena_printf(cli->arena, "%zu message%s", s->n_messages, s->n_messages == 1 ? "" : "s"),
            list_options_folder(cli, s->folder), what_about(cli->arena, s));
    }
    if (cli->args->json)
        return output_status_json(
            cli, json_pack("{s:i, s:O}", "version", LIST_OPTIONS_VERSION, "sessions", all), 0);
    (void)table_print(&table, cli);
    return 0;
}

/* All, or those that contain the text. */
static int list_of_sessions(struct cli *cli, const char *text)
{
    struct conversation_summary *sessions = NULL;
    size_t n = 0, most;
    struct err err = { 0 };
    if (!list_options_limit(cli, &most))
        return command_misused(cli, "sessions", "-n takes a number, 0 for all");
    enum err_code r =
        text ? search_sessions(cli->services, cli->scope, cli->arena, text, &sessions, &n, &err)
             : list_sessions(cli->services, cli->scope, cli->arena, &sessions, &n, &err);
    if (r)
        return output_error(cli, &err);
    return print_sessions(cli, sessions, most && most < n ? most : n);
}

static int show_one_session(struct cli *cli, const char *id)
{
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    if (show_session(cli->services, cli->scope, cli->arena, id, &conversation, &err))
        return output_error(cli, &err);
    json_auto_t *value = conversation_to_json(conversation);
    if (cli->args->json)
        return !output_json(cli, value);
    for (size_t i = 0; i < conversation->n_messages; i++) {
        const struct message *message = &conversation->messages[i];
        (void)output_line(
            cli, "%s%s %s%s", cli->answer_style.bold, message_role_name(message->role),
            list_options_local_time(cli, message->timestamp_ms), cli->answer_style.reset);
        (void)output_text(cli, message->content, strlen(message->content));
    }
    return 0;
}

static int export_session(struct cli *cli, const char *id)
{
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    if (show_session(cli->services, cli->scope, cli->arena, id, &conversation, &err))
        return output_error(cli, &err);
    json_auto_t *value = conversation_to_json(conversation);
    auto_str text = json_print_pretty(value);
    return output_result_text(cli, text, &err) ? output_error(cli, &err) : 0;
}

static int import_one_session(struct cli *cli, const char *file)
{
    struct err err = { 0 };
    const char *text = NULL, *id = NULL;
    size_t length = 0, most = (size_t)cli->services->settings->storage_max_conversation_bytes;
    enum err_code r =
        files_read(&(struct file_reader){ cli->console, cli->scope, cli->arena, most }, file, &text,
                   &length, &err);
    if (!r && import_session(cli->services, cli->scope, cli->arena, text, length, &id, &err))
        r = err_prefix(&err, err.code, "%.200s", file);
    if (r)
        return output_error(cli, &err);
    output_note(cli, "kept as session %s", id);
    return 0;
}

static int remove_session(struct cli *cli, const char *id)
{
    struct err err = { 0 };
    if (delete_session(cli->services, cli->scope, id, &err))
        return output_error(cli, &err);
    output_note(cli, "deleted %s", id);
    return 0;
}

static int title_session(struct cli *cli, const char *id, const char *title)
{
    struct err err = { 0 };
    if (rename_session(cli->services, cli->scope, id, title, &err))
        return output_error(cli, &err);
    return 0;
}

int command_sessions(struct cli *cli)
{
    const struct arguments *args = cli->args;
    const char *what = args->n_operands ? args->operands[0] : "list";
    const char *first = args->n_operands > 1 ? args->operands[1] : NULL;
    if (args->output && strcmp(what, "export") != 0)
        return command_misused(cli, "sessions", "-o belongs to export");
    if (strcmp(what, "list") == 0)
        return list_of_sessions(cli, NULL);
    bool renames = strcmp(what, "rename") == 0;
    if (args->n_operands != (renames ? 3 : 2))
        return command_misused(cli, "sessions",
                               renames                       ? "rename wants an id and a title"
                               : strcmp(what, "search") == 0 ? "which text?"
                               : strcmp(what, "import") == 0 ? "which file?"
                                                             : "which session?");
    if (renames)
        return title_session(cli, first, args->operands[2]);
    if (strcmp(what, "search") == 0)
        return list_of_sessions(cli, first);
    if (strcmp(what, "export") == 0)
        return export_session(cli, first);
    if (strcmp(what, "import") == 0)
        return import_one_session(cli, first);
    if (strcmp(what, "delete") == 0)
        return remove_session(cli, first);
    return show_one_session(cli, first);
}
