/**
 * The commands that the console shows beside its actions. A shell runs them with the real programs and a real server.
 */
import { buildScope, NO_FIELDS } from '../../../cmd/console/client/scopes/scopebuild.js';
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  addMemberCommand,
  createProjectCommand,
  createSecretCommand,
  createTeamCommand,
  createUserCommand,
  deleteCommand,
  deleteKeyCommand,
  patchCommand,
  readEntryCommand,
  readSecretCommand,
  removeEntryCommand,
  removeMemberCommand,
  setEntryCommand,
  setQuotaCommand,
  shareCommand,
  switchKeyCommand,
  unshareCommand,
} from '../../../cmd/console/client/commands/actioncommands.js';
import {
  createSpaceCommand,
  createKeyCommand,
  importCommand,
  kubeConfigCommand,
  moveSpaceCommand,
  useCommand,
} from '../../../cmd/console/client/commands/placecommands.js';
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

const KUBECTL = findProgram('kubectl');
if (KUBECTL === undefined && process.env.CI === 'true') throw new Error('there is no kubectl');

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
      env: { ...env, PATH, KUBECONFIG: server.kubeconfig },
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
    await sh(createSecretCommand('SharedSecret', SECRET, { displayName: UNSEEN }));
    expect((await read(path)).spec).toMatchObject({ displayName: UNSEEN });
    await sh(setEntryCommand(SECRET, 'pass.word'), 'hunter2');
    expect((await read(path)).spec.data).toEqual({ 'pass.word': Buffer.from('hunter2').toString('base64') });
    expect(await sh(readEntryCommand(SECRET, 'pass.word'))).toBe('hunter2');
    const share = { users: ['bob'], teams: ['web'], verbs: ['get', 'patch', 'update'] };
    await sh(`${shareCommand(SECRET, share)} --allow-unknown`);
    expect((await read(path)).spec.access).toEqual([
      expect.objectContaining({ users: ['bob'], teams: ['web'], verbs: ['get', 'patch', 'update'] }),
    ]);
    await sh(unshareCommand(SECRET, 'user', 'bob'));
    await sh(unshareCommand(SECRET, 'team', 'web'));
    expect((await read(path)).spec.access ?? []).toEqual([]);
    await sh(`${removeEntryCommand(SECRET, 'pass.word')} --yes`);
    expect((await read(path)).spec.data ?? {}).toEqual({});
    await sh(deleteCommand('sharedsecrets', SECRET));
    expect((await read(path)).status).toBe(404);
  });

  test('make projects, and make, disable, enable and delete users and teams', async () => {
    await sh(createUserCommand('ada', HOSTILE, 'ada@example.com'));
    expect((await read('/users/ada')).spec).toMatchObject({ displayName: HOSTILE, email: 'ada@example.com' });
    for (const disabled of [true, false]) {
      await sh(patchCommand('users', { name: 'ada' }, { disabled }));
      expect((await read('/users/ada')).spec.disabled ?? false).toBe(disabled);
    }
    await sh(createProjectCommand('bazaar', HOSTILE, '3'));
    expect((await read('/projects/bazaar')).spec).toMatchObject({
      displayName: HOSTILE,
      quotas: { instances: 3 },
    });
    await sh(createTeamCommand('crew', 'The crew', ['ada', 'bob']));
    expect((await read('/teams/crew')).spec).toMatchObject({
      displayName: 'The crew',
      users: ['ada', 'bob'],
    });
    await sh(patchCommand('teams', { name: 'crew' }, { users: ['ada', HOSTILE] }));
    expect((await read('/teams/crew')).spec.users).toEqual(['ada', HOSTILE]);
    await sh(deleteCommand('teams', { name: 'crew' }));
    await sh(deleteCommand('users', { name: 'ada' }));
    expect([(await read('/teams/crew')).status, (await read('/users/ada')).status]).toEqual([404, 404]);
  });

  test('make a secret of a project, add, change and remove members, and set quotas', async () => {
    const metadata = { name: 'shop' };
    const project = { kind: 'Project', apiVersion: 'management.svc.example/v1', metadata, spec: {} };
    expect((await client(server).send('POST', `${API}/projects`, project)).status).toBe(201);
    const secret = { name: 'ci', project: 'shop' };
    await sh(createSecretCommand('ProjectSecret', { namespace: 'loft-p-shop', name: 'ci' }, {}));
    await sh(setEntryCommand(secret, 'token'), 'hunter2');
    expect(await sh(readEntryCommand(secret, 'token'))).toBe('hunter2');
    expect(await sh(readSecretCommand(secret))).toContain('token');
    const members = async () => (await read('/projects/shop')).spec.members ?? [];
    const [user, team] = [
      { kind: 'User', name: HOSTILE },
      { kind: 'Team', name: '--crew' },
    ] as const;
    // These names do not exist.
    const add = (member: typeof user | typeof team, role: string): Promise<string> =>
      sh(addMemberCommand('shop', member, role).replace(' --', ' --allow-unknown --'));
    await add(user, 'viewer');
    await add(user, 'admin');
    await add(team, 'on-call');
    expect(await members()).toEqual([
      { ...user, clusterRole: 'management-project-admin' },
      { ...team, clusterRole: 'on-call' },
    ]);
    for (const one of [user, team]) await sh(removeMemberCommand('shop', one));
    expect(await members()).toEqual([]);
    const limits = { instances: '3', secretBytes: '1000', 'sharedsecrets.management.svc.example': '2' };
    await sh(setQuotaCommand('shop', Object.entries(limits)));
    await sh(setQuotaCommand('shop', [['secretBytes', '']]));
    expect((await read('/projects/shop')).spec.quotas).toEqual({
      instances: 3,
      objects: { 'sharedsecrets.management.svc.example': 2 },
    });
  });

  test('disable, enable and delete an access key', async () => {
    for (const disabled of [true, false]) {
      await sh(switchKeyCommand('ci', disabled));
      expect((await read('/ownedaccesskeys/ci')).spec.disabled ?? false).toBe(disabled);
    }
    await sh(`${deleteKeyCommand('ci')} --yes`);
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
        `${createKeyCommand({ name, displayName: HOSTILE, ttl: 3600, scope: wanted }, 'admin')} --allow-unknown`,
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

  // There is no cluster. The test only checks that the program accepts the arguments, and fails because of the names.
  test.each([
    createSpaceCommand({ name: 'dev', project: 'none', cluster: 'none', displayName: 'Dev' }),
    moveSpaceCommand('dev', 'none', 'other'),
    useCommand('space', 'dev', 'none'),
    useCommand('vcluster', 'dev', 'none'),
    kubeConfigCommand('dev', 'none'),
    importCommand('none', { cluster: 'east', namespace: 'vc', name: 'old', importName: 'new' }),
  ])('%s', async (line) => {
    const refusal = (words: string): Promise<string> =>
      sh(words).then(
        () => 'nothing',
        ({ stderr }: { stderr: string }) => stderr,
      );
    expect(await refusal(line)).toMatch(/not found|cannot|forbidden|does not exist|no such/i);
    expect(await refusal(line)).not.toMatch(USAGE);
    expect(await refusal(`${line} --no-such-option`)).toMatch(USAGE);
  });

  test('text in an object never runs in the shell', async () => {
    expect(await sh('ls')).not.toContain('hacked');
  });
});
