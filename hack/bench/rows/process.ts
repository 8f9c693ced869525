import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../cpu.js';
import { onBoth, type Context, type Measured, type Row } from './row.js';

const OBJECTS = 15_000;
/** What a server has to do once after its start or after a load. */
const SETTLE_MS = 2000;

function measureStart({ target }: Context): Promise<Measured> {
  return Promise.resolve({ value: target.readySeconds, residentBytes: residentBytes(target.pid) });
}

async function measureMemory({ target }: Context): Promise<Measured> {
  await sleep(SETTLE_MS);
  const bytes = residentBytes(target.pid);
  return { value: bytes, residentBytes: bytes };
}

async function measureFull(context: Context): Promise<Measured> {
  const missing = OBJECTS - context.objects();
  if (missing > 0) await context.seeded('rest', missing);
  return measureMemory(context);
}

/** Before everything else. */
export const startRows: readonly Row[] = [
  { name: 'start to ready', unit: 'time', aim: onBoth(0.6), run: measureStart },
  { name: 'memory at start', unit: 'memory', aim: onBoth(0.12e9), run: measureMemory },
];

/** After everything else. */
export const endRows: readonly Row[] = [
  { name: 'memory with 15,000 objects', unit: 'memory', aim: onBoth(0.35e9), run: measureFull },
];
