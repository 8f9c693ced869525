/** Copies the data of SharedSecrets to the ProjectSecrets that name them. */
import {
  sameSource,
  secretSource,
  type SecretSource,
} from '../../../../api/management.svc.example/secretsource.js';
import type { KubeObject } from '../../../../api/resource.js';
import { StatusError } from '../../../apimachinery/errors.js';
import { withWantedConditions, type WantedCondition } from '../../../controllers/condition.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import { resourceOf, type CachedObject, type ResourceClient } from '../../../controllers/interface.js';
import type { ManagementController, ManagementContext } from '../../controllercontext.js';
import type { Verdict } from '../../standingrights/standing.js';
import { targetOf } from '../../../controllers/target.js';
import { mirrorIndex } from './mirrorindex.js';
import { SharedSecret } from '../../../../api/management.svc.example/v1/sharedsecret.js';
import { ProjectSecret } from '../../../../api/management.svc.example/v1/projectsecret.js';

/** The delay before a refused write is tried again. */
const AGAIN_MS = 30_000;

type Data = Record<string, string>;

/**
 * Rights of another API server take effect there a moment after its watches report them: they are checked
 * again after this time.
 */
const SETTLED_MS = 2_000;
/** How often all mirrors are checked, as a change may be missed. */
const ALL_MS = 60_000;
const LONGEST_MS = 3_600_000;

/**
 * A mirror has no data without its source, and without the right that it depends on, as a revoked secret must
 * not stay here.
 */
export const secretSyncController: ManagementController<'mirrorRights'> = {
  name: 'shared-secret-sync-controller',
  user: 'shared-secret-sync',
  workers: 4,
  start(context) {
    const { client, mirrorRights, enqueue, now } = context;
    const shared = resourceOf(client, SharedSecret);
    const mirrors = resourceOf(client, ProjectSecret);
    const unsettled = followAll(context, shared, mirrors);
    return {
      async reconcile(key) {
        const [namespace = '', name = ''] = key.split('/');
        const mirror = mirrors.cached({ namespace, name })?.object();
        const source = mirror && secretSource(mirror);
        if (mirror === undefined || source === undefined) return mirrorRights.forget(key);
        let found: SharedSecret | undefined;
        const find = (): SharedSecret | undefined => (found = shared.cached(source)?.object());
        const verdict = await mirrorRights.check(mirror, source, find);
        // A damaged record is not cached: reading it rejects, and the mirror keeps its data.
        if (verdict.holds && found === undefined && (await shared.live(source)) !== undefined)
          return enqueue(key, SETTLED_MS);
        const target = targetOf(mirror);
        const data = verdict.holds && found !== undefined ? dataOf(found) : undefined;
        const refused = await refusal(mirrors.update(target, (copy) => withData(copy, source, data)));
        if (refused !== undefined) enqueue(key, AGAIN_MS);
        const condition = synced(source, { found, verdict, refused });
        await ignoring(
          [404],
          mirrors.update({ ...target, subresource: 'status' }, (copy) =>
            sameSource(secretSource(copy), source) ? withWantedConditions(copy, [condition]) : undefined,
          ),
        );
        if (unsettled.delete(key)) enqueue(key, SETTLED_MS);
        if (verdict.until !== undefined)
          enqueue(key, Math.min(Math.max(verdict.until - now(), 1), LONGEST_MS));
      },
    };
  },
};

const dataOf = ({ spec }: ProjectSecret | SharedSecret): Data | undefined => spec?.data;

/** Undefined if nothing is to be done, or if it is a mirror of another secret by now. */
function withData(copy: ProjectSecret, source: SecretSource, data: Data = {}): ProjectSecret | undefined {
  if (!sameSource(secretSource(copy), source) || sameData(dataOf(copy) ?? {}, data)) return undefined;
  return { ...copy, spec: { ...copy.spec, data } };
}

function sameData(a: Data, b: Data): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
}

/** Why the data cannot be written: they would exceed a quota. */
async function refusal(update: Promise<void>): Promise<string | undefined> {
  try {
    await ignoring([404], update);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError && error.code === 403) return error.message;
    throw error;
  }
}

interface Findings {
  readonly found: KubeObject | undefined;
  readonly verdict: Verdict;
  readonly refused: string | undefined;
}

function synced({ namespace, name }: SecretSource, { found, verdict, refused }: Findings): WantedCondition {
  const not = (reason: string, message: string): WantedCondition => ({
    type: 'Synced',
    status: 'False',
    reason,
    message,
  });
  if (!verdict.holds) return not('Revoked', `${verdict.why}; ${RESTORED}`);
  if (refused !== undefined) return not('Refused', refused);
  const what = `SharedSecret ${namespace}/${name}`;
  if (found !== undefined)
    return { type: 'Synced', status: 'True', reason: 'Synced', message: `has the data of ${what}` };
  return not('SourceNotFound', `there is no ${what}`);
}

const RESTORED =
  'the data come back with that right, or when somebody who may get the SharedSecret takes the labels off and sets them again';

/** Enqueues the mirrors whose rights have changed. */
function followAll(
  { follow, enqueue, mirrorRights, onStop, every }: ManagementContext<'mirrorRights'>,
  shared: ResourceClient<SharedSecret>,
  mirrors: ResourceClient<ProjectSecret>,
): Set<string> {
  const index = mirrorIndex();
  const unsettled = new Set<string>();
  const enqueueMirrors = (source: SecretSource): void => {
    for (const mirror of index.mirrorsOf(source)) enqueue(mirror);
  };
  const enqueueAll = (): void => {
    for (const mirror of index.all()) enqueue(mirror);
  };
  const { cancel } = mirrorRights.follow((mirror) => {
    unsettled.add(mirror);
    enqueue(mirror);
  });
  onStop(() => {
    cancel();
    for (const mirror of index.all()) mirrorRights.forget(mirror);
  });
  every(ALL_MS, enqueueAll);
  follow(mirrors, {
    replaced() {
      index.clear();
      for (const mirror of mirrors.list('')) this.changed(mirror, undefined);
    },
    changed(mirror, previous) {
      const source = secretSource(mirror.object());
      index.set(keyOf(mirror), source);
      if (source !== undefined || (previous && secretSource(previous.object())) !== undefined)
        enqueue(keyOf(mirror));
    },
    deleted(mirror) {
      index.set(keyOf(mirror), undefined);
      mirrorRights.forget(keyOf(mirror));
    },
  });
  follow(shared, { replaced: enqueueAll, changed: enqueueMirrors, deleted: enqueueMirrors });
  return unsettled;
}

const keyOf = ({ namespace, name }: CachedObject): string => `${namespace}/${name}`;
