/** The condition about the Secrets in a space or virtual cluster. */
import type { WantedCondition } from '../../controllers/condition.js';
import type { Instance } from './places.js';
import type { PlaceSync } from './placesync.js';
import { SYNCED } from './plan.js';
import { MAX_BYTES, MAX_PER_NAMESPACE } from './targets.js';

export const SECRETS_SYNCED = 'SecretsSynced';
/** The maximum of Secrets or spaces in a message. */
const NAMED = 5;

/** The first problems, in order, and the number of the others. */
export function firstOf(problems: readonly string[]): string {
  const more = problems.length > NAMED ? `; and ${problems.length - NAMED} more` : '';
  return [...problems].sort().slice(0, NAMED).join('; ') + more;
}

/** Undefined: no condition is needed. `had`: whether the condition exists. */
export function secretsCondition(
  { key, inside }: Instance,
  sync: Pick<PlaceSync, 'targets' | 'unreachable'>,
  {
    instancesAt,
    had,
  }: { readonly instancesAt: (namespace: string) => readonly Instance[]; readonly had: boolean },
): WantedCondition | undefined {
  let [all, waiting] = [0, 0];
  const failed: string[] = [];
  let isTruncated = false;
  for (const namespace of inside === undefined ? sync.targets.inNamespaces() : [inside]) {
    if (!instancesAt(namespace).some((instance) => instance.key === key)) continue;
    isTruncated ||= sync.targets.isTruncated(namespace);
    for (const secret of sync.targets.keysIn(namespace)) {
      const outcome = sync.targets.get(secret)?.outcome;
      all += 1;
      if (outcome === undefined) waiting += 1;
      else if (outcome.reason !== SYNCED) failed.push(`${secret}: ${outcome.reason}: ${outcome.message}`);
    }
  }
  if (all === 0 && !had) return undefined;
  const condition = (
    status: WantedCondition['status'],
    reason: string,
    message: string,
  ): WantedCondition => ({ type: SECRETS_SYNCED, status, reason, message });
  if (all === 0) return condition('True', 'NoSecrets', 'no Secret has a label that names a secret');
  if (sync.unreachable !== undefined)
    return condition(
      'Unknown',
      'ClusterUnreachable',
      `${all} Secrets are not looked at: ${sync.unreachable}`,
    );
  if (failed.length > 0) {
    const message = `${failed.length} of ${all} Secrets are not synced: ${firstOf(failed)}`;
    return condition('False', 'NotSynced', message);
  }
  if (isTruncated)
    return condition(
      'False',
      'TooManySecrets',
      `no more than ${MAX_PER_NAMESPACE} Secrets of a namespace are synced, and ${MAX_BYTES / 1024 / 1024} MiB of metadata in a cluster`,
    );
  if (waiting > 0) return condition('Unknown', 'Syncing', `${waiting} of ${all} Secrets are not filled yet`);
  return condition('True', SYNCED, `${all} Secrets have the data of their sources`);
}
