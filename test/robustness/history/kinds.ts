/** The kinds whose objects are written, and the paths of their fields. */
import type { Fields, ShownObject } from './history.js';

export type KindName = 'configmaps' | 'sharedsecrets';

export interface Kind {
  readonly name: KindName;
  /** The path of the collection. */
  readonly collection: string;
  /** The prefix of the storage keys of its records. */
  readonly stored: string;
  /** Whether an update may omit the resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** The body of an object without its name, or a merge patch. */
  body(fields: Fields): object;
}

interface AnyObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly data?: Fields;
  readonly spec?: { readonly data?: Fields };
}

const encoded = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
const decoded = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
  );

/** One kind that is stored unencrypted, and one that is encrypted. */
export const KINDS: readonly Kind[] = [
  {
    name: 'configmaps',
    collection: '/api/v1/namespaces/default/configmaps',
    stored: 'registry/core/configmaps/',
    unconditionalUpdate: true,
    body: (fields) => ({ data: fields }),
  },
  {
    name: 'sharedsecrets',
    collection: '/apis/management.svc.example/v1/namespaces/default/sharedsecrets',
    stored: 'registry/management.svc.example/sharedsecrets/',
    unconditionalUpdate: false,
    body: (fields) => ({ spec: { data: encoded(fields) } }),
  },
];

export function shownObject(object: unknown): ShownObject {
  const { metadata, data, spec } = object as AnyObject;
  return {
    name: metadata.name,
    uid: metadata.uid,
    revision: Number(metadata.resourceVersion),
    fields: data ?? decoded(spec?.data ?? {}),
  };
}

/** Whether the object belongs to the run: the names of its objects are `of-…`. */
export const isOurs = ({ name }: ShownObject): boolean => name.startsWith('of-');
