/** Keeps the data of ProjectSecrets that name a SharedSecret as those of that SharedSecret. */
import type { SecretSource } from '../../../api/management.svc.example/v1/secretsource.js';
import { sameSource, secretSource } from '../../../api/management.svc.example/v1/secretsource.js';
import type { KubeObject } from '../../../api/resource.js';
import { StatusError } from '../../apimachinery/errors.js';
import type { WantedCondition } from '../condition.js';
import { withWantedConditions } from '../condition.js';
import { ignoring } from '../expected.js';
import type { CachedObject, Loop, LoopContext, ResourceClient } from '../interface.js';
import { resourceOf } from '../interface.js';
import { mirrorIndex } from './mirrorindex.js';

const GROUP = 'management.svc.example';
/** What was refused is tried again after so long. */
const AGAIN_MS = 30_000;

type Data = Record<string, string>;

/** Without its source a mirror has no data: what was taken away from everyone is not kept here. */
export const secretSyncLoop: Loop = {
  name: 'shared-secret-sync-controller',
  user: 'shared-secret-sync',
  workers: 4,
  start(context) {
    const shared = resourceOf(context.client, GROUP, 'sharedsecrets');
    const mirrors = resourceOf(context.client, GROUP, 'projectsecrets');
    followBoth(context, shared, mirrors);
    return {
      async reconcile(key) {
        const [namespace = '', name = ''] = key.split('/');
        const mirror = mirrors.cached(namespace, name)?.object();
        const source = mirror && secretSource(mirror);
        if (mirror === undefined || source === undefined) return;
        const target = { namespace, name, uid: mirror.metadata.uid as string };
        const found = shared.cached(source.namespace, source.name);
        const data = found && dataOf(found.object());
        const refused = await refusal(mirrors.update(target, (copy) => withData(copy, source, data)));
        if (refused !== undefined) context.enqueue(key, AGAIN_MS);
        const condition = synced(source, found, refused);
        await ignoring(
          [404],
          mirrors.update({ ...target, subresource: 'status' }, (copy) =>
            sameSource(secretSource(copy), source) ? withWantedConditions(copy, [condition]) : undefined,
          ),
        );
      },
    };
  },
};

const dataOf = ({ spec }: KubeObject): Data | undefined => (spec as { data?: Data } | undefined)?.data;

/** Undefined where there is nothing to do, or where the mirror is of another secret by now. */
function withData(copy: KubeObject, source: SecretSource, data: Data = {}): KubeObject | undefined {
  if (!sameSource(secretSource(copy), source) || sameData(dataOf(copy) ?? {}, data)) return undefined;
  return { ...copy, spec: { ...(copy.spec as object), data } };
}

function sameData(a: Data, b: Data): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
}

/** Why the data may not be written: they would exceed a quota. */
async function refusal(update: Promise<void>): Promise<string | undefined> {
  try {
    await ignoring([404], update);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError && error.code === 403) return error.message;
    throw error;
  }
}

function synced(
  { namespace, name }: SecretSource,
  found: CachedObject | undefined,
  refused: string | undefined,
): WantedCondition {
  if (refused !== undefined) return { type: 'Synced', status: 'False', reason: 'Refused', message: refused };
  const what = `SharedSecret ${namespace}/${name}`;
  if (found !== undefined)
    return { type: 'Synced', status: 'True', reason: 'Synced', message: `has the data of ${what}` };
  return { type: 'Synced', status: 'False', reason: 'SourceNotFound', message: `there is no ${what}` };
}

function followBoth({ follow, enqueue }: LoopContext, shared: ResourceClient, mirrors: ResourceClient): void {
  const index = mirrorIndex();
  const enqueueMirrors = (source: SecretSource): void => {
    for (const mirror of index.mirrorsOf(source)) enqueue(mirror);
  };
  follow(mirrors, {
    replaced() {
      index.clear();
      for (const mirror of mirrors.list('')) this.changed(mirror, undefined);
    },
    changed(mirror) {
      const source = secretSource(mirror.object());
      index.set(keyOf(mirror), source);
      if (source !== undefined) enqueue(keyOf(mirror));
    },
    deleted: (mirror) => index.set(keyOf(mirror), undefined),
  });
  follow(shared, {
    replaced() {
      for (const mirror of index.all()) enqueue(mirror);
    },
    changed: enqueueMirrors,
    deleted: enqueueMirrors,
  });
}

const keyOf = ({ namespace, name }: CachedObject): string => `${namespace}/${name}`;
