import type { HostClient } from '../../hostclient/interface.js';
import type { ResourceDefinition } from '../../../api/resource.js';
import { notFound } from '../../apimachinery/errors.js';
import { kindClient } from './kindclient.js';
import { refusal } from './refusals.js';

/** The members of `meta/v1.DeleteOptions` that are used. */
export interface HostDeletion {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

/**
 * Deletes at the host, where an object with finalizers stays for a while. Rejects with StatusError 404, 409,
 * and as the host refuses; StorageError `unavailable`.
 */
export async function deleteAtHost(
  client: HostClient,
  definition: ResourceDefinition,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  deletion: HostDeletion,
): Promise<void> {
  const { paths, send } = kindClient(client, definition);
  const key = paths.key(namespace, name);
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...deletion };
  const answer = await send({ method: 'DELETE', path: paths.object(key), body });
  if (answer.status === 404) throw notFound(definition, name);
  if (answer.status >= 300) throw refusal({ verb: 'delete', definition, path: paths.shown(key) }, answer);
}
