/** The released Debian package, installed with dpkg into a Debian with the package's dependencies, and without Node. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { noContainers, startContainer, type Container } from '../../fixtures/host/container.js';
import { ROOT, type Image } from '../../fixtures/host/containerimage.js';
import { makeRelease, RELEASE } from '../../fixtures/servers/released.js';
import { eventually } from '../../fixtures/wait.js';

const ARCHIVE = join(RELEASE, `management-apiserver_${SERVER_VERSION}_amd64.deb`);
/** The packages of Debian 12 that the image has, too. */
const LIBRARIES = join(ROOT, '.tools/runtime/amd64/debian');
const UNIT = 'usr/lib/systemd/system/management-apiserver.service';
const STATE = '/var/lib/management-apiserver';

function succeed(program: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** A minimal Debian for dpkg: with glibc and the libraries of GCC, and a shell for the scripts of packages. */
function makeDebian(root: string): void {
  const state = join(root, 'var/lib/dpkg');
  for (const folder of ['info', 'updates', 'triggers']) mkdirSync(join(state, folder), { recursive: true });
  const files = readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name));
  for (const file of files) succeed('dpkg-deb', '--extract', file, root);
  const fields = files.map((file) => succeed('dpkg-deb', '--field', file).trim());
  writeFileSync(
    join(state, 'status'),
    fields.map((text) => `${text}\nStatus: install ok installed\n\n`).join(''),
  );
  mkdirSync(join(root, 'bin'), { recursive: true });
  copyFileSync('/bin/sh', join(root, 'bin/sh'));
}

const made = await makeRelease();
if (!made) console.warn('the Debian package is NOT MADE: it takes what hack/obtain-runtime.sh obtains');

(made ? describe : describe.skip)('the archive of the Debian package', () => {
  test('needs no nodejs, and belongs to root', () => {
    expect(succeed('dpkg-deb', '--field', ARCHIVE, 'Version', 'Depends')).toBe(
      `Version: ${SERVER_VERSION}\nDepends: libc6 (>= 2.28), libstdc++6\n`,
    );
    const listed = succeed('dpkg-deb', '--contents', ARCHIVE).trim().split('\n');
    expect(listed.filter((line) => !/^([dl-]rw[x-]r-[x-]r-[x-]|lrwxrwxrwx) root\/root /.test(line))).toEqual(
      [],
    );
  });
});

const hindrance = noContainers() ?? (process.arch === 'x64' ? undefined : 'it is tried on x86-64');
if (hindrance !== undefined) console.warn(`the Debian package is NOT INSTALLED: ${hindrance}`);
(made && hindrance === undefined ? describe : describe.skip)('the Debian package, installed', () => {
  let folder: string;
  let debian: Image;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'debian-'));
    const root = join(folder, 'root');
    mkdirSync(root, { mode: 0o755 });
    makeDebian(root);
    succeed('dpkg', `--root=${root}`, '--install', ARCHIVE);
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    debian = { root, whole: true, workdir: '/', env: {}, entrypoint: [], user: '65532:65532', remove };
  });
  afterAll(() => debian?.remove());

  const ended = async (container: Container): Promise<[number | null, string]> => [
    await container.ended,
    container.log(),
  ];

  test('is configured and whole', () => {
    const of = `--root=${debian.root}`;
    const format = '--showformat=${db:Status-Status}';
    expect(succeed('dpkg-query', of, format, '--show', 'management-apiserver')).toBe('installed');
    expect(succeed('dpkg', of, '--verify', 'management-apiserver')).toBe('');
    const sums = readFileSync(join(debian.root, 'var/lib/dpkg/info/management-apiserver.md5sums'), 'utf8');
    expect(sums).toContain('  usr/lib/management-apiserver/node\n');
    for (const name of ['copyright', 'LICENSE.node', 'THIRD_PARTY_LICENSES.txt', 'changelog.gz'])
      expect(existsSync(join(debian.root, 'usr/share/doc/management-apiserver', name))).toBe(true);
  });

  test('brings Node 24, and not as the node of the machine', async () => {
    expect(readdirSync(join(debian.root, 'usr/bin')).sort()).toEqual(
      ['kubectl-platform', 'management-agent', 'management-apiserver', 'platform'].sort(),
    );
    const node = startContainer(debian, { command: ['/usr/lib/management-apiserver/node', '--version'] });
    expect(await ended(node)).toEqual([0, expect.stringMatching(/^v24\./)]);
  });

  test.each(['management-apiserver', 'management-agent', 'platform', 'kubectl-platform'])(
    'has %s',
    async (program) => {
      const container = startContainer(debian, { command: [`/usr/bin/${program}`], args: ['--version'] });
      expect(await ended(container)).toEqual([0, `${SERVER_VERSION}\n`]);
    },
  );

  test('starts as its unit says, and its client is the administrator', async () => {
    const unit = readFileSync(join(debian.root, UNIT), 'utf8');
    expect(unit).toMatch(/^# The standalone server as a service: .*\n# Options go into/);
    const [, program = '', flags = ''] = /^ExecStart=(\S+) ((?:.*\\\n)*.*)$/m.exec(unit) ?? [];
    const args = [...flags.split(/[\s\\]+/).filter(Boolean), '--secure-port=0'];
    const mounts = [STATE, `${STATE}-keys`].map((path) => {
      const from = join(folder, path);
      mkdirSync(from, { recursive: true });
      return { path, from, readOnly: false };
    });
    const server = startContainer(debian, { command: [program], args, mounts });
    const platform = (...words: string[]): Promise<[number | null, string]> => {
      const command = ['/usr/bin/platform', '--kubeconfig', `${STATE}/admin.kubeconfig`, ...words];
      return ended(startContainer(debian, { command, mounts, env: { HOME: '/', PLATFORM_KEYCHAIN: 'off' } }));
    };
    try {
      await eventually('the server serves', async () => server.log().includes('Serving on'));
      expect(await platform('whoami')).toEqual([0, expect.stringContaining('admin')]);
      expect(await platform('list', 'users', '-o', 'name')).toEqual([0, 'admin\n']);
      expect(await server.stop()).toBe(0);
    } catch (error) {
      await server.kill();
      throw new Error(`the server said: ${server.log()}`, { cause: error });
    }
  });

  test('goes without a trace', () => {
    succeed('dpkg', `--root=${debian.root}`, '--remove', 'management-apiserver');
    for (const path of ['usr/lib/management-apiserver', 'usr/bin/platform', UNIT])
      expect([path, existsSync(join(debian.root, path))]).toEqual([path, false]);
    expect(existsSync(dirname(join(debian.root, UNIT)))).toBe(false);
  });
});
