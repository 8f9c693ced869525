import { listOf, membersOf, textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import { similar, suggestion } from '../../../../pkg/apimachinery/similar.js';
import { type Client, ifFound, type Place } from '../../connection/client.js';
import { Failure } from '../../failure.js';

/** Whom and what a command names. */
export interface Named {
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
  readonly projects?: readonly string[];
  readonly clusters?: readonly string[];
}

/**
 * Warnings of users, teams, projects and clusters that do not exist: a right for a name that was misspelled may be somebody
 * else's one day.
 */
export async function unknownNames(
  client: Client,
  { users = [], teams = [], projects = [], clusters = [] }: Named,
): Promise<string[]> {
  const asked = [
    ...users.map((name) => ({ resource: 'users', name, word: 'user' })),
    ...teams.map((name) => ({ resource: 'teams', name, word: 'team' })),
    ...projects.map((name) => ({ resource: 'projects', name, word: 'project' })),
    ...clusters.map((name) => ({ resource: 'clusters', name, word: 'cluster' })),
  ];
  const warnings: string[] = [];
  for (const { resource, name, word } of asked)
    if (name !== '*' && (await findOf(client.get({ resource, name }))) === 'absent')
      warnings.push(
        `there is no ${word} "${name}"${suggestion(name, await namesOf(client, { resource }))}; see "platform list ${word}s"`,
      );
  return warnings;
}

const MAX_NAMES = 500;

/** Those that the caller may list, for suggestions. */
async function namesOf(client: Client, collection: Place): Promise<string[]> {
  const list = await findOf(client.get({ ...collection, query: `limit=${MAX_NAMES}` }));
  return listOf(membersOf(list).items).flatMap((item) => textIn(membersOf(item).metadata, 'name') ?? []);
}

/**
 * The answer to a request for an object. Where there is no such one, rejects with the similar name that there is, or with the
 * `project` that does not exist.
 */
export async function orSimilar<T>(
  client: Client,
  { name = '', ...collection }: Place,
  answer: Promise<T>,
  project?: string,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Failure) || error.reason !== 'notFound') throw error;
    await mustExist(client, project);
    const meant = similar(name, await namesOf(client, collection));
    if (meant === undefined) throw error;
    throw new Failure('notFound', error.said, { advice: `did you mean ${meant}?` });
  }
}

/** Rejects with a Failure for a project that does not exist, with the similar one. */
export async function mustExist(client: Client, project: string | undefined): Promise<void> {
  const [missing] = project === undefined ? [] : await unknownNames(client, { projects: [project] });
  if (missing !== undefined) throw new Failure('notFound', missing);
}

export interface SecretKey {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** Warnings of a Secret of Kubernetes that does not exist, or does not have the key. */
export async function unknownSecretKey(
  client: Client,
  { namespace, name, key }: SecretKey,
): Promise<string[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  const found = await findOf(client.read(path));
  if (found === 'hidden') return [];
  const secret = `Secret "${name}" in namespace "${namespace}"`;
  if (found === 'absent') return [`there is no ${secret}`];
  const keys = Object.keys(membersOf(membersOf(found).data));
  return keys.includes(key)
    ? []
    : [`the ${secret} has no key "${key}"${suggestion(key, keys)}; it has: ${keys.join(', ') || 'none'}`];
}

/** Warnings of a ClusterRole that does not exist. `roles`: what a role may be called instead. */
export async function unknownClusterRole(
  client: Client,
  name: string,
  roles: readonly string[],
): Promise<string[]> {
  const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${encodeURIComponent(name)}`;
  const absent = (await findOf(client.read(path))) === 'absent';
  if (!absent) return [];
  return [
    `there is no ClusterRole "${name}"${suggestion(name, roles)}; roles of projects are ${roles.join(', ')}`,
  ];
}

/** The answer; `absent`, or `hidden`: users who may not see an object learn nothing of it. */
export async function findOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    return (await ifFound(answer)) ?? 'absent';
  } catch (error) {
    if (error instanceof Failure) return 'hidden';
    throw error;
  }
}
