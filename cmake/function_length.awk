# Fails when a function's body or a file is longer than the house style allows: 15 lines in the core
# of the orchestrator, 60 elsewhere; files 600. Relies on clang-format: a function's braces are the
# ones in the first column.
BEGIN { core = "(orchestrators/(mistral_orchestrator|intent_parser|clarifier|planner|responder)|execution/executor)\\.c$" }
FNR == 1 { if (lines > 600) report(last, 0, "file of " lines " lines (at most 600)"); last = FILENAME }
{ lines = FNR }
/^[a-zA-Z].*\(/ { head = $0 }
/^\{/ { start = FNR }
/^\}/ && start {
    most = FILENAME ~ core ? 15 : 60
    if (FNR - start - 1 > most) report(FILENAME, start, "function of " FNR - start - 1 " lines (at most " most "): " head)
    start = 0
}
function report(file, line, text) { printf "%s:%d: %s\n", file, line, text; bad = 1 }
END { if (lines > 600) report(last, 0, "file of " lines " lines (at most 600)"); exit bad }
