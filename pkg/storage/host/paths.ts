import type { ResourceDefinition } from '../../../api/resource.js';
import type { KeyRange } from '../interface.js';
import { prefixEnd } from '../interface.js';

/** Where the objects of a kind are: keys here, paths at the host. */
export interface KindPaths {
  readonly range: KeyRange;
  /** All of them. */
  readonly all: string;
  /** The collection that an object of this key is created in. */
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
