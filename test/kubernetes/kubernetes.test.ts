/**
 * Kubernetes' own integration tests of its API machinery, built with a package that asks here for a server instead of starting
 * kube-apiserver: `notrun.json` names those that are not run, with the reason.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { printedBy } from '../fixtures/program.js';
import { BUILT, builtPrograms, NOT_RUN, startServer } from './servers.js';

const MINUTES_5 = 300_000;
/** Of what a test prints, which may be megabytes. */
const LAST_CHARACTERS = 10_000;
const END_TO_END = 'e2e.test';

/** Starts a server at each POST, and stops it at DELETE. */
function serversOnDemand(): Server {
  const running = new Map<string, () => Promise<void>>();
  return createServer((request, response) => {
    void (async () => {
      if (request.method === 'POST') {
        const { directory, kubeconfig, stop } = await startServer();
        running.set(directory, stop);
        response.writeHead(201, { location: directory }).end(kubeconfig);
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
  builtPrograms()
    .filter((program) => program !== END_TO_END)
    .map(async (program) => {
      const { text } = await run(program, ['-test.list', '.']);
      return [program.replace(/\.test$/, ''), text.split('\n').filter((line) => /^Test/.test(line))] as const;
    }),
);

test('each package of test/integration/apiserver is run, or named with its reason', () => {
  const packages = readFileSync(join(BUILT, 'packages'), 'utf8').trim().split('\n');
  const known = [...listed.map(([name]) => name), ...Object.keys(NOT_RUN['*'] ?? {})];
  expect(known.sort()).toEqual(packages.sort());
});

describe.each(listed)('test/integration/apiserver, package %s', (name, tests) => {
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
      const passed = code === 0 && text.includes(`--- PASS: ${each} (`);
      expect(passed ? '' : text.slice(-LAST_CHARACTERS) || `ended with ${code}`).toBe('');
    },
    MINUTES_5,
  );
});
