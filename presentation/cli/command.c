#include "presentation/cli/command.h"
#include "domain/base/text.h"
#include "presentation/cli/output.h"
#include <string.h>

const struct command commands[] = {
    { "ask", "[REQUEST…]", "one request: understood, planned, checked, run and answered",
      "The request comes from the arguments, from - or from a pipe; piped text beside\n"
      "a REQUEST is added as context. Exit status 5 means that a question waits:\n"
      "answer it with\n"
      "  mistro ask --session ID --answer KEY=VALUE\n"
      "A word @FILE attaches that file's text, @SERVER:URI a resource's; @@ is a\n"
      "plain @.\n"
      "\n"
      "  mistro ask \"list the files here\"\n"
      "  git diff | mistro ask \"summarise this\"           with a model\n"
      "  mistro ask -m none --json \"read the file @notes.md\" | jq -r .answer\n",
      command_ask },
    { "plan", "[REQUEST…]", "stop after the checked plan and print it",
      "YAML, or JSON with --json; either is a valid input of mistro run. Ends with\n"
      "status 5 when a question waits; then the result object of ask is printed with\n"
      "--json, and mistro plan --session ID --answer KEY=VALUE answers it.\n"
      "\n"
      "  mistro plan \"search for TODO in the notes folder\" >plan.yml && mistro run plan.yml\n",
      command_plan },
    { "run", "FILE.yml [--var NAME=VALUE …]", "run a plan file; no model is contacted",
      "--dry-run prints the bound arguments through the same checks. FILE may be -. A\n"
      "plan that may not run ends with status 7 and every problem with its line and\n"
      "column.\n"
      "\n"
      "  mistro run plan.yml --var path=notes.md --json | jq .steps\n",
      command_run },
    { "tools", "[SERVER] [--search WORDS]", "tools of the configured servers",
      "One tool a line: name, what it does, its parameters (a question mark: may be\n"
      "left out). With --search those that a request of these words would find,\n"
      "likeliest first: score, whether a prompt shows its line or its name, and which\n"
      "words met what (in parentheses what tools call it).\n"
      "\n"
      "  mistro tools --search 'is there anything in my inbox?' -n 5\n",
      command_tools },
    { "tool", "SERVER/TOOL", "one tool: description, schemas, annotations",
      "The server may be left out where the name is unique.\n", command_tool },
    { "call", "SERVER/TOOL [k=v] [k:=JSON] [k@FILE] ['{JSON}'] [-]", "one tool call, no model",
      "k=v gives text (or the number or boolean the tool's schema asks for), k:=JSON\n"
      "a value, k@FILE the content of a file, '{…}' an object, - an object on\n"
      "standard input. --json prints the result exactly as the server sent it. -o\n"
      "FILE writes the bytes of the first image, audio or resource, else the text.\n"
      "--batch reads one JSON object of arguments per line and prints one\n"
      "{\"line\":n,\"ok\":…,\"result\":…} per line, in input order.\n"
      "\n"
      "  mistro call files/query_table path=sales.csv sql='SELECT * FROM t LIMIT 3'\n"
      "  mistro call files/read_file path=notes.md --json | jq .structuredContent.bytes\n",
      command_call },
    { "resources", "[SERVER]", "resources of the configured servers, and templates of some",
      "One a line: server, URI, type, what it is. In the URI of a template, {name}\n"
      "stands for what you put there.\n",
      command_resources },
    { "read", "SERVER URI [--watch]", "what a resource holds",
      "Text goes to stdout, anything else as [image/png 12,345 bytes]. -o FILE writes\n"
      "the bytes of the first part that is not text, else the text. --json prints the\n"
      "result exactly as the server sent it. --watch prints it again whenever the\n"
      "server says that it changed, with --json on a line each, until Ctrl-C or the\n"
      "end of --timeout. Behind the URI of a template,\n"
      "--complete NAME[=TYPED] lists what a variable of it could be.\n"
      "\n"
      "  mistro read notes note:///plums -o plums.md\n"
      "  mistro read notes note:///plums --watch --json | jq -r '.contents[].text'\n",
      command_read },
    { "prompts", "[SERVER]", "prompts of the configured servers",
      "One a line: name, what it is, its arguments (a question mark: may be left out).\n",
      command_prompts },
    { "prompt", "SERVER/NAME [k=v] [k@FILE]", "the messages of a prompt",
      "The text of a single message alone, several each under its role. --json prints\n"
      "the result exactly as the server sent it. In a chat /SERVER:NAME k=v says it.\n"
      "--complete KEY[=TYPED] lists what an argument could be, by the server's\n"
      "suggestion, one a line.\n"
      "\n"
      "  mistro prompt notes/summary topic=plums | mistro ask -\n",
      command_prompt },
    { "servers",
      "[add NAME URL | add NAME -- COMMAND ARGS… | remove NAME | review [NAME] | login NAME | "
      "logout NAME]",
      "configured servers and how each was reached",
      "add and remove change the user's file. review shows in full what the project\n"
      "folder brings, and what became of tools since their server was first used, and\n"
      "asks whether it may be used; with --yes it is approved without asking. review\n"
      "NAME: one server's tools. login opens the page on which a server with a url\n"
      "lets you in, and keeps what it gives you (OAuth); logout gives that back and\n"
      "forgets it.\n"
      "\n"
      "  mistro servers add notes -e TOKEN=abc -- notes-server --root ~/notes\n"
      "  mistro servers add web https://example.org/mcp\n"
      "  mistro servers add web https://example.org/mcp -H 'Authorization: Bearer ${TOKEN}'\n"
      "  mistro servers login web\n",
      command_servers },
    { "runs", "[list | show ID | events ID | export ID [--as FORM] | replay ID | stats]",
      "the log of what was done",
      "list is newest first, 20 unless -n says otherwise. show tells a run in\n"
      "sentences, events prints its events as JSON lines (docs/events.md). export\n"
      "writes it in the form of --as: run (the default), transcript or final of two\n"
      "agents, round_log of a figure. replay plays what two agents said once more,\n"
      "without them; status 1 when that ends differently. stats tells for each contract\n"
      "and model how many answers each rung of recovery gave, and what it cost.\n",
      command_runs },
    { "sessions", "[list | show ID | search TEXT | rename ID TITLE | export ID | delete ID]",
      "stored conversations",
      "list is newest first, 20 unless -n says otherwise. export writes JSON, with -o\n"
      "into a file. An id may be shortened where it stays unique. Go on with one:\n"
      "--session ID, or -c for the latest. --session new:NAME begins one of that name.\n",
      command_sessions },
    { "models", "", "what the endpoint has, which one is used and why",
      "The endpoint is --base-url, OPENAI_BASE_URL, OLLAMA_HOST or model.base_url,\n"
      "else what answers on this machine. Without any, the lexical analyst chooses\n"
      "one tool by the words of a request.\n",
      command_models },
    { "serve", "workspace [--root DIR] [--write] | agent | mock --fixture FILE",
      "act as an MCP server on stdio",
      "workspace serves the file and data tools on one folder, read-only unless\n"
      "--write. agent offers mistro itself to other hosts, as the tools ask, plan,\n"
      "run_plan, consensus and figure; what the policy would ask about is refused\n"
      "unless --yes is given here. mock answers as a fixture says (docs/mock.md).\n"
      "\n"
      "  {\"mcpServers\": {\"mistro\": {\"command\": \"mistro\", \"args\": [\"serve\", "
      "\"agent\"]}}}\n",
      command_serve },
    { "chat", "", "interactive (what mistro does without arguments on a terminal)",
      "/help lists what can be typed. Tab completes, Up and Ctrl-R search the\n"
      "history, Ctrl-C ends what is running or drops a question, Ctrl-D leaves. @FILE\n"
      "attaches a file's text, @SERVER:URI a resource's. Lines of a pipe are messages\n"
      "and commands; the status is that of the last turn, or of a command that failed,\n"
      "which ends it.\n",
      command_chat },
    { "studio", "[MESSAGE…]", "a conversation about the prompt of an image",
      "Say what the image should show; the model asks back and keeps a prompt and its\n"
      "settings, which are shown apart from the talk. /prompt TEXT changes the prompt\n"
      "by hand. The image is made by the tool that studio.image_tool names, when the\n"
      "model or you say so. Each line of a pipe is a message; stdout then has the\n"
      "accepted answers only.\n"
      "\n"
      "  mistro studio \"a cat in a hat\"\n"
      "  printf 'a cat\\n"
      "/prompt a dog\\n"
      "at night\\n"
      "' | mistro studio --json | jq -r .prompt\n",
      command_studio },
    { "consensus", "[--roleset NAME|FILE] [TASK…]", "two agents, until they agree on one text",
      "They answer without seeing each other, then in turns, until both say that they\n"
      "are done with the same text; mistro compares the texts itself. The text goes to\n"
      "stdout, who said what to stderr. Status 1: they did not agree, 8: no round was\n"
      "left, 3: an agent was lost (docs/consensus.md).\n"
      "\n"
      "  mistro consensus --roleset math \"What is 17 times 23?\" --vote 5\n"
      "  mistro consensus --roleset regex --examples ids.yml \"a pattern for our ids\"\n"
      "  mistro consensus --mock --task \"2+2\" --answer \"4\"\n",
      command_consensus },
    { "figure", "--context FILE --caption TEXT | validate … | validate-log …",
      "a text and a caption become a figure, in stages",
      "A plan is made of the text, styled, drawn, criticised and drawn again until it\n"
      "is approved, at most --max-rounds times; the best round is kept. Without a\n"
      "model all of it is done by rules. With --out the folder DIR/CASE has the\n"
      "picture, every round and what it was made of; else the picture goes to -o\n"
      "FILE.svg, .png, .pdf or .json, as SVG into a pipe, on a terminal into the\n"
      "folder runs. --mode plot_code draws --data FILE.csv, FILE.json or the result\n"
      "of a server/tool as a script for matplotlib. Status 1: there is no picture, or\n"
      "something critical stands against it.\n"
      "validate --role ROLE holds what a stage was given (--input FILE) and what it\n"
      "gave (--output FILE) against the contract of its ROLE: retriever, planner,\n"
      "stylist, visualizer, critic.\n"
      "validate-log holds a round log against its contract (docs/figure.md).\n"
      "\n"
      "  mistro figure --context tcp.txt --caption \"How TCP connects\" -o tcp.svg\n"
      "  mistro figure --mode plot_code --context a.txt --caption \"Rain\" --data a.csv\n"
      "  mistro figure validate-log 05_round_log.json --json | jq .well_formed\n",
      command_figure },
    { "doctor", "", "check configuration, model endpoint and every server",
      "Each check with its time and, where it failed, what to do. Status 3 when one failed.\n",
      command_doctor },
    { "config", "[show | path | check]", "settings and where each comes from",
      "show prints every value with its origin, path the files, check only reads them\n"
      "and says what is wrong (docs/configuration.md).\n",
      command_config },
    { "completion", "bash | zsh | fish", "what a shell needs to complete commands, flags and tools",
      "  eval \"$(mistro completion bash)\"          in ~/.bashrc, likewise zsh in ~/.zshrc\n"
      "  mistro completion fish | source           in ~/.config/fish/config.fish\n",
      command_completion },
    { .name = "help", .usage = "[COMMAND]", .summary = "this, or one command in full" },
    { .name = NULL },
};

