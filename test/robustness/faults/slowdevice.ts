/**
 * A disk on a block device that can be slowed down: ext4 on a loop device over a FUSE file of nbdkit, which keeps the
 * data in memory, and limits the rate to the bits per second in a file.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../fixtures/wait.js';
import type { SmallDisk } from './disk.js';
import { delay, type Fault } from './fault.js';
import { messageOf } from '../../../pkg/apimachinery/caught.js';

const BYTES = 256 * 1024 * 1024;
const PROGRAMS = ['nbdkit', 'nbdfuse', 'mkfs.ext4', 'mount'];
/** Kilobits per second. A burst of two seconds is not limited. */
const LEAST_RATE = 100;
const MAX_RATE = 800;
const LEAST_MS = 1_000;
const MAX_MS = 4_000;

type SlowDevice = Extract<SmallDisk, { directory: string }> & {
  /** Bits per second, as nbdkit parses them; `0`: no limit. */
  setRate(rate: string): void;
};

/** The device, or why there is none. */
export async function mountSlowDevice(): Promise<SlowDevice | { readonly hindrance: string }> {
  const missing = PROGRAMS.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  if (missing.length > 0) return { hindrance: `${missing.join(', ')}: not installed` };
  const folder = mkdtempSync(join(tmpdir(), 'robustness-device-'));
  const at = (name: string): string => join(folder, name);
  const children: ChildProcess[] = [];
  const setRate = (rate: string): void => writeFileSync(at('rate'), rate);
  const remove = (): void => {
    setRate('0');
    for (const place of ['disk', 'fuse'])
      if (spawnSync('umount', [at(place)]).status !== 0) spawnSync('umount', ['--lazy', at(place)]);
    for (const child of children.reverse()) child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  const begin = async (name: string, args: readonly string[], isThere: () => boolean): Promise<void> => {
    const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(child);
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended: ${said.trim()}`)));
    await Promise.race([ended, eventually(name, () => Promise.resolve(isThere()))]);
    ended.catch(() => undefined);
  };
  const execute = (name: string, ...args: string[]): void => {
    const { status, stderr } = spawnSync(name, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name}: ${stderr.trim()}`);
  };
  try {
    for (const name of ['fuse', 'disk']) mkdirSync(at(name));
    setRate('0');
    const [socket, file] = [at('socket'), at('fuse/nbd')];
    const filter = ['--foreground', '--exit-with-parent', `--unix=${socket}`, '--filter=rate'];
    await begin('nbdkit', [...filter, 'memory', `size=${BYTES}`, `rate-file=${at('rate')}`], () =>
      existsSync(socket),
    );
    await begin(
      'nbdfuse',
      [at('fuse'), '--unix', socket],
      () => existsSync(file) && statSync(file).size === BYTES,
    );
    execute('mkfs.ext4', '-q', '-F', file);
    execute('mount', '-o', 'loop', file, at('disk'));
    return { directory: at('disk'), setRate, remove };
  } catch (error) {
    remove();
    return { hindrance: messageOf(error) };
  }
}

/** Writes reach the device slowly for a while. */
export const slowDevice = ({ setRate }: Pick<SlowDevice, 'setRate'>): Fault => ({
  kind: 'slow device',
  lane: 'servers',
  async strike({ random }) {
    const rate = Math.round(LEAST_RATE + random() * (MAX_RATE - LEAST_RATE));
    setRate(`${rate}K`);
    await delay(LEAST_MS + random() * (MAX_MS - LEAST_MS));
    setRate('0');
    return `${rate} kbit/s`;
  },
});
