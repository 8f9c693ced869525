/**
 * Server-side apply (`k8s.io/apimachinery/pkg/util/managedfields/internal`: structuredmerge.go, skipnonapplied.go,
 * managedfieldsupdater.go, on `structured-merge-diff/v6/merge`: update.go).
 */
import { objectOfJson } from '../encoding/objectjson.js';
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { badRequest } from '../errors.js';
import type { Steps } from '../eventloop/slices.js';
import { compareTyped, withoutFields } from './typed/compare.js';
import { ApplyConflict, conflictStatus } from './conflict.js';
import { recursiveDifference } from './fieldpath/fieldset.js';
import { kindText, objectText } from './gvk.js';
import { KUBECTL, conflictsBeyondLastApplied, withLastApplied } from './lastapplied.js';
import { mergeTyped } from './typed/merge.js';
import { equalValues } from './fieldpath/order.js';
import {
  ManagedFieldsError,
  decodeOwners,
  encodeOwners,
  identityOf,
  type Owner,
  type Owners,
} from './owners.js';
import { pruneRemoved } from './prune.js';
import {
  ConversionError,
  checkConvertible,
  checkOtherVersions,
  currentOwners,
  settleOwners,
} from './settle.js';
import { toFieldSet } from './typed/tofieldset.js';
import { blankObject, ownable, type TrackedKind } from './trackedkind.js';
import { SchemaError, ownersAfter, withoutManagedFields } from './trackupdate.js';
import { asMap, memberOf, type JsonMap } from './typed/typed.js';
import { problemsText, validateValue } from './typed/validate.js';

/** One apply. */
export interface Application {
  /** The stored object in the version of the endpoint; a new object has no uid. */
  readonly live: KubeObject;
  /** The body of the request. */
  readonly config: JsonValue;
  readonly manager: string;
  readonly subresource: string;
  /** Whether to take over fields of other managers. */
  readonly force: boolean;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

/** The manager of existing fields when the first apply finds the object untracked. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * The object after an apply, with its managedFields: fields that were given up are removed, and an emptied container
 * may be null. Shares parts with `live` and `config`. Throws StatusError: 400 for an invalid configuration, 409 for
 * fields of other managers. The steps yield to other work.
 */
export function* applySteps(kind: TrackedKind, application: Application): Steps<KubeObject> {
  try {
    return yield* tryApply(kind, application);
  } catch (error) {
    if (error instanceof ApplyConflict) {
      yield;
      throw conflictStatus(error);
    }
    if (error instanceof SchemaError || error instanceof ConversionError) throw badRequest(error.message);
    throw error;
  }
}

function* tryApply(kind: TrackedKind, application: Application): Steps<KubeObject> {
  const { live, config, manager } = application;
  const owners = liveOwners(live);
  const wanted = kindText({ apiVersion: live.apiVersion, kind: kind.kind });
  if (kindText(config) !== wanted) throw badRequest(`invalid object type: ${kindText(config)}`);
  try {
    return yield* applyTo(kind, application, owners);
  } catch (error) {
    if (manager !== KUBECTL || !(error instanceof ApplyConflict)) throw error;
    yield;
    const left = conflictsBeyondLastApplied(kind, live, error);
    if (left !== undefined) throw left;
    return yield* applyTo(kind, { ...application, force: true }, owners);
  }
}

function liveOwners({ metadata }: KubeObject): Owners {
  try {
    return decodeOwners(metadata.managedFields);
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error;
    throw badRequest(`failed to decode managed fields: ${error.message}`);
  }
}

function* applyTo(kind: TrackedKind, application: Application, decoded: Owners): Steps<KubeObject> {
  const { live, config, manager, subresource, now, force } = application;
  yield;
  const tracked = decoded.size > 0 ? decoded : attributeExisting(kind, application);
  yield;
  const object = withoutManagedFields(live);
  checkConfig(kind, config);
  yield;
  checkLive(kind, object);
  yield;
  const owners = new Map(currentOwners(kind, tracked, object, live.apiVersion));
  const own: Omit<Owner, 'set' | 'time'> = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Apply',
    apiVersion: live.apiVersion,
    subresource,
  };
  const identity = identityOf(own);
  const last = owners.get(identity);
  const reset = kind.resetFields(subresource);
  const next = recursiveDifference(toFieldSet(kind.type, config), reset);
  const time = decoded.get(identity)?.time;
  yield;
  owners.set(identity, { ...own, time, set: next });
  yield;
  const merged = mergeTyped(kind.type, object, config) ?? {};
  yield;
  const pruned = last === undefined ? merged : prune(kind, merged, last, { ...own, set: next }, owners);
  yield;
  checkOtherVersions(kind, owners, pruned, live.apiVersion);
  yield;
  const comparison = withoutFields(compareTyped(kind.type, object, pruned), reset);
  yield;
  const settled = new Map(settleOwners(comparison, owners, identity, force));
  keepOwnable(settled, identity, equalValues(object, pruned) ? time : now);
  yield;
  const result = asMap(pruned) ?? {};
  return withOwners(manager === KUBECTL ? withLastApplied(kind, result, config) : result, settled);
}

function prune(
  kind: TrackedKind,
  merged: JsonValue,
  last: Owner,
  now: Pick<Owner, 'set' | 'apiVersion'>,
  owners: Owners,
): JsonValue {
  const next = ownable(now.set);
  const [lastVersion, nextVersion] = [last.apiVersion, now.apiVersion];
  const givenUp = { last: last.set, lastVersion, next, nextVersion };
  return pruneRemoved(kind.type, merged, givenUp, owners, (value) => checkConvertible(kind, value));
}

/** The existing fields, so that an apply does not treat them as unmanaged. */
function attributeExisting(kind: TrackedKind, { live, subresource, now }: Application): Owners {
  const nothing = blankObject(kind, live.apiVersion);
  const update = { live: nothing, next: live, manager: BEFORE_FIRST_APPLY, subresource, now };
  try {
    return ownersAfter(kind, update, new Map());
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new SchemaError(`failed to create manager for existing fields: ${error.message}`);
  }
}

function checkConfig(kind: TrackedKind, config: JsonValue): void {
  const sent = memberOf(asMap(memberOf(asMap(config), 'metadata')), 'managedFields');
  if (Array.isArray(sent)) throw badRequest('metadata.managedFields must be nil');
  const wrong = validateValue(kind.type, config, false);
  if (wrong.length > 0) {
    throw new SchemaError(
      `failed to create typed patch object (${objectText(config)}): ${problemsText(wrong)}`,
    );
  }
}

function checkLive(kind: TrackedKind, live: JsonValue): void {
  const stale = validateValue(kind.type, live, true);
  if (stale.length > 0) {
    throw new SchemaError(`failed to create typed live object (${objectText(live)}): ${problemsText(stale)}`);
  }
}

function keepOwnable(owners: Map<string, Owner>, identity: string, time: string | undefined): void {
  const own = owners.get(identity);
  if (own === undefined) return;
  const set = ownable(own.set);
  if (set.size === 0) owners.delete(identity);
  else owners.set(identity, { ...own, set, time });
}

function withOwners(object: JsonMap, owners: Owners): KubeObject {
  const managedFields = encodeOwners(owners);
  const { managedFields: _, ...metadata } = asMap(object['metadata']) ?? {};
  const kept = managedFields === undefined ? metadata : { ...metadata, managedFields };
  return objectOfJson({ ...object, metadata: kept });
}
