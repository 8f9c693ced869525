/**
 * Nested texts, most about as deep as a body may be and some far deeper: each is read or refused, by the decoders and
 * by the running server, which stays the process that it was. `FUZZ_NESTINGS` (3000) is how many the decoders read,
 * `FUZZ_NESTINGS_HTTP` (100) how many are sent; `SEED` repeats a run.
 */
import { Agent } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { JsonValue } from '../../api/resource.js';
import { MAX_DEPTH, isDeeperThan } from '../../pkg/apimachinery/encoding/depth.js';
import { DecodeError } from '../../pkg/apimachinery/encoding/json.js';
import { decodeYaml } from '../../pkg/apimachinery/encoding/yaml/yaml.js';
import {
  ADMIN_TOKEN,
  VIEWER_TOKEN,
  fetchFrom,
  startServer,
  type ServerFixture,
} from '../fixtures/servers/server.js';
import { nesting, randomFrom } from './nestings.js';
import { isAnswer } from './targets.js';

const COUNT = Number(process.env.FUZZ_NESTINGS ?? '3000');
const SENT = Number(process.env.FUZZ_NESTINGS_HTTP ?? '100');
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);

function readOnce(text: string): 'read' | 'refused' {
  let value: JsonValue;
  try {
    ({ value } = decodeYaml(text));
  } catch (error) {
    if (error instanceof DecodeError || isAnswer(error)) return 'refused';
    throw new Error(`seed ${SEED}: ${JSON.stringify(text.slice(0, 2000))}`, { cause: error });
  }
  if (isDeeperThan(JSON.stringify(value), MAX_DEPTH)) throw new Error(`seed ${SEED}: a value is too deep`);
  return 'read';
}

test(`${COUNT} nestings are read or refused`, () => {
  const random = randomFrom(SEED);
  const counts = { read: 0, refused: 0 };
  for (let i = 0; i < COUNT; i++) counts[readOnce(nesting(random))]++;
  expect(counts.read + counts.refused).toBe(COUNT);
  expect(counts.read).toBeGreaterThan(COUNT / 20);
  expect(counts.refused).toBeGreaterThan(COUNT / 20);
});

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const ENDPOINTS: readonly (readonly [method: string, path: string, type: string])[] = [
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'application/yaml'],
  ['POST', `${CONFIGMAPS}?dryRun=All`, 'application/yaml'],
  ['POST', `${CONFIGMAPS}?dryRun=All`, 'application/json'],
  ['PATCH', `${CONFIGMAPS}/a?fieldManager=m&dryRun=All`, 'application/apply-patch+yaml'],
  ['PATCH', `${CONFIGMAPS}/a?dryRun=All`, 'application/merge-patch+json'],
  ['PATCH', `${CONFIGMAPS}/a?dryRun=All`, 'application/json-patch+json'],
  ['PATCH', `${CONFIGMAPS}/a?dryRun=All`, 'application/strategic-merge-patch+json'],
  ['DELETE', `${CONFIGMAPS}/a`, 'application/yaml'],
];

let server: ServerFixture;
const agent = new Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: false });
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  agent.destroy();
  await server.remove();
});

test(`${SENT} nestings are answered by the same process`, async () => {
  const pid = server.pid();
  const random = randomFrom(SEED + 1);
  for (let sent = 0; sent < SENT; sent += 4) {
    await Promise.all(
      Array.from({ length: 4 }, async (_, at) => {
        const [method, path, type] = ENDPOINTS[(sent + at) % ENDPOINTS.length] ?? ENDPOINTS[0]!;
        const body = nesting(random);
        const token = path.includes('reviews') ? VIEWER_TOKEN : ADMIN_TOKEN;
        const headers = { 'content-type': type };
        const { status } = await fetchFrom(`${server.url}${path}`, { method, token, body, headers, agent });
        if (status >= 500) throw new Error(`${status} from ${path}, seed ${SEED}: ${body.slice(0, 2000)}`);
      }),
    );
  }
  expect(server.isRunning()).toBe(true);
  expect(server.pid()).toBe(pid);
  expect((await fetchFrom(`${server.url}/readyz`)).text).toBe('ok');
  expect(server.log()).not.toContain('"level":"error"');
});
