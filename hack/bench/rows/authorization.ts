import { setTimeout as sleep } from 'node:timers/promises';
import { must, type Call, type Client } from '../client.js';
import { applyLoad } from '../load.js';
import { GROUP, nameOf, pathOf, PLURAL } from '../objects.js';
import { MEMBER, MEMBER_TOKEN } from '../targets/target.js';
import { measureWarm, type Context, type Measured, type Row } from './row.js';

const CLIENTS = 16;
const OBJECTS = 1000;
/** The one of the other reading rows, which read it as an administrator. */
const NAMESPACE = 'list-1000';
/** Roles and bindings of others beside the member's own. */
const OTHERS = 100;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MAX_TRIES = 200;

/** Targets whose member has its role. */
const prepared = new WeakSet<object>();

/** Whether its sender may get an object of the namespace. */
export const reviewIn = (namespace: string): Call => ({
  method: 'POST',
  path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  body: JSON.stringify({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: {
        namespace,
        verb: 'get',
        group: GROUP,
        resource: PLURAL,
        name: nameOf(0),
      },
    },
  }),
});

async function prepare(context: Context): Promise<void> {
  if (prepared.has(context.target)) return;
  prepared.add(context.target);
  await context.seeded(NAMESPACE, OBJECTS);
  await allowMember((connections, token) => context.client(connections, token), NAMESPACE);
}

/** Gives the member a role in the namespace, among those of others, and waits until it counts. */
export async function allowMember(
  clientOf: (connections: number, token?: string) => Client,
  namespace: string,
): Promise<void> {
  const admin = clientOf(CLIENTS);
  await applyLoad(CLIENTS, { operations: OTHERS, seconds: 60 }, (index) =>
    grant(admin, namespace, `other-${index}`, `user-${index}`),
  );
  await grant(admin, namespace, 'reader', MEMBER);
  admin.close();
  const member = clientOf(1, MEMBER_TOKEN);
  const path = pathOf(namespace, nameOf(0));
  for (let tries = 0; (await member.send({ path })).code !== 200; tries++) {
    if (tries === MAX_TRIES) throw new Error(`${MEMBER} may not read`);
    await sleep(50);
  }
  member.close();
}

async function grant(admin: Client, namespace: string, name: string, user: string): Promise<number> {
  const post = (plural: string, object: object): Promise<unknown> =>
    must(admin, {
      method: 'POST',
      path: `${RBAC}/namespaces/${namespace}/${plural}`,
      body: JSON.stringify({ metadata: { name }, ...object }),
    });
  await post('roles', {
    rules: [{ apiGroups: [GROUP], resources: [PLURAL], verbs: ['get', 'list', 'watch'] }],
  });
  await post('rolebindings', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
  return 0;
}

const get = (index: number): Call => ({ path: pathOf(NAMESPACE, nameOf(index % OBJECTS)) });

const measureAs =
  (token: string | undefined, next: (index: number) => Call) =>
  async (context: Context): Promise<Measured> => {
    await prepare(context);
    const client = context.client(CLIENTS, token);
    const measured = await measureWarm(context, (bounds) =>
      applyLoad(CLIENTS, bounds, async (index) => (await must(client, next(index))).body.length),
    );
    client.close();
    return measured;
  };

/** What a decision costs: the same GET by an administrator, who is asked for nothing, and by a user with a role. */
export const authorizationRows: readonly Row[] = [
  { name: 'GET, by system:masters', unit: 'cpu', run: measureAs(undefined, get) },
  { name: 'GET, by a user with a Role', unit: 'cpu', run: measureAs(MEMBER_TOKEN, get) },
  { name: 'SelfSubjectAccessReview', unit: 'cpu', run: measureAs(MEMBER_TOKEN, () => reviewIn(NAMESPACE)) },
];
