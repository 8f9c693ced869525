import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { compiledServer, startServer, type ServerFixture } from '../../test/fixtures/servers/server.js';
import { SERVER_VERSION, versionInfo } from '../../pkg/server/version.js';
import { defaultPath, readConnection } from './connection/readkubeconfig.js';
import { platform } from './program.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'platform-'));
});
afterAll(() => rm(root, { recursive: true }));

async function run(argv: string[], env: Record<string, string> = {}): Promise<string> {
  let written = '';
  const terminal = {
    interactive: false,
    shown: false,
    tell: () => undefined,
    readAll: () => Promise.resolve(Buffer.of()),
  };
  await platform({
    argv,
    env: { HOME: root, ...env },
    terminal,
    write: (bytes) => void (written += bytes.toString()),
  });
  return written;
}

interface Overrides {
  readonly cluster?: object;
  readonly user?: object;
  readonly top?: object;
}

/** Writes a kubeconfig with one context `here`. */
async function configFile(name: string, { cluster, user, top }: Overrides = {}): Promise<string> {
  const path = join(root, name);
  const config = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
    users: [{ name: 'u', user: { token: 't', ...user } }],
    ...top,
  };
  await writeFile(path, stringify(config));
  return path;
}

describe('the command line', () => {
  test('says what there is', async () => {
    for (const argv of [[], ['--help']]) expect(await run(argv)).toMatch(/^ +version +Show the versions/m);
    expect(await run(['--version'])).toBe(`${SERVER_VERSION}\n`);
  });

  test('shows the help of a command in two ways', async () => {
    expect(await run(['help'])).toBe(await run(['--help']));
    for (const words of [['create'], ['create', 'secret'], ['list', 'secrets']])
      expect(await run(['help', ...words])).toBe(await run([...words, '--help']));
  });

  test.each([
    [['nonsense'], /^unknown command 'nonsense'.*see "platform --help"$/],
    [
      ['apply', '-f', 'x'],
      /^unknown command 'apply': use "kubectl apply -f" for manifests; see "platform --help"$/,
    ],
    [
      ['help', 'create', 'secert'],
      /^unknown command 'secert'; did you mean secret\?; see "platform help --help"$/,
    ],
    [['--nonsense', 'version'], /^unknown option '--nonsense'.*see "platform version --help"$/],
    [['version', 'extra'], /^too many arguments.* but got 1; see "platform version --help"$/],
    [['version'], /^not logged in; run "platform login URL"/],
    [['get'], /^a command is missing; see "platform get --help"$/],
    [['get', 'secret'], /^missing required argument 'name'; see "platform get secret --help"$/],
    [
      ['get', 'secret', 'a', '-o', 'csv'],
      /^-o csv is not offered here: use json, yaml, name, raw, env, jsonpath=TEMPLATE; see "platform get secret --help"$/,
    ],
    [['set', 'secret', 'a', 'v'], /^name the entry to write: a.ENTRY; see "platform set secret --help"$/],
    [['set', 'secret', '.b', 'v'], /^".b" is not NAME or NAME.ENTRY; see "platform set secret --help"$/],
    [
      ['share', 'secret', 'a'],
      /^name a --user, a --team or a --to-project; see "platform share secret --help"$/,
    ],
    [
      ['create', 'accesskey', '--ttl', '1y'],
      /^--ttl 1y: write it as 90s, 15m, 24h or 7d; see "platform create accesskey --help"$/,
    ],
    [
      ['create', 'accesskey', '--space', 'web'],
      /^--space web: write it as project\/name; see "platform create accesskey --help"$/,
    ],
    [['completion', 'csh'], /^there is completion for bash, zsh, fish; see "platform completion --help"$/],
  ])('%j is refused', async (argv, message) => {
    await expect(run(argv)).rejects.toThrow(message);
  });
});

