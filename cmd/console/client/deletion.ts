/** Why an object that is being deleted is still there: what it waits for. */
import type { ObjectMeta } from '../../../api/resource.js';
import { MANAGEMENT, pathIn, withQuery } from './paths.js';
import { send } from './request.js';
import { ApiError } from './status.js';

/** Something that is still there. */
export interface Dependent {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Its own path in the API. */
  readonly path: string;
  /** Whether it is being deleted itself. */
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
}

export interface Found {
  readonly dependents: readonly Dependent[];
  /** Resources that the person may not list. */
  readonly refused: readonly string[];
  /** Whether there was more than is looked at. */
  readonly more: boolean;
}

export interface Target {
  readonly uid: string;
  /** Where it is; empty: in no namespace, and its dependents anywhere. */
  readonly namespace: string;
  /** A namespace that goes with it, and has to be empty first; empty: none. */
  readonly holds: string;
}

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

const GROUPS = [MANAGEMENT, '/api/v1', '/apis/rbac.authorization.k8s.io/v1'];
const PAGE = 1000;
/** Of one resource. */
const MOST_PAGES = 5;
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';

/** Objects that name it as their owner, and what is in the namespace that goes with it. Rejects where nothing can be asked. */
export async function dependentsOf(target: Target, signal: AbortSignal): Promise<Found> {
  const refused: string[] = [];
  const dependents: Dependent[] = [];
  let more = false;
  for (const group of GROUPS) {
    const { resources } = await send<{ readonly resources: readonly Resource[] }>('GET', group, { signal });
    const listed = resources.filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list'));
    const asked = listed.filter(({ namespaced }) => namespaced || target.namespace === '');
    const answers = await Promise.all(asked.map((resource) => ofResource(group, resource, target, signal)));
    for (const answer of answers) {
      dependents.push(...answer.found);
      more ||= answer.more;
      if (answer.refused !== '') refused.push(answer.refused);
    }
  }
  return { dependents, refused, more };
}

interface Listed {
  readonly found: readonly Dependent[];
  readonly refused: string;
  readonly more: boolean;
}

async function ofResource(
  group: string,
  { name: resource, namespaced }: Resource,
  target: Target,
  signal: AbortSignal,
): Promise<Listed> {
  const within = namespaced && target.namespace !== '' ? target.namespace : '';
  try {
    const { items, more } = await listed(pathIn(group, resource, within), signal);
    const found = items.filter((one) => waitedFor(one, target));
    return { found: found.map((one) => dependentOf(group, resource, one)), refused: '', more };
  } catch (error) {
    if (error instanceof ApiError && [403, 404, 405].includes(error.code))
      return { found: [], refused: resource, more: false };
    throw error;
  }
}

interface Answer {
  readonly items: readonly { readonly metadata: ObjectMeta }[];
  readonly metadata: { readonly continue?: string };
}

async function listed(path: string, signal: AbortSignal): Promise<{ items: ObjectMeta[]; more: boolean }> {
  const items: ObjectMeta[] = [];
  let next = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const url = withQuery(path, { limit: String(PAGE), ...(next !== '' && { continue: next }) });
    const answer = await send<Answer>('GET', url, { accept: METADATA, signal });
    items.push(...answer.items.map(({ metadata }) => metadata));
    next = answer.metadata.continue ?? '';
    if (next === '') return { items, more: false };
  }
  return { items, more: true };
}

/** Whether the target is not gone before this one is. */
export const waitedFor = ({ ownerReferences = [], namespace = '' }: ObjectMeta, target: Target): boolean =>
  ownerReferences.some(({ uid }) => uid === target.uid) ||
  (target.holds !== '' && namespace === target.holds);

function dependentOf(group: string, resource: string, metadata: ObjectMeta): Dependent {
  const { name = '', namespace = '', deletionTimestamp, finalizers = [] } = metadata;
  const path = pathIn(group, resource, namespace, name);
  return { resource, namespace, name, path, deleting: deletionTimestamp !== undefined, finalizers };
}
