/**
 * Loaded into a server with `--import`: each SIGUSR2 starts a CPU profile, or ends it and writes it to the file that
 * BENCH_PROFILE names, whole or not at all.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const path = process.env['BENCH_PROFILE'] ?? 'row.cpuprofile';
const session = new Session();
session.connect();
let running = false;

async function toggle(): Promise<void> {
  running = !running;
  if (running) {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    return;
  }
  const { profile } = await session.post('Profiler.stop');
  writeFileSync(`${path}.part`, JSON.stringify(profile));
  renameSync(`${path}.part`, path);
}

process.on('SIGUSR2', () => {
  toggle().catch((error: unknown) => console.error(error));
});
