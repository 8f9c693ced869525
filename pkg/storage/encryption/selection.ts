/** Which records are encrypted unless an encryption configuration says otherwise: all that hold secrets. */

/** What the keys of records of the server itself begin with: identity, signing keys, key hashes, and what else clients never see. */
const INTERNAL = ['identity/', 'private/', 'registry/private/', 'encryption/'];

/** The kinds with members that hold secrets (`x-sensitive`, `writeOnly`), and `pkg/registry/kinds.test.ts` says that they are all. */
const KINDS = [
  'registry/core/secrets/',
  'registry/management.svc.example/ownedaccesskeys/',
  'registry/management.svc.example/projectsecrets/',
  'registry/management.svc.example/sharedsecrets/',
];

const PREFIXES = [...INTERNAL, ...KINDS];

/** Whether the record at this storage key is encrypted by default. */
export function holdsSecrets(key: string): boolean {
  return PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** Whether it is one of the server's own, which is served to nobody. */
export function isInternal(key: string): boolean {
  return INTERNAL.some((prefix) => key.startsWith(prefix));
}
