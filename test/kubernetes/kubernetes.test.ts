/**
 * Kubernetes' own tests of its API machinery, built with a package that asks here for a server instead of starting kube-apiserver:
 * `notrun.json` names those that are not run, with the reason.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { KINDS } from '../../pkg/registry/kinds.js';
import { openEmbedded } from '../../pkg/storage/embedded/embedded.js';
import { printedBy } from '../fixtures/program.js';
import { startGenericServer } from '../fixtures/servers/genericserver.js';
import { kindsOfKubernetes } from './kinds.js';

const BUILT = fileURLToPath(new URL('../../.tools/kubernetestests', import.meta.url));
const NOT_RUN = JSON.parse(readFileSync(new URL('notrun.json', import.meta.url), 'utf8')) as Record<
  string,
  Record<string, string>
>;
const MINUTES_5 = 300_000;

const programs = existsSync(BUILT) ? readdirSync(BUILT).filter((name) => name.endsWith('.test')) : [];
if (programs.length === 0) throw new Error(`${BUILT} has no tests: run hack/obtain-kubernetes-tests.sh`);

/** Starts a server on an empty store at each POST, and stops it at DELETE. */
function serversOnDemand(): Server {
  const kinds = kindsOfKubernetes(
    join(BUILT, 'openapi'),
    KINDS.map(({ definition }) => definition),
  );
  const running = new Map<string, () => Promise<void>>();
  async function start(): Promise<readonly [string, string]> {
    const directory = mkdtempSync(join(tmpdir(), 'kubernetes-tests-'));
    const storage = await openEmbedded({ directory });
    const server = await startGenericServer(storage, kinds);
    running.set(directory, async () => {
      await server.stop();
      await storage.close();
      rmSync(directory, { recursive: true });
    });
    return [directory, server.kubeconfigs.admin];
  }
  return createServer((request, response) => {
    void (async () => {
      if (request.method === 'POST') {
        const [location, kubeconfig] = await start();
        response.writeHead(201, { location }).end(kubeconfig);
      } else {
        await running.get(request.url ?? '')?.();
        response.writeHead(running.delete(request.url ?? '') ? 204 : 404).end();
      }
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
}

const control = serversOnDemand();
await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(control.address() as AddressInfo).port}`;
afterAll(() => new Promise((resolve) => control.close(resolve)));

/** Runs a program of tests. It finds an etcd where servers are asked for, and asks it for nothing. */
function run(program: string, args: readonly string[]): Promise<{ code: number | null; text: string }> {
  const env = { ...process.env, TESTED_APISERVERS: url, KUBE_INTEGRATION_ETCD_URL: url };
  return printedBy(spawn(join(BUILT, program), args, { cwd: BUILT, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

const listed = await Promise.all(
  programs.map(async (program) => {
    const { text } = await run(program, ['-test.list', '.']);
    return [program.replace(/\.test$/, ''), text.split('\n').filter((line) => /^Test/.test(line))] as const;
  }),
);

describe.each(listed)('test/integration/%s', (name, tests) => {
  const notRun = NOT_RUN[name] ?? {};
  test('what is not run is there', () => {
    expect(Object.keys(notRun).filter((each) => !tests.includes(each))).toEqual([]);
  });
  test.each(tests.filter((each) => !(each in notRun)))(
    '%s',
    async (each) => {
      const { code, text } = await run(`${name}.test`, [
        '-test.run',
        `^${each}$`,
        '-test.v',
        '-test.timeout=4m',
      ]);
      expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining(`--- PASS: ${each}`) });
    },
    MINUTES_5,
  );
});
