// What ajv, and not our own validator, makes of the published schema of plans, and of what plans give
// beside the schemas of their outputs. MISTRO names the binary, SOURCE_DIR the sources; the current folder
// has shop.json and a writable copy of examples/workspace. node --test plan_schema.mjs
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CORE_SCHEMA, load } from 'js-yaml';

const { MISTRO, SOURCE_DIR } = process.env;
const data = `${SOURCE_DIR}/tests/data/plans`;

// Broken plans whose fault is one of shape, and which. Names, references, types and what is in expressions
// are the plan check's.
const ofShape = {
  '01-unknown-member-of-step': 'a member that steps do not have',
  '02-unknown-member-of-plan': 'a member that plans do not have',
  '06-tool-missing': 'a step without a tool',
  '22-version-of-tomorrow': 'a version that is not known',
  '23-steps-not-a-list': 'steps that are no list',
  '24-step-is-text': 'a step that is no object',
  '25-id-with-space': 'an id of other characters',
  '26-id-reserved': 'an id that means something else',
  '27-on-error-unknown': 'a word that on_error does not have',
  '42-two-of-one-step': 'a member that steps do not have',
  '43-arguments-for-args': 'a member of another name',
  '45-settings-of-steps': 'numbers out of bounds',
  '47-crlf-several': 'a member that steps do not have',
  '48-lists': 'args that are a list',
  '49-plan-members': 'a goal that is no text',
  '50-one-line': 'an id of other characters',
  '51-unknown-members': 'members that nothing has',
  '52-members-of-tools-at-a-block': 'members of another kind of step',
  '53-tool-and-steps': 'a step of two kinds',
  '54-steps-of-no-kind': 'a step of no kind',
  '56-settings-of-loops': 'numbers out of bounds',
  '58-each-and-repeat': 'two loops in one step',
  '63-members-of-repeat': 'a repeat without until',
  '64-members-of-check': 'a check that is no list',
  '65-retry-as-an-object': 'numbers out of bounds',
  '66-verify': 'a verify without done',
  '68-finally': 'a finally that is no list',
  '69-steps-of-finally': 'a word that on_error does not have',
  '71-members-of-approve': 'an approve without text',
  '73-members-of-ask': 'an ask without text',
  '74-model-and-other-values-of-the-plan': 'a word that model does not have',
  '84-inputs': 'an input that is no schema',
  '85-schemas-of-inputs': 'a type that JSON Schema does not have',
  '88-reserved-ids': 'ids that mean something else',
  '93-use-of-a-folder-above': 'a file that is not below the folder',
  '95-utf8-and-flow': 'a member that steps do not have',
  '97-blocks-in-json': 'members that nothing has',
  '99-anchors': 'a member that steps do not have',
  '100-several-of-everything': 'numbers out of bounds',
};

const read = (file) => {
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  return file.endsWith('.json') ? JSON.parse(text) : load(text, { schema: CORE_SCHEMA, json: true });
};
const plansIn = (...patterns) =>
  globSync(patterns).filter((file) => /\.(yml|json)$/.test(file) && !file.endsWith('.expect.json')).sort();
const nameOf = (file) => basename(file).replace(/\.(yml|json)$/, '');

const ajv = new Ajv2020({ strict: false });
const fits = ajv.compile(JSON.parse(spawnSync(MISTRO, ['schema', 'plan'], { encoding: 'utf8' }).stdout));
const valid = plansIn(`${data}/valid/**`);

