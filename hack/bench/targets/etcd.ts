import { join } from 'node:path';
import { findTool, freePort, start, type Running } from '../processes.js';

export interface Etcd extends Running {
  readonly url: string;
}

/** One member with its own defaults, syncing to disk, in `folder`. Throws where there is no etcd. */
export async function startEtcd(folder: string): Promise<Etcd> {
  const program = findTool('etcd');
  if (program === undefined) throw new Error('etcd is not installed; run make tools');
  const url = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const args = [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--log-level=warn',
  ];
  const running = start(program, args, join(folder, 'etcd.log'));
  await running.waitUntil(async () => (await fetch(`${url}/health`)).ok);
  return { ...running, url };
}
