// A person without a mouse at the pages of a mistro that is served: signs in, answers a question, approves,
// settles an uncertain call, goes on with what failed, watches a run, and signs out. With Tab, Enter, Space and
// arrows alone; with script and without.
// usage: use_served.mjs CHROMIUM URL-OF-LOGIN-WITH-TOKEN with|without PROGRAM; the runs are found by what they
// are called. Says what went wrong, and then how many faults there were.
import { spawn } from 'node:child_process';
import { chromium } from 'playwright-core';

const [executablePath, login, script, program] = process.argv.slice(2);
const { origin, searchParams } = new URL(login);
const javaScriptEnabled = script === 'with';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const context = await browser.newContext({ javaScriptEnabled });
const page = await context.newPage();
let faults = 0;
const expect = (is, what) => { if (!is) { faults++; console.log(`${script} script: ${what}`); } };
const limit = 30000;

async function tabTo(what, matches) {
  for (let i = 0; i < 200; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`(${matches})(document.activeElement)`)) return;
  }
  throw new Error(`the keyboard does not reach ${what} on ${page.url()}`);
}
const named = (tag, text) => `(e) => e.matches('${tag}') && e.textContent.includes(${JSON.stringify(text)})`;

async function press(key) {
  await Promise.all([page.waitForEvent('load', { timeout: limit }), page.keyboard.press(key)]);
}

async function open(title) {
  await page.goto(`${origin}/runs`);
  await tabTo(title, named('a', title));
  await press('Enter');
}

// Until the run says so; who has no script looks again.
async function becomes(status) {
  for (const end = Date.now() + limit; Date.now() < end;) {
    const tags = await page.locator('main > header .tag').allTextContents().catch(() => []);
    if (tags.includes(status)) return;
    await new Promise((go) => setTimeout(go, 100));
    if (!javaScriptEnabled && await page.locator('#live').count()) {
      await tabTo('Look again', named('a', 'Look again'));
      await press('Enter');
    }
  }
  const says = await page.locator('main > header, #live-state').allTextContents().catch(() => []);
  expect(false, `${page.url()} does not become ${status}, but says: ${says.join(' ').replace(/\s+/g, ' ')}`);
}

async function run() {
  await page.goto(`${origin}/runs`);
  expect(page.url() === `${origin}/login`, 'nobody is asked who it is');
  await tabTo('the token', `(e) => e.id === 'token'`);
  await page.keyboard.type('wrong');
  await press('Enter');
  expect(await page.locator('[role=alert]').count() === 1, 'a wrong token is not told');
  await tabTo('the token', `(e) => e.id === 'token'`);
  await page.keyboard.type(searchParams.get('token'));
  await press('Enter');
  expect(page.url() === `${origin}/runs`, `signing in leads to ${page.url()}`);

  await open(`${script}: charge what is owed`);
  await tabTo('the approval', named('button', 'Approve these calls'));
  await press('Space');
  await becomes('completed');

  await open(`${script}: charge once`);
  await tabTo('the choices', `(e) => e.matches('[type=radio]')`);
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('[value=done]').isChecked(), 'arrows do not choose');
  await tabTo('the answer', named('button', 'Answer'));
  await press('Enter');
  await becomes('completed');

  await open(`${script}: charge a bad card`);
  await tabTo('going on', named('button', 'Go on'));
  await press('Enter');
  await becomes('failed');

  const asked = 'read the file';
  await open(asked);
  const before = page.url();
  await tabTo('the question', `(e) => e.matches('textarea')`);
  await page.keyboard.type('README.md');
  await tabTo('the answer', named('button', 'Answer'));
  await press('Enter');
  await becomes('completed');
  expect(page.url() !== before, 'the answer leads to the run that asked, and not to the one that answers');
  await page.goto(before);
  expect(await page.locator('main form').count() === 0, 'what was answered is asked again');

  const child = spawn(program, ['run', 'slow.json', '--yes'], { stdio: 'ignore' });
  const ended = new Promise((go) => child.on('exit', go));
  for (const end = Date.now() + limit; Date.now() < end;) {
    await page.goto(`${origin}/runs?state=running&q=look+at+the+mail`);
    if (await page.locator('tbody a').count()) break;
  }
  await tabTo('the run', named('a', 'look at the mail'));
  await press('Enter');
  expect(await page.locator('#live').count() === 1, 'a run under way is not live');
  if (javaScriptEnabled) {
    const reloaded = page.waitForEvent('load', { timeout: limit });
    await page.locator('#live-events li', { hasText: 'step_finished' }).first().waitFor({ timeout: limit });
    await reloaded;
  }
  await becomes('completed');
  await ended;

  await tabTo('the way out', named('button', 'Sign out'));
  await press('Enter');
  expect(page.url() === `${origin}/login`, `signing out leads to ${page.url()}`);
  await page.goto(`${origin}/runs`);
  expect(page.url() === `${origin}/login`, 'who signed out is still in');
}

await run().catch((error) => expect(false, error.message.split('\n')[0]));
await browser.close();
console.log(`${faults} faults`);
process.exit(faults ? 1 : 0);
