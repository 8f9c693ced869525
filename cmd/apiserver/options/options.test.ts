import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { complete } from './complete.js';
import { usualDirectory } from './datadirectory.js';
import { FLAGS } from './flags/flags.js';
import { HELP_GROUPS } from './helpgroups.js';
import { readOptions, type Options } from './options.js';

const directory = mkdtempSync(join(tmpdir(), 'options-'));
// Where the file of the encryption keys is by default.
beforeAll(() => void (process.env.XDG_CONFIG_HOME = join(directory, 'config')));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

let written = '';
function read(argv: string[], env: Record<string, string> = {}): Options {
  const options = readOptions({ argv, env, write: (text) => (written += text) });
  if (options === undefined) throw new Error('help was asked for');
  return options;
}

describe('options', () => {
  test('have defaults', () => {
    expect(read([])).toMatchObject({
      mode: 'standalone',
      bindAddress: undefined,
      securePort: 6443,
      dataDir: undefined,
      anonymousAuth: true,
      v: 0,
      etcdServers: undefined,
    });
  });

  test('come from a flag before the environment, and from there before the file', () => {
    const config = file(
      'a.yaml',
      'secure-port: 1\nv: 3\nbind-address: 0.0.0.0\netcd-servers: [http://a:1, http://b:2]\n',
    );
    const env = { MANAGEMENT_APISERVER_SECURE_PORT: '2', MANAGEMENT_APISERVER_V: '4' };
    expect(read(['--config', config, '--secure-port=3'], env)).toMatchObject({
      securePort: 3,
      v: 4,
      bindAddress: '0.0.0.0',
      etcdServers: ['http://a:1', 'http://b:2'],
    });
  });

  test.each([
    [['--anonymous-auth=false'], false],
    [['--anonymous-auth'], true],
  ])('%j', (argv, expected) => {
    expect(read(argv).anonymousAuth).toBe(expected);
  });

  test.each([
    [
      ['--secure-port', '70000'],
      '--secure-port: "70000" is not valid: it must be a whole number from 0 to 65535',
    ],
    [['--secure-port', '0x10'], 'whole number'],
    [['--bind-address', 'localhost'], 'it must be an IP address'],
    [['--anonymous-auth=yes'], 'it must be true or false'],
    [['--server-name=a\nb'], 'it must have 1 to 50 characters'],
    [['--server-name', ' '], 'it must have 1 to 50 characters'],
    [['--etcd-servers', 'localhost:2379'], 'it must be URLs such as http://127.0.0.1:2379'],
    [['--etcd-servers', ''], 'it must be URLs'],
    [['--etcd-servers', 'http://:password@a:2379'], 'it must be URLs'],
    [['--etcd-servers', 'http://a:2379?token=x'], 'it must be URLs'],
    [['--etcd-prefix', 'x'], 'it must begin with /'],
    [['--mode', 'behind'], '--mode: "behind" is not valid: it must be standalone or aggregated'],
    [['--lease-namespace', 'A b'], '--lease-namespace: "A b" is not valid'],
    [['--secure-prot', '1'], "unknown option '--secure-prot' (Did you mean --secure-port?)"],
    [['serve'], 'too many arguments'],
    [['--data-dir'], 'argument missing'],
    [['--data-dir='], 'it must not be empty'],
    [['--config', '/nonexistent'], '--config /nonexistent: ENOENT'],
    [['--config', file('bad.yaml', 'nonsense: 1')], 'unknown option "nonsense"; there are mode, kubeconfig'],
    [['--config', file('list.yaml', '- a')], 'it must be a map'],
    [['--config', file('broken.yaml', '{')], 'broken.yaml'],
  ])('%j is refused', (argv, message) => {
    expect(() => read(argv)).toThrow(message);
    expect(() => read(argv)).toThrow(expect.objectContaining({ name: 'StartError' }));
  });

  test('name an invalid variable', () => {
    expect(() => read([], { MANAGEMENT_APISERVER_V: 'x' })).toThrow(
      'MANAGEMENT_APISERVER_V: "x" is not valid',
    );
  });

  test('name an unknown variable, except those of a Service', () => {
    expect(() => read([], { MANAGEMENT_APISERVER_SECURE_PROT: '1' })).toThrow(
      'unknown option MANAGEMENT_APISERVER_SECURE_PROT in the environment',
    );
    const service = {
      MANAGEMENT_APISERVER_SERVICE_HOST: '10.0.0.1',
      MANAGEMENT_APISERVER_SERVICE_PORT_HTTPS: '443',
      MANAGEMENT_APISERVER_PORT: 'tcp://10.0.0.1:443',
      MANAGEMENT_APISERVER_PORT_443_TCP_ADDR: '10.0.0.1',
    };
    expect(read([], service).securePort).toBe(6443);
  });

  test('are listed in help', () => {
    written = '';
    expect(readOptions({ argv: ['--help'], env: {}, write: (text) => (written += text) })).toBeUndefined();
    expect(written).toContain('--token-auth-file <file>');
    expect(written).toContain('(default: 6443)');
    expect(written).toContain('MANAGEMENT_APISERVER_SECURE_PORT');
  });
});

