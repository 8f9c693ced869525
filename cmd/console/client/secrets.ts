/** Secrets, shared and of projects, as this browser keeps them: without the values, which are fetched on demand. */
import type { ObjectMeta } from '../../../api/resource.js';
import type { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import { secretSource, type SecretSource } from '../../../api/management.svc.example/secretsource.js';
import type { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import type { Condition } from '../../../api/meta/v1/condition.js';
import { objects, type Form } from './forms.js';
import { createObject } from './one.js';
import { pathOf } from './paths.js';
import { send } from './request.js';
import { printOf } from './edits/prints.js';
import { changeSpec } from './edits/undo.js';
import { base64Of, bytesOf, encoded } from './values.js';
import { namedView, type NamedView } from './views.js';

/** The kinds of secrets, by their resources. */
const KINDS = { sharedsecrets: 'SharedSecret', projectsecrets: 'ProjectSecret' } as const;
export type SecretResource = keyof typeof KINDS;
type Secret = SharedSecret | ProjectSecret;
type Spec = NonNullable<SharedSecret['spec']>;
export type AccessRule = NonNullable<Spec['access']>[number];

export interface Entry {
  readonly name: string;
  /** The size of the value, decoded. */
  readonly bytes: number;
}

/** Which secret. */
export interface SecretRef {
  readonly resource: SecretResource;
  readonly metadata: ObjectMeta;
}

export interface SecretView extends NamedView, SecretRef {
  readonly owner: { readonly user?: string; readonly team?: string };
  readonly access: readonly AccessRule[];
  readonly entries: readonly Entry[];
  /** The SharedSecret that the entries are those of; undefined: they are its own. */
  readonly source: SecretSource | undefined;
  readonly conditions: readonly Condition[];
}

export const SECRETS = 'sharedsecrets';
export const PROJECT_SECRETS = 'projectsecrets';

/** One secret, without its values. */
export const secretForm = (resource: SecretResource) => (): Form<SecretView> =>
  objects((object: Secret) => viewOf(resource, object));

export function viewOf(resource: SecretResource, object: Secret): SecretView {
  const { spec = {}, status = {} } = object;
  return {
    ...namedView(object),
    resource,
    source: resource === PROJECT_SECRETS ? secretSource(object) : undefined,
    conditions: status.conditions ?? [],
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
  secret: SecretRef,
  entry: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { spec } = await readSecret(secret);
  const value = spec?.data?.[entry];
  return value === undefined ? undefined : bytesOf(value);
}

/** With its values. Rejects with ApiError. */
export const readSecret = ({ resource, metadata }: SecretRef): Promise<Secret> =>
  send<Secret>('GET', pathOf(resource, metadata.namespace, metadata.name));

export interface NewSecret {
  readonly resource: SecretResource;
  readonly namespace: string;
  readonly name: string;
  readonly displayName: string;
  readonly access: readonly AccessRule[];
  /** By their names. */
  readonly entries: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** Of a new secret, without its entries. */
export const specOf = (displayName: string, access: readonly AccessRule[]): object => ({
  ...(displayName !== '' && { displayName }),
  ...(access.length > 0 && { access }),
});

/** Rejects with ApiError. */
export const createSecret = ({ resource, namespace, name, ...secret }: NewSecret): Promise<unknown> =>
  createObject(resource, namespace, {
    kind: KINDS[resource],
    metadata: { name },
    spec: {
      ...specOf(secret.displayName, secret.access),
      data: Object.fromEntries([...secret.entries].map(([entry, value]) => [entry, base64Of(value)])),
    },
  });

/**
 * Sets members of a secret, on the version that is shown: 409 if somebody else changed it first. Rejects with ApiError.
 */
export const changeSecret = ({ resource, metadata }: SecretRef, spec: object) =>
  changeSpec(resource, metadata, spec);

export const isSecretResource = (resource: string): resource is SecretResource =>
  Object.hasOwn(KINDS, resource);

export const removeEntry = (secret: SecretRef, name: string) =>
  changeSecret(secret, { data: { [name]: null } });

/** The current state of one entry, without its value. */
export interface EntryNow extends SecretRef {
  /** A fingerprint of the value; undefined: there is no such entry. */
  readonly print: string | undefined;
  readonly bytes: number;
}

/** Rejects with ApiError. */
export async function entryNow(secret: SecretRef, entry: string): Promise<EntryNow> {
  const { resource } = secret;
  const { metadata, spec } = await readSecret(secret);
  const value = Object.hasOwn(spec?.data ?? {}, entry) ? spec?.data?.[entry] : undefined;
  if (value === undefined) return { resource, metadata, print: undefined, bytes: 0 };
  return { resource, metadata, print: await printOf(encoded(value)), bytes: decodedLength(value) };
}

/** Sets an entry if the secret has not changed since `now` was read. Rejects with ApiError. */
export const setEntry = (now: EntryNow, name: string, value: Uint8Array<ArrayBuffer>) =>
  changeSecret(now, { data: { [name]: base64Of(value) } });
