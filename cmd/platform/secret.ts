/** Secrets as the commands name them: NAME, or NAME.ENTRY for one of its entries. */
import type { KubeObject } from '../../api/resource.js';
import { type Client, type Place } from './connection/client.js';
import { usage } from './failure.js';
import { managementObject } from './objects.js';
import { projectNamespace } from './project.js';

/** Options that say where a secret is. */
export interface SecretOptions {
  readonly namespace?: string;
  /** Selects a ProjectSecret of this project. */
  readonly project?: string;
  /** The entry, where the name of the secret itself has dots. */
  readonly key?: string;
}

export interface SecretName {
  readonly name: string;
  readonly key: string | undefined;
}

const KINDS = {
  sharedsecrets: 'SharedSecret',
  projectsecrets: 'ProjectSecret',
} as const;

/** At the first dot: keys may have more of them. With `--key` all of it is the name. */
export function secretName(text: string, { key }: SecretOptions): SecretName {
  if (key !== undefined) return { name: text, key };
  const dot = text.indexOf('.');
  if (dot === -1) return { name: text, key: undefined };
  if (dot === 0 || dot === text.length - 1) throw usage(`"${text}" is not NAME or NAME.ENTRY`);
  return { name: text.slice(0, dot), key: text.slice(dot + 1) };
}

/** The namespace of these options; `default` if they name none. */
export async function secretPlace(client: Client, options: SecretOptions): Promise<Required<SecretPlace>> {
  if (options.project === undefined)
    return { resource: 'sharedsecrets', namespace: options.namespace ?? 'default' };
  if (options.namespace !== undefined) throw usage('--project and --namespace exclude each other');
  return { resource: 'projectsecrets', namespace: await projectNamespace(client, options.project) };
}

type SecretPlace = Pick<Place, 'namespace'> & { resource: keyof typeof KINDS };

/** The fields of a new secret; `data` in base64. */
interface SecretSpec {
  readonly displayName?: string;
  readonly description?: string;
  readonly data: Readonly<Record<string, string>>;
}

export function newSecret({ resource }: SecretPlace, name: string, spec: SecretSpec): object {
  return managementObject(KINDS[resource], { name }, { spec });
}

/** The entries of a secret, decoded, by their keys. */
export function entriesOf(secret: KubeObject): [string, Buffer][] {
  const { data = {} }: { data?: Record<string, string> } = secret.spec ?? {};
  return Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')]);
}
