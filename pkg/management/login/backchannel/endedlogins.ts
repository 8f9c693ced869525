/** Logins that a logout of the provider has ended before they made a key: a page or a code may still wait for its person. */
import type { LoginIdentity } from '../interface.js';
import type { ShortRecords } from '../shortrecords.js';

/** What a logout ends. */
export type LogoutOf =
  | { readonly subject: string }
  | { readonly session: string }
  /** Logins of this person whose session is not known. */
  | { readonly unknownSessionOf: string };

export class EndedLogins {
  constructor(private readonly records: Pick<ShortRecords, 'set' | 'get'>) {}

  /** Ends what began before. Rejects with StorageError. */
  async end(ended: readonly LogoutOf[]): Promise<void> {
    for (const one of ended) await this.records.set(nameOf(one), undefined);
  }

  /** `isDevice`: the key will not say its session. Rejects with StorageError. */
  async has({ at, subject, session }: LoginIdentity, isDevice: boolean): Promise<boolean> {
    const isUnknown = session === '' || isDevice;
    const names: LogoutOf[] = [
      { subject },
      ...(session === '' ? [] : [{ session }]),
      ...(isUnknown ? [{ unknownSessionOf: subject }] : []),
    ];
    for (const one of names) if (((await this.records.get(nameOf(one)))?.at ?? -1) >= at) return true;
    return false;
  }
}

const nameOf = (one: LogoutOf): string => Object.entries(one).flat().join(' ');
