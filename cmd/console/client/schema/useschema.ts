/** The schema of a kind, from the document that the server publishes for the kind's group. */
import { useQuery } from '@tanstack/react-query';
import { send } from '../request.js';
import { KindSchema, type OpenapiDocument } from './schema.js';

interface Index {
  /** By paths such as `api/v1` and `apis/<group>/<version>`. */
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** Documents change only with the version of the server. */
const STALE_MS = 600_000;

/** Undefined until it is loaded, and for kinds without a published schema. `apiVersion`: such as `v1`. */
export function useSchema(apiVersion: string, kind: string): KindSchema | undefined {
  const { data } = useQuery({
    queryKey: ['openapi', apiVersion],
    queryFn: ({ signal }) => documentOf(apiVersion, signal),
    staleTime: STALE_MS,
    // The text can be edited without a schema, too.
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
  // The URL contains a hash of the content, so the browser may cache the response.
  return send<OpenapiDocument>('GET', url, { signal, cache: 'default' });
}
