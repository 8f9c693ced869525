/** Changes of a spec that can be taken back for a while, as long as nobody has changed the same again. */
import type { KubeObject, ObjectMeta } from '../../../../api/resource.js';
import { isMembers, type Members } from './members.js';
import { patchSpec } from '../one.js';
import { pathOf } from '../paths.js';
import { send } from '../request.js';
import { ApiError } from '../status.js';
import { mergePatch } from './yamlobject.js';

/** Sets back what was changed. Rejects with ApiError; its reason is `Conflict` where it was changed again since. */
export type Undo = () => Promise<void>;

type Object = KubeObject & { readonly spec?: Members };

/**
 * Sets members of `spec` on the version that is shown. What was there before, values of secrets too, is kept in the answered
 * function alone; undefined: whoever may not read it cannot set it back. Rejects with ApiError.
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
    if (!isMembers(back)) return;
    const now = await send<Object>('GET', path);
    if (now.metadata.uid !== before.metadata.uid || !isAsWritten(back, written.spec, now.spec))
      throw new ApiError(409, 'Conflict', '');
    await patchSpec(resource, now.metadata, back);
  };
}

/** Whether all that a merge patch would change is as it was written. */
export function isAsWritten(patch: unknown, written: unknown, now: unknown): boolean {
  if (!isMembers(patch) || !isMembers(written) || !isMembers(now))
    return JSON.stringify(written) === JSON.stringify(now);
  return Object.entries(patch).every(([name, below]) => isAsWritten(below, written[name], now[name]));
}
