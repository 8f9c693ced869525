import type { Client } from './client.js';

/** Whom the server takes the caller for: status of `management.svc.example/v1 Self`. */
export interface Self {
  readonly user?: string | { readonly name?: string };
  readonly team?: string | { readonly name?: string };
  readonly accessKey?: string;
  readonly accessKeyType?: string;
  readonly groups?: readonly string[];
  readonly projectNamespacePrefix?: string;
}

export async function selfOf(client: Client): Promise<Self> {
  const body = { kind: 'Self', apiVersion: 'management.svc.example/v1', metadata: {}, spec: {} };
  const { status = {} } = await client.create<{ status?: Self }>({ resource: 'selves' }, body);
  return status;
}
