/**
 * Lists, tables and watches of many large objects hold the event loop in short turns only, by whatever selector: time of the
 * main thread, as in `loop.test.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ENGINES } from '../../fixtures/servers/engines.js';
import { startMeasured, type MeasuredServer } from '../../fixtures/servers/loopheld.js';
import { client, type Client } from '../../fixtures/clients/client.js';

const HELD_MS = 200;
const TRIES = 5;
const OBJECTS = 40;
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const SPACES = '/apis/management.svc.example/v1/namespaces/default/spaceinstances';
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const SHORT = 'watch=1&timeoutSeconds=1';

const CASES: readonly (readonly [what: string, path: string, headers: Record<string, string>])[] = [
  ['a table', CONFIGMAPS, TABLE],
  ['a table in pages', `${CONFIGMAPS}?limit=${OBJECTS - 1}`, TABLE],
  ['a selector !=', `${CONFIGMAPS}?labelSelector=a!%3Db`, {}],
  ['a selector notin', `${CONFIGMAPS}?labelSelector=a+notin+(b,c)&limit=${OBJECTS}`, {}],
  ['a field !=', `${SPACES}?fieldSelector=status.phase!%3DReady`, {}],
  ['a table by a field', `${SPACES}?fieldSelector=status.phase!%3DReady`, TABLE],
  ['a watch', `${CONFIGMAPS}?${SHORT}`, {}],
  ['a watch of tables', `${CONFIGMAPS}?${SHORT}`, TABLE],
  ['a watch !=', `${CONFIGMAPS}?${SHORT}&labelSelector=a!%3Db`, {}],
  ['a watch of a field !=', `${SPACES}?${SHORT}&fieldSelector=status.phase!%3DReady`, {}],
  ['YAML', `${CONFIGMAPS}?limit=5`, { accept: 'application/yaml' }],
  ['protobuf', CONFIGMAPS, { accept: 'application/vnd.kubernetes.protobuf' }],
];

const large = (value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`k${at}`, value]));

async function fill(by: Client): Promise<void> {
  for (let n = 0; n < OBJECTS; n += 1) {
    const map = { metadata: { name: `large-${n}` }, data: large('x'.repeat(200)) };
    expect((await by.send('POST', CONFIGMAPS, map)).status).toBe(201);
    const annotations = { large: 'x'.repeat(200_000) };
    const space = { metadata: { name: `large-${n}`, annotations }, spec: { template: large('x') } };
    expect((await by.send('POST', SPACES, space)).status).toBe(201);
  }
}

/** Both engines serve each request at the same time. */
describe(`on ${ENGINES.map(([engine]) => engine).join(' and ')}`, () => {
  let running: readonly MeasuredServer[] = [];
  const directory = mkdtempSync(join(tmpdir(), 'large-'));

  beforeAll(async () => {
    running = await Promise.all(ENGINES.map(([, start]) => startMeasured(start, directory)));
    await Promise.all(running.map(({ engine }) => fill(client(engine.server))));
  });
  afterAll(async () => {
    await Promise.all(running.map(({ engine }) => engine.remove()));
    rmSync(directory, { recursive: true });
  });

  async function attack({ engine, heldMs }: MeasuredServer, path: string, headers: object): Promise<void> {
    let held = Infinity;
    for (let attempt = 0; attempt < TRIES && held > HELD_MS; attempt += 1) {
      await heldMs();
      const answer = await client(engine.server).send('GET', path, undefined, { ...headers });
      expect(answer.status).toBe(200);
      held = await heldMs();
    }
    expect(held).toBeLessThan(HELD_MS);
  }

  test.each(CASES)('%s', async (_what, path, headers) => {
    await Promise.all(running.map((server) => attack(server, path, headers)));
  });
});
