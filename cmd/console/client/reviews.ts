/** What the person may do, as the server says: what they may not is not offered. */
import { useQuery } from '@tanstack/react-query';
import { send } from './request.js';

export interface Deed {
  readonly verb: string;
  /** That of the management API where it is left out. */
  readonly group?: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Rejects with ApiError. */
export async function may(deed: Deed, signal?: AbortSignal): Promise<boolean> {
  const { status } = await send<{ readonly status: { readonly allowed: boolean } }>(
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {
      ...(signal !== undefined && { signal }),
      body: {
        kind: 'SelfSubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        spec: { resourceAttributes: { group: 'management.svc.example', version: 'v1', ...deed } },
      },
    },
  );
  return status.allowed;
}

/** Undefined until it is known. */
export function useMayKnown(deed: Deed): boolean | undefined {
  return useQuery({ queryKey: ['may', deed, ''], queryFn: ({ signal }) => may(deed, signal) }).data;
}

/** False until it is known. `version`: of the object, whose change may change what the person may do with it. */
export function useMay(deed: Deed, version = ''): boolean {
  const { data = false } = useQuery({
    queryKey: ['may', deed, version],
    queryFn: ({ signal }) => may(deed, signal),
    placeholderData: (before) => before,
  });
  return data;
}
