import type { Self as Kind } from '../../api/management.svc.example/v1/self.js';
import type { Client } from './connection/client.js';
import { managementObject } from './objects.js';

/** Whom the server takes the caller for. */
export type Self = NonNullable<Kind['status']>;

export async function selfOf(client: Client): Promise<Self> {
  const body = managementObject('Self', {}, { spec: {} });
  const { status = {} } = await client.create<{ status?: Self }>({ resource: 'selves' }, body);
  return status;
}

/** The user, the team, or whatever else the caller is called. */
export const nameOfSelf = ({ user, team, subject }: Self): string =>
  user?.name ?? team?.name ?? subject ?? '';
