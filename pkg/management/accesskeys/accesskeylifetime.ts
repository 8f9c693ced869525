/** AccessKeyLifetime: an access key does not outlive the credential that created it. */
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind, type KubeObject } from '../../../api/resource.js';
import { keyEnd } from './keyend.js';
import { refuseExpired } from './expiredkey.js';
import { fieldInvalid, forbidden, invalid } from '../../apimachinery/errors.js';
import type { KeyLifetimes } from './authentication/lifetime.js';
import type { Credential } from '../../authentication/interface.js';
import type { Authorizer } from '../../authorization/interface.js';
import { credentialOf, mayBeUnlimited } from './unlimited.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { joinedOrigin, originWrite, type KeyOrigin, type OriginRecord } from './originrecord.js';
import type { Write } from '../../storage/interface.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { preserveOwner } from './owner.js';
import { scopeWithin } from './scope/within.js';
import { API_KEY_TYPES } from './validation.js';

type Spec = NonNullable<OwnedAccessKey['spec']>;

const isApiKey = ({ type = 'User', disabled = false }: Spec): boolean =>
  API_KEY_TYPES.includes(type) && !disabled;

/** Keys of projects live as long as their project says. */
const isOfProject = ({ spec }: OwnedAccessKey, before?: OwnedAccessKey): boolean =>
  (preserveOwner(spec, before?.spec).project ?? '') !== '';

/** In seconds; `Infinity`: unlimited. */
const ttlOf = ({ ttl = 0 }: Spec): number => (ttl <= 0 ? Infinity : ttl);

/** Restrictions and descriptions are no extension. */
function extendsKey(next: Spec, previous: Spec): boolean {
  const slides = next.ttlAfterLastActivity === true && previous.ttlAfterLastActivity !== true;
  return (
    ttlOf(next) > ttlOf(previous) ||
    (slides && ttlOf(next) < Infinity) ||
    (isApiKey(next) && !isApiKey(previous)) ||
    (['user', 'team', 'subject'] as const).some(
      (member) => (next[member] ?? '') !== (previous[member] ?? ''),
    ) ||
    (next.groups ?? []).some((group) => previous.groups?.includes(group) !== true) ||
    !scopeWithin(next.scope, previous.scope)
  );
}

/** The maximum length of a chain of keys that created each other. */
const LONGEST_CHAIN = 16;

interface StoredOrigin {
  readonly record: OriginRecord;
  readonly revision: number;
}

export interface KeyLifetimeParts {
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly lifetimes: Pick<KeyLifetimes, 'credentialEnd' | 'originOf'>;
  /** Reads the origin of a key from the store, with the revision of its record. */
  readonly readOrigin: (name: string) => Promise<StoredOrigin | undefined>;
  /** ms since 1970. */
  readonly now?: () => number;
}

/**
 * A key of a user or a team that is created or extended with an expiring credential does not outlive it: an absent time to live is set, a
 * longer one is refused, and the key ends with all keys of the chain that created it. Users who may `create`
 * `ownedaccesskeys/unlimited` are exempt. A key that has expired is not rotated or enabled, whoever writes.
 */
