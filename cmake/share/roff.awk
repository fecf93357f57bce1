# What both makers of manual pages share: mdoc, its escapes, and where a paragraph begins. Used as
#   awk -f roff.awk -f help_page.awk …   or   awk -f roff.awk -f text_page.awk …
# with -v name=mistro-ask -v section=1 -v "date=Nov 26, 2026".
# Nothing here goes beyond what POSIX asks of awk, so that mawk, gawk and busybox give the same bytes.

BEGIN {
  special["\\"] = "\\e"
  special["-"] = "\\-"   # a real minus: flags are copied out of manual pages
  special["'"] = "\\(aq"
  special["\""] = "\\(dq"
  special["`"] = "\\(ga"
  special["~"] = "\\(ti"
  special["^"] = "\\(ha"
}

# text as roff prints it, character by character
function escaped(text,    i, c, out) {
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    out = out (c in special ? special[c] : c)
  }
  return out
}

# roff as one argument of a macro: "\&" keeps it from being taken for a macro itself
function argument(roff) { return "\"\\&" roff "\"" }

# Running text, each sentence a line of its own; one that begins with a dot would be a macro.
function line(roff,    sentence) {
  while (roff != "") {
    sentence = match(roff, /[.!?][])]* +/) ? substr(roff, 1, RSTART + RLENGTH - 1) : roff
    roff = substr(roff, length(sentence) + 1)
    sub(/ +$/, "", sentence)
    print (sentence ~ /^[.]/ ? "\\&" : "") sentence
  }
  after_text = 1
}

# The macro that begins something new: no paragraph macro may stand right behind it.
function macro(roff) { print roff; after_text = 0 }

function paragraph() { if (after_text) macro(".Pp") }

function display_begins() { macro(".Bd -literal -offset indent") }
function display_ends() { print ".Ed"; after_text = 1 }

function page_begins(about) {
  print ".Dd " date
  print ".Dt " toupper(name) " " section
  print ".Os"
  print ".Sh NAME"
  print ".Nm " name
  print ".Nd " escaped(about)
}
