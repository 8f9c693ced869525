/** Changes of a spec that can be undone for a while, as long as nobody else has changed the same fields. */
import type { KubeObject, ObjectMeta } from '../../../../api/resource.js';
import { isObject, type Members } from '../../../../api/members.js';
import { patchSpec } from '../one.js';
import { pathOf } from '../paths.js';
import { send } from '../request.js';
import { ApiError } from '../status.js';
import { mergePatch } from './yamlobject.js';

/** Restores the former values. Rejects with ApiError; the reason is `Conflict` if the fields were changed since. */
export type Undo = () => Promise<void>;

type Object = KubeObject & { readonly spec?: Members };

/**
 * Sets members of `spec` on the version that is shown. Only the returned function keeps the former values, which may
 * include secret values; undefined: the user may not read them, so the change cannot be undone. Rejects with ApiError.
 */
export async function changeSpec(
  resource: string,
  metadata: ObjectMeta,
  spec: object,
): Promise<Undo | undefined> {
  const path = pathOf(resource, metadata.namespace, metadata.name);
  const before = await send<Object>('GET', path).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  });
  const written = await patchSpec<Object>(resource, metadata, spec);
  if (before === undefined) return undefined;
  const back = mergePatch(written.spec ?? {}, before.spec ?? {});
  return async () => {
    if (!isObject(back)) return;
    const now = await send<Object>('GET', path);
    if (now.metadata.uid !== before.metadata.uid || !isAsWritten(back, written.spec, now.spec))
      throw new ApiError(409, { reason: 'Conflict', message: '' });
    await patchSpec(resource, now.metadata, back);
  };
}

/** Whether all fields that a merge patch would change have the values that were written. */
export function isAsWritten(patch: unknown, written: unknown, now: unknown): boolean {
  if (!isObject(patch) || !isObject(written) || !isObject(now))
    return JSON.stringify(written) === JSON.stringify(now);
  return Object.entries(patch).every(([name, below]) => isAsWritten(below, written[name], now[name]));
}
