/** Bodies of requests. */
import type { ObjectMeta } from '../../api/resource.js';

/** An object of the management group. */
export function managementObject<Rest extends object>(
  kind: string,
  metadata: Partial<ObjectMeta>,
  rest: Rest,
): { kind: string; apiVersion: string; metadata: Partial<ObjectMeta> } & Rest {
  return { kind, apiVersion: 'management.svc.example/v1', metadata, ...rest };
}
