import { hostname } from 'node:os';
import { isIP } from 'node:net';

const FIXED_NAMES = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** The names and addresses by which clients may reach the server. `bindAddress` is omitted if it means all addresses. */
export function servingNames(bindAddress: string): string[] {
  const own = [bindAddress, hostname()].filter(
    (name) => isIP(name) !== 0 || /^[A-Za-z0-9.-]{1,253}$/.test(name),
  );
  return [...new Set([...FIXED_NAMES, ...own.filter((name) => name !== '0.0.0.0' && name !== '::')])];
}
