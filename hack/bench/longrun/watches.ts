/** Watches that are opened, cut at random moments, and opened again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Endpoint } from '../client.js';
import { createHttp2Client } from '../http2client.js';
import { pathOf } from '../objects.js';
import { NAMESPACE } from './churn.js';

const PATHS = [
  pathOf(NAMESPACE),
  `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`,
  '/apis/management.svc.example/v1/ownedaccesskeys',
  `/api/v1/namespaces/${NAMESPACE}/configmaps`,
];
const SHORTEST_MS = 500;
const LONGEST_MS = 30_000;

export interface WatchCount {
  opened: number;
  events: number;
}

/** One watch after the other until `isOver`: from the newest state, from any, or from where the last one was cut. */
export async function follow(
  endpoint: Endpoint,
  number: number,
  isOver: () => boolean,
  count: WatchCount,
): Promise<void> {
  const path = PATHS[number % PATHS.length] ?? '';
  const open = number % 2 === 0 ? openHttp1 : openHttp2;
  let seen = '';
  const heard = (piece: Buffer): void => {
    const text = piece.toString('latin1');
    count.events += text.split('\n').length - 1;
    seen = [...text.matchAll(/"resourceVersion":"(\d+)"/g)].at(-1)?.[1] ?? seen;
  };
  while (!isOver()) {
    const from = ['', '&resourceVersion=0', seen === '' ? '' : `&resourceVersion=${seen}`];
    const query = `?watch=1&allowWatchBookmarks=true${from[Math.floor(Math.random() * 3)] ?? ''}`;
    const close = await open(endpoint, `${path}${query}`, heard);
    count.opened += 1;
    const until = performance.now() + SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS);
    while (performance.now() < until && !isOver()) await sleep(SHORTEST_MS);
    close();
  }
}

type Open = (endpoint: Endpoint, path: string, heard: (piece: Buffer) => void) => Promise<() => void>;

const openHttp1: Open = async (endpoint, path, heard) => {
  const client = createClient(endpoint, 1);
  const stream = await client.open({ path });
  stream.on('error', () => undefined).on('data', heard);
  return () => (stream.destroy(), client.close());
};

const openHttp2: Open = async (endpoint, path, heard) => {
  const client = createHttp2Client(endpoint, 1);
  await client.follow({ path }, heard);
  return () => client.close();
};
