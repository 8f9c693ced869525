/**
 * `spec.sync` of ProjectSecrets: creates their Secrets in spaces, and removes them with the ProjectSecrets.
 */
import { clusterScoped } from '../../../api/resource.js';
import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import { SYNC_FINALIZER } from '../projects/names.js';
import { withWantedConditions, type WantedCondition } from '../../controllers/condition.js';
import { ignoring } from '../../controllers/ignorederrors.js';
import { resourceOf, type ControllerContext } from '../../controllers/interface.js';
import { targetOf, uidOf } from '../../controllers/target.js';
import { declaredIn, declares } from './declared.js';
import type { Instance, Places } from './places.js';
import type { PlaceSync } from './placesync.js';
import { SYNCED } from './plan.js';
import { keyOf } from './targets.js';
import { firstOf } from './conditions.js';

/** How soon Secrets that are not removed yet are checked again. */
const AGAIN_MS = 1_000;
const LATER_MS = 10_000;

interface Found {
  all: number;
  readonly problems: string[];
  /** Whether Secrets remain, or may remain, that must be removed. */
  left: boolean;
}

export const isSynced = (secret: ProjectSecret): boolean =>
  declares(secret) || (secret.metadata.finalizers ?? []).includes(SYNC_FINALIZER);

/** Sets the finalizer before the first Secret is created. Returns when to check again, in ms. */
export async function reconcileProjectSecret(
  { client }: Pick<ControllerContext, 'client'>,
  secret: ProjectSecret,
  { places, syncOf }: { readonly places: Places; readonly syncOf: (place: string) => PlaceSync | undefined },
): Promise<number | undefined> {
  const secrets = resourceOf(client, ProjectSecret);
  const { deletionTimestamp, finalizers = [], namespace = '' } = secret.metadata;
  const asks = declares(secret) && deletionTimestamp === undefined;
  const setFinalizers = (next: string[]): Promise<void> =>
    ignoring(
      [404],
      secrets.update(targetOf(secret), (copy) => ({
        ...copy,
        metadata: { ...copy.metadata, finalizers: next },
      })),
    );
  if (!finalizers.includes(SYNC_FINALIZER)) {
    if (asks) await setFinalizers([...finalizers, SYNC_FINALIZER]);
    return undefined;
  }
  const clusters = resourceOf(client, Cluster);
  const found: Found = { all: 0, problems: [], left: false };
  for (const instance of places.ofProject(namespace)) {
    const [kind, cluster = ''] = instance.place.split('/');
    if (kind !== 'cluster') continue;
    // Secrets in a cluster that is no longer connected stay there.
    if (clusters.cached(clusterScoped(cluster)) !== undefined)
      checkSecret(secret, instance, syncOf(instance.place), found);
  }
  if (!asks && !found.left) {
    await setFinalizers(finalizers.filter((one) => one !== SYNC_FINALIZER));
    return undefined;
  }
  const condition = conditionOf(found, asks);
  await ignoring(
    [404],
    secrets.update(targetOf(secret, 'status'), (copy) => withWantedConditions(copy, [condition])),
  );
  return found.left ? (asks ? LATER_MS : AGAIN_MS) : undefined;
}

function checkSecret(
  secret: ProjectSecret,
  instance: Instance,
  sync: PlaceSync | undefined,
  found: Found,
): void {
  const { inside = '', place } = instance;
  const declared = declaredIn(secret, instance);
  const key = declared && keyOf(declared);
  if (declared !== undefined) sync?.declared.declare(declared);
  const left = sync?.declared.withdraw(uidOf(secret), inside, key) === true;
  const isKnown = sync?.complete === true;
  found.left ||= left || !isKnown;
  if (declared !== undefined) found.all += 1;
  if (!isKnown) found.problems.push(`${place} cannot be reached: ${sync?.unreachable ?? 'not asked yet'}`);
  else if (left) found.problems.push(`Secrets in namespace ${inside} of ${place} are being removed`);
  if (!isKnown || key === undefined || sync === undefined) return;
  const outcome = sync.targets.get(key)?.outcome;
  if (sync.declared.isTaken(key)) found.problems.push(`${place}: another Secret has the name ${key}`);
  else if (outcome === undefined)
    found.problems.push(`${place}: ${key} is not there, or it may not be in this space`);
  else if (outcome.reason !== SYNCED) found.problems.push(`${place}: ${key}: ${outcome.reason}`);
}

function conditionOf({ all, problems }: Found, asks: boolean): WantedCondition {
  const type = 'TargetsSynced';
  const having = all === 1 ? '1 space has' : `${all} spaces have`;
  if (problems.length === 0) return { type, status: 'True', reason: SYNCED, message: `${having} the Secret` };
  const message = firstOf(problems);
  if (asks) return { type, status: 'False', reason: 'NotSynced', message };
  const way = 'deletion goes on when the clusters answer, or when the Cluster or the space is deleted';
  return { type, status: 'False', reason: 'Removing', message: `${message}; ${way}` };
}