describe('a kubeconfig', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  test('gives the server and the credentials of its current context', async () => {
    await writeFile(join(root, 'token'), 'from file\n');
    await writeFile(join(root, 'ca.pem'), 'CA');
    const path = await configFile('whole', {
      cluster: { server: 'https://h/base', 'certificate-authority': 'ca.pem', 'tls-server-name': 'other' },
      user: { tokenFile: 'token', 'client-certificate-data': base64('C'), 'client-key-data': base64('K') },
    });
    const connection = await readConnection({}, { KUBECONFIG: `/nowhere:${path}` });
    expect(connection).toMatchObject({ token: 'from file', ca: 'CA', cert: 'C', key: 'K' });
    expect(connection).toMatchObject({ servername: 'other', rejectUnauthorized: true });
    expect(connection.server.href).toBe('https://h/base');
  });

  test.each<[string, Overrides, RegExp]>([
    ['http', { cluster: { server: 'http://h' } }, /the server must be an https URL$/],
    ['exec', { user: { token: '', exec: { command: '/nowhere/p' } } }, /gives no credentials: .*ENOENT/],
    ['proxy', { cluster: { 'proxy-url': 'ftp://p' } }, /the proxy must be a URL of http, https or socks5$/],
    ['no-file', { user: { 'client-key': 'nowhere' } }, /no such file/],
    ['no-context', { top: { 'current-context': '' } }, /has no current context; choose one with --context$/],
    ['no-cluster', { top: { clusters: [] } }, /has no cluster "c"$/],
    ['odd', { top: { clusters: 7 } }, /has no cluster "c"$/],
  ])('is refused: %s', async (name, overrides, message) => {
    const kubeconfig = await configFile(name, overrides);
    await expect(readConnection({ kubeconfig }, {})).rejects.toThrow(message);
  });

  test('runs the program that has the credentials', async () => {
    const status = { token: 'made' };
    const script = `echo '${JSON.stringify({ kind: 'ExecCredential', status })}'`;
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args: ['-c', script] };
    const kubeconfig = await configFile('plugin', { user: { token: '', exec } });
    expect(await readConnection({ kubeconfig }, {})).toMatchObject({ token: 'made' });
  });

  test('merges several files: the first entry of a name wins', async () => {
    const first = await configFile('first', { top: { users: [], 'current-context': '' } });
    const second = await configFile('second', { cluster: { server: 'https://second' } });
    const connection = await readConnection({}, { KUBECONFIG: [first, second].join(delimiter) });
    expect([connection.server.href, connection.token]).toEqual(['https://127.0.0.1:1/', 't']);
    expect(defaultPath({ KUBECONFIG: ['/nowhere', second].join(delimiter) })).toBe(second);
    expect(defaultPath({ KUBECONFIG: ['/nowhere', '/either'].join(delimiter) })).toBe('/either');
  });

  test('reports an unreachable server', async () => {
    const kubeconfig = await configFile('unreachable');
    await expect(run(['--kubeconfig', kubeconfig, 'version'])).rejects.toThrow(
      /^https:\/\/127\.0\.0\.1:1 cannot be reached: /,
    );
  });
});

describe('version', () => {
  let server: ServerFixture;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.remove());

  const expected = `Client Version: v${SERVER_VERSION}\nServer Version: ${versionInfo().gitVersion}\n`;

  test('asks the server, also below its base path', async () => {
    expect(await run(['version', '--kubeconfig', server.kubeconfig])).toBe(expected);
    const config = parse(readFileSync(server.kubeconfig, 'utf8')) as {
      clusters: { cluster: { server: string } }[];
    };
    for (const { cluster } of config.clusters) cluster.server += '/kubernetes/management/';
    const based = join(root, 'based');
    await writeFile(based, stringify(config));
    expect(await run(['--kubeconfig', based, 'version'])).toBe(expected);
  });

  test('passes on what the server says against it', async () => {
    const { clusters } = parse(readFileSync(server.kubeconfig, 'utf8')) as { clusters: object[] };
    const kubeconfig = await configFile('stranger', {
      top: {
        clusters,
        contexts: [{ name: 'here', context: { cluster: 'management', user: 'u' } }],
      },
    });
    await expect(run(['version', '--kubeconfig', kubeconfig])).rejects.toThrow(
      /^the server answers 401: Unauthorized; log in again, or use another access key$/,
    );
  });

  test('is what the program runs', () => {
    const program = join(dirname(compiledServer()), '..', 'platform', 'main.js');
    const env = { ...process.env, HOME: root, NODE_OPTIONS: '', KUBECONFIG: server.kubeconfig };
    const good = spawnSync(process.execPath, [program, 'version'], { encoding: 'utf8', env });
    expect(good).toMatchObject({ status: 0, stdout: expected, stderr: '' });
    const bad = spawnSync(process.execPath, [program, 'nonsense'], { encoding: 'utf8', env });
    expect(bad).toMatchObject({ status: 2, stdout: '' });
    expect(bad.stderr).toMatch(/^platform: unknown command 'nonsense'.*\n$/);
  });
});
