/** Completion: what the program offers, and how shells at a terminal complete with it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../../fixtures/stores/etcd.js';
import type { PlatformCli } from '../../fixtures/clients/platformcli.js';
import { platformCli } from '../../fixtures/clients/platformcli.js';
import { describeWith } from '../../fixtures/program.js';
import type { TmuxTerminal } from '../../fixtures/tmux.js';
import { openTerminal } from '../../fixtures/tmux.js';

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
  ])('%j offers %j', async (args, offered) => {
    const { stdout } = await cli.run(args);
    expect(stdout.trim().split('\n')).toEqual(expect.arrayContaining(offered));
  });
});

/** How a shell is started without what a person has set up, and how the help says that completion is loaded. */
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
    }, 60_000);
    afterAll(() => terminal.close());

    test('completes commands, options and files', async () => {
      terminal.press('platform rot', 'Tab');
      await terminal.shows('platform rotate ');
      terminal.press('accesskey --out', 'Tab');
      await terminal.shows('platform rotate accesskey --output');
      terminal.press('C-c');
      terminal.press('platform connect cluster east --kubeconfig-file some', 'Tab');
      await terminal.shows('--kubeconfig-file some-file.txt');
    }, 60_000);
  });

  const program = findProgram(shell);
  (program === undefined ? test.skip : test)('reads the script without a word', async () => {
    const file = join(cli.home, `completion.${shell}`);
    writeFileSync(file, (await cli.run(['completion', shell])).stdout);
    const read = spawnSync(program ?? shell, ['-n', file], { encoding: 'utf8', env: cli.env });
    expect(read).toMatchObject({ status: 0, stderr: '' });
  });
});
