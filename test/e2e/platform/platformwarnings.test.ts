/** `platform` warns about names that do not exist before it writes; at a terminal it asks for confirmation. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../../fixtures/clients/client.js';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';
import { describeWith } from '../../fixtures/program.js';
import { openTerminal, type TmuxTerminal } from '../../fixtures/tmux.js';

interface Case {
  readonly command: string;
  readonly warnings: readonly string[];
  /** The command that shows whether the change was made, and its output in that case. */
  readonly look: string;
  readonly name: string;
}

const CASES: Case[] = [
  {
    command: 'share secret db --user zoe --team nots --verbs get,gte',
    warnings: [
      'secrets know no verb "gte"; did you mean get?',
      'there is no user "zoe"; see',
      'there is no team "nots"',
    ],
    look: 'get secret db -o jsonpath={.spec.access[*].users[*]}',
    name: 'zoe',
  },
  {
    command: 'add member mai --project web',
    warnings: ['there is no user "mai"; did you mean mia?; see "platform list users"'],
    look: 'list members --project web -o name',
    name: 'mai',
  },
  {
    command: 'add member mia --project web --role admn',
    warnings: [
      'there is no ClusterRole "admn"; did you mean admin?; roles of projects are viewer, user, admin',
    ],
    look: 'list members --project web -o name',
    name: 'mia',
  },
  {
    command: 'add member mia --project web --role edit',
    warnings: [
      'edit is a role of Kubernetes: it gives no secrets, spaces and virtual clusters of the project; did you mean user?; roles of projects are viewer, user, admin',
    ],
    look: 'list members --project web -o jsonpath={.items[*].clusterRoles[*]}',
    name: 'edit',
  },
  {
    command: 'allow cluster weest --project web',
    warnings: ['there is no cluster "weest"; see "platform list clusters"'],
    look: 'list allowedclusters --project web -o name',
    name: 'weest',
  },
  {
    command: 'create cluster east --secret absent',
    warnings: ['there is no Secret "absent" in namespace "management-system"'],
    look: 'list clusters -o name',
    name: 'east',
  },
  {
    command: 'create team ops --user zoe',
    warnings: ['there is no user "zoe"'],
    look: 'list teams -o name',
    name: 'ops',
  },
  {
    command: 'create accesskey pipeline --space nowhere/one',
    warnings: ['this key has no end', 'there is no project "nowhere"; see "platform list projects"'],
    look: 'list accesskeys -o name',
    name: 'pipeline',
  },
];

let it: LoggedInCli;
const done = (look: string): Promise<string> => it.shown(...look.split(' '));

async function start(): Promise<void> {
  it = await startLoggedIn();
  await it.shown('create', 'secret', 'db', 'a=1');
  await it.shown('create', 'project', 'web');
  await it.shown('create', 'user', 'mia');
}

