// Looks at the pages of a mistro that is served as a person's browser shows them: from a telephone to a wide
// desk, light and dark, with script and without. Signs in, reads the list, and looks at every run of it; says
// what axe-core finds, what does not fit beside the page, and what the keyboard does not reach.
// usage: look_at_served.mjs CHROMIUM URL-OF-LOGIN-WITH-TOKEN; MISTRO_SCREENSHOTS: a folder for pictures.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const [executablePath, login] = process.argv.slice(2);
const origin = new URL(login).origin;
const screenshots = process.env.MISTRO_SCREENSHOTS;
// A container's user is root, who has no sandbox; the pages are mistro's own.
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
let faults = 0;
const fault = (where, what) => { faults++; console.log(`${where}: ${what}`); };

async function look(context, path, where, status = 200) {
  const page = await context.newPage();
  const refused = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !(status !== 200 && /status of/.test(message.text()))) refused.push(message.text());
  });
  const answer = await page.goto(origin + path);
  if (answer.status() !== status) fault(where, `is answered with ${answer.status()}`);
  await page.waitForTimeout(50);
  if (screenshots) await page.screenshot({ path: `${screenshots}/${where.replace(/\W+/g, '-')}.png`, fullPage: true });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) fault(where, `the page is ${wide} px too wide`);
  for (const text of refused) fault(where, `the browser says: ${text.slice(0, 200)}`);
  return page;
}

// Every link, field and button is reached by Tab in turn, and can be seen to be.
async function walk(page, where) {
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')];
    const groups = new Set();
    return all.filter((e) => e.type !== 'radio' || (!groups.has(e.name) && groups.add(e.name))).length;
  });
  const seen = new Set();
  for (let i = 0; i < wanted + 300 && seen.size < wanted; i++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e.matches('a[href], button, input, select, textarea, summary')) return null;
      const style = getComputedStyle(e);
      window.visited ??= [];
      if (!window.visited.includes(e)) window.visited.push(e);
      return { index: window.visited.indexOf(e), outlined: style.outlineStyle !== 'none', what: e.outerHTML.slice(0, 80) };
    });
    if (at && !at.outlined) fault(where, `the focus is not seen on ${at.what}`);
    if (at) seen.add(at.index);
  }
  if (seen.size < wanted) fault(where, `the keyboard reaches ${seen.size} of ${wanted}`);
}

for (const javaScriptEnabled of [true, false])
  for (const width of [360, 1024, 2560])
    for (const colorScheme of ['light', 'dark']) {
      const how = `${width}-${colorScheme}${javaScriptEnabled ? '' : '-plain'}`;
      const context = await browser.newContext({ viewport: { width, height: 780 }, colorScheme, javaScriptEnabled });
      await (await look(context, '/login', `login ${how}`)).close();
      const entry = await context.newPage();
      await entry.goto(login);
      if (entry.url() !== `${origin}/runs`) fault(`login ${how}`, `led to ${entry.url()}`);
      const runs = await entry.evaluate(() => [...document.querySelectorAll('tbody th a')].map((a) => a.getAttribute('href')));
      const queues = await entry.evaluate(() => [...document.querySelectorAll('nav a[href="/queues"]')].map(() => '/queues'));
      await entry.close();
      const paths = ['/runs', '/runs?state=failed', '/runs?q=nothing+like+it', '/runs/nosuch', ...queues, ...new Set(runs)].slice(0, 12);
      for (const [index, path] of paths.entries()) {
        const where = `${path.replace(/^\/runs\/.*/, `run ${index}`)} ${how}`;
        const page = await look(context, path, where, path === '/runs/nosuch' ? 404 : 200);
        if (javaScriptEnabled && width === 1024 && colorScheme === 'light') await walk(page, where);
        await page.evaluate(() => document.querySelectorAll('details').forEach((details) => { details.open = true; }));
        if (javaScriptEnabled) { // axe-core is a script of its own, which the policy of the page lets nobody load
          const session = await context.newCDPSession(page);
          await session.send('Runtime.evaluate', { expression: axe });
          const found = await page.evaluate(() => axe.run());
          for (const violation of found.violations)
            fault(where, `${violation.id}: ${violation.help}: ${violation.nodes[0].html.slice(0, 160)}`);
          if (found.passes.length < 10) fault(where, 'axe-core looked at next to nothing');
        }
        await page.close();
      }
      await context.close();
    }
await browser.close();
console.log(`${faults} faults`);
process.exit(faults ? 1 : 0);
