/** The two objects of the host: the Secret with the certificates, and the APIService with the trusted authorities. */
import type { ObjectKey } from '../../../api/resource.js';
import { isObject } from '../../apimachinery/encoding/members.js';
import type { HostClient } from '../../hostclient/interface.js';
import {
  HostRefusal,
  readSecret,
  secretsPath,
  sendSecret,
  type HostSecret,
} from '../../hostclient/secret.js';
import { decodeRecord, encodeRecord, joinBundle, type ServingRecord } from './record.js';

interface HostApiService {
  readonly spec?: { readonly caBundle?: string };
}

/** The current Secret. `object` is undefined if it does not exist, `record` if it is damaged. */
export interface FoundSecret {
  readonly object: HostSecret | undefined;
  readonly record: ServingRecord | undefined;
}

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';

/** Paths of watches on single objects. */
export const watchSecret = (secret: ObjectKey): string => watchOne(secretsPath(secret), secret.name);
export const watchApiService = (name: string): string => watchOne(API_SERVICES, name);
const watchOne = (collection: string, name: string): string =>
  `${collection}?watch=true&fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;

/** Rejects with HostRefusal and HostUnreachable, as all functions here. */
export async function readServingSecret(host: HostClient, secret: ObjectKey): Promise<FoundSecret> {
  const object = await readSecret(host, secret);
  return { object, record: decodeRecord(object?.data) };
}

/** Replaces the found Secret, or creates it. False after a conflict. */
export async function writeServingSecret(
  host: HostClient,
  secret: ObjectKey,
  { object }: FoundSecret,
  record: ServingRecord,
): Promise<boolean> {
  const answer = await sendSecret(host, secret, object, encodeRecord(record));
  if (answer.status === 409 || answer.status === 404) return false;
  if (answer.status >= 300)
    throw new HostRefusal(`write the Secret ${secret.namespace}/${secret.name}`, answer);
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
  const object: HostApiService = answer.body;
  const caBundle = Buffer.from(joinBundle(authorities)).toString('base64');
  if (object.spec?.caBundle === caBundle) return 'equal';
  const body = { ...object, spec: { ...object.spec, caBundle, insecureSkipTLSVerify: undefined } };
  const written = await host.send({ method: 'PUT', path, body });
  // After a conflict, the next reconciliation reads what another server wrote.
  if (written.status === 409 || written.status === 404) return 'changed';
  if (written.status >= 300) throw new HostRefusal(`write caBundle of the APIService ${name}`, written);
  return 'changed';
}
