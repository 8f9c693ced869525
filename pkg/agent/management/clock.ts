/**
 * The time of the management API. Its clock issues tokens, and this machine's clock may be wrong, so it is
 * compared with the `Date` of responses.
 */

export interface Clocks {
  /** Ms since 1970, by this machine. */
  readonly wall: () => number;
  /** Ms of a monotonic clock. */
  readonly running: () => number;
}

/** `Date` has whole seconds, and a busy server may send the previous one. */
const SECOND_MS = 1_000;
/** Responses that took longer are ignored. */
const MAX_MS = 5_000;
/** The clock of this machine was set, or the machine slept. */
const JUMP_MS = 2_000;

export class ManagementClock {
  private compared: { readonly base: number; readonly ahead: number } | undefined;

  constructor(private readonly clocks: Clocks = { wall: Date.now, running: () => performance.now() }) {}

  /**
   * Ms since 1970. If this machine's clocks disagree about the time since the last comparison, the later time
   * applies until the next one: tokens end too early rather than too late.
   */
  readonly now = (): number => {
    const { wall, running } = this.clocks;
    if (this.compared === undefined) return wall();
    return Math.max(running() + this.compared.base, wall() - this.compared.ahead);
  };

  /** How far this machine's clock is ahead, in ms, within two seconds; undefined: not known yet. */
  get ahead(): number | undefined {
    return this.compared === undefined ? undefined : this.clocks.wall() - this.now();
  }

  /** Whether this machine's clocks disagree since the last comparison. */
  get jumped(): boolean {
    if (this.compared === undefined) return false;
    const { wall, running } = this.clocks;
    return Math.abs(wall() - this.compared.ahead - running() - this.compared.base) > JUMP_MS;
  }

  /** `date`: of a response, in ms since 1970. `tookMs`: from the request to the response. */
  observe(date: number, tookMs: number): void {
    if (!Number.isFinite(date) || tookMs > MAX_MS) return;
    const latest = date + SECOND_MS + tookMs;
    const expected = this.now();
    // The latest possible time, so that a token just issued is valid.
    const now = expected < date - SECOND_MS || expected > latest + SECOND_MS ? latest : expected;
    this.compared = { base: now - this.clocks.running(), ahead: this.clocks.wall() - now };
  }
}

/** Smaller differences are not reported. */
const REPORTED_DIFFERENCE_MS = 5_000;

/** Reports, when called periodically, that this machine's clock is wrong, and that it is right again. */
export function clockReports(
  clock: Pick<ManagementClock, 'ahead'>,
  tell: { readonly wrong: (why: string) => void; readonly right: () => void },
): () => void {
  let wrong = false;
  return () => {
    const { ahead = 0 } = clock;
    const now = Math.abs(ahead) >= REPORTED_DIFFERENCE_MS;
    if (now === wrong) return;
    wrong = now;
    if (!now) return tell.right();
    const seconds = Math.round(Math.abs(ahead) / 1000);
    tell.wrong(
      `the clock of this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of the management API: tokens are judged by the latter`,
    );
  };
}
