/** The holders of slots, share by share, and which of them only wait for a client that does not read its answer. */
import { NOWHERE, UnorderedSet, type Member } from '../../../apimachinery/unorderedset.js';
import type { ExchangeEnd } from '../../exchangeend.js';
import { maxOf, type Flow } from './shares.js';

/** The exchange of a request that holds slots. */
export type Holder = Pick<ExchangeEnd, 'cut' | 'awaitsClient'>;

/** Gives slots back; further calls do nothing. */
export type Release = () => void;

/**
 * Number of checks after which a stalled answer is cut, if it is the only one of its share, or one of several; {@link
 * SLOW_CHECKS}: after which a slow one of several is cut. Slow connections read in bursts of the kernel buffer.
 */
const STILL_CHECKS = { alone: 8, oneOfSeveral: 2 };
const SLOW_CHECKS = 6;

interface Held extends Member {
  readonly slots: number;
  readonly holder: Holder | undefined;
  readonly release: Release;
  /** The progress at the last check; undefined if it did not wait for its client. */
  seen: number | undefined;
  /** Consecutive checks at which it waited for its client, and at which it had made no progress. */
  waitingChecks: number;
  stillChecks: number;
}

interface Share {
  used: number;
  readonly held: UnorderedSet<Held>;
}

export class SlotHolders {
  taken = 0;
  private readonly shares = new Map<string, Share>();

  /** `released` is called after slots were given back. */
  constructor(
    private readonly limit: number,
    private readonly released: () => void,
  ) {}

  usedBy(share: string): number {
    return this.shares.get(share)?.used ?? 0;
  }

  /**
   * Whether a share may take this many slots more: its part of the slots that others leave, so that new shares find
   * some free. A share without slots may take any number.
   */
  hasPart(flow: Flow, slots: number): boolean {
    const used = this.usedBy(flow.share);
    return used === 0 || used + slots <= maxOf(this.limit - this.taken + used, flow);
  }

  take({ share: name }: Flow, slots: number, holder: Holder | undefined): Release {
    const share = this.shares.get(name) ?? { used: 0, held: new UnorderedSet<Held>() };
    if (share.used === 0) this.shares.set(name, share);
    const release = (): void => {
      if (!share.held.delete(held)) return;
      share.used -= slots;
      this.taken -= slots;
      if (share.used === 0) this.shares.delete(name);
      this.released();
    };
    const held: Held = {
      slots,
      holder,
      release,
      seen: undefined,
      waitingChecks: 0,
      stillChecks: 0,
      place: NOWHERE,
    };
    share.held.add(held);
    share.used += slots;
    this.taken += slots;
    return release;
  }

  /** Checks which answers wait for their clients. */
  check(): void {
    for (const { held } of this.shares.values()) for (const one of held) checkHolder(one);
  }

  /** Cuts one stalled answer, of the largest share. Returns whether there was one. */
  reclaim(): boolean {
    let found: { readonly one: Held; readonly rank: number } | undefined;
    for (const { used, held } of this.shares.values()) {
      for (const one of held) {
        const rank = rankOf(one, used);
        if (rank > (found?.rank ?? 0)) found = { one, rank };
      }
    }
    found?.one.release();
    found?.one.holder?.cut();
    return found !== undefined;
  }
}

function checkHolder(one: Held): void {
  const now = one.holder?.awaitsClient();
  const waits = now !== undefined;
  one.waitingChecks = waits ? one.waitingChecks + 1 : 0;
  one.stillChecks = waits && now === one.seen ? one.stillChecks + 1 : 0;
  one.seen = now;
}

/** 0 for answers that are not cut, such as the only answer of a share if it moves. */
function rankOf({ waitingChecks, stillChecks, slots }: Held, used: number): number {
  if (stillChecks >= (used > slots ? STILL_CHECKS.oneOfSeveral : STILL_CHECKS.alone)) return used + 1;
  return waitingChecks >= SLOW_CHECKS && used > slots ? used : 0;
}
