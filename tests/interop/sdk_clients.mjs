// What `mistro serve` gives the npm SDK clients, old and new: MISTRO, WORKSPACE and FIXTURE name the
// binary, a copy of examples/workspace and clients_fixture.yml. node --test sdk_clients.mjs
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connect, peers } from './sdk_peers.mjs';

const { MISTRO, WORKSPACE, FIXTURE } = process.env;
const mock = [MISTRO, 'serve', 'mock', '--fixture', FIXTURE];
const workspace = [MISTRO, 'serve', 'workspace', '--root', WORKSPACE];
const agent = [MISTRO, 'serve', 'agent', '-m', 'none'];
const limit = { timeout: 60_000 };

const names = (entries) => entries.map((entry) => entry.name ?? entry.uri).sort();
const text = (result) => result.content[0].text;

async function within(milliseconds, promise) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('too late')), milliseconds)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// Somebody who answers everything, and remembers what it was.
function somebody(action = 'accept', content = {}) {
  const asked = [];
  return {
    asked,
    'elicitation/create': (params) => (asked.push(params), action === 'accept' && params.mode !== 'url' ? { action, content } : { action }),
    'sampling/createMessage': (params) => (asked.push(params), {
      role: 'assistant', model: 'm', content: { type: 'text', text: `a verse on ${params.messages[0].content.text}` },
    }),
  };
}

