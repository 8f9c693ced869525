/** The records that are encrypted unless an encryption configuration states otherwise: all that contain secrets. */
import type { Keyring } from './interface.js';

/** The prefix of the records of data keys that a KMS encrypts. These records are not encrypted otherwise. */
export const SEEDS_PREFIX = 'encryption/seeds/';

/**
 * The prefixes of records of the server itself: identity, signing keys, key hashes, and other records that clients
 * never see.
 */
const INTERNAL = ['identity/', 'private/', 'registry/private/', 'encryption/state'];

/**
 * The kinds with members that hold secrets (`x-sensitive`, `writeOnly`). `pkg/management/kinds.test.ts` verifies that the
 * list is complete.
 */
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
