/**
 * For programs that use `@kubernetes/client-node`: its kubeconfig for this client, the kinds as objects of its types, and informers
 * of them.
 */
import {
  ListWatch,
  Watch,
  type Informer,
  type KubeConfig,
  type KubernetesObject,
  type ObjectCache,
  type V1ManagedFieldsEntry,
  type V1ObjectMeta,
} from '@kubernetes/client-node';
import type { Static } from 'typebox';
import type {
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
  ObjectOf,
  ResourceDefinition,
} from '../resource.js';
import { Client, collectionPathOf } from './client.js';
import { fetchOver } from './node.js';
import type { Fetch } from './transport.js';

/** An object of a kind as `KubernetesObjectApi` takes and answers it: the times of its metadata are Dates. */
export type KubernetesObjectOf<D extends ResourceDefinition> = KubernetesObject & {
  apiVersion: string;
  kind: D['kind'];
  metadata: V1ObjectMeta;
} & Static<D['schema']>;

export interface InformerOptions {
  /** Without it: all namespaces, or a kind that has none. */
  readonly namespace?: string;
  /** `team=a,stage!=test` */
  readonly labelSelector?: string;
}

/**
 * A client of the cluster and the user of the kubeconfig's current context. Credentials of a plug-in are renewed as the plug-in says.
 * @throws Error where the kubeconfig has no current cluster.
 */
export function clientOf(config: KubeConfig): Client {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('the kubeconfig has no current cluster: set its current-context');
  const fetch: Fetch = async (url, init) => {
    const options = {};
    await config.applyToHTTPSOptions(options);
    return fetchOver(options)(url, init);
  };
  return new Client({ server, fetch });
}

/** A cache of the objects of a kind that follows their changes. It begins with `start()`. */
export function informerOf<D extends ResourceDefinition>(
  config: KubeConfig,
  definition: D,
  { namespace, labelSelector }: InformerOptions = {},
): Informer<KubernetesObjectOf<D>> & ObjectCache<KubernetesObjectOf<D>> {
  const resource = clientOf(config).resource(definition, namespace);
  const list = async () => {
    const { metadata, items } = await resource.list({ labelSelector });
    return { metadata, items: items.map((item) => kubernetesObjectOf<D>(item)) };
  };
  const path = collectionPathOf(definition, namespace);
  return new ListWatch(path, new WatchOfDates(config), list, false, labelSelector);
}

/** Objects come from the wire with times as text. */
class WatchOfDates extends Watch {
  override watch(...[path, query, onEvent, onEnd]: Parameters<Watch['watch']>): Promise<AbortController> {
    const onRead: typeof onEvent = (phase, object: KubeObject, event) =>
      onEvent(phase, phase === 'ERROR' ? object : kubernetesObjectOf(object), event);
    return super.watch(path, query, onRead, onEnd);
  }
}

/** The same, with the times of its metadata as Dates. */
function kubernetesObjectOf<D extends ResourceDefinition>(object: ObjectOf<D>): KubernetesObjectOf<D>;
function kubernetesObjectOf(object: KubeObject): KubernetesObject;
function kubernetesObjectOf(object: KubeObject): KubernetesObject {
  return { ...object, metadata: datedMeta(object.metadata) };
}

function datedMeta({
  creationTimestamp,
  deletionTimestamp,
  managedFields,
  ...rest
}: ObjectMeta): V1ObjectMeta {
  return {
    ...rest,
    ...(creationTimestamp !== undefined && { creationTimestamp: new Date(creationTimestamp) }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp: new Date(deletionTimestamp) }),
    ...(managedFields !== undefined && { managedFields: managedFields.map(datedEntry) }),
  };
}

function datedEntry({ time, fieldsV1, ...rest }: ManagedFieldsEntry): V1ManagedFieldsEntry {
  return {
    ...rest,
    ...(typeof fieldsV1 === 'object' && fieldsV1 !== null && { fieldsV1 }),
    ...(time !== undefined && { time: new Date(time) }),
  };
}
