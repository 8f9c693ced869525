/** Metadata of a write (`k8s.io/apiserver/pkg/registry/rest`: BeforeCreate, BeforeUpdate). */
import { membersOf } from '../../apimachinery/encoding/members.js';
import { randomUUID } from 'node:crypto';
import type { KubeObject, ObjectMeta, ResourceDefinition } from '../../../api/resource.js';
import { badRequest } from '../../apimachinery/errors.js';
import { isSameNumber } from '../../../api/exactjson.js';

/** The last timestamp, reused for all requests of the same second. */
let latest = { second: -1, text: '' };

/** RFC 3339, whole seconds, UTC. */
export function timestamp(at: number = Date.now()): string {
  const second = Math.floor(at / 1000);
  if (second !== latest.second) latest = { second, text: `${new Date(at).toISOString().slice(0, 19)}Z` };
  return latest.text;
}

/** Sets the namespace of the URL, which the body may repeat. */
export function settleNamespace(definition: ResourceDefinition, meta: ObjectMeta, namespace: string): void {
  if (!definition.namespaced) {
    delete meta.namespace;
    return;
  }
  if (meta.namespace !== undefined && meta.namespace !== '' && meta.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  meta.namespace = namespace;
}

/** Removes the fields that a client cannot set in a create. */
export function wipeMetadata(meta: ObjectMeta): void {
  delete meta.uid;
  delete meta.creationTimestamp;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
}

/** Sets the fields that the server owns. */
export function beginMetadata(meta: ObjectMeta, now: string, counted: boolean): void {
  wipeMetadata(meta);
  delete meta.resourceVersion;
  meta.uid = randomUUID();
  meta.creationTimestamp = now;
  if (counted) meta.generation = 1;
}

/** Restores the fields of `next` that an update cannot change. */
export function keepMetadata(next: ObjectMeta, previous: ObjectMeta): void {
  if (next.uid === undefined || next.uid === '') next.uid = previous.uid;
  restore(next, previous, 'creationTimestamp');
  restore(next, previous, 'generation');
  delete next.selfLink;
  delete next.resourceVersion;
  if (previous.deletionTimestamp === undefined) return;
  next.deletionTimestamp = previous.deletionTimestamp;
  next.deletionGracePeriodSeconds ??= previous.deletionGracePeriodSeconds;
}

function restore<K extends keyof ObjectMeta>(next: ObjectMeta, previous: ObjectMeta, member: K): void {
  if (previous[member] === undefined) delete next[member];
  else next[member] = previous[member];
}

/** Whether anything but kind, apiVersion, metadata and status differs. */
export function desiredStateDiffers(next: KubeObject, previous: KubeObject): boolean {
  const members = new Set([...Object.keys(next), ...Object.keys(previous)]);
  for (const own of ['kind', 'apiVersion', 'metadata', 'status']) members.delete(own);
  for (const member of members) if (!sameJson(next[member], previous[member])) return true;
  return false;
}

/** Compares JSON values; members are unordered, an undefined one counts as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b || isSameNumber(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameJson(item, b[i]))
    );
  }
  const [left, right] = [membersOf(a), membersOf(b)];
  for (const key in left) if (!sameJson(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}
