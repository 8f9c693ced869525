/** Where the agent reaches the management API. */
import type { Client } from '../../connection/client.js';
import { centralEndpoint } from '../../direct/target.js';
import { Failure, usage } from '../../failure.js';
import type { AgentChart } from './helm.js';
import { isLoopback } from './whynot.js';

/** `url`: instead of that of the login. Throws Failure for one that no cluster reaches, unless it was asked for. */
export function agentServer(
  client: Client,
  url: string | undefined,
): Pick<AgentChart, 'server' | 'authority'> {
  const { server, authority } = centralEndpoint(client);
  if (url === undefined) {
    if (!isLoopback(server)) return { server, authority };
    throw new Failure('usage', `the agent cannot reach ${server}, which leads to this machine alone`, {
      advice:
        'name the URL by which the cluster reaches the server with --server-url; a server that listens on loopback alone first takes --bind-address 0.0.0.0',
    });
  }
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw usage('--server-url must be an https URL');
  return { server: url.replace(/\/+$/, ''), authority };
}
