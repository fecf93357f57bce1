# Pictures of plots, which matplotlib draws of mistro's own script.
. "$SOURCE_DIR/tests/e2e/lib.sh"
python=
for folder in ${PATH//:/ }; do
  "$folder/python3" -c 'import matplotlib' 2>"$scratch/none" && python=$folder/python3 && break
done
[ -n "$python" ] || skip "no python3 with matplotlib here (Debian: python3-matplotlib)"
echo "Measurements." >note.txt
draw() { run figure -q -m none --mode plot_code --context note.txt "$@"; }
is_a() { # FILE BYTES
  case "$(head -c 8 "$1" | tr -d '\0')" in *"$2"*) ok ;; *) fail "$1 is no $2" ;; esac
}

printf 'city,year,rain_mm\nOslo,2023,71\nOslo,2024,60\nRome,2023,52.5\nRome,2024,40\n' >rain.csv

it "has the picture of a plot in its folder and on its page"
draw --caption "Rain by city" --data rain.csv --out runs --name rain
expect_status 0
expect_out "runs/rain/figure.svg"
is_a runs/rain/figure.png PNG
is_a runs/rain/figure.pdf PDF
case "$(cat runs/rain/index.html)" in *'src="data:image/svg+xml;base64,'*) ok ;; *) fail "no picture" ;; esac
case "$(cat runs/rain/index.html)" in *python3-matplotlib*) fail "a table beside it" ;; *) ok ;; esac

it "writes the picture of a plot into the file that is named"
draw --caption "Rain by city" --data rain.csv -o rain.png
expect_status 0
is_a rain.png PNG
draw --caption "Rain by city" --data rain.csv -o rain.svg
cmp rain.svg runs/rain/figure.svg && ok || fail "another picture"

it "draws the same bytes whatever settings of matplotlib lie in the current folder"
printf 'axes.facecolor: red\nfont.size: 40\nbackend: module://evil\n' >matplotlibrc
echo 'open("evil-was-here", "w")' >evil.py
cp evil.py matplotlib.py
draw --caption "Rain by city" --data rain.csv -o again.svg
expect_status 0
cmp rain.svg again.svg && ok || fail "another picture"
[ -e evil-was-here ] && fail "a file of the folder was run" || ok
rm matplotlibrc evil.py matplotlib.py

it "says that a plot was asked for which it does not draw"
draw --caption "Pie chart of the rain by city" --data rain.csv --out runs --name pie
expect_status 0
said='"pie chart" is asked for and "bar" is drawn: there is no such plot'
[ "$(jq -r '.rounds[0].findings[].message' runs/pie/05_round_log.json)" = "$said" ] && ok || fail "not in the log"
case "$(cat runs/pie/index.html)" in *'there is no such plot'*) ok ;; *) fail "not on the page" ;; esac

# A row for each: name, caption, data and what its plot is.
{ echo "day,station,mean_temp_c"
  for day in 11 12 19 28; do echo "2026-01-$day,Oslo,-$day.5"; echo "2026-01-$day,Rome,$day.25"; done; } >temp.csv
{ echo "day,users"; for month in 06 07 08 09 11 12; do echo "2025-$month-01,1$month"; echo "2026-$month-01,2$month"; done; } >months.csv
{ echo "country,share_pct"; for i in $(seq 14); do echo "The Republic of a Long Name $i,$((i * 7 % 15))"; done; } >share.csv
{ echo "name,_loss,x \$y^2\$"; for i in $(seq 40); do echo "_$((i % 12)),$i,$((i * i))"; done; } >odd.csv
while IFS='|' read -r name data caption mark; do
  it "draws $mark without a word of complaint: $caption"
  draw --caption "$caption" --data "$data" --style print --out marks --name "$name"
  expect_status 0
  expect_err ''
  [ "$(jq -r .mark "marks/$name/figure.plot.json")" = "$mark" ] && ok || fail "another mark"
  "$python" -W error "marks/$name/figure.py" "$name.png" >"$scratch/out" 2>"$scratch/err" || cat "$scratch/err"
  expect_out ''
  expect_err ''
  is_a "$name.png" PNG
done <<'ROWS'
time|temp.csv|Temperature over time by station|line
months|months.csv|Users over the months|line
rank|share.csv|Countries ranked by share|bar
years|rain.csv|Bar chart of rain by year and city|bar
area|rain.csv|Stacked area of rain over the years by city|area
points|odd.csv|Scatter plot of loss by name, log scale|point
bins|odd.csv|Histogram of the loss by name|histogram
boxes|temp.csv|Box plot of temperature by station|box
ROWS
finish
