/** The User of a person: what the provider says of them. */
import { User } from '../../../api/management.svc.example/v1/user.js';
import { asKind, type KubeObject } from '../../../api/resource.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import { isAlreadyExists } from '../../apimachinery/errors.js';
import { createObject } from '../../registry/generic/create.js';
import { updateObject } from '../../registry/generic/update.js';
import { loopbackOptions } from '../../registry/loopback.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { timeOf } from '../grouprules/login.js';
import type { LoginIdentity } from './interface.js';

const API_VERSION = 'management.svc.example/v1';
const OPTIONS = loopbackOptions('login');

/** Undefined if the name is taken. */
export async function createUser(users: ResourceStore, identity: LoginIdentity): Promise<User | undefined> {
  const { name, subject } = identity;
  const spec = { ...profileOf(identity), subject };
  const object = { kind: 'User', apiVersion: API_VERSION, metadata: { name }, spec };
  try {
    const { bytes } = await createObject(users, '', object, OPTIONS);
    return parseStored<User>(bytes);
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

/** Writes nothing where nothing is new, and where a later login has been. */
export const updateUser = (users: ResourceStore, name: string, identity: LoginIdentity): Promise<void> =>
  changeUser(users, name, (live) => {
    const { spec, status } = asKind(User, live);
    const isLater = status?.login !== undefined && timeOf(status.login) > identity.at;
    return isLater ? live : { ...live, spec: { ...spec, ...profileOf(identity) } };
  });

/** Writes what becomes of the newest version, if that is another. */
export async function changeUser(
  users: ResourceStore,
  name: string,
  become: (live: KubeObject) => KubeObject,
): Promise<void> {
  const change = (live: KubeObject): KubeObject => structuredClone(become(live));
  await updateObject(
    users,
    { namespace: '', name, subresource: '', change, versionRequired: false },
    OPTIONS,
  );
}

/** The profile from the provider; members without a claim stay. */
function profileOf({ username, displayName, email }: LoginIdentity): NonNullable<User['spec']> {
  return { username, ...(displayName !== '' && { displayName }), ...(email !== '' && { email }) };
}
