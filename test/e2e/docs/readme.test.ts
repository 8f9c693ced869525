/** Runs the tour of the README command by command with the kubectl at hand, and compares the output with the README. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { patternOf, stepsOf } from '../../fixtures/docs/docssteps.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { describeWith } from '../../fixtures/program.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const README = readFileSync(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8');

/** Commands that a reader runs by hand, and commands that would not end. */
const BY_HAND = /^make run|^export |--watch$/;

let server: ServerFixture;

beforeAll(async () => {
  server = await startServer();
  const bin = join(server.directory, 'bin');
  mkdirSync(bin);
  symlinkSync(findProgram('kubectl') as string, join(bin, 'kubectl'));
  writeFileSync(join(bin, 'editor'), '#!/bin/sh\nsed -i "s/displayName: .*/displayName: Edited/" "$1"\n');
  chmodSync(join(bin, 'editor'), 0o755);
});
afterAll(() => server.remove());

function run(command: string): string {
  const bin = join(server.directory, 'bin');
  const done = spawnSync('bash', ['-c', `${command}\n`], {
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      HOME: server.directory,
      KUBECONFIG: server.kubeconfig,
      KUBE_EDITOR: join(bin, 'editor'),
    },
  });
  return done.stdout + done.stderr;
}

/** kubectl tells it since 1.34. */
const withoutNamespace = (printed: string): string => printed.replace(/ from \S+ namespace$/m, '');

describeWith('kubectl')('the tour', () => {
  const steps = stepsOf(README).filter(({ command }) => !BY_HAND.test(command));

  test('has commands whose output is told', () => {
    expect(steps.filter(({ output }) => output !== '').length).toBeGreaterThan(8);
  });

  test.each(steps.map((step) => ({ ...step, title: step.command.split('\n', 1)[0] })))(
    '$title',
    async ({ command, output }) => {
      // The tour has a restart before this command.
      if (command.includes('delete')) await server.restart();
      const printed = run(command);
      if (output === '') expect(printed).not.toMatch(/^(error|Error)/m);
      else expect(withoutNamespace(printed)).toMatch(patternOf(withoutNamespace(output)));
    },
  );
});
