/** The released single-file programs, used without Node, without environment variables, in an empty folder. */
import { spawn, spawnSync, type ChildProcess, type SpawnSyncReturns } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { makeRelease, RELEASE } from '../../fixtures/servers/released.js';
import { eventually } from '../../fixtures/wait.js';

const PROGRAMS = ['management-apiserver', 'platform'] as const;
type Program = (typeof PROGRAMS)[number];
/** `e_machine` of an ELF header: elf(5). */
const MACHINES = { x64: 0x3e, arm64: 0xb7 };
const MAX_BYTES = 60_000_000;

const made = await makeRelease();
const archiveOf = (program: Program, architecture: string): string =>
  join(RELEASE, `${program}-${SERVER_VERSION}-linux-${architecture}.tar.gz`);
if (!made) console.warn('the one-file programs are NOT MADE: they take what hack/obtain-runtime.sh obtains');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'programs-'));
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function extract(program: Program, architecture: string): string {
  const to = join(folder, architecture);
  mkdirSync(to, { recursive: true, mode: 0o755 });
  const { status } = spawnSync('tar', ['xzf', archiveOf(program, architecture), '-C', to, program]);
  expect(status).toBe(0);
  return join(to, program);
}

(made ? describe : describe.skip)('the archive', () => {
  const both = PROGRAMS.flatMap((program) =>
    Object.entries(MACHINES).map((each) => [program, ...each] as const),
  );
  test.each(both)(
    'of %s for %s has one program of that machine, and the licences',
    (program, architecture, machine) => {
      const archive = archiveOf(program, architecture);
      const { stdout } = spawnSync('tar', ['tvzf', archive], { encoding: 'utf8' });
      const listed = stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/));
      expect(listed.map(([mode, owner, , , , name]) => [mode, owner, name])).toEqual([
        ['-rw-r--r--', '0/0', 'LICENSE'],
        ['-rw-r--r--', '0/0', 'licences.txt'],
        ['-rwxr-xr-x', '0/0', program],
      ]);
      expect(readFileSync(archive).length).toBeLessThan(MAX_BYTES);
      const header = Buffer.alloc(20);
      const file = openSync(extract(program, architecture), 'r');
      readSync(file, header, 0, header.length, 0);
      closeSync(file);
      expect([header.toString('latin1', 1, 4), header.readUInt16LE(18)]).toEqual(['ELF', machine]);
      const { stdout: licences } = spawnSync('tar', ['xzOf', archive, 'licences.txt'], {
        encoding: 'utf8',
        maxBuffer: 1e8,
      });
      for (const name of ['Node', program === 'platform' ? '@napi-rs/keyring' : 'lmdb'])
        expect(licences).toContain(`\n${name}`);
    },
  );
});

