/** `platform` and projects: members, allowed clusters and quotas. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { API } from '../../fixtures/clients/accesskeys.js';
import { client } from '../../fixtures/clients/client.js';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';
import { eventually } from '../../fixtures/wait.js';

const OF_WEB = ['--project', 'web'];
let it: LoggedInCli;
beforeAll(async () => {
  it = await startLoggedIn();
  await it.shown('create', 'user', 'mia');
  await it.shown('create', 'team', 'ops');
  for (const project of ['web', 'bare']) await it.shown('create', 'project', project);
  await it.shown('connect', 'cluster', 'east', '--kubeconfig-file', it.server.kubeconfig);
  await it.shown('add', 'member', 'mia', ...OF_WEB, '--role', 'viewer');
  await it.shown('add', 'member', 'ops', '--team', ...OF_WEB);
  for (const cluster of ['east', 'gone'])
    await it.shown('allow', 'cluster', cluster, ...OF_WEB, '--allow-unknown');
  await it.shown('set', 'quota', 'instances=3', 'configmaps=10', ...OF_WEB);
});
afterAll(() => it.remove());

interface Case {
  readonly noun: string;
  readonly name: string;
  readonly entry: object;
  readonly rows: RegExp;
  readonly names: RegExp;
  /** How many a new project has. */
  readonly bare: number;
  readonly jsonPath: readonly [string, string];
}

const CASES: Case[] = [
  {
    noun: 'member',
    name: 'mia',
    entry: { kind: 'User', name: 'mia', clusterRoles: ['management-project-viewer'] },
    rows: /^KIND +NAME +ROLE\nUser +\S+ +admin \(owner\)\nUser +mia +viewer\nTeam +ops +user\n$/,
    names: /^\S+\nmia\nops\n$/,
    bare: 1,
    jsonPath: ['{.clusterRoles[0]}', 'management-project-viewer'],
  },
  {
    noun: 'allowedcluster',
    name: 'gone',
    entry: { name: 'gone', phase: 'NotFound' },
    rows: /^NAME +DISPLAY NAME +PHASE +ONLINE\neast +(Pending|Ready|Failed) +(true|false)\ngone +NotFound\n$/,
    names: /^east\ngone\n$/,
    bare: 0,
    jsonPath: ['{.phase}', 'NotFound'],
  },
  {
    noun: 'quota',
    name: 'instances',
    entry: { name: 'instances', used: 0, limit: 3 },
    rows: /^NAME +USED +HARD\ninstances +0 +3\nconfigmaps +0 +10\n$/,
    names: /^instances\nconfigmaps\n$/,
    bare: 0,
    jsonPath: ['{.limit}', '3'],
  },
];

describe.each(CASES)('$noun', ({ noun, name, entry, rows, names, bare, jsonPath: [path, value] }) => {
  test('is listed in every format', async () => {
    expect(await it.shown('list', noun, ...OF_WEB)).toMatch(rows);
    expect(await it.shown('list', `${noun}s`, ...OF_WEB, '-o', 'name')).toMatch(names);
    expect(await it.json('list', noun, ...OF_WEB)).toMatchObject({ items: expect.arrayContaining([entry]) });
    expect(parse(await it.shown('list', noun, ...OF_WEB, '-o', 'yaml'))).toMatchObject({
      items: expect.arrayContaining([entry]),
    });
    const { code, stdout, stderr } = await it.run('list', noun, '--project', 'bare');
    expect([code, stdout === '', stderr]).toEqual([
      0,
      bare === 0,
      bare === 0
        ? expect.stringMatching(/^Project "bare" has no .*"platform (allow|set) .* adds one\.\n$/)
        : '',
    ]);
    expect(await it.json('list', noun, '--project', 'bare')).toHaveProperty('items.length', bare);
    expect(await it.run('list', noun, '--project', 'nowhere')).toMatchObject({ code: 5 });
  });

  test('is shown in every format', async () => {
    expect(await it.shown('get', noun, name, ...OF_WEB)).toMatch(new RegExp(`^.*NAME.*\\n.*\\b${name}\\b`));
    expect(await it.shown('get', noun, name, ...OF_WEB, '-o', 'name')).toBe(`${name}\n`);
    expect(await it.json('get', noun, name, ...OF_WEB)).toEqual(entry);
    expect(parse(await it.shown('get', noun, name, ...OF_WEB, '-o', 'yaml'))).toEqual(entry);
    expect(await it.shown('get', noun, name, ...OF_WEB, '-o', `jsonpath=${path}`)).toBe(value);
    expect(await it.run('get', noun, 'absent', ...OF_WEB)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`see "platform list ${noun}s --project web"`),
    });
  });
});

