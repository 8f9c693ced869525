/** Proxies between this machine and the server. */
import type { Agent } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { Failure } from '../failure.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The agent for `named`, a URL of http, https or socks5, or else through the proxy that `HTTPS_PROXY` and `NO_PROXY`
 * choose; undefined: no proxy. Rejects with a Failure for an invalid proxy.
 */
export async function proxyFor(server: URL, env: Environment, named?: string): Promise<Agent | undefined> {
  const chosen = named ?? fromEnvironment(server, env);
  if (chosen === undefined) return undefined;
  const proxyUrl = chosen.includes('://') ? chosen : `http://${chosen}`;
  if (!/^(https?|socks\w*):$/.test(URL.canParse(proxyUrl) ? new URL(proxyUrl).protocol : ''))
    throw new Failure('failed', `the proxy must be a URL of http, https or socks5`);
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: '', server: server.href, proxyUrl, skipTLSVerify: false },
    { name: '' },
  );
  const options: { agent?: Agent } = {};
  await config.applyToHTTPSOptions(options);
  return withoutGaps(options.agent);
}

type WithOptions = Agent & { readonly options?: Record<string, unknown> };

/** Options of an agent override those of requests, also if undefined: such options are left to requests. */
function withoutGaps(agent: WithOptions | undefined): Agent | undefined {
  const options = agent?.options ?? {};
  for (const [name, value] of Object.entries(options)) if (value === undefined) delete options[name];
  return agent;
}

/** As Go's `httpproxy.FromEnvironment`: a server of this machine needs none. */
function fromEnvironment(server: URL, env: Environment): string | undefined {
  const proxy = env.HTTPS_PROXY || env.https_proxy;
  const host = server.hostname.replace(/^\[|\]$/g, '');
  if (!proxy || host === 'localhost' || isLoopback(host)) return undefined;
  const excepted = (env.NO_PROXY || env.no_proxy || '').split(',').map((one) => one.trim());
  return excepted.some((one) => isExcepted(host, server.port || '443', one)) ? undefined : proxy;
}

const isLoopback = (host: string): boolean => host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** `*`, `host`, `.domain`, `host:port`, an address, or addresses as `10.0.0.0/8`. */
function isExcepted(host: string, port: string, one: string): boolean {
  if (one === '') return false;
  if (one === '*') return true;
  const [network = '', bits] = one.split('/');
  if (bits !== undefined) return isWithin(host, network, Number(bits));
  const [, name = '', only] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(one) ?? [];
  if (isIP(one) === 0 && only !== undefined && only !== port) return false;
  const domain = (isIP(one) === 0 ? name : one).replace(/^\*?\./, '').toLowerCase();
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isWithin(host: string, network: string, bits: number): boolean {
  const families = [isIP(host), isIP(network)];
  if (families[0] === 0 || families[0] !== families[1]) return false;
  const family = families[0] === 4 ? 'ipv4' : 'ipv6';
  if (!(bits >= 0 && bits <= (family === 'ipv4' ? 32 : 128))) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, family);
  return list.check(host, family);
}
