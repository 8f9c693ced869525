/** The result of a check of `platform doctor`. */
import type { Client } from '../connection/client.js';

export interface Finding {
  readonly state: 'ok' | 'wrong' | 'skipped';
  readonly found: string;
  /** The remedy if it failed. */
  readonly advice: string | undefined;
}

export interface Check {
  readonly check: string;
  /** Checks without which it cannot tell anything: where one of them is wrong, it is skipped. */
  readonly needs: readonly string[];
  /** A check that may find the same, and then is the one that tells it. */
  readonly repeats?: string;
  /** May reject with a Failure, which is wrong too. */
  run(client: Client): Promise<Finding>;
}

export const ok = (found: string): Finding => ({ state: 'ok', found, advice: undefined });
export const wrong = (found: string, advice: string): Finding => ({ state: 'wrong', found, advice });
export const skipped = (found: string): Finding => ({ state: 'skipped', found, advice: undefined });
