/** What a release says of published vulnerabilities: an OpenVEX 0.2.0 document of its product and its packages. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { ROOT } from '../../fixtures/host/containerimage.js';
import {
  makeRelease,
  openLayout,
  RELEASE,
  unpackImage,
  type ImageIndex,
  type Manifest,
} from '../../fixtures/servers/released.js';

interface Materials {
  readonly documentDescribes: readonly string[];
  readonly packages: readonly {
    readonly SPDXID: string;
    readonly externalRefs: readonly { readonly referenceLocator: string }[];
  }[];
}

interface Identified {
  readonly '@id': string;
}

interface Exploitability {
  readonly statements: readonly {
    readonly products: readonly (Identified & { readonly subcomponents: readonly Identified[] })[];
  }[];
}

const TEXT = { type: 'string', minLength: 1 };
const PURL = { type: 'string', pattern: '^pkg:(npm|deb)/.+@.+' };
const TIME = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' };
/** An object with these members and no others. */
const exactly = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
/** What https://github.com/openvex/spec demands of version 0.2.0, as far as a release uses it. */
const DOCUMENT = exactly({
  '@context': { const: 'https://openvex.dev/ns/v0.2.0' },
  '@id': { type: 'string', pattern: '^https://[^#\\s]+$' },
  author: TEXT,
  timestamp: TIME,
  version: { type: 'integer', minimum: 1 },
  statements: {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: exactly({
      vulnerability: exactly({ name: { type: 'string', pattern: '^(CVE|GHSA)-[\\w-]+$' } }),
      products: {
        type: 'array',
        minItems: 1,
        items: exactly({
          '@id': PURL,
          subcomponents: { type: 'array', minItems: 1, uniqueItems: true, items: exactly({ '@id': PURL }) },
        }),
      },
      status: { const: 'not_affected' },
      justification: {
        enum: [
          'component_not_present',
          'vulnerable_code_not_present',
          'vulnerable_code_not_in_execute_path',
          'vulnerable_code_cannot_be_controlled_by_adversary',
          'inline_mitigations_already_exist',
        ],
      },
      status_notes: TEXT,
    }),
  },
});

const made = await makeRelease();
const readJson = <T>(format: string): T =>
  JSON.parse(
    readFileSync(join(RELEASE, `management-apiserver-${SERVER_VERSION}.${format}.json`), 'utf8'),
  ) as T;

test('is well-formed, and names the product and packages of the bill of materials', () => {
  const vex = readJson<Exploitability>('openvex');
  const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(DOCUMENT);
  validate(vex);
  expect(validate.errors ?? []).toEqual([]);
  const { documentDescribes, packages } = readJson<Materials>('spdx');
  const purlsOf = (isProduct: boolean): string[] =>
    packages
      .filter(({ SPDXID }) => documentDescribes.includes(SPDXID) === isProduct)
      .flatMap(({ externalRefs }) => externalRefs.map(({ referenceLocator }) => referenceLocator));
  const products = vex.statements.flatMap((statement) => statement.products);
  expect([...new Set(products.map((one) => one['@id']))]).toEqual(purlsOf(true));
  const named = products.flatMap(({ subcomponents }) => subcomponents.map((one) => one['@id']));
  expect(named.filter((purl) => !purlsOf(false).includes(purl))).toEqual([]);
});

test('is not made of a statement about a package that the release does not have', () => {
  const script = `import { exploitability } from './hack/release/vex.mjs';
    exploitability({ documentDescribes: ['a'], packages: [
      { SPDXID: 'a', externalRefs: [{ referenceLocator: 'pkg:npm/management-apiserver@1' }] }] });`;
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect([run.status, run.stderr]).toEqual([
    1,
    expect.stringMatching(/vex\.json names \S+@\S+, which is not in the release/),
  ]);
});

(made ? test : test.skip)('CVE-2022-27943: no library of the image has a demangler of Rust', async () => {
  const layout = await openLayout(join(RELEASE, `management-apiserver-image-${SERVER_VERSION}.oci.tar`));
  const index = layout.json<ImageIndex>(layout.index.manifests[0] as ImageIndex['manifests'][0]);
  const image = await unpackImage(layout, layout.json<Manifest>(index.manifests[0] as Manifest['config']));
  try {
    const files = readdirSync(image.root, { recursive: true, encoding: 'utf8' });
    const libraries = files.filter((path) => /\/lib(stdc\+\+|gcc_s)\.so[.\d]*$/.test(path));
    const texts = libraries.map((path) => readFileSync(join(image.root, path), 'latin1'));
    expect(texts.length).toBeGreaterThanOrEqual(2);
    // What it writes of types and closures of Rust; the demangler of C++ writes other texts.
    expect(texts.filter((text) => /\0(for<|dyn |unsafe |closure)\0/.test(text))).toEqual([]);
    expect(texts.some((text) => text.includes('__cxa_demangle'))).toBe(true);
  } finally {
    image.remove();
    layout.remove();
  }
});
