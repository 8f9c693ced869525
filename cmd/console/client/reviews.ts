/**
 * Whether the user is allowed to do something, from SelfSubjectAccessReviews. The console offers no action that is not
 * allowed.
 */
import { useQueries, useQuery } from '@tanstack/react-query';
import { pathOf } from './paths.js';
import { send, sendAs } from './request.js';
import { ApiError } from './status.js';

export interface Deed {
  readonly verb: string;
  /** Absent: the group of the management API. */
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace: string;
  readonly name: string;
}

interface Review {
  readonly status: { readonly allowed: boolean; readonly reason?: string };
}

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const reviewOf = (deed: Deed): object => ({
  kind: 'SelfSubjectAccessReview',
  apiVersion: 'authorization.k8s.io/v1',
  spec: { resourceAttributes: { group: 'management.svc.example', version: 'v1', ...deed } },
});

/** Rejects with ApiError. */
export async function may(deed: Deed, signal: AbortSignal): Promise<boolean> {
  const { status } = await send<Review>('POST', REVIEWS, { signal, body: reviewOf(deed) });
  return status.allowed;
}

/**
 * Whether the holder of another access key is allowed to do something, as the server decides for that key. If the key
 * may not create access reviews, the function tries to read the metadata of the object. Rejects with ApiError.
 */
export async function keyMay(accessKey: string, deed: Deed): Promise<Review['status']> {
  const { verb, resource, namespace, name } = deed;
  try {
    return (await sendAs<Review>(accessKey, 'POST', REVIEWS, { body: reviewOf(deed) })).status;
  } catch (error) {
    const isRefused = error instanceof ApiError && error.code === 403;
    if (!isRefused || verb !== 'get' || name === '') throw error;
  }
  try {
    await sendAs(accessKey, 'GET', pathOf(resource, namespace, name), { accept: METADATA });
    return { allowed: true };
  } catch (error) {
    // Users who may not read it do not learn whether it exists.
    if (error instanceof ApiError && error.code === 404) return { allowed: true };
    if (error instanceof ApiError && error.code === 403) return { allowed: false };
    throw error;
  }
}

const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Undefined until it is known. */
export function useMayKnown(deed: Deed): boolean | undefined {
  return useQuery({ queryKey: ['may', deed, ''], queryFn: ({ signal }) => may(deed, signal) }).data;
}

const NONE: readonly Deed[] = [];

/** Those that are allowed, in their order; none until it is known. */
export function useAllowed(deeds: readonly Deed[]): readonly Deed[] {
  const { data = NONE } = useQuery({
    queryKey: ['may each', deeds],
    queryFn: async ({ signal }) => {
      const allowed = await Promise.all(deeds.map((deed) => may(deed, signal)));
      return deeds.filter((_deed, at) => allowed[at]);
    },
    placeholderData: (before) => before,
  });
  return data;
}

/** Whether each is allowed; undefined until it is known. Each is asked once, also as others join them. */
export const useMayEach = (deeds: readonly Deed[]): readonly (boolean | undefined)[] =>
  useQueries({
    queries: deeds.map((deed) => ({
      queryKey: ['may', deed, ''],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => may(deed, signal),
    })),
    combine: (answers) => answers.map(({ data }) => data),
  });

/** How many objects of a kind are asked for one by one. */
export const MAX_ASKED = 20;

/** Undefined until it is known. */
export interface MayOn {
  /** On all objects of the kind. */
  readonly all: boolean | undefined;
  /** On each of the first {@link MAX_ASKED}, in their order; empty unless `all` is false. */
  readonly each: readonly (boolean | undefined)[];
}

/** Whether something is allowed on objects. `deed`: on the object of a name, without a name on all. */
export function useMayOn(names: readonly string[], deed: (name: string) => Deed): MayOn {
  const [all] = useMayEach([deed('')]);
  const each = useMayEach(all === false ? names.slice(0, MAX_ASKED).map(deed) : []);
  return { all, each };
}

/** Whether one of these is allowed; false until it is known. */
export const useMayAny = (deeds: readonly Deed[]): boolean => useAllowed(deeds).length > 0;

/**
 * False until the response arrives. `version`: a version of the object; when it changes, the rights may have changed,
 * and the server is asked again.
 */
export function useMay(deed: Deed, version = ''): boolean {
  const { data = false } = useQuery({
    queryKey: ['may', deed, version],
    queryFn: ({ signal }) => may(deed, signal),
    placeholderData: (before) => before,
  });
  return data;
}
