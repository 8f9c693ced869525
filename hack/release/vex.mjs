// Which published vulnerabilities of what a release rests on concern it, as OpenVEX 0.2.0, from the statements in vex.json. These
// name packages with their versions, as the bill of materials does: with another version somebody looks again whether they are true.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './bundle.mjs';

/** `materials`: of sbom.mjs. Throws if a statement names a package that is not in it. */
export function exploitability(materials) {
  const purls = new Map(
    materials.packages.map(({ SPDXID, name, versionInfo, externalRefs: [{ referenceLocator }] }) => [
      SPDXID === materials.documentDescribes[0] ? 'product' : `${name}@${versionInfo}`,
      referenceLocator,
    ]),
  );
  const component = (title) => {
    const purl = purls.get(title);
    if (purl === undefined) throw new Error(`vex.json names ${title}, which is not in the release`);
    return { '@id': purl };
  };
  const statements = JSON.parse(readFileSync(join(ROOT, 'hack/release/vex.json'), 'utf8')).map(
    ({ vulnerability, packages, notes, ...stated }) => ({
      vulnerability: { name: vulnerability },
      products: [{ ...component('product'), subcomponents: packages.map(component) }],
      ...stated,
      status_notes: notes,
    }),
  );
  const digest = createHash('sha256').update(JSON.stringify(statements)).digest('hex');
  return {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': `https://openvex.dev/docs/public/vex-${digest}`,
    author: 'management-apiserver',
    timestamp: materials.creationInfo.created,
    version: 1,
    statements,
  };
}
