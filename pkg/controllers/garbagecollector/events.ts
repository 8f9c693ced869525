import type { OwnerReference } from '../../../api/resource.js';
import { resourceOf, type ControllerContext } from '../interface.js';
import { Event } from '../../../api/core/v1/event.js';
import { messageOf } from '../../apimachinery/caught.js';
import { eventOf } from '../event.js';

/** Records that an owner was looked for in a namespace and is in another, where owners do not count. */
export function reportElsewhere(
  { client, log }: ControllerContext,
  namespace: string,
  { apiVersion, kind, name, uid }: OwnerReference,
  found: string,
): void {
  const message = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}": it is in namespace "${found}"`;
  const event = eventOf({
    involvedObject: { apiVersion, kind, name, namespace, uid },
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    message,
    component: 'garbage-collector-controller',
  });
  resourceOf(client, Event)
    .create(namespace, event)
    .catch((error: unknown) => {
      log.warn({ namespace, reason: messageOf(error) }, message);
    });
}
