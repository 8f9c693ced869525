/**
 * Runs docs/tutorials/ command by command, and compares the output with the pages. An administrator is logged in, as
 * the pages require. test/host/chart/clustertutorial.test.ts runs the page that needs a cluster.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { patternOf, stepsOf, type Step } from '../../fixtures/docs/docssteps.js';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { describeWith } from '../../fixtures/program.js';
import { findProgram } from '../../fixtures/stores/etcd.js';

const FOLDER = fileURLToPath(new URL('../../../docs/tutorials/', import.meta.url));
const IN_A_CLUSTER = 'behind-your-cluster.md';
const PAGES = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== IN_A_CLUSTER);

/** What a program says last when it fails. */
const REFUSED = /^(?:platform: |Error from server|error: )/m;

let server: ServerFixture;
let cli: PlatformCli;
beforeAll(async () => {
  server = await startServer({ controllers: '*' });
  cli = platformCli();
  const login = await cli.run(['--kubeconfig', server.kubeconfig, 'login', '--name', 'admin']);
  if (login.code !== 0) throw new Error(`cannot log in: ${login.stderr}`);
  placeAsStarted(cli, server);
});
afterAll(async () => {
  cli?.remove();
  await server?.remove();
});

/** Puts the kubeconfig where a server without flags writes it, and installs kubectl. */
function placeAsStarted({ home, installed }: PlatformCli, { kubeconfig }: ServerFixture): void {
  const state = join(home, '.local/state/management-apiserver');
  mkdirSync(state, { recursive: true });
  copyFileSync(kubeconfig, join(state, 'admin.kubeconfig'));
  const [bin = ''] = installed()['PATH']?.split(delimiter) ?? [];
  symlinkSync(findProgram('kubectl') as string, join(bin, 'kubectl'));
}

/** Runs a command in a new shell; the steps of a page share files. */
function ranBy({ command }: Step): { readonly code: number | null; readonly printed: string } {
  const done = spawnSync('bash', ['--norc', '-o', 'pipefail', '-c', `${command}\n`], {
    cwd: cli.home,
    env: cli.installed(),
    encoding: 'utf8',
    input: '',
  });
  return { code: done.status, printed: done.stdout + done.stderr };
}

describeWith('kubectl')('every command of', () => {
  test.each(PAGES)('%s prints what the page says', (name) => {
    const steps = stepsOf(readFileSync(FOLDER + name, 'utf8'));
    expect(steps.length).toBeGreaterThan(5);
    for (const step of steps) {
      const { code, printed } = ranBy(step);
      expect(printed).toMatch(patternOf(step.output));
      // Only one that the page says to be refused fails.
      expect([step.command, code === 0]).toEqual([step.command, !REFUSED.test(step.output)]);
    }
  });
});
