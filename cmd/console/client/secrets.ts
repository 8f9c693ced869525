/** Shared secrets as this browser keeps them: without the values, which are fetched on demand. */
import type { ObjectMeta } from '../../../api/resource.js';
import type { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { objects, type Form } from './forms.js';
import { createObject } from './one.js';
import { pathOf } from './paths.js';
import { send } from './request.js';
import { printOf } from './edits/prints.js';
import { changeSpec } from './edits/undo.js';
import { base64Of, bytesOf, encoded } from './values.js';
import { namedView, type NamedView } from './views.js';

type Spec = NonNullable<SharedSecret['spec']>;
export type AccessRule = NonNullable<Spec['access']>[number];

export interface Entry {
  readonly name: string;
  /** The size of the value, decoded. */
  readonly bytes: number;
}

export interface SecretView extends NamedView {
  readonly owner: { readonly user?: string; readonly team?: string };
  readonly access: readonly AccessRule[];
  readonly entries: readonly Entry[];
}

export const SECRETS = 'sharedsecrets';

/** One secret, without its values. */
export const secretForm = (): Form<SecretView> => objects(viewOf);

export function viewOf(object: SharedSecret): SecretView {
  const { spec = {} } = object;
  return {
    ...namedView(object),
    owner: spec.owner ?? {},
    access: spec.access ?? [],
    entries: Object.entries(spec.data ?? {})
      .map(([name, value]) => ({ name, bytes: decodedLength(value) }))
      .sort((one, other) => one.name.localeCompare(other.name)),
  };
}

/** The decoded length of a base64 text. */
const decodedLength = (text: string): number => Math.floor((text.replace(/=+$/, '').length * 3) / 4);

/** The bytes of the current value. Undefined: the entry does not exist any more. Rejects with ApiError. */
export async function readValue(
  namespace: string,
  name: string,
  entry: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const secret = await send<SharedSecret>('GET', pathOf(SECRETS, namespace, name));
  const value = secret.spec?.data?.[entry];
  return value === undefined ? undefined : bytesOf(value);
}

export interface NewSecret {
  readonly namespace: string;
  readonly name: string;
  readonly displayName: string;
  readonly entries: readonly { readonly name: string; readonly value: Uint8Array<ArrayBuffer> }[];
}

export const createSecret = ({ namespace, name, displayName, entries }: NewSecret): Promise<SharedSecret> =>
  createObject(SECRETS, namespace, {
    kind: 'SharedSecret',
    metadata: { name },
    spec: {
      ...(displayName !== '' && { displayName }),
      data: Object.fromEntries(entries.map((entry) => [entry.name, base64Of(entry.value)])),
    },
  });

/**
 * Sets members of a secret, on the version that is shown: 409 if somebody else changed it first. Rejects with ApiError.
 */
export const changeSecret = ({ metadata }: Pick<SecretView, 'metadata'>, spec: object) =>
  changeSpec(SECRETS, metadata, spec);

export const removeEntry = (secret: SecretView, name: string) =>
  changeSecret(secret, { data: { [name]: null } });

/** The current state of one entry, without its value. */
export interface EntryNow {
  readonly metadata: ObjectMeta;
  /** A fingerprint of the value; undefined: there is no such entry. */
  readonly print: string | undefined;
  readonly bytes: number;
}

/** Rejects with ApiError. */
export async function entryNow({ namespace, name }: ObjectMeta, entry: string): Promise<EntryNow> {
  const { metadata, spec } = await send<SharedSecret>('GET', pathOf(SECRETS, namespace, name));
  const value = Object.hasOwn(spec?.data ?? {}, entry) ? spec?.data?.[entry] : undefined;
  if (value === undefined) return { metadata, print: undefined, bytes: 0 };
  return { metadata, print: await printOf(encoded(value)), bytes: decodedLength(value) };
}

/** Sets an entry if the secret has not changed since `now` was read. Rejects with ApiError. */
export const setEntry = (now: EntryNow, name: string, value: Uint8Array<ArrayBuffer>) =>
  changeSecret(now, { data: { [name]: base64Of(value) } });
