/** The kinds whose objects are written: where their fields are. */
import type { Fields, ShownObject } from './history.js';

export type KindName = 'configmaps' | 'sharedsecrets';

export interface Kind {
  readonly name: KindName;
  /** The path of the collection. */
  readonly collection: string;
  /** What the keys of its records begin with. */
  readonly stored: string;
  /** An update need not say which version it changes. */
  readonly unconditionalUpdate: boolean;
  /** An object besides its name, and a merge patch. */
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

/** One that is stored as it is, and one that is encrypted. */
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

/** Objects of a run are named `of-…`; others are not its own. */
export const isOurs = ({ name }: ShownObject): boolean => name.startsWith('of-');
