# The text of `mistro help` or `mistro help COMMAND` becomes mistro(1) or mistro-COMMAND(1).
#   mistro help ask | awk -f roff.awk -f help_page.awk -v name=mistro-ask -v section=1 …
# mistro(1) refers to the pages whose names, such as "mistro-ask 1", stand in -v pages=.
#
# What a line is shows by itself:
#   usage: …               the synopsis; the paragraph behind it says what it is about
#   Exit status: …         a paragraph that is a section of its own
#   "  -x, --long  what"   a flag; lines that are set in further go on with it
#   "  ask  what"          a command, in `mistro help`; the line above a group of them is its heading
#   "flags:"               and "common flags:": a section
#   other lines set in     an example; a block of them that stands alone goes to EXAMPLES
#   anything else          running text

{ sub(/[ \t\r]+$/, ""); text[++n] = $0 }

function is_flag(s) { return s ~ /^ +-[-A-Za-z]/ }
function is_command(s) { return name == "mistro" && s ~ /^  [a-z]+  +[^ ]/ }
function is_heading(s) { return s ~ /^(common )?flags:$/ }

# "-m, --model NAME" as mdoc
function flag_macros(flags,    words, count, i, word, comma, out) {
  count = split(flags, words, " ")
  for (i = 1; i <= count; i++) {
    word = words[i]
    if (word ~ /^-/) {
      comma = sub(/,$/, "", word) ? " ," : ""
      out = out " Fl " escaped(substr(word, 2)) comma
    } else
      out = out " Ar " argument(escaped(word))
  }
  return substr(out, 2)
}

function list_begins(kind) {
  if (list == kind) return
  list_ends()
  macro(".Bl -tag -width Ds" (kind == "commands" ? " -compact" : ""))
  list = kind
}
function list_ends() {
  if (list != "") { print ".El"; after_text = 1 }
  list = ""
}

function item(s,    at, left, right) {
  sub(/^ +/, "", s)
  at = match(s, /  +/)
  left = at ? substr(s, 1, at - 1) : s
  right = at ? substr(s, at + RLENGTH) : ""
  if (s ~ /^-/) { list_begins("flags"); macro(".It " flag_macros(left)) }
  else { list_begins("commands"); macro(".It Xr mistro-" left " 1") }
  if (right != "") line(escaped(right))
}

function section_begins(title) { list_ends(); macro(".Sh " title); this_section = title }

function heading(s) {
  if (s ~ /flags:$/ && this_section != "OPTIONS") section_begins("OPTIONS")
  if (s == "flags:") return
  list_ends()
  sub(/:$/, "", s)
  macro(".Ss " argument(escaped(toupper(substr(s, 1, 1)) substr(s, 2))))
}

# Lines from i on that are set in; gives the first one behind them.
function block(i,    alone) {
  alone = text[i - 1] == ""
  if (!alone) { list_ends(); display_begins() }
  for (; i <= n && text[i] ~ /^  / && !is_flag(text[i]); i++)
    if (alone) examples = examples substr(text[i], 3) "\n"
    else print escaped(substr(text[i], 3))
  if (!alone) display_ends()
  return i - 1
}

function see_also(    refs, count, i) {
  list_ends()
  print ".Sh SEE ALSO"
  count = split(name == "mistro" ? pages : "mistro 1,mistro-config 5,mistro-plan 5", refs, ",")
  for (i = 1; i <= count; i++) print ".Xr " refs[i] (i < count ? " ," : "")
}

# The paragraph that begins in line i, as one line; last_line is where it ends.
function joined(i,    all) {
  for (all = text[i]; i < n && text[i + 1] != ""; all = all " " text[++i]);
  last_line = i
  return all
}

function summary(about) { # its first sentence, without mistro, of which it is said
  sub(/^mistro /, "", about)
  sub(/[.]( .*)?$/, "", about)
  return about
}

END {
  usage = joined(1)
  for (i = last_line + 1; text[i] == "" && i < n; i++);
  about = joined(i)
  i = last_line
  page_begins(summary(about))
  print ".Sh SYNOPSIS"
  print ".Nm mistro"
  sub(/^usage: mistro */, "", usage)
  if (usage != "") line(escaped(usage))
  section_begins("DESCRIPTION")
  line(escaped(name == "mistro" ? about : toupper(substr(about, 1, 1)) substr(about, 2)))
  if (name == "mistro") {
    line("Settings are described in")
    print ".Xr mistro-config 5 ,"
    print "plan files in"
    print ".Xr mistro-plan 5 ."
    section_begins("COMMANDS")
  }
  while (++i <= n) {
    s = text[i]
    if (s == "") { broken = 1; continue }
    if (s ~ /^mistro help COMMAND explains/) { joined(i); i = last_line }
    else if (s ~ /^Exit status: /) { exit_status = substr(joined(i), 14); i = last_line }
    else if (is_heading(s) || (s ~ /^[^ ]/ && is_command(text[i + 1]))) heading(s)
    else if (is_flag(s) || is_command(s)) item(s)
    else if (list != "" && s ~ /^        /) { sub(/^ +/, "", s); line(escaped(s)) }
    else if (s ~ /^  /) i = block(i)
    else {
      list_ends()
      if (broken) paragraph()
      line(escaped(s))
    }
    broken = 0
  }
  list_ends()
  if (name != "mistro") {
    if (this_section != "OPTIONS") section_begins("OPTIONS")
    paragraph()
    line("All flags that commands have in common, and the exit status, are described in")
    print ".Xr mistro 1 ."
  }
  if (exit_status != "") {
    section_begins("EXIT STATUS")
    line(escaped(exit_status))
  }
  if (examples != "") {
    section_begins("EXAMPLES")
    display_begins()
    count = split(examples, shown, "\n")
    for (i = 1; i < count; i++) print escaped(shown[i])
    display_ends()
  }
  see_also()
}
