# A page of docs/ (Markdown) becomes a manual page of section 5.
#   awk -f roff.awk -f text_page.awk -v name=mistro-plan -v section=5 -v "about=…" docs/plans.md
# It knows the Markdown that these pages use: headings of three levels, paragraphs, lists of one level,
# fenced blocks, tables, `code`, *emphasis*, **strong** and links. A table becomes a list: its first
# heading stands above it, the first column is the term, and what is between that and the last column
# stands behind it in brackets, each with its heading.

BEGIN {
  manual["configuration.md"] = "mistro-config(5)"
  manual["plans.md"] = "mistro-plan(5)"
  manual["events.md"] = "mistro-events(5)"
}

# Text with Markdown's inline marks, as roff; font is the one around it.
function inline(s, font,    out, c, end, text, url) {
  for (; s != ""; s = substr(s, 2)) {
    c = substr(s, 1, 1)
    if (c == "`" && (end = index(substr(s, 2), "`"))) {
      out = out (font == "R" ? "\\fB" : "") escaped(substr(s, 2, end - 1)) (font == "R" ? "\\fR" : "")
      s = substr(s, end + 1)
    } else if (s ~ /^[*][*][^ *]/ && (end = index(substr(s, 3), "**"))) {
      out = out "\\fB" inline(substr(s, 3, end - 1), "B") "\\f" font
      s = substr(s, end + 3)
    } else if (s ~ /^[*][^ *]/ && (end = index(substr(s, 2), "*"))) {
      out = out "\\fI" inline(substr(s, 2, end - 1), "I") "\\f" font
      s = substr(s, end + 1)
    } else if (match(s, /^\[[^]]*\]\([^)]*\)/)) {
      url = text = substr(s, 2, RLENGTH - 2)
      s = substr(s, RLENGTH)
      sub(/\].*/, "", text)
      sub(/.*\(/, "", url)
      sub(/#.*/, "", url)
      out = out (text == url && url in manual ? "\\fB" escaped(manual[url]) "\\f" font : inline(text, font))
    } else
      out = out escaped(c)
  }
  return out
}

function flush() { # the paragraph or list item that was gathered
  if (held == "") return
  if (!in_item) paragraph()
  line(inline(held, "R"))
  held = ""
  in_item = 0
}
function list_ends() {
  flush()
  if (list != "") { print ".El"; after_text = 1 }
  list = ""
}
function item_begins(kind) {
  flush()
  if (list == "") macro(".Bl -" kind)
  list = kind
  macro(".It")
  in_item = 1
}
function add(s) { sub(/^ +/, "", s); held = held (held == "" ? "" : " ") s }

function row(s,    cells, count, i, said) {
  gsub(/\\[|]/, "\001", s)
  sub(/^[|] */, "", s)
  sub(/ *[|] *$/, "", s)
  count = split(s, cells, / *[|] */)
  if (!in_table) {
    for (i = 1; i <= count; i++) title[i] = cells[i]
    in_table = 1
    return
  }
  if (s ~ /^[-:| ]+$/) {
    paragraph()
    line("\\fI" inline(title[1], "I") "\\fR")
    macro(".Bl -tag -width Ds")
    return
  }
  for (i = 1; i <= count; i++) gsub(/\001/, "|", cells[i])
  macro(".It " argument(inline(cells[1], "R")))
  for (i = 2; i < count; i++) said = said (said == "" ? " (" : "; ") title[i] ": " cells[i]
  line(inline(cells[count] said (said == "" ? "" : ")"), "R"))
}

/^[|]/ && !in_code { list_ends(); row($0); next }
in_table { print ".El"; after_text = 1; in_table = 0 }
/^ *```/ {
  flush()
  if (in_code) display_ends()
  else { if ($0 ~ /^```/) list_ends(); display_begins() }
  in_code = !in_code
  next
}
in_code { print escaped($0 ~ /^[.]/ ? "\\&" $0 : $0); next }
/^# / { page_begins(about); macro(".Sh DESCRIPTION"); next }
/^## / { list_ends(); macro(".Sh " argument(escaped(toupper(substr($0, 4))))); next }
/^### / { list_ends(); macro(".Ss " argument(escaped(substr($0, 5)))); next }
/^$/ { flush(); blank = 1; next }
/^- / { item_begins("bullet"); $0 = substr($0, 3) }
/^[0-9]+[.] / { item_begins("enum"); sub(/^[0-9]+[.] /, "") }
blank && list != "" && !in_item && /^[^ ]/ { list_ends() }
{ blank = 0; add($0) }
END {
  list_ends()
  print ".Sh SEE ALSO"
  print ".Xr mistro 1"
}
