// node hack/trace/main.mjs [FOLDER]: starts the server of dist/ (`make build` before), sends it one request of each kind, and prints how many
// product files and functions ran for it. FOLDER gets a file for each kind of request, with `FILE FUNCTION OFFSET` a line.
//
// What runs without a request in as much time is left out. So is what does not run in each of the rounds: work for others goes on meanwhile.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { must } from '../../dist/hack/bench/client.js';
import { followCoverage } from './coverage.mjs';
import { startServer } from './server.mjs';

/** For the work that follows a response, and for the idle sample. */
const SAMPLE_MS = 100;
const ROUNDS = 3;
/** A server that was started has work for as long. */
const SETTLE_MS = 3_000;

const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const secret = (name, description) => ({
  apiVersion: 'management.svc.example/v1',
  kind: 'SharedSecret',
  metadata: { name },
  spec: {
    displayName: name,
    description,
    data: { a: 'YQ==' },
    access: [{ verbs: ['get'], users: ['bob'] }],
  },
});

/** In this order: later ones need the object of earlier ones. */
const REQUESTS = [
  ['create with access', 'POST', () => SECRETS, (name) => secret(name, 'one')],
  ['GET', 'GET', (name) => `${SECRETS}/${name}`],
  ['LIST', 'GET', () => `${SECRETS}?limit=2`],
  [
    'apply',
    'PATCH',
    (name) => `${SECRETS}/${name}?fieldManager=trace&force=true`,
    (name) => secret(name, 'two'),
    'application/apply-patch+yaml',
  ],
  [
    'merge patch',
    'PATCH',
    (name) => `${SECRETS}/${name}`,
    () => ({ metadata: { labels: { a: 'b' } } }),
    'application/merge-patch+json',
  ],
  ['delete', 'DELETE', (name) => `${SECRETS}/${name}`],
];

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '../..'));
const [folder] = process.argv.slice(2);
const server = await startServer();
const coverage = await followCoverage(server.address);

const send = ([, method, path, body, contentType], name) =>
  must(server.client, { method, path: path(name), body: body && JSON.stringify(body(name)), contentType });

/** The functions that run for one request more often than without it. */
async function functionsOf(request, name) {
  await coverage.take();
  await sleep(SAMPLE_MS);
  const idle = await coverage.take();
  await send(request, name);
  await sleep(SAMPLE_MS);
  const calls = await coverage.take();
  return [...calls].filter(([key, count]) => count > (idle.get(key) ?? 0)).map(([key]) => key);
}

const filesOf = (functions) => new Set(functions.map((key) => key.slice(0, key.indexOf(' '))));

try {
  for (const request of REQUESTS) await send(request, 'first');
  await sleep(SETTLE_MS);
  const ran = new Map(REQUESTS.map(([title]) => [title, undefined]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const request of REQUESTS) {
      const functions = await functionsOf(request, `round-${round}`);
      const before = ran.get(request[0]);
      ran.set(request[0], before?.filter((key) => functions.includes(key)) ?? functions);
    }
  }
  console.log(`${'request'.padEnd(20)}files functions`);
  for (const [title, functions] of ran) {
    console.log(
      `${title.padEnd(20)}${String(filesOf(functions).size).padStart(5)} ${String(functions.length).padStart(9)}`,
    );
    if (folder === undefined) continue;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${title.replaceAll(' ', '-')}.txt`), `${functions.sort().join('\n')}\n`);
  }
} finally {
  coverage.close();
  await server.stop();
}
