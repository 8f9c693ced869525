import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { must, type Client } from '../client.js';

/** What one process and its store take, at one moment. Sizes are in bytes. */
export interface Sample {
  /** Since the load began. */
  readonly seconds: number;
  /** Writes that were answered with success so far. */
  readonly writes: number;
  readonly resident: number;
  /** Of it, what is the process's own: without the pages of mapped files. */
  readonly anonymous: number;
  readonly heap: number;
  readonly file: number;
  readonly handles: number;
  /** Requests that are open for long: watches. */
  readonly longRunning: number;
  /** Requests that have one of the seats for reads, writes and watches, or wait for one. */
  readonly seats: number;
  /** Open handles as Node counts them: sockets, listeners. */
  readonly nodeHandles: number;
}

export interface Sampled {
  readonly pid: number;
  /** Of the store's files. */
  readonly folder: string;
  readonly client: Client;
}

export async function takeSample(
  { pid, folder, client }: Sampled,
  seconds: number,
  writes: number,
): Promise<Sample> {
  const metrics = (await must(client, { path: '/metrics' })).body.toString();
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    seconds: Math.round(seconds),
    writes,
    resident: kilobytes(status, 'VmRSS'),
    anonymous: kilobytes(status, 'RssAnon'),
    heap: metric(metrics, 'nodejs_heap_size_used_bytes'),
    file: sizeOf(folder),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    longRunning: metric(metrics, 'apiserver_longrunning_requests'),
    seats:
      metric(metrics, 'apiserver_flowcontrol_current_executing_seats') +
      metric(metrics, 'apiserver_flowcontrol_current_inqueue_requests'),
    nodeHandles: metric(metrics, 'nodejs_active_handles_total'),
  };
}

/** The sum of a metric over its labels, from the text of `/metrics`. */
export function metric(text: string, name: string): number {
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'));
  return [...lines].reduce((total, [, value]) => total + Number(value), 0);
}

/** A line of `/proc/<pid>/status` (proc(5)), in bytes. */
export const kilobytes = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;

/** What the files take on disk: a file with holes counts without them. */
function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((total, name) => total + statSync(join(folder, name)).blocks * 512, 0);
}
