/** The questions that a mode puts to the authorizer (`mode.go` in `k8s.io/apiserver`). */
import { AUTHENTICATED, PRIVILEGED_GROUP, UNAUTHENTICATED } from '../../../authentication/groups.js';
import { ANONYMOUS, type User } from '../../../authentication/interface.js';
import type { Attributes, Authorizer, ResourceAttributes } from '../../../authorization/interface.js';
import { forbidden } from '../authorization.js';
import { extraProblem } from './extrakeys.js';
import type { ModeName } from './modes.js';
import { nodeOf, serviceAccountOf } from './usernames.js';
import type { Wanted } from './wanted.js';

/** From so many values on, one question about all of them precedes those about each. */
const MANY = 4;
const ASSOCIATED_KEYS = 'authentication.kubernetes.io/associated-node-keys';

/** Who acts as whom, with which request. */
export interface Attempt {
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly client: User;
  readonly wanted: Wanted;
  /** Of the request. */
  readonly attributes: Attributes;
}

/** The verb that permits the mode. */
export const verbOf = (mode: ModeName): string => (mode === 'legacy' ? 'impersonate' : `impersonate:${mode}`);

/** Throws StatusError 403 for the first thing that `client` may not do. */
export async function checkMode(mode: ModeName, attempt: Attempt): Promise<void> {
  const { wanted, attributes } = attempt;
  const asks = mode === 'associated-node' ? { ...attempt, client: withKeysAlone(attempt.client) } : attempt;
  if (mode !== 'legacy')
    await check(asks, { ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` });
  await check(asks, nameOf(mode, wanted.name));
  if (wanted.uid !== '') await check(asks, { ...valueOf(mode), resource: 'uids', name: wanted.uid });
  await checkGroups(mode, asks);
  await checkExtra(mode, asks);
}

async function check({ authorizer, client }: Attempt, attributes: Attributes): Promise<void> {
  const decision = await authorizer.authorize(client, attributes);
  if (!decision.allowed) throw forbidden(client, attributes, decision.reason);
}

async function isAllowed({ authorizer, client }: Attempt, attributes: Attributes): Promise<boolean> {
  return (await authorizer.authorize(client, attributes)).allowed;
}

/** The node is settled, so only the keys count: `mode.go` has the reason. */
const withKeysAlone = (client: User): User => ({
  ...client,
  extra: { [ASSOCIATED_KEYS]: Object.keys(client.extra).sort() },
});

const valueOf = (mode: ModeName) =>
  ({
    kind: 'resource',
    verb: verbOf(mode),
    group: 'authentication.k8s.io',
    version: 'v1',
    subresource: '',
    namespace: '',
  }) as const;

/** Users and groups are of the core group in the mode `legacy`. */
const identityOf = (mode: ModeName) => ({ ...valueOf(mode), ...(mode === 'legacy' && { group: '' }) });

function nameOf(mode: ModeName, name: string): ResourceAttributes {
  const identity = identityOf(mode);
  const account = serviceAccountOf(name);
  if (account !== undefined) return { ...identity, resource: 'serviceaccounts', ...account };
  const node = mode === 'legacy' ? undefined : nodeOf(name);
  if (node === undefined) return { ...identity, resource: 'users', name };
  // An associated node is known, so that a right for all nodes is a right for this one.
  return { ...identity, resource: 'nodes', name: mode === 'associated-node' ? '*' : node };
}

async function checkGroups(mode: ModeName, attempt: Attempt): Promise<void> {
  const { groups } = attempt.wanted;
  if (groups.length === 0) return;
  const about = (name: string): ResourceAttributes => ({ ...identityOf(mode), resource: 'groups', name });
  const refuse = (name: string, problem: string): never => {
    throw forbidden(attempt.client, about(name), problem);
  };
  if (mode !== 'legacy') {
    if (groups.includes('')) refuse('', 'impersonating the empty string group is not allowed');
    if (groups.includes(PRIVILEGED_GROUP))
      refuse(PRIVILEGED_GROUP, 'impersonating the system:masters group is not allowed');
    if (groups.length >= MANY && (await isAllowed(attempt, about('*')))) return;
  }
  for (const group of groups) await check(attempt, about(group));
}

async function checkExtra(mode: ModeName, attempt: Attempt): Promise<void> {
  const keys = Object.entries(attempt.wanted.extra);
  if (keys.length === 0) return;
  const about = (subresource: string, name: string): ResourceAttributes => ({
    ...valueOf(mode),
    resource: 'userextras',
    subresource,
    name,
  });
  if (mode !== 'legacy') {
    const problem = extraProblem(attempt.wanted.extra);
    if (problem !== undefined) throw forbidden(attempt.client, about('', ''), problem);
    const count = keys.reduce((sum, [, values]) => sum + values.length, 0);
    if (count >= MANY && (await isAllowed(attempt, about('*', '*')))) return;
  }
  for (const [key, values] of keys) for (const value of values) await check(attempt, about(key, value));
}

/** The groups of the user: those asked for, or of what it is; all but the anonymous are authenticated. */
export function groupsOf(mode: ModeName, { name, groups }: Wanted): readonly string[] {
  const own = groups.length === 0 ? fixedGroups(mode, name) : groups;
  const everyone = name === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED;
  return own.includes(everyone) || own.includes(UNAUTHENTICATED) ? own : [...own, everyone];
}

function fixedGroups(mode: ModeName, name: string): readonly string[] {
  const account = serviceAccountOf(name);
  if (account !== undefined) return ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  return mode !== 'legacy' && nodeOf(name) !== undefined ? ['system:nodes'] : [];
}
