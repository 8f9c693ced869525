/** One request with a token for a connected cluster: whether a way to it works. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../cli.js';
import { bareConnection } from '../connection/connection.js';
import { ask, type Answer, type Trace } from '../connection/request.js';
import type { Connection } from '../connection/serverconnection.js';
import { messageOf } from '../failure.js';
import { type DirectTarget, type Endpoint, statusMessage } from './target.js';

/** A way that does not answer within this is not used. */
const TIMEOUT_MS = 5_000;

/** Rejects with a Failure. */
export const connectionTo = (
  { server, authority }: Endpoint,
  token: string | undefined,
  env: Environment,
): Promise<Connection> =>
  bareConnection(
    server,
    authority === undefined ? undefined : { pem: authority, from: 'the annotations of the cluster' },
    token,
    env,
  );

/** Rejects with a Failure if there is no answer. */
export const fetchBriefly = (connection: Connection, path: string, trace: Trace): Promise<Answer> =>
  ask(connection, { method: 'GET', path, accept: 'application/json, */*', timeoutMs: TIMEOUT_MS }, trace);

/** Why an API server is not reached below `path`, with the token of the connection; undefined: it is. */
export async function whyUnreached(
  connection: Connection,
  path: string,
  trace: Trace,
): Promise<string | undefined> {
  try {
    const { code, text } = await fetchBriefly(connection, `${path}/version`, trace);
    return code === 200 ? undefined : `${connection.server.origin} answers ${code}: ${statusMessage(text)}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** How late the cluster may know of rights that the server just gave. */
const RIGHTS_DELAY_MS = 1_000;

/** What gives the caller rights in a space, if the cluster gives none; undefined: there are some, or it is not known. */
export async function missingRights(
  connection: Connection,
  { path, namespace }: Pick<DirectTarget, 'path' | 'namespace'>,
  trace: Trace,
): Promise<string | undefined> {
  if (namespace === undefined) return undefined;
  const pods = `${path}/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?limit=1`;
  let { code, text } = await fetchBriefly(connection, pods, trace);
  if (code === 403) {
    await sleep(RIGHTS_DELAY_MS);
    ({ code, text } = await fetchBriefly(connection, pods, trace));
  }
  if (code !== 403) return undefined;
  const message = statusMessage(text);
  const user = /User "([^"]+)"/.exec(message)?.[1] ?? 'USER';
  return `The cluster gives no rights there yet: ${message}. Its administrator gives some in a context of the cluster itself, not in this one: "kubectl --context CONTEXT create rolebinding NAME --clusterrole edit --user ${user} --namespace ${namespace}".`;
}
