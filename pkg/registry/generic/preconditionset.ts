import type { Guard, Write } from '../../storage/interface.js';
import { StorageError } from '../../storage/interface.js';
import type { AdmissionAttributes } from '../admission.js';

/** Thrown in the place of a failed commit: nothing was written, and consent is to be asked for again. */
export class GroundsLost extends Error {}

/** What admission's consent to one write rests on, and what it brings into the same commit. */
export interface Consent {
  readonly guards: readonly Guard[];
  readonly writes: readonly Write[];
  readonly restsOn: (guard: Guard) => void;
  readonly alongside: (write: Write) => void;
  /** Rejects with {@link GroundsLost} where one of the grounds did not hold. */
  settle<T>(this: void, commit: Promise<T>): Promise<T>;
}

export function beginConsent(): Consent {
  const guards: Guard[] = [];
  const writes: Write[] = [];
  return {
    guards,
    writes,
    restsOn: (guard) => void guards.push(guard),
    alongside: (write) => void writes.push(write),
    async settle(commit) {
      try {
        return await commit;
      } catch (error) {
        if (!(error instanceof StorageError) || !('key' in error.failure)) throw error;
        const { key } = error.failure;
        if (![...guards, ...writes].some((ground) => ground.key === key)) throw error;
        throw new GroundsLost(error.message, { cause: error });
      }
    },
  };
}

/** Attributes with which admission is asked for a consent. Written out: V8 spreads through its runtime. */
export function consentingTo(
  {
    definition,
    operation,
    subresource,
    namespace,
    name,
    requester,
    dryRun,
    changesPrivateState = false,
  }: AdmissionAttributes,
  { restsOn, alongside }: Consent,
  afresh: boolean,
): AdmissionAttributes {
  return {
    definition,
    operation,
    subresource,
    namespace,
    name,
    requester,
    dryRun,
    changesPrivateState,
    restsOn,
    alongside,
    afresh,
  };
}
