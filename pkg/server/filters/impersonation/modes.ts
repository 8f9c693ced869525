/** The modes of impersonation, in the order in which they are tried (`mode.go` in `k8s.io/apiserver`). */
import type { User } from '../../../authentication/interface.js';
import { nodeOf, serviceAccountOf } from './usernames.js';
import type { Wanted } from './wanted.js';

export type ModeName = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info' | 'legacy';

export interface Mode {
  readonly name: ModeName;
  /** Whether `client` may be permitted to act as this user in this mode. */
  readonly suits: (wanted: Wanted, client: User) => boolean;
}

const NODE_NAME = 'authentication.kubernetes.io/node-name';

/** In most modes only the name is the client's choice. */
const onlyName = ({ uid, groups, extra }: Wanted): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0;

/** Whether a service account runs on this node. */
function runsOn({ name, extra }: User, node: string): boolean {
  const nodes = extra[NODE_NAME] ?? [];
  return serviceAccountOf(name) !== undefined && nodes.length === 1 && nodes[0] === node;
}

export const MODES: readonly Mode[] = [
  {
    name: 'associated-node',
    suits(wanted, client) {
      const node = nodeOf(wanted.name);
      return node !== undefined && onlyName(wanted) && runsOn(client, node);
    },
  },
  { name: 'arbitrary-node', suits: (wanted) => nodeOf(wanted.name) !== undefined && onlyName(wanted) },
  {
    name: 'serviceaccount',
    suits: (wanted) => serviceAccountOf(wanted.name) !== undefined && onlyName(wanted),
  },
  {
    name: 'user-info',
    suits: ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined,
  },
  { name: 'legacy', suits: () => true },
];
