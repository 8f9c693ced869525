// What a release consists of and rests on, as SPDX 2.3. npm writes it, with a time and a random name, which become
// SOURCE_DATE_EPOCH and a digest of the rest. What is only for development is asked for too: npm takes everything for that
// which development needs as well, and the console is made of it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { ROOT } from './bundle.mjs';

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
  const { creationInfo, packages, relationships, ...rest } = everything();
  delete rest.documentNamespace;
  const listed = packages.filter(({ name, versionInfo }) => kept.has(`${name}@${versionInfo}`));
  const ids = new Set([rest.SPDXID, ...listed.map(({ SPDXID }) => SPDXID)]);
  const both = ({ spdxElementId, relatedSpdxElement }) =>
    ids.has(spdxElementId) && ids.has(relatedSpdxElement);
  const document = { ...rest, packages: listed, relationships: relationships.filter(both) };
  const missing = [...kept].filter(
    (one) => !listed.some((each) => `${each.name}@${each.versionInfo}` === one),
  );
  if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}`);
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const created = new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1000).toISOString();
  return {
    ...document,
    documentNamespace: `http://spdx.org/spdxdocs/${document.name.replace('@', '-')}-${digest}`,
    creationInfo: { ...creationInfo, created: created.replace('.000Z', 'Z') },
  };
}

function everything() {
  const { status, stdout, stderr } = spawnSync('npm', ARGS, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return JSON.parse(stdout);
}
