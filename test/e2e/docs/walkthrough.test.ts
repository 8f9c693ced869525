/**
 * Runs docs/walkthrough.md command by command, and compares the responses with the page. A second server acts as the
 * cluster.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { patternOf, stepsOf } from '../../fixtures/docs/docssteps.js';
import { sendAs, ADMIN } from '../../fixtures/clients/impersonation.js';
import { describeWith } from '../../fixtures/program.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const PAGE = readFileSync(fileURLToPath(new URL('../../../docs/walkthrough.md', import.meta.url)), 'utf8');
const API = '/kubernetes/management/apis/management.svc.example/v1';

let server: ServerFixture;
let cluster: ServerFixture;
let env: Record<string, string>;

beforeAll(async () => {
  [server, cluster] = await Promise.all([startServer(), startServer()]);
  const CA = join(server.directory, 'ca.crt');
  writeFileSync(CA, authorityOf(server));
  env = { PATH: process.env.PATH ?? '', API: server.url + API, CA, KEY: ADMIN_TOKEN };
  await connect();
});
afterAll(() => Promise.all([server.remove(), cluster.remove()]));

/** Connects `east`, in which a virtual cluster `legacy` appears to run: a server without one pretends so. */
async function connect(): Promise<void> {
  const config = readFileSync(cluster.kubeconfig).toString('base64');
  const [here, there] = [sendAs(server), sendAs(cluster)];
  const secret = (name: string): object => ({ metadata: { name }, data: { config } });
  await there(ADMIN, 'POST', '/api/v1/namespaces', { metadata: { name: 'vcluster-legacy' } });
  await there(ADMIN, 'POST', '/api/v1/namespaces/vcluster-legacy/secrets', secret('vc-legacy'));
  await here(ADMIN, 'POST', '/api/v1/namespaces/management-system/secrets', secret('east'));
  const east = { metadata: { name: 'east' }, spec: { config: { secretName: 'east' } } };
  await here(ADMIN, 'POST', `${API}/clusters`, east);
}

describeWith('curl')('the walk through every endpoint', () => {
  const steps = stepsOf(PAGE).filter(({ command }) => !command.startsWith('export '));

  test('has all methods of all endpoints', () => {
    expect(steps.length).toBeGreaterThan(18);
    expect(steps.every(({ output }) => output !== '')).toBe(true);
  });

  test.each(steps.map((step, at) => ({ ...step, title: `${at + 1}: ${titleOf(step.command)}` })))(
    '$title',
    ({ command, output }) => {
      const done = spawnSync('bash', ['--norc', '-c', `${command}\n`], { encoding: 'utf8', env });
      expect(done.stdout + done.stderr).toMatch(patternOf(output));
    },
  );
});

/** The method, if the command has one, and the path. */
function titleOf(command: string): string {
  const [, path = ''] = /\$API(\/\S+)/.exec(command) ?? [];
  const [, method = command.includes('Content-Type') ? 'POST' : 'GET'] = /-X (\w+)/.exec(command) ?? [];
  return `${method} ${path}`;
}
