import { randomBytes } from 'node:crypto';
import type { OwnerReference } from '../../../api/resource.js';
import type { ControllerContext } from '../interface.js';
import { resourceOf } from '../interface.js';
import { Event } from '../../../api/core/v1/event.js';

const SUFFIX_BYTES = 8;

/** Records that an owner was looked for in a namespace and is in another, where owners do not count. */
export function reportElsewhere(
  { client, log }: ControllerContext,
  namespace: string,
  { apiVersion, kind, name, uid }: OwnerReference,
  found: string,
): void {
  const message = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}": it is in namespace "${found}"`;
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const event = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${name.slice(0, 200)}.${randomBytes(SUFFIX_BYTES).toString('hex')}` },
    involvedObject: { apiVersion, kind, name, namespace, uid },
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    message,
    source: { component: 'garbage-collector-controller' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
  resourceOf(client, Event)
    .create(namespace, event)
    .catch((error: unknown) => {
      log.warn({ namespace, reason: error instanceof Error ? error.message : String(error) }, message);
    });
}
