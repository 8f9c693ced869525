/**
 * The time of the management API. Tokens are issued by its clock, and the one of this machine may be wrong, so the `Date` of its
 * answers is compared with it.
 */

export interface Clocks {
  /** Ms since 1970, as this machine has it. */
  readonly wall: () => number;
  /** Ms of a clock that only grows, and that nobody sets. */
  readonly running: () => number;
}

/** `Date` has whole seconds, and a server that is busy may tell the one before. */
const SECOND_MS = 1_000;
/** What came so late tells too little. */
const MOST_MS = 5_000;
/** The clock of this machine was set, or the machine slept. */
const JUMP_MS = 2_000;

export class ManagementClock {
  private compared: { readonly base: number; readonly ahead: number } | undefined;

  constructor(private readonly clocks: Clocks = { wall: Date.now, running: () => performance.now() }) {}

  /**
   * Ms since 1970. Where the clocks of this machine disagree about how long ago they were compared, the later time counts until they
   * are compared again: tokens end too early rather than too late.
   */
  readonly now = (): number => {
    const { wall, running } = this.clocks;
    if (this.compared === undefined) return wall();
    return Math.max(running() + this.compared.base, wall() - this.compared.ahead);
  };

  /** How far this machine's clock is ahead, in ms; undefined: not known yet. Known to two seconds. */
  get ahead(): number | undefined {
    return this.compared === undefined ? undefined : this.clocks.wall() - this.now();
  }

  /** Whether the clocks of this machine disagree since they were compared. */
  get jumped(): boolean {
    if (this.compared === undefined) return false;
    const { wall, running } = this.clocks;
    return Math.abs(wall() - this.compared.ahead - running() - this.compared.base) > JUMP_MS;
  }

  /** `date`: of an answer, in ms since 1970. `tookMs`: from the request to the answer. */
  heard(date: number, tookMs: number): void {
    if (!Number.isFinite(date) || tookMs > MOST_MS) return;
    const latest = date + SECOND_MS + tookMs;
    const expected = this.now();
    // No earlier than it can be: a token that has just been issued is in force.
    const now = expected < date - SECOND_MS || expected > latest + SECOND_MS ? latest : expected;
    this.compared = { base: now - this.clocks.running(), ahead: this.clocks.wall() - now };
  }
}

/** From so much on it is told. */
const TOLD_MS = 5_000;

/** Called now and then: tells when the clock of this machine turns out to be wrong, and when it is right again. */
export function clockReports(
  clock: Pick<ManagementClock, 'ahead'>,
  tell: { readonly wrong: (why: string) => void; readonly right: () => void },
): () => void {
  let wrong = false;
  return () => {
    const { ahead = 0 } = clock;
    const now = Math.abs(ahead) >= TOLD_MS;
    if (now === wrong) return;
    wrong = now;
    if (!now) return tell.right();
    const seconds = Math.round(Math.abs(ahead) / 1000);
    tell.wrong(
      `the clock of this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of the management API: tokens are judged by the latter`,
    );
  };
}
