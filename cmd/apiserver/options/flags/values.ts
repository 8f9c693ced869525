/** Parsers of flag values. Each throws an Error that names the valid values. */
import { hasMore } from '../../../../pkg/apimachinery/flagvalues.js';
import { dns1123Label, dns1123Subdomain } from '../../../../pkg/apimachinery/validation/names.js';
import { parseNetwork, type Network } from '../../../../pkg/management/clusters/client/addresspolicy.js';
import { parseDuration } from '../../../../pkg/apimachinery/options/duration.js';
import { PLUGIN_NAMES, type PluginName } from '../../../../pkg/management/pluginchoice.js';

/** The mode of a server: on its own, or behind the API server of a cluster. */
export type ModeName = 'standalone' | 'aggregated';

export function mode(given: string): ModeName {
  if (given === 'standalone' || given === 'aggregated') return given;
  throw new Error('it must be standalone or aggregated');
}

export function namespaceName(given: string): string {
  const [problem] = dns1123Label(given);
  if (problem !== undefined) throw new Error(problem);
  return given;
}

export function clusterName(given: string): string {
  const [problem] = dns1123Subdomain(given);
  if (problem !== undefined) throw new Error(problem);
  return given;
}

export const text = (given: string): string => {
  if (given === '') throw new Error('it must not be empty');
  return given;
};

/** A name that people read. */
export const shownName = (given: string): string => {
  const name = given.trim();
  if (!/^[^\p{C}\p{Zl}\p{Zp}]{1,50}$/u.test(name))
    throw new Error('it must have 1 to 50 characters, none of them a control character');
  return name;
};

/** `namespace/name`. */
export function namespacedName(given: string): { namespace: string; name: string } {
  const [namespace = '', name = '', ...more] = given.split('/');
  if (more.length > 0 || dns1123Label(namespace).length > 0 || dns1123Subdomain(name).length > 0)
    throw new Error('it must be a namespace and a name such as management/serving');
  return { namespace, name };
}

/** In milliseconds. */
export function delay(given: string): number {
  const milliseconds = Number(parseDuration(given) / 1_000_000n);
  if (milliseconds < 0) throw new Error('it must not be negative');
  return milliseconds;
}

/** CIDRs, or addresses. */
export function networks(given: string): Network[] {
  return given.split(',').map((part) => {
    const network = parseNetwork(part.trim());
    if (network !== undefined) return network;
    throw new Error('it must be networks such as 10.1.0.0/16 or fd00:1::/64, separated by commas');
  });
}

export function endpoints(given: string): string[] {
  return given.split(',').map((part) => {
    const endpoint = part.trim();
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || hasMore(url)) {
      throw new Error('it must be URLs such as http://127.0.0.1:2379, or https://…, separated by commas');
    }
    return endpoint.replace(/\/$/, '');
  });
}

export function keyPrefix(given: string): string {
  if (!/^\/[\x21-\x7e]{0,200}$/.test(given)) throw new Error('it must begin with / and have no spaces');
  return given;
}

export function auditMode(given: string): 'batch' | 'blocking-strict' {
  if (given === 'batch' || given === 'blocking-strict') return given;
  throw new Error('it must be batch or blocking-strict');
}

export function pluginNames(given: string): PluginName[] {
  return given.split(',').map((part) => {
    const found = PLUGIN_NAMES.find((name) => name === part.trim());
    if (found !== undefined) return found;
    throw new Error(`it must be names of these, separated by commas: ${PLUGIN_NAMES.join(', ')}`);
  });
}
