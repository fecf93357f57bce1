# The screen of a terminal, as tmux prints it with its escape sequences, as SVG. A line of the screen is a
# line of the file. Colours are those of a dark window, which stands on light pages and on dark ones.
#   awk -v columns=100 -f terminal.awk SCREEN       with LC_ALL=C: bytes are counted here
function width(text) { gsub(/[\200-\277]/, "", text); return length(text) }
function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function put(text,    from, class) {
  match(text, /^ */); from = at + RLENGTH; at += width(text)
  gsub(/^ +| +$/, "", text)
  if (text == "") return ""
  class = (colour != "" ? colour : "") (bold ? " b" : "") (dim ? " d" : "")
  sub(/^ /, "", class)
  return sprintf("<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\"%s>%s</text>", left + from * cell, y,
    width(text) * cell, class != "" ? " class=\"" class "\"" : "", escaped(text))
}
function sgr(codes,    n, i, code) {
  n = split(codes == "" ? "0" : codes, code, ";")
  for (i = 1; i <= n; i++) {
    if (code[i] == 0) { colour = ""; bold = dim = 0 }
    else if (code[i] == 1) bold = 1
    else if (code[i] == 2) dim = 1
    else if (code[i] == 22) bold = dim = 0
    else if (code[i] == 39) colour = ""
    else if (code[i] >= 30 && code[i] <= 37) colour = "c" code[i] - 30
  }
}
BEGIN { cell = 8.4; row = 19; left = 18; top = 44 }
{
  rest = $0; at = 0; y = top + NR * row - 5; line = ""
  while (match(rest, /\033\[[0-9;]*m/)) {
    before = substr(rest, 1, RSTART - 1)
    codes = substr(rest, RSTART + 2, RLENGTH - 3)
    rest = substr(rest, RSTART + RLENGTH)
    line = line put(before)
    sgr(codes)
  }
  lines[NR] = line put(rest)
  if (lines[NR] != "") last = NR
}
END {
  while (last > 0 && lines[last] ~ /^<text[^>]*>\$<\/text>$/) last--
  w = 2 * left + columns * cell; h = top + last * row + 16
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" xml:space=\"preserve\">\n", w, h, w, h
  print "<title>mistro in a terminal</title>"
  print "<style>"
  print "text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #d8dce4; white-space: pre }"
  print ".b { font-weight: bold; fill: #ffffff } .d { fill: #8d96a5 }"
  print ".c1 { fill: #f08a8a } .c2 { fill: #86d08f } .c3 { fill: #e5c370 } .c4, .c6 { fill: #79c0e8 } .c5 { fill: #d3a0e0 }"
  print "</style>"
  printf "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"9\" fill=\"#1d2129\" stroke=\"#59616f\"/>\n", w - 1, h - 1
  print "<g fill=\"#59616f\"><circle cx=\"22\" cy=\"20\" r=\"5\"/><circle cx=\"40\" cy=\"20\" r=\"5\"/><circle cx=\"58\" cy=\"20\" r=\"5\"/></g>"
  for (i = 1; i <= last; i++) if (lines[i] != "") print lines[i]
  print "</svg>"
}
