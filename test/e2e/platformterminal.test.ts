/** `platform` at a terminal: what a person sees, asked and answered in tmux; and as kubectl's plugin. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { findProgram } from '../fixtures/etcd.js';
import type { PlatformCli } from '../fixtures/platformcli.js';
import { platformCli } from '../fixtures/platformcli.js';
import { describeWith, execute } from '../fixtures/program.js';
import type { ServerFixture } from '../fixtures/server.js';
import { ADMIN_TOKEN, startServer } from '../fixtures/server.js';
import { eventually } from '../fixtures/wait.js';

let server: ServerFixture;
let cli: PlatformCli;
/** Where the program is found by its names. */
let bin: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startServer();
  cli = platformCli();
  bin = join(cli.home, 'bin');
  mkdirSync(bin);
  const start = `#!/bin/sh\nexec '${process.execPath}' '${cli.program}' "$@"\n`;
  writeFileSync(join(bin, 'platform'), start);
  chmodSync(join(bin, 'platform'), 0o755);
  symlinkSync('platform', join(bin, 'kubectl-platform'));
  env = { ...cli.env, PATH: [bin, process.env.PATH].join(delimiter), TERM: 'xterm' };
}, 60_000);
afterAll(async () => {
  cli.remove();
  await server.remove();
});

/** Nothing that this project installs: where it is missing, what is seen at a terminal is seen on other machines. */
const withTmux = findProgram('tmux') === undefined ? describe.skip : describe;

withTmux('at a terminal', () => {
  const socket = (): string => join(cli.home, 'tmux');
  const tmux = (...args: string[]): string =>
    spawnSync(findProgram('tmux') ?? '', ['-S', socket(), ...args], { encoding: 'utf8', env }).stdout;
  const screen = (): string => tmux('capture-pane', '-p', '-J', '-t', 'it');
  const type = (text: string): string => tmux('send-keys', '-t', 'it', text, 'Enter');
  const shows = (text: string): Promise<string> =>
    eventually(`the terminal shows ${text}`, () => {
      const found = screen();
      return Promise.resolve(found.includes(text) && found);
    });

  beforeAll(() => {
    tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-s',
      'it',
      '-x',
      '160',
      '-y',
      '50',
      'env PS1="$ " bash --norc',
    );
  });
  afterAll(() => {
    tmux('kill-server');
  });

  test('a login shows whom to trust and asks for the key, which is not shown', async () => {
    await shows('$');
    type(`platform login ${server.url}`);
    expect(await shows('Trust it from now on?')).toMatch(/SHA256:[0-9A-F]{2}:/);
    type('y');
    await shows('Access key');
    type(ADMIN_TOKEN);
    const after = await shows('Logged in to');
    expect(after).toContain(`Logged in to ${server.url} as admin.`);
    expect(after).not.toContain(ADMIN_TOKEN);
  }, 30_000);

  test('tables are printed, a value ends with its line, and deleting asks first', async () => {
    tmux('send-keys', '-t', 'it', 'clear', 'Enter');
    type(
      'platform set secret greeting.text hello && platform list secrets && platform get secret greeting.text',
    );
    const shown = await shows('\nhello\n');
    expect(shown).toMatch(/NAME +DISPLAY NAME +KEYS +OWNER +AGE\ngreeting +1 +admin/);
    type('platform delete secret greeting; echo "ended $?"');
    await shows('Delete secret "greeting"?');
    type('n');
    expect(await shows('ended 1')).toContain('nothing was deleted');
  }, 30_000);

  test('commands and options are completed by bash', async () => {
    tmux('send-keys', '-t', 'it', 'clear', 'Enter');
    type('source <(platform completion bash); echo loaded');
    await shows('loaded');
    tmux('send-keys', '-t', 'it', 'platform rot', 'Tab');
    await shows('platform rotate');
    tmux('send-keys', '-t', 'it', 'accesskey --out', 'Tab');
    await shows('platform rotate accesskey --output');
    tmux('send-keys', '-t', 'it', 'C-c');
  }, 30_000);
});

describe('completion', () => {
  test.each([
    [
      ['__complete', ''],
      ['login', 'get', 'completion'],
    ],
    [['__complete', 'de'], ['delete']],
    [['__complete', 'get', ''], ['secret']],
    [['__complete', 'get', 'secret', '--pro'], ['--project']],
  ])('%j offers %j', async (args, offered) => {
    const { stdout } = await cli.run(args);
    expect(stdout.trim().split('\n')).toEqual(expect.arrayContaining(offered));
  });

  test.each(['bash', 'zsh', 'fish'])('the script for %s is one that the shell reads', async (shell) => {
    const { stdout } = await cli.run(['completion', shell]);
    expect(stdout).toContain('platform __complete');
    const program = findProgram(shell);
    if (program === undefined) return; // what is left is seen where the shell is
    expect(spawnSync(program, ['-n'], { input: stdout, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

describeWith('kubectl')('with kubectl', () => {
  const kubectl = (...args: string[]) => execute(findProgram('kubectl') ?? '', args, { env });
  const file = (): string => join(cli.home, 'kubeconfig');

  beforeAll(async () => {
    const { clusters } = parse(readFileSync(server.kubeconfig, 'utf8')) as {
      clusters: { cluster: object }[];
    };
    const ca = join(cli.home, 'ca.crt');
    const { cluster } = clusters[0] as { cluster: { 'certificate-authority-data'?: string } };
    writeFileSync(ca, Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64'));
    await cli.run(['login', server.url, '--ca-file', ca], { input: ADMIN_TOKEN });
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'platform',
      args: ['token'],
      interactiveMode: 'Never',
    };
    const config = {
      kind: 'Config',
      apiVersion: 'v1',
      'current-context': 'it',
      contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
      clusters: [{ name: 'it', cluster }],
      users: [{ name: 'it', user: { exec } }],
    };
    writeFileSync(file(), stringify(config), { mode: 0o600 });
  });

  test('the exec plugin is who kubectl is', () => {
    const found = kubectl(
      '--kubeconfig',
      file(),
      'auth',
      'whoami',
      '-o',
      'jsonpath={.status.userInfo.username}',
    );
    expect(found).toMatchObject({ code: 0, out: 'admin' });
  });

  test('kubectl finds it as its plugin', () => {
    expect(kubectl('platform', 'whoami')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/User +admin/),
    });
  });

  test('what it writes into a kubeconfig leaves the rest, comments too', async () => {
    writeFileSync(file(), `# mine\n${readFileSync(file(), 'utf8')}`);
    const { writeEntry } = await import('../../cmd/platform/kubeconfigfile.js');
    const entry = { name: 'added', cluster: { server: 'https://h' }, user: { token: 't' } };
    await writeEntry(file(), entry);
    await writeEntry(file(), { ...entry, namespace: 'n' });
    expect(readFileSync(file(), 'utf8')).toMatch(/^# mine\n/);
    expect(existsSync(`${file()}.lock`)).toBe(false);
    const out = kubectl('--kubeconfig', file(), 'config', 'get-contexts', '-o', 'name').out;
    expect(out.trim().split('\n')).toEqual(['added', 'it']);
    expect(kubectl('--kubeconfig', file(), 'config', 'current-context').out.trim()).toBe('added');
  });
});
