/**
 * Every command that the console shows: what client/commands exports, and those inside texts. A shell runs them with the real
 * programs and a real server.
 */
import { buildScope, NO_FIELDS } from '../../../cmd/console/client/scopes/scopebuild.js';
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as actions from '../../../cmd/console/client/commands/actioncommands.js';
import * as audit from '../../../cmd/console/client/commands/auditcommand.js';
import * as pages from '../../../cmd/console/client/commands/pagecommands.js';
import * as places from '../../../cmd/console/client/commands/placecommands.js';
import * as rules from '../../../cmd/console/client/commands/rulecommands.js';
import { de } from '../../../cmd/console/texts/de.js';
import { en } from '../../../cmd/console/texts/en.js';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { client } from '../../fixtures/clients/client.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const SECRET = { namespace: 'default', name: 'it.s' };
const USAGE = /unknown option|unknown command|too many arguments|missing required|not specified/i;
const HOSTILE = `it's; $(touch hacked) \`touch hacked\` \\n\\c!`;
/** With characters that JSON need not escape. */
const UNSEEN = `${HOSTILE} \u202e\u0085`;

const CONSOLE = join(import.meta.dirname, '../../../cmd/console');
const sources = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'),
);

const EXPORTED = { ...actions, ...audit, ...pages, ...places, ...rules };
const run = new Set<string>();
/** What it gives is run. */
const shown = new Proxy(EXPORTED, {
  get(all, name: keyof typeof EXPORTED) {
    run.add(name);
    return all[name];
  },
});
const connectCommands = (): string[] =>
  shown.connectCommands('north', HOSTILE).map((line) => line.replace('REGISTRY', 'registry.example.com'));
/** The commands inside texts, in quotes. */
const inTexts = [en, de].flatMap((texts) =>
  [
    ...JSON.stringify(texts).matchAll(/[“„`]((?:kubectl|helm|platform|management-apiserver) [^”“`]+)[”“`]/g),
  ].map(([, line = '']) => line),
);

const KUBECTL = findProgram('kubectl');
if (KUBECTL === undefined && process.env.CI === 'true') throw new Error('there is no kubectl');

test('commands are made in client/commands alone', () => {
  const others = sources.filter(
    (path) =>
      !path.startsWith('client/commands/') &&
      /\/command\.js'|['`](kubectl|helm|platform|management-apiserver) [a-z-]/.test(
        readFileSync(join(CONSOLE, path), 'utf8'),
      ),
  );
  expect(others).toEqual([]);
  const modules = sources.filter(
    (path) => path.startsWith('client/commands/') && !path.endsWith('/command.ts'),
  );
  const own = readFileSync(import.meta.filename, 'utf8');
  expect(modules.filter((path) => !own.includes(path.replace('.ts', '.js')))).toEqual([]);
});

