/** Logins that created a key. Each creates one only, even if the key is deleted and its name is free again. */
import { ShortRecords, type ShortRecordParts } from './shortrecords.js';

/** On any server of a store, and at the same moment too. All reject with StorageError. */
export class UsedLogins {
  private readonly records: ShortRecords;

  constructor(parts: ShortRecordParts) {
    this.records = new ShortRecords('private/usedlogin/', parts);
  }

  /** Whether the login was free; from now on it is used. */
  use(login: string): Promise<boolean> {
    return this.records.add(login, undefined);
  }

  /** The login is free again: what it was used for has failed. */
  release(login: string): Promise<void> {
    return this.records.remove(login);
  }

  sweep(): Promise<void> {
    return this.records.sweep();
  }
}
