/** The last steps of a create: consent, and the commit that holds only while what consent rests on does. */
import type { KubeObject } from '../../../api/resource.js';
import { StatusError, alreadyExists } from '../../apimachinery/errors.js';
import type { Guard } from '../../storage/interface.js';
import { StorageError } from '../../storage/interface.js';
import type { AdmissionAttributes, Admitted } from '../admission.js';
import { admit } from '../admission.js';
import type { Consent } from './preconditionset.js';
import { GroundsLost, beginConsent, consentingTo } from './preconditionset.js';
import type { Change } from './effects.js';
import { commitObject, tryEffects } from './effects.js';
import { namespaceKey } from '../keys.js';
import type { Sent } from '../object/writeonlyfields.js';
import { privateChange, shownBytes } from '../object/writeonlyfields.js';
import { fitted } from '../object/record.js';
import type { ResourceStore, Stored } from './resourcestore.js';
import { storeKey } from './resourcestore.js';

/** How often what consent rests on may change in between: the namespace gets a label. */
const ATTEMPTS = 100;

/** A new object that is valid. */
export interface Insertion {
  readonly attributes: AdmissionAttributes;
  readonly object: KubeObject;
  /** The resourceVersion that the client sent; a dry run answers it. */
  readonly version: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly sent: Sent;
  /** Whether an object that is too large with its managedFields is refused; else it is stored without them. */
  readonly managedFieldsNeeded: boolean;
}

/** Throws StatusError of admission, and StorageError: `exists` for a name that is taken. */
export async function insert(store: ResourceStore, insertion: Insertion): Promise<Stored> {
  const { attributes, object, now } = insertion;
  const { requester, dryRun } = attributes;
  for (let attempt = 1; ; attempt += 1) {
    const consent = beginConsent();
    const asked = consentingTo(attributes, consent, attempt > 1);
    const admitted = await admit(store.admission, asked, object, undefined);
    const canonical = fitted(store, admitted, insertion.managedFieldsNeeded);
    const change: Change = { next: admitted, previous: undefined, requester, now, dryRun };
    try {
      if (!dryRun) return await commitNew(store, insertion, { admitted, canonical, consent, change });
      await tryEffects(store, change);
      return await dryCreate(store, insertion, canonical);
    } catch (error) {
      if (error instanceof StatusError && error.code < 500) await refuseTaken(store, insertion);
      if (!(error instanceof GroundsLost)) throw error;
      if (attempt === ATTEMPTS) throw error.cause;
    }
  }
}

interface NewRecord {
  readonly admitted: Admitted;
  readonly canonical: Buffer;
  readonly consent: Consent;
  readonly change: Change;
}

async function commitNew(
  store: ResourceStore,
  { attributes: { namespace }, sent }: Insertion,
  { admitted, canonical, consent, change }: NewRecord,
): Promise<Stored> {
  const name = admitted.metadata.name as string;
  const guards: Guard[] = [...consent.guards];
  const within = namespaceKey(namespace);
  if (namespace !== '' && !guards.some(({ key }) => key === within))
    guards.push({ key: within, expect: 'present' });
  const write = {
    key: storeKey(store, namespace, name),
    value: store.codec.seal(canonical),
    expect: 'absent',
  } as const;
  const own = privateChange(store, { name, sent, kept: undefined, isNew: true, dryRun: false });
  const writes = [write, ...own.writes, ...consent.writes];
  const { revisions } = await consent.settle(commitObject(store, writes, guards, change));
  const revision = revisions[0] as number;
  const shown = shownBytes(store, canonical, admitted, own.shown);
  return { revision, bytes: store.codec.serve(shown, revision) };
}

/** Answers the resourceVersion that the client sent, if it can be one. */
async function dryCreate(store: ResourceStore, insertion: Insertion, canonical: Buffer): Promise<Stored> {
  await refuseTaken(store, insertion);
  const { version } = insertion;
  const revision = Number(version);
  if (!Number.isSafeInteger(revision) || String(revision) !== version)
    return { revision: 0, bytes: canonical };
  return { revision, bytes: store.codec.serve(canonical, revision) };
}

/**
 * Throws StorageError `exists` where the name is taken. What is refused of the objects that belong to a new one is then
 * not the answer: they may be refused because those of the object that is there are in the way.
 */
async function refuseTaken(
  store: ResourceStore,
  { attributes: { namespace }, object }: Pick<Insertion, 'attributes' | 'object'>,
): Promise<void> {
  const key = storeKey(store, namespace, object.metadata.name as string);
  const { record } = await store.storage.get(key);
  if (record !== undefined) throw new StorageError({ code: 'exists', key, current: record });
}

/** The answer where the name is taken, by what is stored as `value`. */
export function taken(store: ResourceStore, name: string, value: Buffer): Error {
  // Of one that cannot be decrypted nothing more is known.
  if (value.length === 0) return alreadyExists(store.definition, name);
  const meta = (JSON.parse(store.codec.decode(value, 0).toString('utf8')) as KubeObject).metadata;
  return alreadyExists(store.definition, name, meta.deletionTimestamp !== undefined);
}