test.each([
  { role: 'viewer', reads: 4, writes: 4 },
  { role: 'user', reads: 0, writes: 4 },
  { role: 'admin', reads: 0, writes: 0 },
])('a $role may what the docs say, and manages no members', async ({ role, reads, writes }) => {
  const name = `ro-${role}`;
  await it.shown('create', 'user', name);
  await it.shown('create', 'project', name);
  await it.shown('set', 'secret', 'db.a', '1', '--project', name);
  await it.shown('add', 'member', name, '--project', name, '--role', role);
  const key = (await it.shown('create', 'accesskey', name, '--user', name, '--ttl', '1h')).trim();
  const codeOf = async (...args: string[]) =>
    (await it.cli.run([...args, '--project', name], { env: it.envOf(key) })).code;
  expect(await codeOf('list', 'spaces')).toBe(0);
  expect(await codeOf('get', 'secret', 'db.a')).toBe(reads);
  expect(await codeOf('set', 'secret', 'db.a', '2', '--yes')).toBe(writes);
  expect(await codeOf('add', 'member', 'mia')).toBe(4);
});

test('the owner is a member, as the API has it', async () => {
  const answer = await client(it.server).send('GET', `${API}/projects/web/members`);
  const { members } = JSON.parse(answer.text) as { members: object[] };
  expect(members[0]).toHaveProperty('owner', true);
  const listed = (await it.json('list', 'members', ...OF_WEB)) as { items: object[] };
  expect(members).toMatchObject(listed.items);
});

test('a member is a user, or with --team a team', async () => {
  expect(await it.run('get', 'member', 'ops', ...OF_WEB)).toMatchObject({ code: 5 });
  expect(await it.shown('get', 'member', 'ops', '--team', ...OF_WEB)).toMatch(/^KIND .*\nTeam +ops +user\n$/);
});

test('roles are said by their short names, and taken by either', async () => {
  const add = ['add', 'member', 'mia', ...OF_WEB, '--role'];
  for (const role of ['management-project-viewer', 'viewer'])
    expect((await it.run(...add, role)).stderr).toBe('"mia" is viewer in project "web".\n');
});

test('all clusters are listed if the project may use any', async () => {
  await it.shown('create', 'project', 'wide');
  await it.shown('allow', 'cluster', '*', '--project', 'wide');
  expect(await it.shown('list', 'allowedclusters', '--project', 'wide', '-o', 'name')).toBe('*\neast\n');
});

test('changes of quotas come as they are made', async () => {
  await it.shown('create', 'project', 'watched');
  await it.shown('set', 'quota', 'instances=1', '--project', 'watched');
  const args = ['list', 'quotas', '--project', 'watched', '--watch', '--output-watch-events'];
  const watch = spawn(process.execPath, [it.cli.program, ...args], { env: it.cli.env });
  let text = '';
  watch.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const shows = (line: RegExp): Promise<unknown> =>
    eventually(`the watch shows ${String(line)}`, () => Promise.resolve(line.test(text)));
  try {
    await shows(/^EVENT +NAME +USED +HARD\nADDED +instances +0 +1\n/);
    await it.shown('set', 'quota', 'instances=2', 'secrets=5', '--project', 'watched');
    await shows(/MODIFIED +instances +0 +2\n/);
    await shows(/ADDED +secrets +0 +5\n/);
    await it.shown('set', 'quota', 'secrets=', '--project', 'watched');
    await shows(/DELETED +secrets +0 +5\n/);
  } finally {
    watch.kill('SIGINT');
    await once(watch, 'close');
  }
});

