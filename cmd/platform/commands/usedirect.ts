/** Entries of a kubeconfig for `platform use … --direct`: at the agent, and through the management API where that is away. */
import type { Cli } from '../cli.js';
import type { Client } from '../connection/client.js';
import { connectionTo, missingRights, whyUnreached } from '../direct/reach.js';
import {
  type DirectTarget,
  type Endpoint,
  type Instance,
  centralEndpoint,
  directTarget,
} from '../direct/target.js';
import { Failure, messageOf } from '../failure.js';
import type { KubeconfigEntry } from '../files/kubeconfigfile.js';
import { cachedToken } from '../files/tokencache.js';

export interface DirectEntries {
  /** In the order to write them in: the last one is to be the current one. */
  readonly entries: readonly KubeconfigEntry[];
  /** Which way the current one takes, and why; and what keeps the caller from working there. */
  readonly explanations: readonly string[];
}

/** `user`: of the entries, for the flags of `platform token`. Rejects with a Failure where neither way works. */
export async function directEntries(
  cli: Cli,
  client: Client,
  instance: Instance,
  user: (flags: readonly string[]) => Promise<object>,
): Promise<DirectEntries> {
  const target = await directTarget(client, instance);
  const wish = { cluster: target.cluster, scope: target.scope, ttl: undefined, renew: true };
  const { token } = await cachedToken(cli.env, client, wish);
  const whyNot = async (endpoint: () => Endpoint): Promise<string | undefined> => {
    try {
      return await whyUnreached(await connectionTo(endpoint(), token, cli.env), target.path, cli.trace);
    } catch (error) {
      return messageOf(error);
    }
  };
  const name = `platform-${instance.kind}-${instance.project}-${instance.name}`;
  const credentials = await user(target.flags);
  const entryOf = (called: string, endpoint: Endpoint): KubeconfigEntry =>
    entryFor(called, endpoint, target, credentials);
  const rights = async (at: Endpoint): Promise<string[]> => {
    const why = await missingRights(await connectionTo(at, token, cli.env), target, cli.trace);
    return why === undefined ? [] : [why];
  };
  const { endpoint } = target;
  const direct = endpoint && (await whyNot(() => endpoint));
  if (endpoint !== undefined && direct === undefined) {
    const { entries, explanations } = directFirst(client, name, endpoint, entryOf);
    return { entries, explanations: [...explanations, ...(await rights(endpoint))] };
  }
  const notDirect = direct ?? `cluster "${target.cluster}" names no direct endpoint`;
  const central = await whyNot(() => centralEndpoint(client));
  if (central !== undefined)
    throw new Failure(
      'failed',
      `${target.what} is not reached: ${notDirect}; nor through the management API: ${central}; see "platform doctor ${target.flags.slice(-2).join(' ')}"`,
    );
  const through = centralEndpoint(client);
  return {
    entries: [entryOf(name, through)],
    explanations: [`It goes through the management API: ${notDirect}.`, ...(await rights(through))],
  };
}

/** With a second context, for when the agent is away. A login that is not verified gives none. */
function directFirst(
  client: Client,
  name: string,
  endpoint: Endpoint,
  entryOf: (called: string, endpoint: Endpoint) => KubeconfigEntry,
): DirectEntries {
  const own = entryOf(name, endpoint);
  const direct = `It reaches ${endpoint.server} directly`;
  if (!client.connection.rejectUnauthorized) return { entries: [own], explanations: [`${direct}.`] };
  const other = `${name}-tunnel`;
  return {
    entries: [entryOf(other, centralEndpoint(client)), own],
    explanations: [`${direct}; the context "${other}" goes through the management API.`],
  };
}

function entryFor(
  name: string,
  { server, authority }: Endpoint,
  { path, namespace }: DirectTarget,
  user: object,
): KubeconfigEntry {
  const ca = authority && Buffer.from(authority).toString('base64');
  return {
    name,
    cluster: { server: server + path, ...(ca !== undefined && { 'certificate-authority-data': ca }) },
    user,
    ...(namespace !== undefined && { namespace }),
  };
}
