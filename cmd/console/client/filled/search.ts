/** Searches spaces and virtual clusters for Secrets that are filled from a SharedSecret. */
import type { ObjectMeta } from '../../../../api/resource.js';
import { sendAs } from '../request.js';
import { ApiError, offline } from '../status.js';
import {
  filledSecretsOf,
  METADATA_LIST,
  mirrorSelector,
  MAX_SECRETS,
  sharedSelector,
  type FilledSecret,
} from './filledsecrets.js';
import { readPlaces, scopeOf, secretsPath, type Place } from './places.js';
import type { DirectClusterEndpointToken } from '../../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import { createObject } from '../one.js';

/** The shortest lifetime that the server grants. */
const SECONDS = 60;
/** A token of this age is still valid long enough for a request that starts now. */
const USED_MS = 40_000;

/** Tokens for connected clusters. They live for a minute, and are kept only in memory. */
type ClusterTokens = (cluster: string) => Promise<string>;

/** Returns a function that returns the same token of a cluster as long as it can be used, and rejects with ApiError. */
function clusterTokens(scopeIn: (cluster: string) => Scope): ClusterTokens {
  const known = new Map<string, { readonly since: number; readonly token: Promise<string> }>();
  return (cluster) => {
    const last = known.get(cluster);
    if (last !== undefined && performance.now() - last.since < USED_MS) return last.token;
    const token = createToken(cluster, scopeIn(cluster));
    known.set(cluster, { since: performance.now(), token });
    return token;
  };
}

async function createToken(cluster: string, scope: Scope): Promise<string> {
  const spec = { ttl: SECONDS, cluster, scope };
  const made = await createObject<DirectClusterEndpointToken>('directclusterendpointtokens', '', {
    kind: 'DirectClusterEndpointToken',
    metadata: {},
    spec,
  });
  return made.status?.token ?? '';
}

/** The number of concurrent requests, and the timeout of each. */
const AT_A_TIME = 4;
const PLACE_MS = 10_000;

export interface Asked {
  /** The SharedSecret; undefined: only what the ProjectSecrets fill is searched, in their projects. */
  readonly source: ObjectMeta | undefined;
  /** The ProjectSecrets of the SharedSecret, which fill Secrets of their own projects. */
  readonly mirrors: readonly ObjectMeta[];
  /** The prefix of the namespaces of projects. */
  readonly prefix: string;
}

export interface PlaceAnswer {
  readonly place: Place;
  readonly secrets: readonly FilledSecret[];
  /** Why the instance could not be searched. */
  readonly error: ApiError | undefined;
}

export interface Found {
  /** The number of instances; undefined until it is known. */
  readonly all: number | undefined;
  /** Whether there are more instances, which are not searched. */
  readonly more: boolean;
  readonly answers: readonly PlaceAnswer[];
}

export const NOTHING_FOUND: Found = { all: undefined, more: false, answers: [] };

/**
 * Reports the results so far after every response. Rejects with ApiError, or with AbortError if `signal` is aborted.
 */
export async function searchFilled(
  asked: Asked,
  signal: AbortSignal,
  tell: (found: Found) => void,
): Promise<void> {
  const { places: seen, more } = await readPlaces(asked.prefix, signal);
  const places = seen.filter((place) => selectorsOf(place, asked).length > 0);
  let found: Found = { all: places.length, more, answers: [] };
  tell(found);
  const tokens = clusterTokens((cluster) => scopeOf(places.filter((place) => place.cluster === cluster)));
  const waiting = [...places];
  const work = async (): Promise<void> => {
    for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
      const answer = await askPlace(place, asked, tokens, signal);
      signal.throwIfAborted();
      found = { ...found, answers: [...found.answers, answer] };
      tell(found);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}

/** Selects the Secrets in a place that the secret may fill. */
function selectorsOf({ namespace }: Place, { source, mirrors }: Asked): string[] {
  const ofProject = mirrors.filter((mirror) => mirror.namespace === namespace);
  const ofMirrors = mirrorSelector(ofProject.map(({ name = '' }) => name));
  return [source && sharedSelector(source), ofMirrors].filter((one) => one !== undefined);
}

async function askPlace(
  place: Place,
  asked: Asked,
  tokens: ClusterTokens,
  signal: AbortSignal,
): Promise<PlaceAnswer> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(PLACE_MS)]);
  try {
    const token = await tokens(place.cluster);
    const secrets: FilledSecret[] = [];
    for (const selector of selectorsOf(place, asked)) {
      const path = secretsPath(place, selector, MAX_SECRETS);
      const answer = await sendAs<unknown>(token, 'GET', path, { accept: METADATA_LIST, signal: within });
      secrets.push(...filledSecretsOf(answer));
    }
    return { place, secrets, error: undefined };
  } catch (error) {
    if (signal.aborted) throw error;
    return { place, secrets: [], error: error instanceof ApiError ? error : offline() };
  }
}
