/** Backups that a server makes by itself: each by a process of its own, so that requests do not wait for it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import type { Config, StorageConfig } from '../options/complete.js';
import { keyFileOf, type EncryptionConfig } from '../server/encryption.js';
import type { Operations } from '../server/telemetry.js';
import { newestIn } from './directory.js';
import { PASSPHRASE_FLAG, RECIPIENT_FLAG } from './flags.js';
import type { BackupSchedule } from '../options/backups.js';

/** How often it is looked whether one is due, at most. */
const LOOK_MS = 60_000;
/** After one that failed. */
const AGAIN_MS = 5 * 60_000;

/** Begins when the newest backup of the directory is older than the interval. Of several servers, the one that leads does. */
export function scheduleBackups(operations: Operations): void {
  const { config, log, report, shutdownHooks, controllers } = operations;
  const { backups: schedule, storage } = config;
  if (schedule === undefined) return;
  const { directory, intervalMs } = schedule;
  let running: ReturnType<typeof spawn> | undefined;
  let notBefore = 0;
  const look = async (): Promise<void> => {
    if (running !== undefined || performance.now() < notBefore) return;
    const several = storage.engine === 'etcd' || storage.open !== undefined;
    if (several && controllers.leadership()?.leads !== true) return;
    if (((await newestIn(directory)) ?? 0) + intervalMs > Date.now()) return;
    const child = spawn(process.execPath, argumentsOf(schedule, config), {
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running = child;
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(0, 1_000)));
    const [code]: (number | null)[] = await once(child, 'close');
    running = undefined;
    if (code === 0) return log.info({ directory }, 'the store was backed up');
    notBefore = performance.now() + AGAIN_MS;
    report('the store was not backed up', new Error(said.trim().split('\n')[0] ?? `it ended with ${code}`));
  };
  const timer = setInterval(() => void look().catch(() => undefined), Math.min(LOOK_MS, intervalMs)).unref();
  void look().catch(() => undefined);
  shutdownHooks.push(() => {
    clearInterval(timer);
    running?.kill();
  });
}

function argumentsOf(schedule: BackupSchedule, { storage, encryption }: Config): string[] {
  const { directory, retain, recipients, passphraseFile } = schedule;
  const program = process.argv[1] ?? '';
  return [
    ...[program, 'backup', 'create', `${directory}/`, `--retain=${retain}`],
    ...(recipients === undefined ? [] : [`--${RECIPIENT_FLAG.name}=${recipients}`]),
    ...(passphraseFile === undefined ? [] : [`--${PASSPHRASE_FLAG.name}=${passphraseFile}`]),
    ...storageFlags(storage),
    ...encryptionFlags(encryption),
  ];
}

function storageFlags(storage: StorageConfig): string[] {
  if (storage.engine === 'embedded') return [`--data-dir=${dirname(storage.directory)}`];
  const files = [
    ['etcd-cafile', storage.caFile],
    ['etcd-certfile', storage.certFile],
    ['etcd-keyfile', storage.keyFile],
  ] as const;
  return [
    ...[`--etcd-servers=${storage.endpoints.join(',')}`, `--etcd-prefix=${storage.prefix}`],
    ...files.flatMap(([flag, path]) => (path === undefined ? [] : [`--${flag}=${path}`])),
  ];
}

const encryptionFlags = (encryption: EncryptionConfig): string[] => [
  `--encryption-key-file=${keyFileOf(encryption)}`,
  ...(encryption.providerConfig === undefined
    ? []
    : [`--encryption-provider-config=${encryption.providerConfig}`]),
];

/** Without options of the server: all that count are given. */
function environment(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => !name.startsWith('MANAGEMENT_APISERVER_'));
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
