/**
 * Tracks field managers of creates, updates and patches (`k8s.io/apimachinery/pkg/util/managedfields/internal`:
 * fieldmanager.go, skipnonapplied.go, managedfieldsupdater.go, stripmeta.go, capmanagers.go).
 */
import { jsonOfObject } from '../encoding/objectjson.js';
import type { JsonValue, KubeObject, ManagedFieldsEntry } from '../../../api/resource.js';
import { capUpdaters } from './cap.js';
import { compareTyped, withoutFields } from './typed/compare.js';
import { runToCompletion, type Steps } from '../eventloop/slices.js';
import { union, type FieldSet } from './fieldpath/fieldset.js';
import { objectText } from './gvk.js';
import {
  ManagedFieldsError,
  decodeOwners,
  encodeOwners,
  identityOf,
  type Owner,
  type Owners,
} from './owners.js';
import { ConversionError, checkOtherVersions, currentOwners, settleOwners } from './settle.js';
import { ownable, type TrackedKind } from './trackedkind.js';
import { problemsText, validateValue } from './typed/validate.js';

/** A write other than an apply. */
export interface TrackedUpdate {
  /** The stored object; for a create, an object without a uid. */
  readonly live: KubeObject;
  /** The requested object, before the server fills in fields. Read-only. */
  readonly next: KubeObject;
  /** `''` is stored as `unknown`. */
  readonly manager: string;
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

export interface Tracked {
  /** The metadata.managedFields of the new object. */
  readonly managedFields: ManagedFieldsEntry[] | undefined;
  /** The reason why the update is not tracked, if it is not. */
  readonly lost: string | undefined;
}

/** An object that does not match the schema of its kind. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

const NO_OWNERS: Owners = new Map();

/**
 * Computes metadata.managedFields after an update. It never refuses a write: if the objects do not match the schema,
 * the entries of the live object stay. The steps yield to other work.
 */
export function* trackSteps(kind: TrackedKind, update: TrackedUpdate): Steps<Tracked> {
  const { live } = update;
  const owners = ownersBefore(update);
  if (owners.size === 0 && (live.metadata.uid ?? '') !== '')
    return { managedFields: undefined, lost: undefined };
  try {
    yield;
    const after = yield* ownerSteps(kind, update, owners);
    yield;
    return { managedFields: encodeOwners(after), lost: undefined };
  } catch (error) {
    if (!(error instanceof SchemaError) && !(error instanceof ConversionError)) throw error;
    return { managedFields: live.metadata.managedFields, lost: error.message };
  }
}

/**
 * Clients may send their own entries through the main resource, and end tracking with an empty list or entry; without
 * entries, or with invalid ones, those of the live object are used.
 */
function ownersBefore({ live, next, subresource }: TrackedUpdate): Owners {
  if (subresource === '') {
    const sent = next.metadata.managedFields;
    if (isReset(sent)) return NO_OWNERS;
    const owners = decodedOrNone(sent);
    if (owners.size > 0) return owners;
  }
  return decodedOrNone(live.metadata.managedFields);
}

function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined || entries === null) return false;
  const [first] = entries;
  if (first === undefined) return true;
  return entries.length === 1 && Object.values(first).every((value) => value === undefined || value === '');
}

function decodedOrNone(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  try {
    return decodeOwners(entries ?? []);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return NO_OWNERS;
    throw error;
  }
}

/** Throws {@link SchemaError} and {@link ConversionError}. */
export const ownersAfter = (kind: TrackedKind, update: TrackedUpdate, before: Owners): Owners =>
  runToCompletion(ownerSteps(kind, update, before));

function* ownerSteps(kind: TrackedKind, update: TrackedUpdate, before: Owners): Steps<Owners> {
  const live = withoutManagedFields(update.live);
  const next = withoutManagedFields(update.next);
  checkObject(kind, next, 'new object');
  yield;
  checkObject(kind, live, 'live object');
  yield;
  const { apiVersion } = update.next;
  const owners = currentOwners(kind, before, live, apiVersion);
  checkOtherVersions(kind, owners, next, apiVersion);
  const reset = kind.resetFields(update.subresource);
  yield;
  const comparison = withoutFields(compareTyped(kind.type, live, next), reset);
  yield;
  const out = new Map(settleOwners(comparison, owners, '', true));
  const taken = ownable(union(comparison.modified, comparison.added));
  if (taken.size > 0) add(out, update, taken);
  return capUpdaters(out);
}

function add(owners: Map<string, Owner>, update: TrackedUpdate, set: FieldSet): void {
  const { manager, subresource, now, next } = update;
  // Members are listed, as V8 spreads objects slowly and every write comes here.
  const own: Owner = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion: next.apiVersion,
    subresource,
    time: now,
    set,
  };
  const identity = identityOf(own);
  const kept = owners.get(identity)?.set;
  owners.set(identity, kept === undefined ? own : { ...own, set: union(set, kept) });
}

function checkObject(kind: TrackedKind, object: JsonValue, which: string): void {
  const problems = validateValue(kind.type, object, true);
  if (problems.length === 0) return;
  throw new SchemaError(
    `failed to convert ${which} (${objectText(object)}) to smd typed: ${problemsText(problems)}`,
  );
}

/** Read-only, as it shares parts. An `undefined` member counts as absent, and is faster than deleting it. */
export function withoutManagedFields(object: KubeObject): JsonValue {
  const { metadata } = object;
  if (metadata?.managedFields === undefined) return jsonOfObject(object);
  return jsonOfObject({ ...object, metadata: { ...metadata, managedFields: undefined } });
}
