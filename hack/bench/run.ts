import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from './client.js';
import type { Load } from './load.js';
import { measure } from './measure.js';
import { seed } from './objects.js';
import type { Context, Measured, Row } from './rows/row.js';
import { startFloor } from './targets/floor.js';
import { startKubeApiserver } from './targets/kubeapiserver.js';
import { startOurs } from './targets/ours.js';
import type { Target, TargetName, TargetOptions } from './targets/target.js';

export interface RunOptions {
  readonly quick: boolean;
  readonly profiles?: string;
  /** Told of every row before it runs. */
  readonly say: (text: string) => void;
}

/** Measurements by row name. A row that failed is absent. */
export type Measurements = ReadonlyMap<string, Measured>;

const STARTS: Readonly<Record<TargetName, (options: TargetOptions) => Promise<Target>>> = {
  embedded: (options) => startOurs('embedded', options),
  etcd: (options) => startOurs('etcd', options),
  'kube-apiserver': startKubeApiserver,
  floor: startFloor,
};

/** Runs cold rows each on a target of its own, and the others, in order, on one. */
export async function runTarget(
  name: TargetName,
  rows: readonly Row[],
  options: RunOptions,
): Promise<Measurements> {
  const cold = rows.filter((row) => row.cold === true);
  const warm = rows.filter((row) => row.cold !== true);
  const measurements = new Map<string, Measured>();
  for (const together of [...cold.map((row) => [row]), warm]) {
    const measured = together.length === 0 ? [] : await runOnOne(name, together, options);
    for (const [row, value] of measured) measurements.set(row, value);
  }
  return measurements;
}

/** Starts the target with empty state, runs the rows in order, stops it and removes its state. */
async function runOnOne(name: TargetName, rows: readonly Row[], options: RunOptions): Promise<Measurements> {
  const folder = mkdtempSync(join(tmpdir(), `bench-${name}-`));
  const measurements = new Map<string, Measured>();
  try {
    const target = await STARTS[name]({ folder, profiles: options.profiles });
    const { context, close } = createContext(target, options);
    try {
      for (const row of rows) {
        options.say(`${name}: ${row.name}`);
        measurements.set(row.name, await profiled(target, row, folder, options.profiles, context));
      }
    } catch (error) {
      options.say(`${name}: FAILED, the rest of its rows are not measured: ${(error as Error).message}`);
    } finally {
      close();
      await target.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return measurements;
}

function createContext(target: Target, { quick }: RunOptions): { context: Context; close: () => void } {
  const own = createClient(target.endpoint, 32);
  const namespaces = new Set<string>();
  let objects = 0;
  const context: Context = {
    target,
    quick,
    client: (connections, token = target.endpoint.token) =>
      createClient({ ...target.endpoint, token }, connections),
    async seeded(namespace, count) {
      if (namespaces.has(namespace)) return;
      namespaces.add(namespace);
      await seed(own, namespace, count);
      objects += count;
    },
    objects: () => objects,
    created: (count) => void (objects += count),
    measure: (load) => measure(target, own, load),
  };
  return { context, close: () => own.close() };
}

/** Where profiles are asked for, has our server take one while the row measures its load. */
async function profiled(
  target: Target,
  row: Row,
  folder: string,
  profiles: string | undefined,
  context: Context,
): Promise<Measured> {
  if (profiles === undefined || !target.eventLoop) return row.run(context);
  const written = join(folder, 'row.cpuprofile');
  const measureLoad = async (load: () => Promise<Load>): Promise<Measured> => {
    process.kill(target.pid, 'SIGUSR2');
    await sleep(300);
    const measured = await context.measure(load);
    process.kill(target.pid, 'SIGUSR2');
    for (let tries = 0; tries < 100 && !existsSync(written); tries++) await sleep(100);
    mkdirSync(profiles, { recursive: true });
    const file = `${target.name}-${row.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.cpuprofile`;
    copyFileSync(written, join(profiles, file));
    rmSync(written);
    return measured;
  };
  return row.run({ ...context, measure: measureLoad });
}
