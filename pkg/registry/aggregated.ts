import { isHostKind } from '../storage/host/storages.js';
import type { Registration } from './registry.js';

/** Reviews that behind another API server are still ours to answer: of our access keys, and of who asks us. */
const REVIEWS = ['authentication.k8s.io', 'authorization.k8s.io'];

/**
 * Of all kinds those of a server that stands behind another: its own, the reviews, and those of the host that it reads
 * and writes with its own. What belongs to a kind that is not there goes too: tokens of service accounts.
 */
export function aggregatedKinds(kinds: readonly Registration[]): readonly Registration[] {
  return kinds.filter((kind) => {
    const { definition } = kind;
    if ('answer' in kind) {
      const { group } = kind.below?.definition ?? definition;
      return group === 'management.svc.example' || (REVIEWS.includes(group) && kind.below === undefined);
    }
    return definition.group === 'management.svc.example' || isHostKind(definition);
  });
}
