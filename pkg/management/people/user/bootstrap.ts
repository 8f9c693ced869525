import { StatusError } from '../../../apimachinery/errors.js';
import { createObject } from '../../../registry/generic/create.js';
import { storeOf, type ResourceStore } from '../../../registry/resourcestore.js';
import { loopbackOptions } from '../../../registry/loopback.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';

/** The administrator's User, so that access keys that they create have their rights. */
const ADMIN = { name: 'admin', groups: ['management:admins'] };

const OPTIONS = loopbackOptions('apiserver');

/** Creates the administrator's User if it does not exist. */
export async function bootstrapUsers(stores: readonly ResourceStore[]): Promise<void> {
  const users = storeOf(stores, User);
  if (users === undefined || users.cache.latest().get(ADMIN.name) !== undefined) return;
  const { name, groups } = ADMIN;
  const object = {
    kind: 'User',
    apiVersion: 'management.svc.example/v1',
    metadata: { name },
    spec: { displayName: 'Administrator', groups },
  };
  try {
    await createObject(users, '', object, OPTIONS);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
  }
}
