/** Warnings about a deletion that has to wait. */
import type { KubeObject } from '../../../api/resource.js';
import type { Authorizer } from '../../authorization/interface.js';
import { finalizerWarning, graceWarning } from '../../registry/generic/foregrounddeletion.js';
import { warn, type StoredKindRequest } from '../requestcontext.js';
import type { BlockingDependents } from '../dependencies.js';
import { requestFor } from '../../apimachinery/attributes.js';

const NAMED = 3;
/** Number of dependents to check; the rest is only counted. */
const ASKED = 20;

/** At most three warnings; none for controllers, which wait anyway. */
export async function warnOfWaiting(
  call: StoredKindRequest,
  object: KubeObject,
  authorizer: Authorizer,
  blocking: BlockingDependents,
): Promise<void> {
  if (call.user.name.startsWith('system:')) return;
  const waitsForOthers = (object.metadata.finalizers ?? []).includes('foregroundDeletion');
  const texts = [
    finalizerWarning(object, Date.now()),
    graceWarning(object),
    waitsForOthers ? await dependentsWarning(call, object, authorizer, blocking) : undefined,
  ];
  for (const text of texts) if (text !== undefined) warn(call, text);
}

/** Names the dependents that the caller may read, and counts the others. */
async function dependentsWarning(
  { user }: StoredKindRequest,
  { metadata }: KubeObject,
  authorizer: Authorizer,
  blocking: BlockingDependents,
): Promise<string | undefined> {
  const named: string[] = [];
  let count = 0;
  for (const { definition, namespace, name } of blocking(metadata.uid ?? '')) {
    count += 1;
    if (count > ASKED || named.length === NAMED) continue;
    const { allowed } = await authorizer.authorize(user, requestFor('get', definition, { namespace, name }));
    if (allowed) named.push(`${definition.singular} ${name}`);
  }
  if (count === 0) return undefined;
  const others = count - named.length;
  const names = [...named, ...(others > 0 ? [`${others} ${named.length > 0 ? 'more' : 'objects'}`] : [])];
  return `the object goes when its dependents are gone: ${names.join(', ')}`;
}
