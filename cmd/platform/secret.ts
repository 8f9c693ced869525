/** Secrets: where they are, and their entries. */
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
}

const KINDS = {
  sharedsecrets: 'SharedSecret',
  projectsecrets: 'ProjectSecret',
} as const;

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

/** The entries of a secret, decoded, by their names. */
export function entriesOf(secret: KubeObject): [string, Buffer][] {
  const { data = {} }: { data?: Record<string, string> } = secret.spec ?? {};
  return Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')]);
}
