# Plots of mistro, drawn by Vega-Lite's own renderer (draw_plots.mjs says what must hold).
. "$SOURCE_DIR/tests/interop/npm.sh"
echo "Measurements." >note.txt
printf 'city,year,rain_mm\nOslo,2020,71\nOslo,2021,60\nOslo,2023,50\nRome,2020,52.5\nRome,2021,40\nRome,2023,45\n' >rain.csv
{ echo "day,station,mean_temp_c"
  for day in 11 12 19 28; do echo "2026-01-$day,Oslo,-$day.5"; echo "2026-01-$day,Rome,$day.25"; done; } >temp.csv
{ echo "day,users"; for month in 06 07 08 09 11 12; do echo "2025-$month-01,1$month"; echo "2026-$month-01,2$month"; done; } >months.csv
{ echo "country,share_pct"; for i in $(seq 14); do echo "The Republic of a Long Name $i,$i"; done; } >share.csv
{ echo "family,parameters,perplexity"; for i in $(seq 40); do echo "f$((i % 12)),$((i * i * i))000,$((90 - i)).5"; done; } >models.csv
{ echo "step,run,loss"; for run in $(seq 10); do echo "1,r$run,$run.5"; echo "2,r$run,$run.25"; done; } >runs.csv

it "has a Vega-Lite text of every mark"
while IFS='|' read -r name data caption; do
  run figure -q -m none --mode plot_code --context note.txt --style print --caption "$caption" --data "$data" \
    --out plots --name "$name"
  expect_status 0
done <<'ROWS'
time|temp.csv|Temperature over time by station
months|months.csv|Users over the months
rank|share.csv|Countries ranked by share
years|rain.csv|Bar chart of rain by year and city
area|rain.csv|Stacked area of rain over the years by city
points|models.csv|Perplexity against parameters by family, log scale
bins|models.csv|Histogram of perplexity by family
boxes|temp.csv|Box plot of temperature by station
lines|runs.csv|Loss over the steps by run, as lines
ROWS

it "everything in draw_plots.mjs holds"
PLOTS=$PWD/plots "$node" --test --test-reporter=spec "$scripts/draw_plots.mjs" >"$scratch/out" 2>"$scratch/err"
status=$?
[ $status = 0 ] || cat "$scratch/out" "$scratch/err"
expect_status 0
finish
