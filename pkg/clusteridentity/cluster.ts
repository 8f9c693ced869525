import { createSecretKey, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { StorageError, type Storage } from '../storage/interface.js';
import { issueAuthority, type KeyPair } from '../pki/issue.js';
import { parseStored } from '../apimachinery/encoding/parsestored.js';

/** The identity that all servers of one store share. Contains secrets: never log or serve it. */
export interface ClusterIdentity {
  /** Random UUID of the store. */
  readonly storeId: string;
  /** The certificate authority. */
  readonly authority: KeyPair;
  /** 32 bytes; keys are stored as HMAC-SHA256 under it. */
  readonly pepper: KeyObject;
}

/** Outside `registry/`, so that no code that serves objects can read it. */
export const IDENTITY_KEY = 'identity/cluster';

const PEPPER_BYTES = 32;
const FORMAT = 1;

interface StoredIdentity {
  readonly format: number;
  readonly storeId: string;
  readonly authority: KeyPair;
  readonly pepper: string;
}

/**
 * Loads the identity from the store, or creates it. Servers that start together agree, as the first creation
 * succeeds. Throws StorageError, and Error for a record of a newer release.
 */
export async function loadIdentity(storage: Storage): Promise<ClusterIdentity> {
  const { record } = await storage.get(IDENTITY_KEY);
  if (record !== undefined) return decode(record.value);
  const value = encode(await createIdentity());
  try {
    await storage.commit([{ key: IDENTITY_KEY, value, expect: 'absent' }]);
    return decode(value);
  } catch (error) {
    if (error instanceof StorageError && error.failure.code === 'exists')
      return decode(error.failure.current.value);
    throw error;
  }
}

async function createIdentity(): Promise<StoredIdentity> {
  return {
    format: FORMAT,
    storeId: randomUUID(),
    authority: await issueAuthority('management-apiserver-ca'),
    pepper: randomBytes(PEPPER_BYTES).toString('base64'),
  };
}

const encode = (identity: StoredIdentity): Buffer => Buffer.from(JSON.stringify(identity));

function decode(value: Buffer): ClusterIdentity {
  const stored = parseStored<StoredIdentity>(value);
  if (stored.format !== FORMAT) {
    throw new Error(
      `the store's identity has format ${stored.format}, written by a newer release than this one`,
    );
  }
  const { storeId, authority, pepper } = stored;
  return { storeId, authority, pepper: createSecretKey(pepper, 'base64') };
}
