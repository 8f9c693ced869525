// What a release consists of and rests on, as SPDX 2.3, with Node, which the image, the one-file programs and the Debian package
// have, and the libraries of the image. npm writes it, with a time, a random name and its own version. The first two become
// SOURCE_DATE_EPOCH and a digest of the rest; the last goes, so that every npm makes the same release. What is only for
// development is asked for too: npm takes everything for that which development needs as well, and the console is made of it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './bundle.mjs';

/** By the names of their sources in Debian: what their files `copyright` say of the libraries. */
const LICENCES = {
  'gcc-12': 'GPL-3.0-or-later WITH GCC-exception-3.1',
  glibc: 'LGPL-2.1-or-later',
};

const ARGS = [
  'sbom',
  '--sbom-format',
  'spdx',
  '--sbom-type',
  'application',
  '--package-lock-only',
  '--include=dev',
];

/** `kept`: packages as `name@version`; the rest of what the lockfile has is for making the release. */
export function billOfMaterials(kept) {
  const { packages, relationships, ...rest } = everything(ROOT);
  const known = new Set(packages.map(({ SPDXID }) => SPDXID));
  // The site of docs/ is made of packages of its own.
  const ofSite = everything(join(ROOT, 'hack/tools/docs')).packages.filter(
    ({ SPDXID, name, versionInfo }) => !known.has(SPDXID) && kept.has(`${name}@${versionInfo}`),
  );
  delete rest.documentNamespace;
  delete rest.creationInfo;
  const ours = packages.filter(({ name, versionInfo }) => kept.has(`${name}@${versionInfo}`));
  const listed = [...ours, ...ofSite];
  const ids = new Set([rest.SPDXID, ...listed.map(({ SPDXID }) => SPDXID)]);
  const both = ({ spdxElementId, relatedSpdxElement }) =>
    ids.has(spdxElementId) && ids.has(relatedSpdxElement);
  const runtime = runtimePackages();
  const document = {
    ...rest,
    packages: [...listed, ...runtime],
    relationships: [
      ...relationships.filter(both),
      ...ofSite.map(({ SPDXID }) => ({
        spdxElementId: SPDXID,
        relatedSpdxElement: rest.documentDescribes[0],
        relationshipType: 'DEPENDENCY_OF',
      })),
      ...runtime.map(({ SPDXID }) => ({
        spdxElementId: SPDXID,
        relatedSpdxElement: rest.documentDescribes[0],
        relationshipType: 'RUNTIME_DEPENDENCY_OF',
      })),
    ],
  };
  const missing = [...kept].filter(
    (one) => !listed.some((each) => `${each.name}@${each.versionInfo}` === one),
  );
  if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}`);
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const created = new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1000).toISOString();
  return {
    ...document,
    documentNamespace: `http://spdx.org/spdxdocs/${document.name.replace('@', '-')}-${digest}`,
    creationInfo: { created: created.replace('.000Z', 'Z'), creators: ['Tool: npm sbom'] },
  };
}

/** What hack/obtain-runtime.sh obtains, as it is pinned. */
function runtimePackages() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'hack/tools/node24/package-lock.json'), 'utf8'));
  const nodes = Object.entries(lock.packages)
    .map(([path, entry]) => ({ name: path.replace('node_modules/', ''), ...entry }))
    .filter(({ name }) => name.startsWith('node-linux-'))
    .map(({ name, version, integrity, license }) => {
      const checksumValue = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
      const checksum = { algorithm: 'SHA512', checksumValue };
      return runtimePackage(name, version, `pkg:npm/${name}@${version}`, checksum, license);
    });
  const pins = readFileSync(join(ROOT, 'hack/release/debian-packages.txt'), 'utf8').split('\n');
  const libraries = pins
    .map((line) => /^([0-9a-f]{64}) .*\/([^/]+)\/([^/_]+)_([^_]+)_([^_]+)\.deb$/.exec(line))
    .filter((found) => found !== null)
    .map(([, checksumValue, source, name, version, architecture]) => {
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`;
      const checksum = { algorithm: 'SHA256', checksumValue };
      if (LICENCES[source] === undefined)
        throw new Error(`sbom.mjs: LICENCES lacks ${source}, which ${name} is of`);
      return runtimePackage(`${name}-${architecture}`, version, purl, checksum, LICENCES[source]);
    });
  return [...nodes, ...libraries];
}

function runtimePackage(name, version, purl, checksum, licence) {
  return {
    name,
    SPDXID: `SPDXRef-Package-${`${name}-${version}`.replace(/[^A-Za-z0-9.-]/g, '-')}`,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseDeclared: licence,
    checksums: [checksum],
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  };
}

/** `folder`: of a package with its lockfile. */
function everything(folder) {
  const { status, stdout, stderr } = spawnSync('npm', ARGS, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return JSON.parse(stdout);
}