const BEHIND = ['--mode=aggregated', '--etcd-servers=http://e:2379'];

/** The configuration of logins, with members of its own. */
const loginConfig = (name: string, more: object = {}): string => {
  const apiVersion = 'config.management.svc.example/v1';
  const config = { apiVersion, kind: 'LoginConfiguration', issuer: 'https://idp.example', clientID: 'c' };
  return `--login-config=${file(name, JSON.stringify({ ...config, ...more }))}`;
};
const PLAIN = loginConfig('plain.yaml');
const USERS = loginConfig('users.yaml', { claimMappings: { username: { prefix: 'oidc-' } } });
const BOTH = loginConfig('both.yaml', {
  claimMappings: { username: { prefix: 'oidc-' }, groups: { prefix: 'oidc:' } },
});

describe('complete', () => {
  test('derives the directories of state and certificates', () => {
    const config = complete(read(['--data-dir', directory]));
    expect(config.storage).toEqual({ engine: 'embedded', directory: join(directory, 'store') });
    expect(config.certDir).toBe(join(directory, 'pki'));
    expect(config).toMatchObject({ host: undefined, bindAddress: '127.0.0.1' });
  });

  test('keeps nothing in files in aggregated mode', () => {
    const flags = ['--mode=aggregated', '--etcd-servers=http://e:2379', '--kubeconfig=k'];
    const config = complete(read([...flags, '--lease-namespace=n']));
    expect(config).toMatchObject({
      bindAddress: '0.0.0.0',
      compileCache: undefined,
      certDir: undefined,
      audit: { path: '-' },
      host: { kubeconfig: 'k', leaseNamespace: 'n' },
    });
  });

  test.each<[string[], string]>([
    [[PLAIN], ''],
    [[USERS], 'oidc-'],
    [[...BEHIND, BOTH], 'oidc-'],
  ])('%j names people behind %j', (argv, usernamePrefix) => {
    expect(complete(read(argv)).login.provider).toMatchObject({ usernamePrefix });
  });

  test.each([
    [['--kubeconfig', 'x'], '--kubeconfig is not valid in standalone mode: it goes with --mode=aggregated'],
    [['--adopt-store'], '--adopt-store is not valid in standalone mode: it goes with --mode=aggregated'],
    [['--mode=aggregated', '--write-kubeconfig=x'], '--write-kubeconfig is not valid in aggregated mode'],
    [['--mode=aggregated'], '--mode=aggregated requires --etcd-servers'],
    [['--etcd-cafile', 'x'], '--etcd-cafile requires --etcd-servers'],
    [['--etcd-servers', 'https://a', '--etcd-certfile', 'x'], 'must be given together'],
    [['--etcd-servers', 'https://a', '--etcd-cafile', '/none'], '--etcd-cafile /none: no such file'],
    [['--tls-cert-file', 'x'], 'must be given together'],
    [['--tls-cert-file', file('c', 'x'), '--tls-private-key-file', file('k', 'x')], 'do not match'],
    [[...BEHIND, PLAIN], 'plain.yaml: claimMappings.username.prefix: it must be given in aggregated mode'],
    [[...BEHIND, USERS], 'users.yaml: claimMappings.groups.prefix: it must be given in aggregated mode'],
    [
      [loginConfig('astray.yaml', { clientSecretFile: 'secret-token' })],
      'astray.yaml: clientSecretFile: the file that it names, relative to this one: no such file or directory',
    ],
    [['--login-config=/none'], '--login-config /none: no such file'],
    [['--client-ca-file', file('ca', 'x')], 'holds no PEM certificate'],
    [['--client-ca-file', directory], 'is a directory'],
    [['--token-auth-file', file('t', 'secret-token,user')], 'line 1 is not token,user,uid'],
  ])('refuses %j', (argv, message) => {
    expect(() => complete(read(argv))).toThrow(message);
    expect(() => complete(read(argv))).not.toThrow('secret-token');
  });
});