describe('without a terminal', () => {
  beforeAll(start);
  afterAll(() => it.remove());

  test.each(CASES)(
    '$command is refused without --allow-unknown',
    async ({ command, warnings, look, name }) => {
      for (const more of [[], ['--yes']]) {
        const refused = await it.run(...command.split(' '), ...more);
        expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('say --allow-unknown') });
        for (const warning of warnings) expect(refused.stderr).toContain(`Warning: ${warning}`);
        expect(await done(look)).not.toContain(name);
      }
      const run = await it.run(...command.split(' '), '--allow-unknown');
      expect(run.code).toBe(0);
      for (const warning of warnings) expect(run.stderr).toContain(`Warning: ${warning}`);
      expect(await done(look)).toContain(name);
    },
  );

  test('an invitation to a role of Kubernetes is refused before anything is written', async () => {
    const refused = await it.run('invite', 'pia', '--project', 'web', '--role', 'view');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean viewer?') });
    expect(await it.run('get', 'user', 'pia')).toMatchObject({ code: 5 });
  });

  test('a role that does not exist does not replace one that does', async () => {
    await it.shown('create', 'project', 'ruled');
    await it.shown('add', 'member', 'mia', '--role', 'admin', '--project', 'ruled');
    const refused = await it.run('add', 'member', 'mia', '--role', 'boss', '--project', 'ruled');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('no ClusterRole "boss"') });
    expect(await it.shown('list', 'members', '--project', 'ruled')).toMatch(/ admin\n$/);
  });

  test('names that are no object of anything are refused too', async () => {
    for (const name of ['__proto__', 'constructor', 'm\u0456a', 'x'.repeat(5000)]) {
      const refused = await it.run('share', 'secret', 'db', '--user', name);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('there is no user')]);
    }
  });

  test.each([
    ['list spaces --project weeb', 'there is no project "weeb"; did you mean web?'],
    ['list secrets --project weeb', 'there is no project "weeb"; did you mean web?'],
    ['list members --project weeb', '"weeb" not found; did you mean web?'],
    ['get project weeb', '"weeb" not found; did you mean web?'],
    ['get project weeb -o yaml', '"weeb" not found; did you mean web?'],
    ['get secret dbb --project weeb', 'there is no project "weeb"; did you mean web?'],
    ['get secret dbb', '"dbb" not found; did you mean db?'],
    ['share secret dbb --user mia', '"dbb" not found; did you mean db?'],
    ['add member mia --project weeb', '"weeb" not found; did you mean web?'],
    ['set secret dbb.a 1 --project weeb', 'there is no project "weeb"; did you mean web?'],
    ['get user nobody', 'users.management.svc.example "nobody" not found\n'],
  ])('%s ends with 5: %s', async (command, said) => {
    const ended = await it.run(...command.split(' '));
    expect(ended).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining(said) });
  });

  test('an empty list of a project that exists is none', async () => {
    expect(await it.run('list', 'spaces', '--project', 'web')).toMatchObject({
      code: 0,
      stderr: 'Nothing found.\n',
    });
  });

  test('get and delete take the plural of a noun, too', async () => {
    for (const name of ['one', 'two']) await it.shown('create', 'user', name);
    expect(await it.shown('get', 'users', 'one', '-o', 'name')).toBe('one\n');
    expect(await it.shown('get', 'secrets', 'db.a')).toBe('1');
    expect(await it.run('delete', 'users', 'one', 'two', '--yes')).toMatchObject({ code: 0 });
  });

  test('a Secret without the key of the kubeconfig is warned of', async () => {
    await it.shown('connect', 'cluster', 'west', '--kubeconfig-file', it.server.kubeconfig);
    const named = ['create', 'cluster', 'south', '--secret', 'cluster-west'];
    expect((await it.run(...named, '--key', 'kubeconfig', '--allow-unknown')).stderr).toContain(
      'Warning: the Secret "cluster-west" in namespace "management-system" has no key "kubeconfig"; it has: config\n',
    );
    await it.shown('delete', 'cluster', 'south', '--yes');
    expect((await it.run(...named)).stderr).toBe('Created cluster "south".\n');
  });

  test('a cluster that the project does not name cannot be disallowed', async () => {
    await it.shown('create', 'project', 'all');
    await it.run('allow', 'cluster', 'weest', '--project', 'all', '--allow-unknown');
    await it.shown('allow', 'cluster', '*', '--project', 'all');
    expect(await it.run('disallow', 'cluster', 'other', '--project', 'all')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`"platform disallow cluster '*'" ends that`),
    });
    const left = await it.run('disallow', 'cluster', 'weest', '--project', 'all');
    expect(left).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('may still use all clusters (*)'),
    });
    expect(await it.shown('list', 'allowedclusters', '--project', 'all', '-o', 'name')).not.toContain(
      'weest',
    );
  });
});

describeWith('tmux')('at a terminal', () => {
  let terminal: TmuxTerminal;
  beforeAll(async () => {
    await start();
    terminal = openTerminal(join(it.cli.home, 'tmux'), 'env PS1="$ " bash --norc', it.cli.installed());
    await terminal.shows('$');
  });
  afterAll(async () => {
    await terminal.close();
    await it.remove();
  });

  test.each(CASES)('$command asks for confirmation', async ({ command, warnings, look, name }) => {
    terminal.clear();
    terminal.type(`platform ${command}; echo "ended $?"`);
    const shown = (await terminal.shows('Go on?')).replaceAll('\n', '');
    for (const warning of warnings) expect(shown).toContain(`Warning: ${warning}`);
    terminal.type('n');
    expect(await terminal.shows('ended 1')).toContain('nothing was changed');
    expect(await done(look)).not.toContain(name);
    terminal.clear();
    terminal.type(`platform ${command}; echo "ended $?"`);
    await terminal.shows('Go on?');
    terminal.type('y');
    await terminal.shows('ended 0');
    expect(await done(look)).toContain(name);
  });

  test('a value of somebody else is replaced after a question', async () => {
    const path = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets/theirs';
    await it.shown('create', 'secret', 'theirs', 'a=old');
    const type = { 'content-type': 'application/merge-patch+json' };
    await client(it.server).send('PATCH', path, { spec: { owner: { user: 'mia' } } }, type);
    for (const [answer, code, value] of [
      ['n', 1, 'old'],
      ['y', 0, 'new'],
    ] as const) {
      terminal.clear();
      terminal.type('platform set secret theirs.a new; echo "ended $?"');
      await terminal.shows('which belongs to user "mia"?');
      terminal.type(answer);
      await terminal.shows(`ended ${code}`);
      expect(await it.shown('get', 'secret', 'theirs.a')).toBe(value);
    }
  });

  test('nothing is asked with --yes and --allow-unknown', async () => {
    terminal.clear();
    terminal.type('platform share secret db --user zed --yes --allow-unknown; echo "ended $?"');
    expect(await terminal.shows('ended 0')).not.toContain('Go on?');
  });
});
