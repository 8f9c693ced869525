/** The addresses that this server connects to when a user names them. */
import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { embeddedIPv4 } from './embeddedipv4.js';

/** `10.0.0.0/8`. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
}

export interface AddressPolicy {
  /** `address`: an IPv4 or IPv6 address, as a socket would connect to it. */
  permits(address: string): boolean;
}

/**
 * Never a cluster: loopback, link-local, unspecified, multicast, reserved, site-local, Teredo, NAT64 of a
 * site.
 */
const REFUSED: readonly Network[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  '64:ff9b:1::/48',
  '2001::/32',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // The metadata services of Alibaba Cloud, Oracle Cloud, Azure, AWS and Google Cloud outside of link-local.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
].map((text) => parseNetwork(text)!);

/** Undefined for invalid text. A plain address is a network of one. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const prefix = length === undefined ? most : Number(length);
  const good = family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length ?? '0') && prefix <= most;
  return good ? { address, prefix } : undefined;
}

/** How long the addresses of this machine are cached, as they change rarely. */
const OWN_KNOWN_MS = 10_000;

/**
 * Refuses addresses that are never a cluster's, and the networks of this machine's interfaces, except those
 * of `allowed`. An address with an embedded IPv4 address must be permitted in both forms. `ownNetworks`: for
 * tests.
 */
export function addressPolicy(
  allowed: readonly Network[],
  ownNetworks: () => readonly Network[] = networksOfInterfaces,
): AddressPolicy {
  const exceptions = listOf(allowed);
  const refused = listOf(REFUSED);
  let own = { list: listOf([]), until: 0 };
  const isOwn = (address: string): boolean => {
    const now = performance.now();
    if (now >= own.until) own = { list: listOf(ownNetworks()), until: now + OWN_KNOWN_MS };
    return contains(own.list, address);
  };
  const permitsForm = (address: string): boolean =>
    contains(exceptions, address) || !(contains(refused, address) || isOwn(address));
  return {
    permits(given) {
      const [address = ''] = given.split('%');
      const family = isIP(address);
      if (family === 0) return false;
      if (contains(exceptions, address)) return true;
      const inner = family === 6 ? embeddedIPv4(address) : undefined;
      return permitsForm(address) && (inner === undefined || permitsForm(inner));
    },
  };
}

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix } of networks) list.addSubnet(address, prefix, familyOf(address));
  return list;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
const contains = (list: BlockList, address: string): boolean => list.check(address, familyOf(address));

function networksOfInterfaces(): Network[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .flatMap(({ cidr }) => parseNetwork(cidr ?? '') ?? []);
}

/** The name has no address, or none that is permitted; callers do not learn which. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  constructor() {
    super('it has no address that this server may connect to');
  }
}

/**
 * Resolves names for a connection. The connection uses the checked address, so a later change of the name has
 * no effect. Not called for addresses: see {@link checkHost}.
 */
export function policedLookup({ permits }: AddressPolicy, lookup: typeof resolve = resolve): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const usable = error === null ? found.filter(({ address }) => permits(address)) : [];
      const [first] = usable;
      if (first === undefined) callback(new AddressRefused(), options.all === true ? [] : '', 0);
      else if (options.all === true) callback(null, usable);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * Throws AddressRefused for a URL whose host is an address that is not permitted; names are checked by the
 * lookup.
 */
export function checkHost({ permits }: AddressPolicy, url: string): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !permits(host)) throw new AddressRefused();
}
