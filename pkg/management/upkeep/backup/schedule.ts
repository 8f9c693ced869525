/** Scheduled backups. Each runs in a separate process, so that it does not delay requests. */
import { once } from 'node:events';
import type { BackupSchedule, UpkeepParts } from '../parts.js';
import { newestIn } from './directory.js';
import { RECIPIENT_FLAG } from './ageflags.js';
import { keepLog } from './keeplog.js';
import { makesBackups, runBackup, type OwnProcess } from './ownprocess.js';

/** The maximum interval between checks whether a backup is due. */
const CHECK_INTERVAL_MS = 10_000;
/** The delay after a backup that failed. */
const RETRY_MS = 5 * 60_000;

/**
 * Makes a backup when the newest one in the directory is older than the interval. If several servers share the store,
 * only the leader makes backups.
 */
export function scheduleBackups(operations: UpkeepParts): void {
  const { config, log, report, shutdownHooks } = operations;
  const { backups: schedule } = config;
  if (schedule === undefined) return;
  const { directory, intervalMs } = schedule;
  let running: OwnProcess | undefined;
  let notBefore = 0;
  const check = async (): Promise<void> => {
    if (running !== undefined || performance.now() < notBefore) return;
    if (!makesBackups(operations)) return;
    const now = Date.now();
    if (((await newestIn(directory, now + intervalMs)) ?? 0) + intervalMs > now) return;
    running = runBackup(config, createArguments(schedule));
    const { child, firstErrorLine } = running;
    const [code]: (number | null)[] = await once(child, 'close');
    running = undefined;
    // The server is shutting down: the next one makes the backup.
    if (child.killed) return;
    if (code === 0) return log.info({ directory }, 'the store was backed up');
    notBefore = performance.now() + RETRY_MS;
    report('the store was not backed up', new Error(firstErrorLine() || `it ended with ${code}`));
  };
  const timer = setInterval(
    () => void check().catch(() => undefined),
    Math.min(CHECK_INTERVAL_MS, intervalMs),
  ).unref();
  void check().catch(() => undefined);
  shutdownHooks.push(() => {
    clearInterval(timer);
    running?.child.kill();
  });
  if (schedule.log) keepLog(operations, directory);
}

const createArguments = ({ directory, retain, recipients }: BackupSchedule): readonly string[] => [
  'create',
  `${directory}/`,
  `--retain=${retain}`,
  ...(recipients === undefined ? [] : [`--${RECIPIENT_FLAG.name}=${recipients}`]),
];
