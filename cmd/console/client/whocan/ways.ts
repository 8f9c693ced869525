/** Who has a right, and by what, as the server tells it and the page draws it. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type {
  ResourceAccessReview,
  Step,
  Way,
} from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import { graphOf, type Graph, type GraphNode, type Look } from '../../graph/graph.js';
import type { Place } from '../edits/yamlobject.js';
import { pathIn, pathOf } from '../paths.js';
import { ROLE_PREFIX } from '../projectedits/projectroles.js';
import { send } from '../request.js';
import type { ApiError } from '../status.js';

export type Answer = NonNullable<ResourceAccessReview['status']>;

/** How often the server is asked again, so that a change of rights is shown. */
const AGAIN_MS = 5_000;

/** Rejects with ApiError. */
async function readWays(spec: ResourceAccessReview['spec'], signal: AbortSignal): Promise<Answer> {
  const body = { kind: 'ResourceAccessReview', apiVersion: 'management.svc.example/v1', spec };
  const path = pathOf('resourceaccessreviews');
  return (await send<{ status: Answer }>('POST', path, { body, signal })).status;
}

export const useWays = (spec: ResourceAccessReview['spec']): UseQueryResult<Answer, ApiError> =>
  useQuery({
    queryKey: ['who can', spec],
    queryFn: ({ signal }) => readWays(spec, signal),
    // Whose session has ended asks no more.
    refetchInterval: ({ state }) => state.error?.code !== 401 && AGAIN_MS,
  });

/** Groups of all who are logged in. */
const EVERYONE: readonly string[] = ['system:authenticated', 'management:authenticated'];

/** What a name says to people; empty: nothing, such as the path of a field or a name that the server made. */
function readable(kind: Step['kind'], name: string): string {
  if (kind === 'Self' || /^spec\.|^management:project-member:/.test(name)) return '';
  return kind === 'ClusterRole' && name.startsWith(ROLE_PREFIX) ? name.slice(ROLE_PREFIX.length) : name;
}

/** The label and the name of a step. */
export function shownAs({ kind, namespace, name }: Step): readonly [Step['kind'] | 'Everyone', string] {
  if (kind === 'Group' && EVERYONE.includes(name)) return ['Everyone', ''];
  return [kind, kind === 'ServiceAccount' ? `${namespace}/${name}` : readable(kind, name)];
}

/** The path of the object in the API; empty: there is no such object. Users of the server itself have none. */
export function pathOfStep({ kind, namespace, name }: Step): string {
  if (kind === 'User') return name.startsWith('system:') ? '' : pathOf('users', '', name);
  if (kind === 'Team' || kind === 'TeamKey') return pathOf('teams', '', name);
  if (kind === 'ProjectKey') return pathOf('ownedaccesskeys', '', name);
  if (kind === 'GroupRule') return pathOf('grouprules', '', name);
  if (kind === 'ServiceAccount') return pathIn('/api/v1', 'serviceaccounts', namespace, name);
  if (!/Role/.test(kind)) return '';
  return pathIn('/apis/rbac.authorization.k8s.io/v1', `${kind.toLowerCase()}s`, namespace, name);
}

/** The ways in which a name contains this text; all for an empty text. */
export function waysWith(ways: readonly Way[], text: string): readonly Way[] {
  const wanted = text.trim().toLowerCase();
  return wanted === ''
    ? ways
    : ways.filter(({ steps }) => steps.some((step) => step.name.toLowerCase().includes(wanted)));
}

const PEOPLE: readonly Step['kind'][] = ['User', 'ServiceAccount', 'TeamKey', 'ProjectKey'];

function lookOf(kind: Step['kind']): Look {
  if (PEOPLE.includes(kind)) return 'person';
  if (kind === 'Team' || kind === 'Group' || kind === 'GroupRule') return 'group';
  return kind.endsWith('Role') ? 'role' : 'rule';
}

/** The words for steps and verbs. */
interface Words {
  readonly kinds: Readonly<Record<Step['kind'] | 'Everyone', string>>;
  readonly verbs: Readonly<Record<string, string>>;
}

/** What a verb of the API is to people; one without a word has its own name. */
export const verbWord = (verb: string, { verbs }: Pick<Words, 'verbs'>): string => verbs[verb] ?? verb;

/** Verbs as they are granted. */
export const verbWords = (verbs: readonly string[], words: Pick<Words, 'verbs'>): string =>
  [...new Set(verbs.map((verb) => verbWord(verb, words)))].join(', ');

/** A graph with the subjects on the left, and the object on the right. */
export function waysGraph(
  ways: readonly Way[],
  { resource, name, path }: Omit<Place, 'group' | 'namespace'>,
  words: Words,
): Graph {
  const object: GraphNode = { id: 'object', look: 'object', kind: resource, name, path };
  const chains = ways.map(({ steps, uncertain = false }) => ({
    nodes: [...steps.map((step) => nodeOf(step, words)), object],
    loose: uncertain,
  }));
  return graphOf([{ nodes: [object] }, ...chains]);
}

function nodeOf(step: Step, words: Words): GraphNode {
  const { kinds } = words;
  const [path, [kind, name]] = [pathOfStep(step), shownAs(step)];
  const { verbs } = step;
  return {
    id: JSON.stringify([step.kind, path, step.name, verbs]),
    look: lookOf(step.kind),
    // Everyone has only a label, and no name.
    ...(name === '' ? { kind: '', name: kinds[kind] } : { kind: kinds[kind], name }),
    ...(verbs !== undefined && { note: verbWords(verbs, words) }),
    ...(path !== '' && { path }),
  };
}
