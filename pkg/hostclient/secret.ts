/** A Secret at the host: the two requests for it, whatever is in it. */
import { isKubeObject, type KubeObject, type ObjectKey } from '../../api/resource.js';
import { textIn } from '../apimachinery/encoding/members.js';
import type { HostAnswer, HostClient } from './interface.js';

/** An error status of the host. Its message is omitted, as it may contain the request. */
export class HostRefusal extends Error {
  override readonly name = 'HostRefusal';
  constructor(what: string, { status, body }: HostAnswer) {
    const reason = textIn(body, 'reason') ?? 'no reason';
    super(`${what}: the API server answered ${status} (${reason})`);
  }
}

/** In base64. */
export type SecretData = Readonly<Record<string, string>>;

export interface HostSecret extends KubeObject {
  readonly data?: SecretData;
}

export const secretsPath = ({ namespace }: ObjectKey): string => `/api/v1/namespaces/${namespace}/secrets`;

/** Undefined: there is none. Rejects with HostRefusal and HostUnreachable. */
export async function readSecret(host: HostClient, secret: ObjectKey): Promise<HostSecret | undefined> {
  const answer = await host.send({ method: 'GET', path: `${secretsPath(secret)}/${secret.name}` });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200 || !isKubeObject(answer.body))
    throw new HostRefusal(`read the Secret ${secret.namespace}/${secret.name}`, answer);
  return answer.body;
}

/** Sets data of the found Secret, or creates it with this metadata. Rejects with HostUnreachable. */
export function sendSecret(
  host: HostClient,
  { namespace, name }: ObjectKey,
  found: HostSecret | undefined,
  data: SecretData,
  metadata: Pick<KubeObject['metadata'], 'labels' | 'annotations'> = {},
): Promise<HostAnswer> {
  const type = { apiVersion: 'v1', kind: 'Secret' };
  const path = secretsPath({ namespace, name });
  if (found !== undefined) {
    const body = { ...found, ...type, data: { ...found.data, ...data } };
    return host.send({ method: 'PUT', path: `${path}/${name}`, body });
  }
  const body = { ...type, metadata: { name, namespace, ...metadata }, type: 'Opaque', data };
  return host.send({ method: 'POST', path, body });
}