describe('scheduled backups of a server without controllers', () => {
  const into = ['--backup-directory=b', '--data-dir', directory];
  const etcd = '--etcd-servers=http://e:2379';

  test.each([
    [[etcd, '--controllers=-reaper-controller'], '--etcd-servers'],
    [[etcd, '--controllers=lost-objects-controller'], '--etcd-servers'],
    [['--workers=2', '--controllers=-reaper-controller'], '--workers'],
    [[...BEHIND, '--controllers=namespace-controller'], '--etcd-servers'],
  ])('are refused with %j, as it never leads', (argv, stores) => {
    expect(() => complete(read([...into, ...argv]))).toThrow(
      `--backup-directory with ${stores} requires a controller in --controllers`,
    );
  });

  test.each([[['--controllers=-reaper-controller']], [[etcd, '--controllers=reaper-controller']], [[etcd]]])(
    'are made with %j',
    (argv) => {
      expect(complete(read([...into, ...argv])).backups).toMatchObject({ retain: 7 });
    },
  );
});

describe('without --data-dir', () => {
  test.each([
    [{ XDG_STATE_HOME: '/state' }, 0, '/state/management-apiserver'],
    [{ XDG_STATE_HOME: '/state' }, 1000, '/state/management-apiserver'],
    [{ XDG_STATE_HOME: 'relative' }, 0, '/var/lib/management-apiserver'],
    [{}, 0, '/var/lib/management-apiserver'],
    [{}, 1000, join(homedir(), '.local/state/management-apiserver')],
  ])('the state of %j as user %d is in %s', (env, userId, expected) => {
    expect(usualDirectory({ env, userId })).toBe(expected);
  });
});

test.each([
  ['secure-prot: 1', 'unknown option "secure-prot"; did you mean secure-port?'],
  ['secure_port: 1', '; did you mean secure-port?'],
  ['kubeconfg: x', '; did you mean kubeconfig?'],
  ['zzz: x', 'unknown option "zzz"; there are'],
])('suggests an option for the line %j of the configuration file', (line, message) => {
  expect(() => read(['--config', file('typo.yaml', line)])).toThrow(message);
});

test('suggests an option for a misspelled variable', () => {
  expect(() => read([], { MANAGEMENT_APISERVER_SECURE_PROT: '1' })).toThrow(
    'did you mean MANAGEMENT_APISERVER_SECURE_PORT?',
  );
});

test('help has every option, in groups, in lines that fit', () => {
  written = '';
  expect(readOptions({ argv: ['--help'], env: {}, write: (text) => (written += text) })).toBeUndefined();
  const lines = written.split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  for (const { name } of Object.values(FLAGS)) expect(written).toMatch(new RegExp(`--${name} `));
  for (const [heading] of HELP_GROUPS) expect(lines).toContain(heading);
  const listed = HELP_GROUPS.flatMap(([, options]) => options);
  expect([...listed].sort()).toEqual(Object.keys(FLAGS).sort());
});
