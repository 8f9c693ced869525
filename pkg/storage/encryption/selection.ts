/** Which records are encrypted unless an encryption configuration says otherwise: all that hold secrets. */
import type { Keyring } from './interface.js';

/** Records of data keys that a KMS keeps secret begin so. What is in them is encrypted by the KMS, and not besides. */
export const SEEDS_PREFIX = 'encryption/seeds/';

/** What the keys of records of the server itself begin with: identity, signing keys, key hashes, and what else clients never see. */
const INTERNAL = ['identity/', 'private/', 'registry/private/', 'encryption/state'];

/** The kinds with members that hold secrets (`x-sensitive`, `writeOnly`), and `pkg/registry/kinds.test.ts` says that they are all. */
const KINDS = [
  'registry/core/secrets/',
  'registry/management.svc.example/directclusterendpointtokens/',
  'registry/management.svc.example/ownedaccesskeys/',
  'registry/management.svc.example/projectsecrets/',
  'registry/management.svc.example/sharedsecrets/',
];

const PREFIXES = [...INTERNAL, ...KINDS];

/** Whether the record at this storage key is encrypted by default. */
export function holdsSecrets(key: string): boolean {
  return PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** The prefixes of storage keys whose records hold secrets and are written unencrypted. */
export const secretsInPlainText = (keyring: Pick<Keyring, 'writer'>): readonly string[] =>
  PREFIXES.filter((prefix) => keyring.writer(prefix) === undefined);
