/** What is released, used as somebody would who has nothing but Node: the package is installed in an empty folder. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SCRIPT = fileURLToPath(new URL('firstminutes.sh', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-'));
  const { status, stderr } = spawnSync(process.execPath, ['hack/release/package.mjs', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a team has users, a project, a secret and a key in its pipeline within a minute', () => {
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  const { stdout, stderr, status } = spawnSync(SCRIPT, [join(folder, archive ?? '')], {
    encoding: 'utf8',
    timeout: 240_000,
  });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  const [, seconds = ''] = /done in (\d+) s/.exec(stdout) ?? [];
  // On a machine that does nothing else it is about 15; a busy one gets twice the minute.
  expect(Number(seconds)).toBeLessThan(120);
}, 300_000);

describeWith('dpkg-deb')('the Debian package', () => {
  const succeed = (program: string, ...args: string[]): string => {
    const env = { ...process.env, SOURCE_DATE_EPOCH: '1700000000' };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', env });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
    return stdout;
  };

  test('is whole, and what it installs starts as its unit says', async () => {
    succeed('hack/release/debian.sh', folder);
    const archive = join(folder, `management-apiserver_${SERVER_VERSION}_amd64.deb`);
    expect(succeed('dpkg-deb', '--field', archive, 'Version', 'Depends')).toBe(
      `Version: ${SERVER_VERSION}\nDepends: nodejs (>= 20.19), libc6 (>= 2.28), libstdc++6\n`,
    );
    const listed = succeed('dpkg-deb', '--contents', archive).trim().split('\n');
    expect(listed.filter((line) => !/^([dl-]rw[x-]r-[x-]r-[x-]|lrwxrwxrwx) root\/root /.test(line))).toEqual(
      [],
    );
    const root = join(folder, 'root');
    succeed('dpkg-deb', '--extract', archive, root);
    succeed('dpkg-deb', '--control', archive, join(folder, 'control'));
    succeed(
      'sh',
      '-c',
      `cd "$1" && md5sum --check --quiet "$2"`,
      'sh',
      root,
      join(folder, 'control/md5sums'),
    );
    const unit = readFileSync(join(root, 'usr/lib/systemd/system/management-apiserver.service'), 'utf8');
    expect(unit).toMatch(/^# The standalone server as a service: .*\n# Options go into/);
    const [, program = '', flags = ''] = /^ExecStart=(\S+) ((?:.*\\\n)*.*)$/m.exec(unit) ?? [];
    const state = join(folder, 'state');
    const args = flags.split(/[\s\\]+/).map((flag) => flag.replace('/var/lib/management-apiserver', state));
    const env = { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter), HOME: folder };
    const server = spawn(join(root, program), [...args.filter(Boolean), '--secure-port=0'], {
      env,
      stdio: 'ignore',
    });
    try {
      const platform = (...words: string[]): string => {
        const all = ['--kubeconfig', join(state, 'admin.kubeconfig'), ...words];
        return spawnSync(join(root, 'usr/bin/platform'), all, { env, encoding: 'utf8' }).stdout;
      };
      await eventually(
        'the server serves',
        () => Promise.resolve(platform('whoami').includes('admin')),
        60_000,
      );
      expect(platform('list', 'users', '-o', 'name')).toBe('admin\n');
    } finally {
      server.kill('SIGTERM');
      await new Promise((resolve) => server.once('close', resolve));
    }
  }, 120_000);
});
