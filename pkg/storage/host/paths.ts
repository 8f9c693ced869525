import type { ResourceDefinition } from '../../../api/resource.js';
import { prefixEnd, type KeyRange } from '../interface.js';

/** The location of a kind's objects: keys here, paths at the host. */
export interface KindPaths {
  readonly range: KeyRange;
  /** The collection of all namespaces. */
  readonly all: string;
  /** The collection for the creation of an object with this key. */
  collection(this: void, key: string): string;
  object(this: void, key: string): string;
  key(this: void, namespace: string | undefined, name: string): string;
  /** For people: `namespace/name`. */
  shown(this: void, key: string): string;
}

/** Keys are `registry/<group or "core">/<plural>/<namespace>/<name>`, without namespace for cluster-scoped kinds. */
export function kindPaths({ group, version, plural, namespaced }: ResourceDefinition): KindPaths {
  const prefix = `registry/${group === '' ? 'core' : group}/${plural}/`;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collectionIn = (namespace: string): string =>
    `${base}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
  const all = `${base}/${plural}`;
  const shown = (key: string): string => key.slice(prefix.length);
  const collection = (key: string): string => {
    const path = shown(key);
    return namespaced ? collectionIn(path.slice(0, path.indexOf('/'))) : all;
  };
  return {
    range: { start: prefix, end: prefixEnd(prefix) },
    all,
    collection,
    object: (key) => `${collection(key)}/${encodeURIComponent(key.slice(key.lastIndexOf('/') + 1))}`,
    key: (namespace, name) => prefix + (namespaced ? `${namespace ?? ''}/${name}` : name),
    shown,
  };
}
