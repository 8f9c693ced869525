/** The common type of spaces and virtual clusters. */
import { SpaceInstance } from '../../api/management.svc.example/v1/spaceinstance.js';
import { VirtualClusterInstance } from '../../api/management.svc.example/v1/virtualclusterinstance.js';
import { asKind, isKind, type KubeObject } from '../../api/resource.js';

/** VirtualClusterInstance has all fields of SpaceInstance. */
export type Instance = KubeObject & Pick<VirtualClusterInstance, 'spec' | 'status'>;

/** Returns the same object as an instance. Throws RangeError if it is none. */
export function asInstance(object: KubeObject): Instance;
export function asInstance(object: KubeObject | undefined): Instance | undefined;
export function asInstance(object: KubeObject | undefined): Instance | undefined {
  if (object === undefined || isKind(SpaceInstance, object)) return object;
  return asKind(VirtualClusterInstance, object);
}
