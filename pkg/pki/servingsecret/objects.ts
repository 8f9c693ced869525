/** The two objects of the host: the Secret with the certificates, and the APIService with the trusted authorities. */
import { isObject, textIn } from '../../apimachinery/encoding/members.js';
import type { HostAnswer, HostClient } from '../../hostclient/interface.js';
import { decodeRecord, encodeRecord, joinBundle, type SecretData, type ServingRecord } from './record.js';

/** A namespace and a name in it. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

interface HostObject {
  readonly data?: SecretData;
  readonly spec?: { readonly caBundle?: string };
}

/** The current Secret. `object` is undefined if it does not exist, `record` if it is damaged. */
export interface FoundSecret {
  readonly object: HostObject | undefined;
  readonly record: ServingRecord | undefined;
}

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const secretsOf = ({ namespace }: NamespacedName): string => `/api/v1/namespaces/${namespace}/secrets`;

/** Paths of watches on single objects. */
export const watchSecret = (secret: NamespacedName): string => watchOne(secretsOf(secret), secret.name);
export const watchApiService = (name: string): string => watchOne(API_SERVICES, name);
const watchOne = (collection: string, name: string): string =>
  `${collection}?watch=true&fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;

/** An error status of the host. Its message is omitted, as it may contain the request. */
export class HostRefusal extends Error {
  override readonly name = 'HostRefusal';
  constructor(what: string, { status, body }: HostAnswer) {
    const reason = textIn(body, 'reason') ?? 'no reason';
    super(`${what}: the API server answered ${status} (${reason})`);
  }
}

/** Rejects with HostRefusal and HostUnreachable, as all functions here. */
export async function readSecret(host: HostClient, secret: NamespacedName): Promise<FoundSecret> {
  const path = `${secretsOf(secret)}/${secret.name}`;
  const answer = await host.send({ method: 'GET', path });
  if (answer.status === 404) return { object: undefined, record: undefined };
  if (answer.status !== 200 || !isObject(answer.body))
    throw new HostRefusal(`read the Secret ${secret.namespace}/${secret.name}`, answer);
  const object: HostObject = answer.body;
  return { object, record: decodeRecord(object.data) };
}

/** Replaces the found Secret, or creates it. False after a conflict. */
export async function writeSecret(
  host: HostClient,
  secret: NamespacedName,
  { object }: FoundSecret,
  record: ServingRecord,
): Promise<boolean> {
  const { namespace, name } = secret;
  const type = { apiVersion: 'v1', kind: 'Secret' };
  const data = encodeRecord(record);
  const answer = await (object === undefined
    ? host.send({
        method: 'POST',
        path: secretsOf(secret),
        body: { ...type, metadata: { name, namespace }, type: 'Opaque', data },
      })
    : host.send({
        method: 'PUT',
        path: `${secretsOf(secret)}/${name}`,
        body: { ...object, ...type, data: { ...object.data, ...data } },
      }));
  if (answer.status === 409 || answer.status === 404) return false;
  if (answer.status >= 300) throw new HostRefusal(`write the Secret ${namespace}/${name}`, answer);
  return true;
}

/** Sets the authorities that the APIService trusts. `changed` if they differed; `absent` if there is no APIService. */
export async function publishBundle(
  host: HostClient,
  name: string,
  authorities: readonly string[],
): Promise<'equal' | 'changed' | 'absent'> {
  const path = `${API_SERVICES}/${name}`;
  const answer = await host.send({ method: 'GET', path });
  if (answer.status === 404) return 'absent';
  if (answer.status !== 200 || !isObject(answer.body))
    throw new HostRefusal(`read the APIService ${name}`, answer);
  const object: HostObject = answer.body;
  const caBundle = Buffer.from(joinBundle(authorities)).toString('base64');
  if (object.spec?.caBundle === caBundle) return 'equal';
  const body = { ...object, spec: { ...object.spec, caBundle, insecureSkipTLSVerify: undefined } };
  const written = await host.send({ method: 'PUT', path, body });
  // After a conflict, the next reconciliation reads what another server wrote.
  if (written.status === 409 || written.status === 404) return 'changed';
  if (written.status >= 300) throw new HostRefusal(`write caBundle of the APIService ${name}`, written);
  return 'changed';
}
