/** The transaction of a create: the new object, with its requirements and effects. */
import type { KubeObject } from '../../../api/resource.js';
import { alreadyExists, notFound } from '../../apimachinery/errors.js';
import type { Entry } from '../../cache/interface.js';
import { admit, type AdmissionAttributes } from '../admission.js';
import type { LiveState, StepResult } from '../transaction/guaranteedupdate.js';
import { namespaceKey } from '../keys.js';
import type { WriteOnlyValues } from '../object/interface.js';
import { privateChange, shownBytes } from '../object/writeonlyfields.js';
import { fitted } from '../object/record.js';
import { storeKey, type ResourceStore, type Stored } from '../resourcestore.js';
import type { Requirements } from '../transaction/effects.js';
import { effectsOf, transactionOf } from '../transaction/transaction.js';

/** A new object that passed validation. */
export interface NewObject {
  readonly attributes: AdmissionAttributes;
  readonly object: KubeObject;
  /** The resourceVersion of the request; a dry run returns it. */
  readonly version: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly sent: WriteOnlyValues;
  /** For the answer to an accepted write. */
  readonly warnings: readonly string[];
  /** Whether an object that managedFields make too large is refused; otherwise it is stored without them. */
  readonly managedFieldsNeeded: boolean;
}

/** Runs validating admission. Throws StatusError: the refusal of a plugin, and 404 without the namespace. */
export async function creationResult(
  store: ResourceStore,
  { attributes, object, version, now, sent, managedFieldsNeeded }: NewObject,
  { met, bypassCache }: LiveState,
): Promise<StepResult<Stored>> {
  const { namespace, name, requester, dryRun } = attributes;
  const asked = bypassCache ? { ...attributes, bypassCache } : attributes;
  const { admitted, required } = await admit(store.admission, asked, object, undefined);
  const canonical = await fitted(store, admitted, managedFieldsNeeded);
  const effects = await effectsOf(store, met, {
    next: admitted,
    previous: undefined,
    requester,
    now,
    dryRun,
  });
  if (dryRun) return { answer: () => dryAnswer(store, version, canonical) };
  const key = storeKey(store, { namespace, name });
  const own = privateChange(store, { name, sent, privateRecord: undefined, isNew: true, dryRun });
  const write = { key, value: store.codec.seal(canonical), expect: 'absent' } as const;
  const rules = withNamespace(namespace, required, met);
  return {
    transaction: transactionOf([write, ...own.writes], rules, effects),
    answer([revision = 0]) {
      const shown = shownBytes(store, canonical, admitted, own.shown);
      return { revision, bytes: store.codec.serve(shown, revision) };
    },
  };
}

/** Requires that the namespace exists, if no plugin does. */
function withNamespace(
  namespace: string,
  required: readonly Requirements[],
  met: LiveState['met'],
): readonly Requirements[] {
  if (namespace === '') return required;
  const key = namespaceKey(namespace);
  if (required.some(({ preconditions = [] }) => preconditions.some((one) => one.key === key)))
    return required;
  if (met.has(key) && met.get(key) === undefined)
    throw notFound({ group: '', plural: 'namespaces' }, namespace);
  return [...required, { rule: 'NamespaceExists', preconditions: [{ key, expect: 'present' }] }];
}

/** Returns the resourceVersion of the request, if it is valid. */
function dryAnswer({ codec }: ResourceStore, version: string | undefined, canonical: Buffer): Stored {
  const revision = Number(version);
  if (!Number.isSafeInteger(revision) || String(revision) !== version)
    return { revision: 0, bytes: canonical };
  return { revision, bytes: codec.serve(canonical, revision) };
}

/** The error for a name that another object has. */
export const taken = ({ definition }: ResourceStore, live: Entry): Error =>
  alreadyExists(definition, live.name, live.object().metadata.deletionTimestamp !== undefined);
