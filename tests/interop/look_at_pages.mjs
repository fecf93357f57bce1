// Looks at pages as a reader's browser shows them: on a telephone and on a desk, light and dark. Says what
// axe-core finds, which words are broken, what does not fit beside the page, and whether the
// figure is seen first. usage: look_at_pages.mjs CHROMIUM PAGE...; MISTRO_SCREENSHOTS: a folder for pictures.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const [executablePath, ...pages] = process.argv.slice(2);
const screenshots = process.env.MISTRO_SCREENSHOTS;
// A container's user is root, who has no sandbox; the pages are mistro's own and fetch nothing.
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
let faults = 0;
const fault = (where, what) => { faults++; console.log(`${where}: ${what}`); };

// In the page: words that stand in two lines although they are short enough for one.
const brokenWords = () => {
  const broken = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest('pre')) continue;
    for (const word of text.data.matchAll(/[^\s/_-]{2,20}/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(word[0]);
    }
  }
  return broken;
};

for (const width of [360, 1440])
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width, height: 780 }, colorScheme, bypassCSP: true });
    for (const file of pages) {
      const page = await context.newPage();
      const name = path.basename(path.dirname(path.resolve(file)));
      const where = `${name} at ${width} px, ${colorScheme}`;
      await page.goto(`file://${path.resolve(file)}`);
      if (screenshots) await page.screenshot({ path: `${screenshots}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      const first = await page.evaluate(() => {
        const figure = document.querySelector('main figure');
        const warning = document.querySelector('.box');
        const top = (element) => element.getBoundingClientRect().top;
        return { wide: document.documentElement.scrollWidth - innerWidth,
                 seen: !figure || top(figure) < innerHeight / 2,
                 above: !!figure && !!warning && top(warning) < top(figure) };
      });
      if (first.wide > 0) fault(where, `the page is ${first.wide} px too wide`);
      if (!first.seen) fault(where, 'the figure is not seen at once');
      if (first.above) fault(where, 'a warning stands above the figure');
      for (const word of await page.evaluate(brokenWords)) fault(where, `"${word}" is broken`);
      await page.evaluate(() => document.querySelectorAll('details').forEach((details) => { details.open = true; }));
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run());
      for (const violation of found.violations)
        fault(where, `${violation.id}: ${violation.help}: ${violation.nodes[0].html.slice(0, 120)}`);
      if (found.passes.length < 10) fault(where, 'axe-core looked at next to nothing');
      await page.close();
    }
    await context.close();
  }
await browser.close();
console.log(`${faults} faults`);
process.exit(faults ? 1 : 0);
