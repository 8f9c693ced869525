/**
 * The wanted state of a Secret in a cluster, by what its source grants to the instances that its namespace belongs
 * to, and to their owners. What the cluster asks for is no reason to fill it.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { isObject } from '../../apimachinery/encoding/members.js';
import { NO_GRANTS, syncGrantsOf, type SyncGrants } from '../sharing/syncgrants.js';
import { resourceOf, type ControllerContext, type ResourceClient } from '../../controllers/interface.js';
import { tokenBucket } from '../../controllers/tokenbucket.js';
import { textsOf, type SecretMetadata } from './labels.js';
import type { Instance } from './places.js';
import { FORBIDDEN, type Source, type Wanted } from './plan.js';
import {
  describeSource,
  sourceKey,
  secretRequestOf,
  type SourceName,
  type SecretRequest,
} from './secretrequest.js';
import type { SyncRights } from './syncrights.js';

/** `grants`: the places that the source may be written into. */
type FoundSource = Source & { readonly grants: SyncGrants };

/** Rejects with SourceUnreadable. */
export type Find = (source: SourceName) => Promise<FoundSource | undefined>;

/** The record of a source cannot be read, so its existence is unknown. */
export class SourceUnreadable extends Error {
  override readonly name = 'SourceUnreadable';
}

/** The rate of reads of the store: a cluster may ask for any number of names. */
const READS = { perSecond: 20, burst: 200 };

/**
 * Finds sources in the cache. A missing one is looked for in the store, as damaged records are not cached.
 */
export function finder({ client }: Pick<ControllerContext, 'client'>): Find {
  const [shared, project] = [resourceOf(client, SharedSecret), resourceOf(client, ProjectSecret)];
  const known = new WeakMap<object, FoundSource>();
  const turn = tokenBucket(READS);
  async function stored(
    resource: ResourceClient<SharedSecret | ProjectSecret>,
    source: SourceName,
  ): Promise<SharedSecret | ProjectSecret | undefined> {
    const wait = turn();
    if (wait > 0) await sleep(wait, undefined, { ref: false });
    try {
      return await resource.live(source);
    } catch (cause) {
      throw new SourceUnreadable(`${describeSource(source)} cannot be read`, { cause });
    }
  }
  return async (name) => {
    const resource: ResourceClient<SharedSecret | ProjectSecret> =
      name.plural === 'sharedsecrets' ? shared : project;
    const object = resource.cached(name)?.object() ?? (await stored(resource, name));
    if (object === undefined) return undefined;
    const source = known.get(object) ?? sourceOf(object);
    known.set(object, source);
    return source;
  };
}

function sourceOf(object: SharedSecret | ProjectSecret): FoundSource {
  const { uid = '', resourceVersion = '' } = object.metadata;
  const owner = createHash('sha256')
    .update(JSON.stringify(object.spec?.owner ?? {}))
    .digest('hex');
  const data = isObject(object.spec) ? textsOf(object.spec.data) : {};
  return { uid, resourceVersion, owner: owner.slice(0, 16), data, grants: syncGrantsOf(object) };
}

/** The right of one owner to one source. */
const rightKey = ({ owner }: Instance, source: SourceName): string =>
  `${sourceKey(source)}\n${JSON.stringify([owner.user ?? '', owner.team ?? ''])}`;

/** The source in a {@link rightKey}. */
export const sourceOfRight = (key: string): string => key.slice(0, key.indexOf('\n'));

export interface WantedParts {
  readonly rights: Pick<SyncRights, 'check'>;
  readonly find: Find;
  /** The name of the project with this namespace. */
  readonly projectOf: (namespace: string) => string | undefined;
  readonly until: (source: SourceName, at: number) => void;
}

/**
 * Instances of several projects may share a namespace: then all must request the same, and the source must grant
 * it to each. The result does not reveal whether a source exists that grants nothing.
 */
export async function wantedFor(
  secret: SecretMetadata,
  instances: readonly Instance[],
  parts: WantedParts,
): Promise<Wanted> {
  const empty = (reason: string, message: string): Wanted => ({ is: 'empty', reason, message });
  const wishes = instances.map(({ namespace }) => secretRequestOf(secret, namespace));
  const [wish] = wishes;
  if (wish === undefined)
    return empty(FORBIDDEN, 'the namespace belongs to no space and to no virtual cluster any more');
  if (wish.asks === 'nothing') return { is: 'released' };
  if (wish.asks === 'invalid') return empty('InvalidLabels', wish.why);
  if (wishes.some((other) => !sameSource(other, wish.source)))
    return empty('InvalidLabels', 'the namespace belongs to instances of several projects');
  const what = describeSource(wish.source);
  const source = await parts.find(wish.source);
  const grants = source?.grants ?? NO_GRANTS;
  for (const instance of instances) {
    if (isNamed(instance, wish.source, grants, parts.projectOf)) continue;
    const { owner } = instance;
    const right = { ...wish.source, owner, grants: grants.owners };
    const verdict = parts.rights.check(rightKey(instance, wish.source), right);
    if (!verdict.holds) return empty(FORBIDDEN, `${verdict.why}, as the owner of ${instance.what}`);
    if (verdict.until !== undefined) parts.until(wish.source, verdict.until);
  }
  if (source === undefined) return empty(FORBIDDEN, `there is no ${what}`);
  return { is: 'filled', source, keys: wish.keys, what };
}

/** Whether the source names the space, or its project, whoever owns it. */
function isNamed(
  { kind, namespace, name }: Instance,
  { plural, namespace: of }: SourceName,
  { projects, spaces }: SyncGrants,
  projectOf: WantedParts['projectOf'],
): boolean {
  if (plural === 'projectsecrets' && kind === 'SpaceInstance' && of === namespace && spaces.has(name))
    return true;
  const project = projects.size === 0 ? undefined : projectOf(namespace);
  return project !== undefined && projects.has(project);
}

const sameSource = (wish: SecretRequest, source: SourceName): boolean =>
  wish.asks === 'source' && sourceKey(wish.source) === sourceKey(source);

/** Equal digests need no request while the Secret is unchanged. */
export function digestOf(wanted: Wanted): string {
  if (wanted.is === 'released') return 'released';
  if (wanted.is === 'empty') return `empty ${wanted.reason}`;
  const { source, keys } = wanted;
  const text = JSON.stringify([source.uid, source.resourceVersion, keys === undefined ? [] : [...keys]]);
  return createHash('sha256').update(text).digest('base64');
}