describe('limits', () => {
  const LIMITED = ['--project', 'limited'];
  beforeAll(() => it.shown('create', 'project', 'limited'));

  test.each([
    ['instance', 'instances', 'instances'],
    ['instances', 'instances'],
    ['spaces', 'spaceinstances.management.svc.example'],
    ['vcluster', 'virtualclusterinstances.management.svc.example', 'vclusters'],
    ['secrets', 'projectsecrets.management.svc.example'],
    ['sharedsecrets', 'sharedsecrets.management.svc.example'],
    ['SecretBytes', 'secretBytes', 'secretBytes'],
    ['secrets.', 'secrets'],
    ['roles.rbac.authorization.k8s.io', 'roles.rbac.authorization.k8s.io'],
  ])('of %s count %s', async (asked, name, word = asked) => {
    const { code, stderr } = await it.run('set', 'quota', `${asked}=7`, ...LIMITED);
    expect(code).toBe(0);
    expect(stderr.replace(/^.* is counted as .*\n/, '')).toMatch(
      /^(?:"secrets" are those of the project.*\n)?The quotas of project "limited" are set\.\n\S+: \d+ of 7 used\.\n$/,
    );
    expect(await it.shown('list', 'quotas', ...LIMITED)).toMatch(
      new RegExp(`\\n${word.replaceAll('.', '\\.')} +\\d+ +7\\n$`),
    );
    expect(await it.json('get', 'quota', asked, ...LIMITED)).toEqual({
      name,
      used: expect.any(Number),
      limit: 7,
    });
    await it.shown('set', 'quota', `${asked}=`, ...LIMITED);
    expect(await it.run('get', 'quota', asked, ...LIMITED)).toMatchObject({ code: 5 });
  });

  test.each(['foo', 'pod', '__proto__', 'clusters.management.svc.example'])(
    'of %s, which nothing counts, are refused',
    async (name) => {
      expect(await it.run('set', 'quota', `${name}=3`, ...LIMITED)).not.toMatchObject({ code: 0 });
      expect(await it.shown('list', 'quotas', ...LIMITED, '-o', 'name')).toBe('');
    },
  );

  test('are shown beside what is used, also to members who may read nothing else', async () => {
    const set = ['secrets=2', 'spaces=1', 'secretBytes=10'];
    await it.shown('set', 'quota', ...set, ...LIMITED);
    await it.shown('create', 'space', 'one', ...LIMITED);
    await it.shown('create', 'secret', 'app', 'a=12345', ...LIMITED);
    await it.shown('add', 'member', 'mia', ...LIMITED, '--role', 'viewer');
    const ofMia = {
      env: it.envOf((await it.shown('create', 'accesskey', '--user', 'mia', '--ttl', '1h')).trim()),
    };
    const list = await it.cli.run(['list', 'quotas', ...LIMITED], ofMia);
    expect(list.stdout).toMatch(/^NAME +USED +HARD\nsecretBytes +5 +10\nsecrets +1 +2\nspaces +1 +1\n$/);
    const full = await it.run('create', 'space', 'two', ...LIMITED);
    expect([full.code, full.stderr]).toEqual([
      4,
      expect.stringContaining('exceeded quota of project "limited"'),
    ]);
  });
});

test.each([
  ['create member mia', 'use "platform add member"'],
  ['delete members mia', 'use "platform remove member"'],
  ['edit quota instances', 'use "platform set quota"'],
  ['quotas', 'use "platform set quota" and "platform list quotas"'],
  ['list audit', 'use "platform audit"'],
  ['delete allowedcluster east', 'use "platform disallow cluster"'],
])('"platform %s" is refused with the command to use', async (line, instead) => {
  expect(await it.run(...line.split(' '), ...OF_WEB)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(instead),
  });
});