const struct command *command_find(const char *name)
{
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

enum err_code command_unknown(const char *name, struct err *err)
{
    const char *names[ARRAY_LENGTH(commands)];
    size_t n = 0, nearest;
    for (; commands[n].name; n++)
        names[n] = commands[n].name;
    enum err_code r = err_set(err, ERR_INVALID, 0, "unknown command \"%.60s\"", name);
    if (text_nearest(name, names, n, &nearest, 1))
        return err_hint(err, r, "did you mean: mistro %s?", names[nearest]);
    return err_hint(err, r, "see: mistro help; or: mistro ask \"%.60s …\"", name);
}

static const char *all_commands(struct arena *arena)
{
    const char *text = "mistro turns a request into a checked plan over MCP tools, runs it and "
                       "shows\nwhat it did.\n\nusage: mistro [COMMAND] [FLAGS] [ARGUMENTS]\n\n";
    for (const struct command *command = commands; command->name; command++)
        text = arena_printf(arena, "%s  %-11s %s\n", text, command->name, command->summary);
    return arena_printf(
        arena, "%s\nflags that mean the same everywhere:\n%s\n%s", text,
        arguments_help(arena, NULL),
        "exit status: 0 done, 1 failed, 2 usage or configuration, 3 unreachable or\n"
        "timed out, 4 authentication, 5 needs an answer, 6 refused, 7 bad plan,\n"
        "8 limit, 9 changed tool, 130 interrupted\n");
}

const char *command_help_text(struct arena *arena, const struct command *command)
{
    if (!command)
        return all_commands(arena);
    const char *own = arguments_help(arena, command->name);
    return arena_printf(
        arena,
        "usage: mistro %s%s%s\n\n%s.\n%s%s%s%s\nmistro help lists the flags of every command.\n",
        command->name, *command->usage ? " " : "", command->usage, command->summary,
        command->details ? "\n" : "", command->details ? command->details : "",
        *own ? "\nflags:\n" : "", own);
}

int command_misused(struct cli *cli, const char *name, const char *message)
{
    struct err err;
    const struct command *command = command_find(name);
    enum err_code r = err_set(&err, ERR_INVALID, 0, "%s: %s", name, message);
    (void)err_hint(&err, r, "usage: mistro %s %s", name, command ? command->usage : "");
    return output_error(cli, &err);
}