export function accessKeyLifetime(parts: KeyLifetimeParts): AdmissionPlugin {
  const { authorizer, lifetimes, now = Date.now } = parts;
  return {
    name: 'AccessKeyLifetime',
    concerns: kindsOf('management.svc.example', 'OwnedAccessKey'),
    async mutate(attributes, object, previous) {
      const credential = boundBy(attributes);
      if (credential === undefined) return;
      const [key, before] = [asKind(OwnedAccessKey, object), asKind(OwnedAccessKey, previous)];
      if (key.spec?.ttl !== undefined || isOfProject(key, before)) return;
      if (before !== undefined && !(before.spec?.ttl ?? 0)) return;
      const end = lifetimes.credentialEnd(credential, now());
      if (end === Infinity || (await mayBeUnlimited(authorizer, attributes.requester, attributes.name)))
        return;
      // Clients cannot change the creation time.
      const created = previous === undefined ? now() : createdAt(previous, now());
      const ttl = restOf(attributes, created, end);
      key.spec = { ...key.spec, ttl };
      attributes.warn?.(
        `spec.ttl: set to ${ttl}: the key ends with the credential that it is made with, at ${formatTime(end)}; a key of a project (spec.project) may live longer`,
      );
    },
    async validate(attributes, object, previous) {
      if (object === undefined) return;
      const key = asKind(OwnedAccessKey, object);
      const stored = asKind(OwnedAccessKey, previous);
      if (stored !== undefined && attributes.subresource === '')
        refuseExpired(attributes, key, stored, now());
      const credential = boundBy(attributes);
      if (credential === undefined) return;
      const { changesWriteOnlyFields = false } = attributes;
      const before = stored?.spec;
      if (isOfProject(key)) return;
      if (before !== undefined && !changesWriteOnlyFields && !extendsKey(key.spec ?? {}, before)) return;
      const origin = lifetimes.originOf(credential);
      if (origin === undefined || (await mayBeUnlimited(authorizer, attributes.requester, attributes.name)))
        return;
      checkEnd(attributes, key, before, lifetimes.credentialEnd(credential, now()), now());
      return { writes: [await originRecord(parts, attributes, key, origin)] };
    },
  };
}

/** The write of the key's origin: its previous one, and `origin`. */
async function originRecord(
  { readOrigin }: KeyLifetimeParts,
  { definition, name, operation }: AdmissionAttributes,
  { metadata: { uid: of = '' } }: OwnedAccessKey,
  origin: KeyOrigin,
): Promise<Write> {
  const stored = operation === 'CREATE' ? undefined : await readOrigin(name);
  const before: KeyOrigin = stored?.record.of === of ? stored.record : { keys: [] };
  const { keys, expires } = joinedOrigin(before, origin);
  const others = keys.filter(({ uid }) => uid !== of);
  if (others.length > LONGEST_CHAIN)
    throw forbidden(definition, name, `at most ${LONGEST_CHAIN} keys may be created in a chain`);
  const record = { of, keys: others, ...(expires !== undefined && { expires }) };
  return originWrite(name, record, stored?.revision ?? (operation === 'CREATE' ? 'any' : 'absent'));
}

/** The credential of the request; undefined if the write is not checked, or nothing bounds the key's lifetime. */
function boundBy({ subresource, operation, requester }: AdmissionAttributes): Credential | undefined {
  return subresource === '' && operation !== 'DELETE' ? credentialOf(requester) : undefined;
}

/** The creation time; for a new key the current time, which is not after the time that it will get. */
const createdAt = ({ metadata }: KubeObject, now: number): number =>
  metadata.creationTimestamp === undefined ? now : Date.parse(metadata.creationTimestamp);

/** The longest time to live, in seconds. Throws StatusError 403 if there is none. */
function restOf({ definition, name }: AdmissionAttributes, created: number, end: number): number {
  const rest = Math.floor((end - created) / 1000);
  if (rest > 0) return rest;
  throw forbidden(
    definition,
    name,
    `the credential in use expires at ${formatTime(end)}, before the key would`,
  );
}

function checkEnd(
  attributes: AdmissionAttributes,
  key: OwnedAccessKey,
  before: Spec | undefined,
  end: number,
  now: number,
): void {
  const { definition, name } = attributes;
  if ((keyEnd(key, now) ?? Infinity) <= end) return;
  const ttl = key.spec?.ttl ?? 0;
  if (before !== undefined && ttl === (before.ttl ?? 0)) {
    const why = `the key would outlive the credential in use, which ends at ${formatTime(end)}`;
    throw forbidden(definition, name, `${why}; this requires the right to create ownedaccesskeys/unlimited`);
  }
  const most = restOf(attributes, createdAt(key, now), end);
  const why = `must be between 1 and ${most}: a key does not outlive the credential that it is made with, which ends at ${formatTime(end)}; a key of a project (spec.project) may`;
  throw invalid(definition, name, [fieldInvalid('spec.ttl', ttl, why)]);
}

const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
