import { quote } from '../../../apimachinery/errors.js';
import type { ClusterClient } from '../../clusters/client/interface.js';
import type { BindingRecord } from './bindingrecord.js';
import { unbindInside } from './certificate.js';
import { connectInside } from './inside.js';

/**
 * Removes the binding from its virtual cluster, through the recorded URL or one of `servers`. Rejects with the
 * StatusError of the last attempt if the binding may still exist.
 */
export async function removeBinding(
  { place, instance, server, binding }: BindingRecord,
  clusters: Pick<ClusterClient, 'connect' | 'connectBy'>,
  servers: readonly string[],
): Promise<void> {
  const what = `virtual cluster ${quote(instance.name)}`;
  let failed: unknown;
  for (const way of new Set([server, ...servers])) {
    try {
      const inside = await connectInside({ what, place, server: way }, clusters);
      try {
        return await unbindInside(what, inside, binding);
      } finally {
        inside.close();
      }
    } catch (error) {
      failed = error;
    }
  }
  throw failed;
}