const runs = made && process.platform === 'linux' && process.arch in MACHINES;
(runs ? describe : describe.skip)('a one-file program', () => {
  /** A user other than root, if possible. */
  const user = process.getuid?.() === 0 ? { uid: 23_456, gid: 23_456 } : {};
  let paths: Record<Program, string>;
  beforeAll(() => {
    const [server, client] = PROGRAMS.map((program) => extract(program, process.arch));
    paths = { 'management-apiserver': server ?? '', platform: client ?? '' };
  });

  /** Creates a folder that the user owns. */
  const make = (name: string, mode = 0o700): string => {
    const path = join(folder, name);
    mkdirSync(path);
    if (user.uid !== undefined && (mode & 0o200) !== 0) chownSync(path, user.uid, user.gid);
    chmodSync(path, mode);
    return path;
  };
  const run = (
    program: Program,
    env: Record<string, string>,
    args: string[],
    input = '',
  ): SpawnSyncReturns<string> =>
    spawnSync(paths[program], args, { env, ...user, input, cwd: env.HOME, encoding: 'utf8' });

  test.each(PROGRAMS)('says its version, and unpacks itself once: %s', (program) => {
    const env = { HOME: make(`home-of-${program}`) };
    const cache = join(env.HOME, '.cache', program);
    for (let time = 0; time < 2; time++) {
      const { status, stdout, stderr } = run(program, env, ['--version']);
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${SERVER_VERSION}\n`, stderr: '' });
      expect(readdirSync(cache)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    }
  });

  test.each(PROGRAMS)('runs where the home directory is read-only, and leaves nothing: %s', (program) => {
    const env = { HOME: make(`closed-to-${program}`, 0o555), TMPDIR: make(`temporary-of-${program}`) };
    const { status, stdout, stderr } = run(program, env, ['--version']);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${SERVER_VERSION}\n`, stderr: '' });
    expect([readdirSync(env.HOME), readdirSync(env.TMPDIR)]).toEqual([[], []]);
  });

  test('leaves --env-file to its client: Node does not take NODE_OPTIONS of the file', () => {
    const env = { HOME: make('with-variables') };
    const file = join(env.HOME, '.env');
    writeFileSync(file, 'NODE_OPTIONS=--require=/nowhere.js\n');
    const { status, stderr } = run('platform', env, ['set', 'secret', 'app', '--env-file', file]);
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringMatching(/^platform: not logged in/),
    });
  });

  test('says what to do where it can write nowhere', () => {
    const env = { HOME: make('closed', 0o555), TMPDIR: make('closed-too', 0o555) };
    const { status, stdout, stderr } = run('platform', env, ['--version']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^platform: cannot unpack its files: .*\. Set XDG_CACHE_HOME to .*\n$/);
  });

  test.each([
    ['in one process', []],
    ['in processes that it starts from itself', ['--workers=2']],
  ])('serves, and its client logs in and creates a secret: %s', async (how, flags) => {
    const env = { HOME: make(how.replaceAll(' ', '-')), PLATFORM_KEYCHAIN: 'off' };
    const server = spawn(paths['management-apiserver'], ['--secure-port=0', ...flags], {
      env,
      ...user,
      cwd: env.HOME,
    });
    const log = collected(server);
    const kubeconfig = join(env.HOME, '.local/state/management-apiserver/admin.kubeconfig');
    const platform = (args: string[], input?: string): string => {
      const { status, stdout, stderr } = run('platform', env, args, input);
      if (status !== 0) throw new Error(`platform ${args.join(' ')}: ${stderr}${log()}`);
      return stdout;
    };
    try {
      await eventually('it serves', () =>
        Promise.resolve(existsSync(kubeconfig) && log().includes('Serving on')),
      );
      platform(['--kubeconfig', kubeconfig, 'login']);
      platform(['create', 'project', 'web']);
      platform(['set', 'secret', 'database.password', '--project', 'web'], 's3cret');
      expect(platform(['get', 'secret', 'database.password', '--project', 'web'])).toBe('s3cret');
      expect(log()).not.toContain('was not built');
    } finally {
      server.kill('SIGTERM');
      if (server.exitCode === null) await new Promise((resolve) => server.once('close', resolve));
    }
    expect(server.exitCode).toBe(0);
  });
});

/** Runs programs for ARM64 on other machines; `make release-arm64-check` installs it. */
const emulator = findProgram('qemu-aarch64-static');
if (made && emulator === undefined)
  console.warn('the one-file programs for arm64 are NOT RUN: make release-arm64-check obtains qemu-user');
(made && emulator !== undefined ? describe : describe.skip)('a one-file program for arm64, emulated', () => {
  test.each(PROGRAMS)('unpacks itself and says its version: %s', (program) => {
    const system = join(folder, 'arm64-system');
    const libraries = join(RELEASE, '../.tools/runtime/arm64/debian');
    for (const name of readdirSync(libraries))
      expect(spawnSync('dpkg-deb', ['--extract', join(libraries, name), system]).status).toBe(0);
    const env = { HOME: join(folder, `arm64-home-of-${program}`) };
    mkdirSync(env.HOME);
    const args = ['-L', system, extract(program, 'arm64'), '--version'];
    const { status, stdout } = spawnSync(emulator ?? '', args, { env, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${SERVER_VERSION}\n` });
    expect(readdirSync(join(env.HOME, '.cache', program))).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });
});

function collected(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data: Buffer) => (text += data.toString()));
  return () => text;
}
