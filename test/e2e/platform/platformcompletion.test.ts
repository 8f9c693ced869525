/** Shell completion: the program's suggestions, and completion in shells at a terminal. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';
import { ADMIN_TOKEN } from '../../fixtures/servers/server.js';
import { describeWith } from '../../fixtures/program.js';
import { openTerminal, type TmuxTerminal } from '../../fixtures/tmux.js';

let cli: PlatformCli;
beforeAll(() => {
  cli = platformCli();
});
afterAll(() => cli.remove());

describe('completion', () => {
  test.each([
    [
      ['__complete', ''],
      ['login', 'get', 'completion'],
    ],
    [['__complete', 'de'], ['delete']],
    [['__complete', 'get', ''], ['secret']],
    [['__complete', 'get', 'secret', '--pro'], ['--project']],
    [
      ['__complete', 'get', 'user', 'ada', '-o', ''],
      ['wide', 'json', 'yaml', 'name', 'jsonpath='],
    ],
    [
      ['__complete', 'get', 'secret', 'db', '--output', ''],
      ['json', 'yaml', 'name', 'jsonpath=', 'raw', 'env'],
    ],
    [
      ['__complete', 'list', 'quotas', '-o', ''],
      ['json', 'yaml', 'name'],
    ],
    [
      ['__complete', 'set', 'quota', ''],
      ['instances=', 'secrets='],
    ],
    [
      ['__complete', 'audit', '--about', ''],
      ['Changes', 'SecretReads', 'Refused'],
    ],
  ])('%j offers %j', async (args, offered) => {
    const { stdout } = await cli.run(args);
    expect(stdout.trim().split('\n')).toEqual(expect.arrayContaining(offered));
  });
});

describe('completion with a login', () => {
  let it: LoggedInCli;
  const offered = async (...words: string[]): Promise<string[]> =>
    (await it.shown('__complete', '--', ...words)).split('\n').filter((word) => word !== '');
  beforeAll(async () => {
    it = await startLoggedIn();
    const login = ['login', it.server.url, '--name', 'staging', '--ca-file', join(it.cli.home, 'ca.crt')];
    await it.cli.run(login, { input: ADMIN_TOKEN });
    for (const [noun, name] of [
      ['project', 'web'],
      ['user', 'ada'],
      ['team', 'ops'],
    ] as const)
      await it.shown('create', noun, name);
    await it.shown('set', 'quota', 'instances=3', '--project', 'web');
  });
  afterAll(() => it.remove());

  test('offers contexts', async () => {
    expect(await offered('--context', '')).toEqual([`127.0.0.1:${it.server.port}`, 'staging']);
    expect(await offered('--context', 'st')).toEqual(['staging']);
    expect(await offered('context', 'use', 'st')).toEqual(['staging']);
  });

  test('offers names of the context that is chosen', async () => {
    expect(await offered('--context', 'staging', 'get', 'user', '')).toContain('ada');
    expect(await offered('--context', 'absent', 'get', 'user', '')).toEqual([]);
    expect(await offered('get', 'user', '--context', 'staging', '')).toContain('ada');
  });

  test('offers formats that start as what is typed, and no others', async () => {
    expect(await offered('get', 'user', 'ada', '-o', 'j')).toEqual(['json', 'jsonpath=']);
    expect(await offered('get', 'user', 'ada', '-o', 'env')).toEqual([]);
    expect(await offered('create', 'accesskey', '-o', '')).toEqual(['env', 'json', 'yaml']);
  });

  test.each([
    ['get project', 'web'],
    ['list secrets --project', 'web'],
    ['share secret db --user', 'ada'],
    ['list accesskeys --team', 'ops'],
    ['get quota --project web', 'instances'],
  ])('offers names after %s', async (words, name) => {
    expect(await offered(...words.split(' '), '')).toContain(name);
  });
});

/**
 * How each shell is started without the configuration of the user, and the command in the help that loads completion.
 */
const SHELLS = {
  bash: { start: 'env PS1="$ " bash --norc', load: 'source <(platform completion bash)' },
  zsh: {
    start: 'env PS1="$ " zsh -f',
    load: 'autoload -U compinit && compinit -D && source <(platform completion zsh)',
  },
  fish: {
    start: 'fish',
    load: 'platform completion fish > ~/.config/fish/completions/platform.fish',
  },
};

describe.each(Object.entries(SHELLS))('%s', (shell, { start, load }) => {
  describeWith('tmux', shell)('at a terminal', () => {
    let terminal: TmuxTerminal;

    beforeAll(async () => {
      mkdirSync(join(cli.home, '.config', 'fish', 'completions'), { recursive: true });
      writeFileSync(join(cli.home, 'some-file.txt'), '');
      terminal = openTerminal(join(cli.home, shell), start, cli.installed());
      terminal.type(`cd ~ && ${load} && echo "lo""aded"`);
      await terminal.shows('loaded');
    });
    afterAll(() => terminal.close());

    test('completes commands, options and files', async () => {
      terminal.press('platform rot', 'Tab');
      await terminal.shows('platform rotate ');
      terminal.press('accesskey --out', 'Tab');
      await terminal.shows('platform rotate accesskey --output');
      // Clears the line: after C-c, what is typed before there is a prompt again may be lost.
      terminal.press('C-u');
      terminal.press('platform connect cluster east --kubeconfig-file some', 'Tab');
      await terminal.shows('--kubeconfig-file some-file.txt');
    });
  });

  const program = findProgram(shell);
  (program === undefined ? test.skip : test)('reads the script without a word', async () => {
    const file = join(cli.home, `completion.${shell}`);
    writeFileSync(file, (await cli.run(['completion', shell])).stdout);
    const read = spawnSync(program ?? shell, ['-n', file], { encoding: 'utf8', env: cli.env });
    expect(read).toMatchObject({ status: 0, stderr: '' });
  });
});