describe('ajv and the schema of plans', () => {
  it('takes the schema for one of draft 2020-12', () => {
    assert.equal(ajv.validateSchema(fits.schema), true, ajv.errorsText());
  });

  it('takes every plan that runs', () => {
    const files = [...valid, ...plansIn(`${SOURCE_DIR}/examples/*.yml`, `${SOURCE_DIR}/examples/plans/*.yml`, `${data}/broken/*.fixed.yml`)]
      .filter((file) => !file.endsWith('/compose.yml')); // which is none
    assert.ok(files.length > 15);
    for (const file of files) assert.ok(fits(read(file)), `${file}: ${ajv.errorsText(fits.errors)}`);
  });

  it('refuses broken plans where the fault is one of shape, and leaves the others to the plan check', () => {
    const files = plansIn(`${data}/broken/*`).filter((file) => !nameOf(file).endsWith('.fixed'));
    assert.ok(files.length >= 50);
    for (const file of files)
      assert.equal(fits(read(file)) ? 'fits' : 'refused', nameOf(file) in ofShape ? 'refused' : 'fits',
        `${file}: ${ofShape[nameOf(file)] ?? 'no fault of shape is known'}`);
  });

  const small = (step, more = {}) => ({ version: 2, steps: [step], ...more });
  const tool = { tool: 'files/file_info', args: {} };
  const refused = {
    'an input whose env is no secret': small(tool, { inputs: { a: { type: 'string', env: 'A' } } }),
    'a secret with a default': small(tool, { inputs: { a: { secret: true, default: 'x' } } }),
    'a secret that is a number': small(tool, { inputs: { a: { type: 'number', secret: true } } }),
    'a used file of the root': small({ use: '/etc/plan.yml' }),
    'a used file of the folder above': small({ use: 'a/../plan.yml' }),
    'a used folder': small({ use: 'a/' }),
    'an output whose schema is a text': small(tool, { outputs: { a: { value: 1, schema: 'integer' } } }),
    'an answer that is no object': small({ ask: { text: 'a', schema: { type: 'array' } } }, { model: 'allowed' }),
    'an approval in a loop': small({ each: [1], approve: { text: 'a' } }),
    'a block with arguments': small({ steps: [tool], args: {} }),
    'sixty-five at once': small({ ...tool, each: [1], max_parallel: 65 }),
    'eleven attempts': small({ ...tool, retry: { max: 11 } }),
    'a version 1 with inputs': { version: 1, inputs: {}, steps: [tool] },
    'a fault in a used plan': small({ use: 'a.yml' }, { used: { 'a.yml': small({ tool: 7 }) } }),
    'a fault in a block of a block': small({ steps: [{ steps: [{ ...tool, argz: {} }] }] }),
  };
  for (const [name, plan] of Object.entries(refused))
    it(`refuses ${name}`, () => assert.equal(fits(plan), false));
  const taken = {
    'a secret from the environment': small(tool, { inputs: { a: { secret: true, env: 'A' } } }),
    'an output that only looks like one with a schema': small(tool, { outputs: { a: { value: 1, schema: 'x', more: 1 } } }),
    'a used file with dots in its name': small({ use: './sub/..plan..yml' }),
    'sixty-four at once': small({ ...tool, each: [1], max_parallel: 64 }),
    'ten attempts': small({ ...tool, retry: { max: 10, on: ['error'] } }),
  };
  for (const [name, plan] of Object.entries(taken))
    it(`takes ${name}`, () => assert.ok(fits(plan), ajv.errorsText(fits.errors)));
});

describe('ajv and what plans give', () => {
  // A plan of our own beside those of the corpus, so that there always is one.
  const withSchemas = [`${process.cwd()}/totals.yml`, ...valid.filter((file) =>
    Object.values(read(file).outputs ?? {}).some((output) => output?.schema && 'value' in output))];
  for (const file of withSchemas)
    it(`finds the outputs of ${basename(file)} as their schemas say`, () => {
      const { status, stdout, stderr } =
        spawnSync(MISTRO, ['run', file, '--mcp-config', 'shop.json', '--yes', '--json'], { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
      const { outputs } = JSON.parse(stdout);
      for (const [name, output] of Object.entries(read(file).outputs)) {
        if (!output?.schema) continue;
        const holds = ajv.compile(output.schema);
        assert.ok(holds(outputs[name]), `${name}: ${ajv.errorsText(holds.errors)}`);
      }
    });
});
