// What `mistro serve plans` gives the npm SDK clients, old and new: MISTRO names the binary, the current
// folder is a copy of examples/workspace with plans/. node --test plan_clients.mjs
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connect, peers } from './sdk_peers.mjs';

const { MISTRO } = process.env;
const plans = [MISTRO, 'serve', 'plans', 'plans', '--config', 'write.yml'];
const text = (result) => result.content[0].text;

for (const peer of peers) {
  const with_ = (body, answers = {}) => async () => {
    const connected = await connect(peer, plans, answers);
    try {
      assert.equal(connected.era, peer.era);
      await connected.list('listTools', 'tools'); // from here on the client holds results against their schemas
      await body(connected);
    } finally {
      await connected.client.close();
    }
  };

  describe(`${peer.name} and plans`, { timeout: 60_000 }, () => {
    it('list them with what they take and give', with_(async ({ list }) => {
      const tools = await list('listTools', 'tools');
      assert.deepEqual(tools.map((tool) => tool.name), ['plan.count', 'plan.note', 'plan.sure', 'plan.wait']);
      const [count, note] = tools;
      assert.equal(count.title, 'count the open tasks');
      assert.deepEqual(count.inputSchema.properties.word, { type: 'string', default: 'TODO' });
      assert.deepEqual(count.outputSchema.required, ['first', 'tasks']);
      assert.deepEqual([count.annotations.readOnlyHint, note.annotations.readOnlyHint], [true, false]);
    }));

    it('call them, with results that fit', with_(async ({ call }) => {
      const seen = [];
      const result = await call({ name: 'plan.count', arguments: {} }, { onprogress: (p) => seen.push(p.message) });
      assert.ok(!result.isError, text(result));
      assert.equal(result.structuredContent.first, 'notes/harvest.md');
      assert.equal(result.structuredContent.tasks.length, 3);
      assert.match(result._meta['local.mistro/run-id'], /^\w+$/);
      assert.equal(seen[0], 'plan of 1 step'); // what comes with the result, 2.x may pass over
    }));

    it('tell failures and bad arguments, which are no broken results', with_(async ({ call }) => {
      const failed = await call({ name: 'plan.count', arguments: { word: 'nowhere' } });
      assert.deepEqual([failed.isError, failed.structuredContent], [true, undefined]);
      assert.match(text(failed), /there is none/);
      const bad = await call({ name: 'plan.count', arguments: { wrod: 'TODO' } });
      assert.equal(bad.isError, true);
      assert.match(text(bad), /wrod/);
      await assert.rejects(call({ name: 'plan.nothing', arguments: {} }), { code: -32602 });
    }));

    for (const [approve, isError] of [['once', undefined], ['no', true]])
      it(`answer whether a call may be made: ${approve}`, with_(async ({ call }) => {
        const result = await call({ name: 'plan.note', arguments: { text: 'plums' } });
        assert.equal(result.isError, isError, text(result));
      }, { 'elicitation/create': () => ({ action: 'accept', content: { approve } }) }));

    for (const [answer, isError] of [['yes', undefined], ['no', true]])
      it(`answer an approve of the plan: ${answer}`, with_(async ({ call }) => {
        const result = await call({ name: 'plan.sure', arguments: {} });
        assert.equal(result.isError, isError, text(result));
      }, { 'elicitation/create': () => ({ action: 'accept', content: { answer } }) }));

    it('cancel one', with_(async ({ call }) => {
      const stop = new AbortController();
      const running = call({ name: 'plan.wait', arguments: {} }, { signal: stop.signal, onprogress: () => stop.abort() });
      await assert.rejects(running);
    }));

    if (!peer.mode)
      it('wait for one as a task', with_(async ({ client }) => {
        const seen = [];
        for await (const message of client.experimental.tasks.callToolStream({ name: 'plan.count', arguments: {} }, undefined, { task: { ttl: 60_000 } }))
          seen.push(message.type === 'result' ? message.result.structuredContent.first : message.error?.message ?? message.type);
        assert.deepEqual([seen[0], seen.at(-1)], ['taskCreated', 'notes/harvest.md']);
      }));
  });
}
