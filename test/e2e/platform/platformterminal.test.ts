/** `platform` at a terminal (tmux): output, and prompts that a user answers; and as a kubectl plugin. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { describeWith, execute } from '../../fixtures/program.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { openTerminal, type TmuxTerminal } from '../../fixtures/tmux.js';

let server: ServerFixture;
let cli: PlatformCli;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  server = await startServer();
  cli = platformCli();
  env = cli.installed();
});
afterAll(async () => {
  cli.remove();
  await server.remove();
});

describeWith('tmux')('at a terminal', () => {
  let terminal: TmuxTerminal;
  const type = (text: string): void => terminal.type(text);
  const shows = (text: string): Promise<string> => terminal.shows(text);

  beforeAll(() => {
    terminal = openTerminal(join(cli.home, 'tmux'), 'env PS1="$ " bash --norc', env);
  });
  afterAll(() => terminal.close());

  test('a login shows the authority to trust and asks for the key without showing it', async () => {
    await shows('$');
    type(`platform login ${server.url}`);
    expect(await shows('Trust it from now on?')).toMatch(/SHA256:[0-9A-F]{2}:/);
    type('y');
    await shows('Access key');
    type(ADMIN_TOKEN);
    const after = await shows('Logged in to');
    expect(after).toContain(`Logged in to ${server.url} as admin.`);
    expect(after).not.toContain(ADMIN_TOKEN);
  });

  test('tables are printed, a value ends with its line, and deleting asks first', async () => {
    terminal.clear();
    type(
      'platform set secret greeting.text hello && platform list secrets && platform get secret greeting.text',
    );
    const shown = await shows('\nhello\n');
    expect(shown).toMatch(/NAME +DISPLAY NAME +ENTRIES +OWNER +AGE\ngreeting +1 +admin/);
    type('platform delete secret greeting; echo "ended $?"');
    await shows('Delete secret "greeting"?');
    type('n');
    expect(await shows('ended 1')).toContain('nothing was deleted');
  });

  test('a value goes to a file as it is, and binary values go to no terminal', async () => {
    terminal.clear();
    type('platform get secret greeting.text > ~/text; wc -c < ~/text; echo counted');
    expect(await shows('\ncounted')).toMatch(/^5\ncounted/m);
    type("printf '\\0\\377' | platform set secret greeting.blob && platform get secret greeting.blob");
    await shows('the value is binary: send it to a file or a pipe');
  });

  test('a question is left by Ctrl-C, as other programs are, and the terminal is as before', async () => {
    terminal.clear();
    type('before=$(stty -g)');
    type(
      'platform delete secret greeting; echo "ended $?"; [ "$before" = "$(stty -g)" ] && echo "as before"',
    );
    await shows('Delete secret "greeting"?');
    terminal.press('C-c');
    await terminal.prompts();
    // bash drops the whole line when a program was interrupted.
    type('echo "ended $?"; [ "$before" = "$(stty -g)" ] && echo "as be""fore"');
    await shows('ended 130');
    await shows('as before\n');
  });
});

describeWith('tmux')('help', () => {
  test.each([60, 80, 120])('wraps at the width of a terminal of %i columns', async (columns) => {
    const terminal = openTerminal(
      join(cli.home, `tmux-${columns}`),
      'env PS1="$ " bash --norc',
      env,
      columns,
    );
    try {
      await terminal.shows('$');
      for (const command of ['create accesskey', 'list accesskeys']) {
        terminal.clear();
        terminal.type(`platform ${command} --help; echo "en""ded"`);
        const lines = (await terminal.shows('\nended')).split('\n').map((line) => line.trimEnd());
        // Examples are for copying, and are not wrapped.
        const wrapped = lines.filter((line) => !/^(\$| {2}platform )/.test(line));
        const longest = Math.max(...wrapped.map(({ length }) => length));
        expect(longest).toBeLessThanOrEqual(columns);
        expect(longest).toBeGreaterThan(columns - 15);
      }
    } finally {
      await terminal.close();
    }
  });
});

describeWith('kubectl')('with kubectl', () => {
  const kubectl = (...args: string[]) => execute(findProgram('kubectl') ?? '', args, { env });
  const file = (): string => join(cli.home, 'kubeconfig');

  beforeAll(async () => {
    const ca = join(cli.home, 'ca.crt');
    writeFileSync(ca, authorityOf(server));
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
      clusters: [{ name: 'it', cluster: { server: server.url, 'certificate-authority': ca } }],
      users: [{ name: 'it', user: { exec } }],
    };
    writeFileSync(file(), stringify(config), { mode: 0o600 });
  });

  test('kubectl authenticates by the exec plugin', () => {
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

  test('writing a kubeconfig leaves the rest of it, comments too', async () => {
    writeFileSync(file(), `# mine\n${readFileSync(file(), 'utf8')}`);
    const { writeEntry } = await import('../../../cmd/platform/files/kubeconfigfile.js');
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
