/**
 * The wanted state of a Secret in a cluster, by the rights of the owners of the instances that its namespace
 * belongs to.
 */
import { createHash } from 'node:crypto';
import { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { isObject } from '../../apimachinery/encoding/members.js';
import type { ControllerContext, ResourceClient, SyncRights } from '../interface.js';
import { resourceOf } from '../interface.js';
import type { SecretMetadata } from './labels.js';
import { textsOf } from './labels.js';
import type { Instance } from './places.js';
import type { Source, Wanted } from './plan.js';
import { FORBIDDEN } from './plan.js';
import type { SourceName, SecretRequest } from './secretrequest.js';
import { describeSource, sourceKey, secretRequestOf } from './secretrequest.js';

/** Rejects with SourceUnreadable. */
export type Find = (source: SourceName) => Promise<Source | undefined>;

/** The record of a source cannot be read, so its existence is unknown. */
export class SourceUnreadable extends Error {
  override readonly name = 'SourceUnreadable';
}

/**
 * Finds sources in the cache. A missing one is looked for in the store, as damaged records are not cached.
 */
export function finder({ client }: Pick<ControllerContext, 'client'>): Find {
  const [shared, project] = [resourceOf(client, SharedSecret), resourceOf(client, ProjectSecret)];
  return async (source) => {
    const { plural, namespace, name } = source;
    const resource: ResourceClient<SharedSecret | ProjectSecret> =
      plural === 'sharedsecrets' ? shared : project;
    const found =
      resource.cached(namespace, name)?.object() ??
      (await resource.live(namespace, name).catch((cause: unknown) => {
        throw new SourceUnreadable(`${describeSource(source)} cannot be read`, { cause });
      }));
    if (found === undefined) return undefined;
    const { uid = '', resourceVersion = '' } = found.metadata;
    const owner = createHash('sha256')
      .update(JSON.stringify(found.spec?.owner ?? {}))
      .digest('hex');
    const data = isObject(found.spec) ? textsOf(found.spec.data) : {};
    return { uid, resourceVersion, owner: owner.slice(0, 16), data };
  };
}

/** The right of one owner to one source. */
export const rightKey = ({ owner }: Instance, source: SourceName): string =>
  `${sourceKey(source)}\n${JSON.stringify([owner.user ?? '', owner.team ?? ''])}`;

/** The source in a {@link rightKey}. */
export const sourceOfRight = (key: string): string => key.slice(0, key.indexOf('\n'));

/**
 * Instances of several projects may share a namespace: then all must request the same, with the right to it.
 */
export async function wantedFor(
  secret: SecretMetadata,
  instances: readonly Instance[],
  parts: {
    readonly rights: Pick<SyncRights, 'check'>;
    readonly find: Find;
    readonly until: (source: SourceName, at: number) => void;
  },
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
  for (const instance of instances) {
    const { owner } = instance;
    const verdict = await parts.rights.check(rightKey(instance, wish.source), { ...wish.source, owner });
    if (!verdict.holds) return empty(FORBIDDEN, `${verdict.why}, as the owner of ${instance.what}`);
    if (verdict.until !== undefined) parts.until(wish.source, verdict.until);
  }
  const source = await parts.find(wish.source);
  if (source === undefined) return empty('SourceNotFound', `there is no ${what}`);
  return { is: 'filled', source, keys: wish.keys, what };
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
