/**
 * Logs the changes after scheduled backups: a separate process writes the log as long as this server makes the backups.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UpkeepParts } from '../parts.js';
import { inWords } from '../../../apimachinery/starterror.js';
import { newestIn } from './directory.js';
import { makesBackups, runBackup, type OwnProcess } from './ownprocess.js';

const CHECK_INTERVAL_MS = 1_000;
/** The delay before a failed log is restarted; it doubles after each failure. */
const PAUSE_MS = { first: 1_000, most: 60_000 } as const;
/** If the process ran for this time, the delay is reset. */
const SETTLED_MS = 60_000;
/** The time that the process has to complete its segment. */
const END_MS = 1_500;

/** Starts when the directory has a backup. The next start of a server continues the log. */
export function keepLog(operations: UpkeepParts, directory: string): void {
  const keeper = new LogKeeper(operations, directory);
  const timer = setInterval(() => void keeper.check().catch(() => undefined), CHECK_INTERVAL_MS).unref();
  operations.shutdownHooks.push(() => {
    clearInterval(timer);
    return keeper.stop();
  });
}

class LogKeeper {
  private running: OwnProcess | undefined = undefined;
  private notBefore = 0;
  private pause: number = PAUSE_MS.first;
  /** Whether the process was told to stop. */
  private ending = false;

  constructor(
    private readonly operations: UpkeepParts,
    private readonly directory: string,
  ) {}

  async check(): Promise<void> {
    if (!makesBackups(this.operations)) return this.end();
    if (this.running !== undefined || performance.now() < this.notBefore) return;
    if ((await newestIn(this.directory)) === undefined || this.running !== undefined || this.ending) return;
    await this.run();
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.end();
    this.ending = true;
    if (running !== undefined)
      await Promise.race([once(running.child, 'close'), sleep(END_MS, undefined, { ref: false })]);
  }

  private end(): void {
    if (this.running === undefined || this.ending) return;
    this.ending = true;
    this.running.child.kill();
  }

  private async run(): Promise<void> {
    const { config, log, report } = this.operations;
    const { directory } = this;
    const began = performance.now();
    this.running = runBackup(config, ['log', directory, '--follow']);
    const { child, firstErrorLine } = this.running;
    log.info({ directory, pid: child.pid }, 'changes are logged for restores to a point in time');
    const outcome = await once(child, 'close').then(
      ([code, signal]: unknown[]) => `the process ended with ${String(code ?? signal)}`,
      inWords,
    );
    this.running = undefined;
    const asked = this.ending;
    this.ending = false;
    if (asked) return;
    const now = performance.now();
    if (now - began > SETTLED_MS) this.pause = PAUSE_MS.first;
    this.notBefore = now + this.pause;
    this.pause = Math.min(this.pause * 2, PAUSE_MS.most);
    report('changes are not logged', new Error(firstErrorLine() || outcome));
  }
}