(KUBECTL === undefined ? describe.skip : describe)('the commands beside the actions', () => {
  let server: ServerFixture;
  let cli: PlatformCli;

  beforeAll(async () => {
    server = await startServer();
    cli = platformCli();
    const caFile = join(cli.home, 'ca.crt');
    writeFileSync(caFile, authorityOf(server));
    await cli.run(['login', server.url, '--ca-file', caFile], { input: ADMIN_TOKEN });
    const keys = accessKeys(server);
    await keys.createUser('bob');
    await keys.createKey('ci', { user: 'bob' });
  });
  afterAll(async () => {
    cli.remove();
    await server.remove();
  });

  /** Runs a line in a shell, as a user who pastes it. Rejects unless the exit code is 0. */
  async function sh(line: string, input = ''): Promise<string> {
    const env = cli.installed();
    const PATH = [join(KUBECTL ?? '', '..'), env.PATH].join(delimiter);
    const running = promisify(execFile)('sh', ['-c', line], {
      cwd: cli.home,
      env: { ...env, PATH, KUBECONFIG: server.kubeconfig, EDITOR: 'true' },
    });
    // A process that exits without reading its input closes the pipe.
    running.child.stdin?.on('error', () => undefined);
    running.child.stdin?.end(input);
    return (await running).stdout;
  }
  async function read(path: string): Promise<{ status: number; spec: Record<string, unknown> }> {
    const { status, text } = await client(server).send('GET', API + path);
    const { spec = {} } = JSON.parse(text) as { spec?: Record<string, unknown> };
    return { status, spec };
  }

  test('make, fill, share and delete a secret', async () => {
    const path = `/namespaces/default/sharedsecrets/${SECRET.name}`;
    await sh(shown.createSecretCommand('SharedSecret', SECRET, { displayName: UNSEEN }));
    expect((await read(path)).spec).toMatchObject({ displayName: UNSEEN });
    await sh(shown.setEntryCommand(SECRET, 'pass.word'), 'hunter2');
    expect((await read(path)).spec.data).toEqual({ 'pass.word': Buffer.from('hunter2').toString('base64') });
    expect(await sh(shown.readEntryCommand(SECRET, 'pass.word'))).toBe('hunter2');
    const share = { users: ['bob'], teams: ['web'], verbs: ['get', 'patch', 'update'] };
    await sh(`${shown.shareCommand(SECRET, share)} --allow-unknown`);
    expect((await read(path)).spec.access).toEqual([
      expect.objectContaining({ users: ['bob'], teams: ['web'], verbs: ['get', 'patch', 'update'] }),
    ]);
    await sh(shown.unshareCommand(SECRET, 'user', 'bob'));
    await sh(shown.unshareCommand(SECRET, 'team', 'web'));
    expect((await read(path)).spec.access ?? []).toEqual([]);
    await sh(`${shown.removeEntryCommand(SECRET, 'pass.word')} --yes`);
    expect((await read(path)).spec.data ?? {}).toEqual({});
    await sh(shown.deleteCommand('sharedsecrets', SECRET));
    expect((await read(path)).status).toBe(404);
  });

  test('make projects, and make, disable, enable and delete users and teams', async () => {
    await sh(shown.createUserCommand('ada', HOSTILE, 'ada@example.com'));
    expect((await read('/users/ada')).spec).toMatchObject({ displayName: HOSTILE, email: 'ada@example.com' });
    for (const disabled of [true, false]) {
      await sh(shown.patchCommand('users', { name: 'ada' }, { disabled }));
      expect((await read('/users/ada')).spec.disabled ?? false).toBe(disabled);
    }
    await sh(shown.createProjectCommand('bazaar', HOSTILE, '3'));
    expect((await read('/projects/bazaar')).spec).toMatchObject({
      displayName: HOSTILE,
      quotas: { instances: 3 },
    });
    await sh(shown.createTeamCommand('crew', 'The crew', ['ada', 'bob']));
    expect((await read('/teams/crew')).spec).toMatchObject({
      displayName: 'The crew',
      users: ['ada', 'bob'],
    });
    await sh(shown.patchCommand('teams', { name: 'crew' }, { users: ['ada', HOSTILE] }));
    expect((await read('/teams/crew')).spec.users).toEqual(['ada', HOSTILE]);
    await sh(shown.deleteCommand('teams', { name: 'crew' }));
    await sh(shown.deleteCommand('users', { name: 'ada' }));
    expect([(await read('/teams/crew')).status, (await read('/users/ada')).status]).toEqual([404, 404]);
  });

  test('make a secret of a project, add, change and remove members, and set quotas', async () => {
    const metadata = { name: 'shop' };
    const project = { kind: 'Project', apiVersion: 'management.svc.example/v1', metadata, spec: {} };
    expect((await client(server).send('POST', `${API}/projects`, project)).status).toBe(201);
    const secret = { name: 'ci.deploy', project: 'shop' };
    await sh(shown.createSecretCommand('ProjectSecret', { namespace: 'loft-p-shop', name: 'ci.deploy' }, {}));
    await sh(shown.setEntryCommand(secret, 'token'), 'hunter2');
    expect(await sh(shown.readEntryCommand(secret, 'token'))).toBe('hunter2');
    expect(await sh(shown.readSecretCommand(secret))).toContain('token');
    const members = async () => (await read('/projects/shop')).spec.members ?? [];
    const [user, team] = [
      { kind: 'User', name: HOSTILE },
      { kind: 'Team', name: '--crew' },
    ] as const;
    // These names do not exist.
    const add = (member: typeof user | typeof team, role: string): Promise<string> =>
      sh(shown.addMemberCommand('shop', member, role).replace(' --', ' --allow-unknown --'));
    await add(user, 'viewer');
    await add(user, 'admin');
    await add(team, 'on-call');
    expect(await members()).toEqual([
      { ...user, clusterRole: 'management-project-admin' },
      { ...team, clusterRole: 'on-call' },
    ]);
    for (const one of [user, team]) await sh(shown.removeMemberCommand('shop', one));
    expect(await members()).toEqual([]);
    await sh(`${shown.allowClusterCommand('shop', 'east')} --allow-unknown`);
    expect((await read('/projects/shop')).spec.allowedClusters).toEqual([{ name: 'east' }]);
    const limits = { instances: '3', secretBytes: '1000', 'sharedsecrets.management.svc.example': '2' };
    await sh(shown.setQuotaCommand('shop', Object.entries(limits)));
    await sh(shown.setQuotaCommand('shop', [['secretBytes', '']]));
    expect((await read('/projects/shop')).spec.quotas).toEqual({
      instances: 3,
      objects: { 'sharedsecrets.management.svc.example': 2 },
    });
  });

  test('disable, enable and delete an access key', async () => {
    for (const disabled of [true, false]) {
      await sh(shown.switchKeyCommand('ci', disabled));
      expect((await read('/ownedaccesskeys/ci')).spec.disabled ?? false).toBe(disabled);
    }
    await sh(`${shown.deleteKeyCommand('ci')} --yes`);
    expect((await read('/ownedaccesskeys/ci')).status).toBe(404);
  });

  test('make an access key with a scope', async () => {
    const scope = {
      projects: [{ project: 'web' }],
      spaces: [{ project: 'web', space: 'dev' }],
      virtualClusters: [{ project: 'web', virtualCluster: 'vc' }],
      allowPlatformCli: true,
    };
    const create = (name: string, wanted: Scope): Promise<string> =>
      sh(
        `${shown.createKeyCommand({ name, displayName: HOSTILE, ttl: 3600, scope: wanted }, 'admin')} --allow-unknown`,
      );
    await create('scoped', scope);
    expect((await read('/ownedaccesskeys/scoped')).spec).toMatchObject({
      displayName: HOSTILE,
      ttl: 3600,
      scope,
    });
    const { scope: rules } = buildScope({ ...NO_FIELDS, secrets: 'default/database' });
    await create('reader', rules);
    expect((await read('/ownedaccesskeys/reader')).spec).toMatchObject({
      displayName: HOSTILE,
      scope: rules,
    });
  });

  test('invite a user, link a login, and rotate a key', async () => {
    expect(await sh(shown.inviteCommand('bob', '24h', true))).toContain('#invitation=');
    await sh(shown.linkUserCommand('bob', HOSTILE));
    expect((await read('/users/bob')).spec.subject).toBe(HOSTILE);
    await sh(shown.linkUserCommand('bob', ''));
    expect((await read('/users/bob')).spec.subject ?? '').toBe('');
    await accessKeys(server).createKey('turned', { user: 'bob' });
    await sh(shown.rotateKeyCommand('turned'));
  });

  test('make a group rule, and test it', async () => {
    const rule = { claim: 'groups', values: [HOSTILE], team: 'devs', project: '', role: '' };
    await sh(shown.createTeamCommand('devs', '', []));
    await sh(shown.createRuleCommand({ ...rule, name: 'devs', gives: 'team' }));
    expect((await read('/grouprules/devs')).spec).toEqual({
      claim: 'groups',
      values: [HOSTILE],
      team: 'devs',
    });
    expect(await sh(shown.getRuleCommand('devs'))).toContain('team: devs');
    writeFileSync(join(cli.home, 'FILE'), JSON.stringify({ groups: [HOSTILE] }));
    expect(await sh(shown.TEST_CLAIMS_COMMAND)).toContain('devs');
  });

  test.each(Object.keys(pages.LIST_COMMANDS) as (keyof typeof pages.LIST_COMMANDS)[])(
    'list %s',
    async (resource) => {
      for (const line of shown.LIST_COMMANDS[resource]) await sh(line);
    },
  );

  test('show objects, change them in an editor, say who has a right, and search the audit log', async () => {
    const resource = 'users.management.svc.example';
    expect(await sh(shown.getCommand(resource, 'bob'))).toContain('name: bob');
    await sh(shown.createSecretCommand('SharedSecret', { namespace: 'default', name: 'page' }, {}));
    expect(await sh(shown.getCommand('sharedsecret', 'page', 'default'))).toContain('name: page');
    await sh(shown.editCommand('User', 'bob', ''));
    await sh(shown.editCommand('SharedSecret', 'page', 'default'));
    const group = 'management.svc.example';
    await sh(shown.whoCanCommand({ group, resource: 'users', namespace: '', name: 'bob' }, 'impersonate'));
    await sh(
      shown.whoCanCommand({ group, resource: 'sharedsecrets', namespace: 'default', name: 'page' }, 'get'),
    );
    await sh(shown.whoCanCommand({ group: '', resource: 'secrets', namespace: 'default', name: 'x' }, 'get'));
    const time = '2026-01-01T00:00:00Z';
    const filters = { user: HOSTILE, verb: 'get', resource: 'users', namespace: 'a', name: 'b', code: '200' };
    await sh(shown.auditCommand({ about: 'All' }));
    await sh(
      shown.auditCommand({
        ...filters,
        about: 'Refused',
        after: time,
        before: time,
        sourceIP: '127.0.0.1',
        auditID: 'x',
      }),
    );
  });

  test('print what connects a cluster', async () => {
    const [, print = ''] = connectCommands();
    expect(await sh(`${print} --server-url ${server.url}`)).toContain('helm upgrade --install');
    expect((await read('/clusters/north')).spec.displayName).toBe(HOSTILE);
  });

  test('log in', async () => {
    expect(await sh(`${shown.loginCommand(server.url)} --ca-file ca.crt`, ADMIN_TOKEN)).toBe('');
  });

  test('the commands inside texts', async () => {
    await sh('kubectl create serviceaccount name');
    expect(inTexts.length).toBeGreaterThan(0);
    for (const line of inTexts) await sh(line.replace('NAME', 'name'));
  });

  // There is no cluster. The test only checks that the program accepts the arguments, and fails because of the names.
  test.each([
    shown.createSpaceCommand({ name: 'dev', project: 'none', cluster: 'none', displayName: 'Dev' }),
    shown.moveSpaceCommand('dev', 'none', 'other'),
    shown.useCommand('space', 'dev', 'none'),
    shown.useCommand('vcluster', 'dev', 'none'),
    shown.kubeConfigCommand('dev', 'none'),
    ...connectCommands().slice(0, 1),
    shown.importCommand('none', {
      cluster: 'east',
      namespace: 'vc',
      name: 'old',
      importName: 'new',
      ingress: true,
    }),
  ])('%s', async (line) => {
    const refusal = (words: string): Promise<string> =>
      sh(words).then(
        () => 'nothing',
        ({ stderr }: { stderr: string }) => stderr,
      );
    expect(await refusal(line)).toMatch(/not found|cannot|name the chart|forbidden|does not exist|no such/i);
    expect(await refusal(line)).not.toMatch(USAGE);
    expect(await refusal(`${line} --no-such-option`)).toMatch(USAGE);
  });

  test('are all run here', () => {
    expect(Object.keys(EXPORTED).filter((name) => name !== 'options' && !run.has(name))).toEqual([]);
  });

  test('text in an object never runs in the shell', async () => {
    expect(await sh('ls')).not.toContain('hacked');
  });
});
