/** What a decision costs: requests by a user whom one of 101 RoleBindings of the namespace lets read. */
import { must, type Call } from '../client.js';
import { applyLoad } from '../load.js';
import { allowMember, reviewIn } from '../rows/authorization.js';
import { nameOf, pathOf } from '../objects.js';
import { MEMBER_TOKEN } from '../targets/target.js';
import type { GateRow, Subject } from './row.js';

const CLIENTS = 16;
const OPERATIONS = 6000;
const OBJECTS = 1000;
const NAMESPACE = 'gate-1000';

const allowed = new WeakSet<Subject>();

const memberRow = (name: string, next: (index: number) => Call): GateRow => ({
  name,
  warmUps: 1,
  async prepare(subject) {
    if (!allowed.has(subject)) await allowMember(subject.client, NAMESPACE);
    allowed.add(subject);
    const client = subject.client(CLIENTS, MEMBER_TOKEN);
    const bounds = { operations: Math.ceil(OPERATIONS * subject.scale), seconds: 30 };
    const ask = async (index: number): Promise<number> => (await must(client, next(index))).body.length;
    return { load: () => applyLoad(CLIENTS, bounds, ask), close: () => client.close() };
  },
});

export const memberRows: readonly GateRow[] = [
  memberRow('GET, by a user with a Role', (index) => ({
    path: pathOf(NAMESPACE, nameOf(index % OBJECTS)),
  })),
  memberRow('SelfSubjectAccessReview', () => reviewIn(NAMESPACE)),
];
