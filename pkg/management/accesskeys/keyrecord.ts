/** Private records of access keys: a keyed hash beside the object, and a claim that keeps keys unique. */
import { MAX_CREDENTIAL } from '../../../api/management.svc.example/v1/fields.js';
import type { KubeObject } from '../../../api/resource.js';
import { fieldDuplicate, fieldInvalid, fieldTooLong, type FieldError } from '../../apimachinery/errors.js';
import { generateKey, hashKey, sameHash } from './accesskey.js';
import type { StoredRecord, Write } from '../../storage/interface.js';
import type { WriteOnlyFields, PrivateChange } from '../../registry/object/interface.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Cached with the objects, so that both are updated together; not served. */
export const KEY_RECORDS = {
  resource: 'private/accesskeys',
  prefix: 'registry/private/accesskeys/',
} as const;
const CLAIMS = 'private/accesskeyclaim/';

const KEY = 'spec.key';
const CONNECTOR_DATA = 'spec.identity.ConnectorData';
const MIN_KEY_LENGTH = 32;
const MAX_KEY_LENGTH = 1024;
/** The syntax of bearer tokens (RFC 6750, section 2.1). */
const BEARER = /^[A-Za-z0-9._~+/-]+=*$/;

interface KeyRecord {
  /** HMAC-SHA256 of the key, base64. */
  readonly hash: string;
  readonly connectorData?: string;
}

interface Parts {
  spec?: { key?: string; identity?: { ConnectorData?: string } };
}

export const keyState: WriteOnlyFields = {
  take(object) {
    const { spec }: Parts = object;
    const sent: Record<string, string> = {};
    if (typeof spec?.key === 'string') {
      if (spec.key !== '') sent[KEY] = spec.key;
      delete spec.key;
    }
    if (typeof spec?.identity?.ConnectorData === 'string') {
      if (spec.identity.ConnectorData !== '') sent[CONNECTOR_DATA] = spec.identity.ConnectorData;
      delete spec.identity.ConnectorData;
    }
    return sent;
  },
  put(object, sent) {
    const { spec: before }: KubeObject & Parts = object;
    const spec = { ...before };
    if (sent[KEY] !== undefined) spec.key = sent[KEY];
    if (sent[CONNECTOR_DATA] !== undefined)
      spec.identity = { ...spec.identity, ConnectorData: sent[CONNECTOR_DATA] };
    return { ...object, spec };
  },
  validate: ({ [KEY]: key, [CONNECTOR_DATA]: data = '' }) => [
    ...(key === undefined ? [] : validateKey(key)),
    ...(data.length > MAX_CREDENTIAL ? [fieldTooLong(CONNECTOR_DATA, MAX_CREDENTIAL)] : []),
  ],
  same(sent, privateRecord, pepper) {
    if (privateRecord === undefined) return {};
    const { hash, connectorData } = readKeyRecord(privateRecord.value);
    const same: Record<string, string> = {};
    const { [KEY]: key, [CONNECTOR_DATA]: data } = sent;
    if (key !== undefined && sameHash(hash, hashKey(key, pepper))) same[KEY] = key;
    if (data !== undefined && data === connectorData) same[CONNECTOR_DATA] = data;
    return same;
  },
  recordKey: (name) => KEY_RECORDS.prefix + name,
  keep({ name, sent, privateRecord, isNew, dryRun, pepper }): PrivateChange {
    const same = keyState.same(sent, privateRecord, pepper);
    const changed = Object.keys(sent).filter((path) => same[path] === undefined);
    if (!isNew && changed.length === 0) return { writes: [], changes: false, shown: {} };
    const made = isNew && sent[KEY] === undefined ? generateKey() : undefined;
    const key = made ?? (changed.includes(KEY) ? sent[KEY] : undefined);
    const before = privateRecord === undefined ? undefined : readKeyRecord(privateRecord.value);
    const hash = key === undefined ? (before?.hash ?? Buffer.alloc(0)) : hashKey(key, pepper);
    const connectorData = sent[CONNECTOR_DATA] ?? before?.connectorData;
    return {
      writes: [
        recordWrite(name, { hash, ...(connectorData !== undefined && { connectorData }) }, privateRecord),
        ...(key === undefined ? [] : claimWrites(name, hash, before?.hash)),
      ],
      changes: true,
      shown: key === undefined || (made !== undefined && dryRun) ? {} : { [KEY]: key },
    };
  },
  forget: (privateRecord) => [
    { key: privateRecord.key, expect: privateRecord.revision },
    { key: claimKey(readKeyRecord(privateRecord.value).hash), expect: 'any' },
  ],
  /** The error does not contain the value, which is another user's key. */
  taken: (key) => (key.startsWith(CLAIMS) ? fieldDuplicate(KEY, '<hidden>') : undefined),
};

/** Reads a key's record. Throws on a value that no release wrote. */
export function readKeyRecord(value: Buffer): { readonly hash: Buffer; readonly connectorData?: string } {
  const { hash, ...rest } = parseStored<KeyRecord>(value);
  return { ...rest, hash: Buffer.from(hash, 'base64') };
}

function recordWrite(
  name: string,
  { hash, connectorData }: ReturnType<typeof readKeyRecord>,
  privateRecord: StoredRecord | undefined,
): Write {
  const record: KeyRecord = {
    hash: hash.toString('base64'),
    ...(connectorData !== undefined && { connectorData }),
  };
  const value = Buffer.from(JSON.stringify(record));
  return { key: keyState.recordKey(name), value, expect: privateRecord?.revision ?? 'absent' };
}

function claimWrites(name: string, hash: Buffer, before: Buffer | undefined): Write[] {
  const claim: Write = { key: claimKey(hash), value: Buffer.from(name), expect: 'absent' };
  return before === undefined ? [claim] : [claim, { key: claimKey(before), expect: 'any' }];
}

const claimKey = (hash: Buffer): string => CLAIMS + hash.toString('hex');

function validateKey(key: string): FieldError[] {
  const why =
    key.length < MIN_KEY_LENGTH
      ? `must be at least ${MIN_KEY_LENGTH} characters`
      : key.length > MAX_KEY_LENGTH
        ? `must be at most ${MAX_KEY_LENGTH} characters`
        : 'must be of letters, digits and -._~+/, with = at the end alone';
  const good = key.length >= MIN_KEY_LENGTH && key.length <= MAX_KEY_LENGTH && BEARER.test(key);
  return good ? [] : [fieldInvalid(KEY, '<hidden>', why)];
}
