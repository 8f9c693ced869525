/** The schema of a kind, from the document that the server publishes for its group. */
import { useQuery } from '@tanstack/react-query';
import { send } from '../request.js';
import type { OpenapiDocument } from './schema.js';
import { KindSchema } from './schema.js';

interface Index {
  /** By `api/v1` and `apis/<group>/<version>`. */
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** Documents change with the server's program alone. */
const STALE_MS = 600_000;

/** Undefined until it is there, and for kinds of which the server publishes none. `apiVersion`: such as `v1`. */
export function useSchema(apiVersion: string, kind: string): KindSchema | undefined {
  const { data } = useQuery({
    queryKey: ['openapi', apiVersion],
    queryFn: ({ signal }) => documentOf(apiVersion, signal),
    staleTime: STALE_MS,
    // Without it the text can be changed all the same.
    retry: false,
    select: (document) => KindSchema.of(document, apiVersion, kind) ?? null,
  });
  return data ?? undefined;
}

/** Rejects with ApiError. */
async function documentOf(apiVersion: string, signal: AbortSignal): Promise<OpenapiDocument> {
  const { paths } = await send<Index>('GET', '/openapi/v3', { signal });
  const url = paths[`${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`]?.serverRelativeURL;
  if (url === undefined) return {};
  // The address has a hash of the content: the browser may keep it.
  return send<OpenapiDocument>('GET', url, { signal, cache: 'default' });
}
