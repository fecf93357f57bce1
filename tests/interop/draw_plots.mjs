// The Vega-Lite of plots as its own renderer draws it. PLOTS names a folder with one of each, which
// test_npm_plots.sh has mistro make.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import * as vega from 'vega';
import { compile } from 'vega-lite';

const folder = process.env.PLOTS;

function logger(words) {
  const take = (...said) => { words.push(said.join(' ')); return self; };
  const self = { level: () => self, error: take, warn: take, info: () => self, debug: () => self };
  return self;
}

async function draw(name) {
  const words = [];
  const spec = JSON.parse(readFileSync(`${folder}/${name}/figure.vl.json`));
  const view = new vega.View(vega.parse(compile(spec, { logger: logger(words) }).spec),
    { renderer: 'none', logger: logger(words) });
  const svg = await view.toSVG();
  // A box without outliers has an empty layer, of which Vega says that it has no extent.
  assert.deepEqual(words.filter((said) => !said.startsWith('Infinite extent')), [], name);
  return { spec, svg, script: readFileSync(`${folder}/${name}/figure.py`, 'utf8') };
}

// What is drawn with a role: "bar", "area"; of each its label, its path and its colour.
const marks = ({ svg }, role) =>
  [...svg.matchAll(/<path aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="([^"]*)" ([^>]*)>/g)]
    .filter((mark) => mark[2] === role)
    .map(([, label, , rest]) => ({
      label,
      path: / ?d="([^"]*)"/.exec(rest)[1],
      fill: /fill="([^"]*)"/.exec(rest)?.[1],
    }));
const texts = ({ svg }, role) =>
  svg.split(`class="mark-text role-${role}"`).slice(1)
    .flatMap((part) => [...part.split('</g>')[0].matchAll(/<text[^>]*>([^<]*)</g)].map((text) => text[1]));
// Where the points of a path are: absolute, "M1,2L3,4".
const points = (path) => [...path.matchAll(/[ML](-?[\d.e-]+),(-?[\d.e-]+)/g)].map(([, x, y]) => [+x, +y]);
const rows = ({ script }) => script.split('ROWS = [\n')[1].split(']\n')[0].trim().split('\n').length;

test('the renderer has nothing to say against any plot', async () => {
  for (const name of readdirSync(folder))
    assert.ok(!(await draw(name)).svg.includes('undefined'), name);
});

test('bars with long names lie, the highest on top, one for each row of the script', async () => {
  const plot = await draw('rank');
  const bars = marks(plot, 'bar');
  assert.equal(bars.length, 14);
  assert.equal(rows(plot), 14);
  const tops = bars.map(({ path }) => points(path)[0][1]);
  assert.deepEqual(tops, [...tops].sort((a, b) => a - b));
  const widths = bars.map(({ path }) => +/h([\d.]+)/.exec(path)[1]);
  assert.deepEqual(widths, [...widths].sort((a, b) => b - a));
  assert.deepEqual(texts(plot, 'axis-title'), ['Share (%)', 'Country']);
  assert.equal(texts(plot, 'axis-label').filter((text) => text.startsWith('The Republic')).length, 14);
});

test('a gap in time is as wide as it is', async () => {
  const plot = await draw('time');
  const line = /class="mark-line role-mark layer_0_marks"[^>]*><path[^>]* d="([^"]*)"/.exec(plot.svg);
  const [a, b, c, d] = points(line[1]).map(([x]) => x);
  const day = (d - a) / 17;
  for (const [gap, days] of [[b - a, 1], [c - b, 7], [d - c, 9]]) assert.ok(Math.abs(gap - days * day) < 0.1);
  assert.deepEqual(texts(plot, 'axis-title'), ['Day', 'Mean temp (°C)']);
  assert.deepEqual(texts(plot, 'legend-label'), ['Oslo', 'Rome']);
});

test('bars over years leave room for those that are missing', async () => {
  const plot = await draw('years');
  assert.deepEqual(texts(plot, 'axis-label').filter((text) => text.startsWith('202')), ['2020', '2021', '2022', '2023']);
  assert.equal(marks(plot, 'bar').length, 6);
});

test('the first of a stack is at the bottom, and last in the legend', async () => {
  const plot = await draw('area');
  const areas = marks(plot, 'area mark');
  assert.deepEqual(texts(plot, 'legend-label'), ['Rome', 'Oslo']);
  const floor = Math.max(...areas.flatMap(({ path }) => points(path).map(([, y]) => y)));
  const bottom = areas.find(({ path }) => points(path).filter(([, y]) => y === floor).length > 1);
  assert.ok(bottom.label.includes('Oslo'));
});

test('the bins of a histogram are those of the script', async () => {
  const plot = await draw('bins');
  const edges = JSON.parse(/EDGES = (.*)/.exec(plot.script)[1]);
  const bars = marks(plot, 'bar');
  assert.equal(bars.length, rows(plot));
  const lefts = [...new Set(bars.map(({ path }) => points(path)[0][0].toFixed(1)))];
  assert.equal(lefts.length, edges.length - 1);
  assert.equal(plot.spec.data.values.reduce((sum, value) => sum + value.y, 0), 40);
});

test('a logarithmic axis has the labels that the script sets', async () => {
  const labels = texts(await draw('points'), 'axis-label');
  assert.ok(labels.includes('10⁶'), labels.join(' '));
  assert.deepEqual(labels.filter((label) => label.includes(',')), []);
});

test('the labels of an axis of time have one form', async () => {
  const labels = texts(await draw('months'), 'axis-label').filter((label) => label.includes('-'));
  assert.ok(labels.length > 2, labels.join(' '));
  for (const label of labels) assert.match(label, /^20\d\d-(0[1-9]|1[0-2])$/);
  assert.equal(new Set(labels).size, labels.length);
});

test('lines whose dash comes again are bold', async () => {
  const { svg } = await draw('lines');
  const lines = [...svg.matchAll(/class="mark-line role-mark[^>]*><path[^>]*>/g)].map(([line]) => line);
  const looks = lines.map((line) => /stroke-width="[^"]*"/.exec(line) + ' ' + /stroke-dasharray="[^"]*"/.exec(line));
  assert.equal(lines.length, 10);
  assert.equal(new Set(looks).size, 10);
});

test('the median of each box is in front of it, in the colour of the text', async () => {
  const { svg } = await draw('boxes');
  const groups = svg.split('class="mark-rect role-mark layer_1_').slice(1).map((part) => part.split('</g>')[0]);
  assert.equal(groups.length, 2);
  assert.equal(groups[1].match(/fill="#000000" opacity="1"/g).length, 2);
});