for (const peer of peers) {
  const with_ = (command, body, { asked, ...answers } = {}) => async () => {
    const connected = await connect(peer, command, answers);
    try {
      await body(connected);
    } finally {
      await connected.client.close();
    }
  };

  describe(`${peer.name} and the mock`, limit, () => {
    it('agree on an era', with_(mock, async ({ client, era }) => {
      assert.equal(era, peer.era);
      assert.equal(client.getServerVersion().version, '7');
      assert.equal(client.getInstructions(), 'be brief');
    }));

    it('list every page', with_(mock, async ({ list }) => {
      assert.deepEqual(names(await list('listTools', 'tools')), ['bake', 'echo', 'fail', 'grow', 'hang', 'order', 'pay', 'refuse', 'slow']);
      assert.deepEqual((await list('listResources', 'resources')).map((r) => r.uri).sort(),
        ['img:///dot', 'note:///pears', 'note:///plums']);
      assert.equal((await list('listResourceTemplates', 'resourceTemplates'))[0].uriTemplate, 'note:///{year}/{month}');
      assert.deepEqual(names(await list('listPrompts', 'prompts')), ['summary']);
    }));

    it('call, with a result that fits its schema', with_(mock, async ({ client, call }) => {
      await client.listTools();
      const result = await call({ name: 'echo', arguments: { message: 'Grüße' } });
      assert.deepEqual(result.structuredContent, { said: 'Grüße' });
    }));

    it('tell failures of tools from refusals', with_(mock, async ({ call }) => {
      const failed = await call({ name: 'fail', arguments: {} });
      assert.equal(failed.isError, true);
      assert.equal(text(failed), 'no luck');
      assert.equal((await call({ name: 'echo', arguments: { message: 1 } })).isError, true);
      await assert.rejects(call({ name: 'refuse', arguments: {} }), { code: -32050 });
      await assert.rejects(call({ name: 'nobody', arguments: {} }), { code: -32602 });
    }));

    it('report progress', with_(mock, async ({ call }) => {
      const seen = [];
      await call({ name: 'slow', arguments: {} }, { onprogress: (p) => seen.push(`${p.progress}/${p.total} ${p.message}`) });
      assert.deepEqual(seen, ['1/2 reading', '2/2 writing']);
    }));

    it('hear what is logged', with_(mock, async ({ call, on }) => {
      const logged = new Promise((resolve) => on('notifications/message', (notice) => resolve(notice.params)));
      // How a client of 2026-07-28 asks for it; an older one need not.
      await call({ name: 'slow', arguments: {}, _meta: { 'io.modelcontextprotocol/logLevel': 'info' } });
      const { level, data } = await within(5000, logged);
      assert.deepEqual([level, data], ['warning', 'it takes a while']);
    }));

    it('give up a call and go on', with_(mock, async ({ call }) => {
      const given = new AbortController();
      const hanging = call({ name: 'hang', arguments: {} }, { signal: given.signal });
      setTimeout(() => given.abort('enough'), 100);
      await assert.rejects(within(5000, hanging), /enough/);
      assert.equal(text(await call({ name: 'slow', arguments: {} })), 'done');
    }));

    it('read resources and get prompts', with_(mock, async ({ client }) => {
      assert.equal((await client.readResource({ uri: 'note:///plums' })).contents[0].text, 'Plums are ripe in August.');
      assert.equal((await client.readResource({ uri: 'img:///dot' })).contents[0].blob, 'aGVsbG8=');
      assert.equal((await client.readResource({ uri: 'note:///2026/may' })).contents[0].text, 'Notes of may 2026');
      await assert.rejects(client.readResource({ uri: 'note:nothing' }), (e) => [-32002, -32602].includes(e.code));
      const prompt = await client.getPrompt({ name: 'summary', arguments: { topic: 'plums' } });
      assert.equal(prompt.messages[0].content.text, 'Summarise plums');
      await assert.rejects(client.getPrompt({ name: 'summary', arguments: {} }), { code: -32602 });
    }));

    it('hear that there are other tools', with_(mock, async ({ client, call, on, list, era }) => {
      const changed = new Promise((resolve) => on('notifications/tools/list_changed', resolve));
      const listening = era === 'modern' ? await client.listen({ toolsListChanged: true }) : null;
      await call({ name: 'grow', arguments: {} });
      await within(5000, changed);
      await listening?.close();
      assert.ok(names(await list('listTools', 'tools')).includes('grown'));
    }));
  });

  describe(`${peer.name}, asked by the mock,`, limit, () => {
    const filling = somebody('accept', { count: 3 });
    it('fills in a form and lets its model answer', with_(mock, async ({ call }) => {
      assert.equal(text(await call({ name: 'order', arguments: {} })), '3 plums. a verse on 3 plums');
      assert.equal(filling.asked[0].message, 'How many?');
      assert.equal(filling.asked[1].maxTokens, 60);
    }, filling));

    const going = somebody();
    it('goes to a page', with_(mock, async ({ call }) => {
      assert.equal(text(await call({ name: 'pay', arguments: {} })), 'paid');
      assert.equal(going.asked[0].url, 'https://shop.example/pay');
    }, going));

    for (const [action, said] of [['decline', 'the person declined'], ['cancel', 'the person left the question']])
      it(`can ${action}`, with_(mock, async ({ call }) => {
        const result = await call({ name: 'order', arguments: {} });
        assert.deepEqual([result.isError, text(result)], [true, said]);
      }, somebody(action)));

    it('is told what it did not declare', with_(mock, async ({ call, era }) => {
      const error = await call({ name: 'order', arguments: {} }).then(() => null, (e) => e);
      assert.equal(error.code, era === 'modern' ? -32021 : -32600);
      assert.deepEqual(error.data.requiredCapabilities, { elicitation: { form: {} } });
    }));

    if (!peer.mode)
      it('waits for a task', with_(mock, async ({ client }) => {
        const seen = [];
        await client.listTools();
        for await (const message of client.experimental.tasks.callToolStream({ name: 'bake', arguments: {} }, undefined, { task: { ttl: 60_000 } }))
          seen.push(message.type === 'result' ? text(message.result) : message.error?.message ?? message.type);
        assert.equal(seen[0], 'taskCreated');
        assert.equal(seen.at(-1), 'a cake');
      }));
  });

  describe(`${peer.name} and the workspace`, limit, () => {
    it('read files and query tables', with_(workspace, async ({ client, call, era }) => {
      assert.equal(era, peer.era);
      await client.listTools();
      assert.match(text(await call({ name: 'read_file', arguments: { path: 'README.md' } })), /A small fruit trade/);
      const rows = await call({ name: 'query_table', arguments: { path: 'sales.csv', sql: 'SELECT count(*) AS n FROM t' } });
      assert.ok(!rows.isError, text(rows));
    }));

    it('do not leave the folder', with_(workspace, async ({ call }) => {
      assert.equal((await call({ name: 'read_file', arguments: { path: '../secret' } })).isError, true);
    }));
  });

  describe(`${peer.name} and the agent`, limit, () => {
    it('ask', with_(agent, async ({ client, call, era }) => {
      assert.equal(era, peer.era);
      await client.listTools();
      assert.match(text(await call({ name: 'ask', arguments: { request: 'search for TODO in the notes folder' } })), /TODO: ask the west/);
    }));

    const knowing = somebody('accept', { path: 'README.md' });
    it('are asked what is missing', with_(agent, async ({ client, call }) => {
      await client.listTools();
      assert.match(text(await call({ name: 'ask', arguments: { request: 'read the file' } })), /A small fruit trade/);
      assert.equal(knowing.asked.length, 1);
    }, knowing));

    it('get the questions where nobody answers', with_(agent, async ({ client, call }) => {
      await client.listTools();
      const result = await call({ name: 'ask', arguments: { request: 'read the file' } });
      assert.equal(result.structuredContent.status, 'needs_answer');
    }, somebody('decline')));
  });
}
