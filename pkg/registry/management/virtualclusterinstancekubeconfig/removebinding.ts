import { quote } from '../../../apimachinery/errors.js';
import type { ClusterClient } from '../../../clusterclient/interface.js';
import type { BindingRecord } from './bindingrecord.js';
import { unbindInside } from './certificate.js';
import { connectInside } from './inside.js';

/**
 * Takes the binding out of its virtual cluster, by the way that led there when it was made, or by those of `servers`, URLs.
 * Rejects with the StatusError of the last way while it cannot be known to be gone.
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
