/** `platform invite` and `platform link user`: links that print once, and what the user is then in. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { invitations } from '../../fixtures/console/invitations.js';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';

const LINK = /^(https:\/\/127\.0\.0\.1:\d+)\/console\/#invitation=([\w-]+)\n$/;

let it: LoggedInCli;
beforeAll(async () => {
  it = await startLoggedIn();
  await it.shown('create', 'team', 'ops');
  await it.shown('create', 'project', 'web');
});
afterAll(() => it.remove());

interface Named {
  readonly spec: Record<string, unknown>;
}
const specOf = async (...args: string[]): Promise<Named['spec']> =>
  ((await it.json('get', ...args)) as Named).spec;
const codeIn = (stdout: string): string => LINK.exec(stdout)?.[2] ?? `no link: ${stdout}`;

test('invites a person as a new user, into a team and a project', async () => {
  const into = ['--team', 'ops', '--project', 'web', '--role', 'admin'];
  const { code, stdout, stderr } = await it.run('invite', 'ada', '--email', 'ada@example.com', ...into);
  expect([code, LINK.exec(stdout)?.[1]]).toEqual([0, it.server.url]);
  expect(stderr).toContain('Created user "ada".');
  expect(stderr).toContain('"ada" is admin in project "web".');
  expect(stderr).toMatch(/Send this link to "ada" in private\. It works once, until \d{4}-/);
  expect(stderr).not.toContain(codeIn(stdout));
  expect(await specOf('user', 'ada')).toEqual({ email: 'ada@example.com' });
  expect((await specOf('team', 'ops')).users).toEqual(['ada']);
  expect((await specOf('project', 'web')).members).toMatchObject([{ kind: 'User', name: 'ada' }]);
  const accepted = await invitations(it.server).use(codeIn(stdout), 'accessKey');
  const { accessKey } = JSON.parse(accepted.text) as { accessKey: string };
  const who = await it.cli.run(['whoami'], { env: it.envOf(accessKey) });
  expect([who.code, who.stdout]).toEqual([0, expect.stringMatching(/User +ada/)]);
});

test('another invitation ends the link before, and leaves the rest as it is', async () => {
  await it.shown('create', 'user', 'ben', '--display-name', 'Ben');
  const first = codeIn(await it.shown('invite', 'ben', '--ttl', '15m'));
  const again = await it.run('invite', 'ben', '--access-key', '90d');
  expect(again.stderr).toContain('The link of the invitation before has ended.');
  const use = async (code: string): Promise<number> => (await invitations(it.server).use(code)).status;
  expect([await use(first), await use(codeIn(again.stdout))]).toEqual([401, 200]);
  expect(await specOf('user', 'ben')).toEqual({ displayName: 'Ben' });
  expect(await specOf('invitation', 'ben')).toEqual({ ttl: 172_800, accessKeyTTL: 7_776_000 });
});

test('open invitations are listed without links, and revoked', async () => {
  const code = codeIn(await it.shown('invite', 'cleo'));
  const shown = await it.shown('list', 'invitations');
  expect(shown).toMatch(/^NAME +INVITED BY +ACCESS KEY +EXPIRES +AGE\n/);
  expect(shown).toMatch(/cleo +admin +true +in 47h/);
  for (const text of [shown, await it.shown('get', 'invitation', 'cleo', '-o', 'yaml')])
    expect(text).not.toContain(code);
  await it.shown('delete', 'invitation', 'cleo', '--yes');
  expect((await invitations(it.server).use(code)).status).toBe(401);
});

test.each<[string, string[], number, RegExp]>([
  ['a team that does not exist', ['invite', 'dora', '--team', 'opps'], 2, /there is no team "opps"/],
  ['a project that does not exist', ['invite', 'dora', '--project', 'wep'], 2, /there is no project "wep"/],
  ['a role without a project', ['invite', 'dora', '--role', 'admin'], 2, /--role goes with --project/],
  [
    'a role that does not exist',
    ['invite', 'dora', '--project', 'web', '--role', 'boss'],
    2,
    /no ClusterRole "boss"/,
  ],
  ['a time that is too long', ['invite', 'ben', '--ttl', '8d'], 1, /must be between 300 and 604800/],
  ['no subject', ['link', 'user', 'ben'], 2, /give --subject or --remove/],
  ['both', ['link', 'user', 'ben', '--subject', 's', '--remove'], 2, /give --subject or --remove/],
])('refuses %s', async (_what, args, code, said) => {
  const ended = await it.run(...args);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toMatch(said);
  expect((await it.run('get', 'user', 'dora')).code).toBe(5);
});

test('makes no link where a membership fails', async () => {
  const { code, stdout } = await it.run('invite', 'gus', '--team', 'opps', '--allow-unknown');
  expect([code, stdout]).toEqual([5, '']);
  expect((await it.run('get', 'invitation', 'gus')).code).toBe(5);
});

test('connects a login to one user, and disconnects it', async () => {
  await it.shown('create', 'user', 'eve');
  await it.shown('create', 'user', 'fay');
  expect((await it.run('link', 'user', 'eve', '--subject', 'auth0|1')).stderr).toContain(
    'is user "eve" from now on.',
  );
  expect((await specOf('user', 'eve')).subject).toBe('auth0|1');
  const other = await it.run('link', 'user', 'fay', '--subject', 'auth0|1');
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining('is the subject of the user "eve"'),
  ]);
  await it.shown('link', 'user', 'eve', '--remove');
  await it.shown('link', 'user', 'fay', '--subject', 'auth0|1');
  expect([await specOf('user', 'eve'), (await specOf('user', 'fay')).subject]).toEqual([{}, 'auth0|1']);
});
