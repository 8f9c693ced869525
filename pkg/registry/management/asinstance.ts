/** What spaces and virtual clusters are alike in, and an object as one of them. */
import { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { KubeObject } from '../../../api/resource.js';
import { asKind, isKind } from '../../../api/resource.js';

/** What a SpaceInstance has is a part of what a VirtualClusterInstance has. */
export type Instance = KubeObject & Pick<VirtualClusterInstance, 'spec' | 'status'>;

/** The same object, as an instance. RangeError where it is none. */
export function asInstance(object: KubeObject): Instance;
export function asInstance(object: KubeObject | undefined): Instance | undefined;
export function asInstance(object: KubeObject | undefined): Instance | undefined {
  if (object === undefined || isKind(SpaceInstance, object)) return object;
  return asKind(VirtualClusterInstance, object);
}
