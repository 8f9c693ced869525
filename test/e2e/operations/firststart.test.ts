/** The first start of `management-apiserver` without flags: its output for a user at a terminal, and for a program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWith } from '../../fixtures/program.js';
import { consoleClient } from '../../fixtures/console/consoleclient.js';
import { compiledServer } from '../../fixtures/servers/server.js';
import { openTerminal } from '../../fixtures/tmux.js';
import { eventually } from '../../fixtures/wait.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'first-start-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const environment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CONFIG_HOME: join(home, 'config'),
  TERM: 'xterm',
});
const ARGUMENTS = ['--bind-address', '127.0.0.1', '--secure-port', '0'];
const isJson = (line: string): boolean => /^\{.*\}$/.test(line);

describeWith('tmux')('at a terminal', () => {
  test('it prints plain text: the address, the console, the next command, and its log', async () => {
    const command = [process.execPath, compiledServer(), ...ARGUMENTS].join(' ');
    const terminal = openTerminal(join(home, 'tmux'), 'env PS1="$ " bash --norc', environment());
    try {
      await terminal.shows('$');
      terminal.clear();
      terminal.type(command);
      const started = await terminal.shows('Next, in another terminal');
      const [, url] = /^Serving on (https:\/\/127\.0\.0\.1:\d+)$/m.exec(started) ?? [];
      const [, link = ''] =
        /^Console: (\S+) \(logs in once, within 15 minutes\)$/m.exec(started.replace(/-\n/g, '-')) ?? [];
      expect(link).toMatch(new RegExp(`^${url}/console/#login=[\\w-]+$`));
      const body = { link: link.replace(/.*#login=/, '') };
      const answer = await consoleClient({ url: url ?? '' }).send('POST', '/console/session', { body });
      expect(JSON.parse(answer.text)).toMatchObject({ user: 'admin' });
      expect(started).toMatch(
        /^Next, in another terminal: platform --kubeconfig \S*admin\.kubeconfig login$/m,
      );
      terminal.press('C-c');
      const stopped = await terminal.shows('stopping');
      expect(stopped).toMatch(/^.*\bstopping$/m);
      expect(stopped.split('\n').filter(isJson)).toEqual([]);
    } finally {
      await terminal.close();
    }
  });
});

test('in a pipe, its log is JSON', async () => {
  const server = spawn(process.execPath, [compiledServer(), ...ARGUMENTS], { env: environment() });
  const said = { stdout: '', stderr: '' };
  server.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  server.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  try {
    await eventually('the server serves', () => Promise.resolve(said.stdout.includes('Next, in another')));
  } finally {
    server.kill('SIGTERM');
    await once(server, 'close');
  }
  expect(said.stdout).toMatch(/^Serving on https:.*\nConsole: .*\nNext, in another terminal: platform .*\n$/);
  const lines = said.stderr.trim().split('\n');
  expect(lines.filter((line) => !isJson(line))).toEqual([]);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain('stopping');
});
