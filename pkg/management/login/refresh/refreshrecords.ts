/** The refresh tokens of logins: private records, one for each key, sealed. */
import { createHash } from 'node:crypto';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';
import { prefixEnd, type Expectation, type Storage, type StoredRecord } from '../../../storage/interface.js';
import { pagesOf } from '../../../storage/pages.js';
import { unlessMoved } from '../../../storage/precondition.js';

const PREFIX = 'private/loginrefresh/';
const PAGE = 100;

/** A login whose provider gave a refresh token. Times are in ms since 1970. */
export interface RefreshableLogin {
  /** The access key of the login. */
  readonly key: { readonly name: string; readonly uid: string };
  readonly user: string;
  /** The provider's name of the person. */
  readonly subject: string;
  /** The `sid` of the provider. */
  readonly session: string;
  /** Sealed. */
  readonly token: string;
  /** The issuer and the client ID of this server there: others know nothing of the token. */
  readonly client: string;
  /** When the provider was asked last. */
  readonly asked: number;
  /** Set while a server asks. */
  readonly pending?: true;
  /** When the key ends by its time. */
  readonly ends: number;
}

export interface RefreshRecord {
  readonly login: RefreshableLogin;
  readonly revision: number;
}

/** All reject with StorageError. */
export class RefreshRecords {
  constructor(private readonly storage: Pick<Storage, 'scan' | 'commit'>) {}

  async add(login: RefreshableLogin): Promise<void> {
    await this.write(login, 'any');
  }

  /** Undefined: another server has written meanwhile. */
  async replace({ revision }: RefreshRecord, login: RefreshableLogin): Promise<RefreshRecord | undefined> {
    const written = await unlessMoved(this.write(login, revision));
    return written === undefined ? undefined : { login, revision: written };
  }

  async remove({ login, revision }: RefreshRecord): Promise<void> {
    await unlessMoved(this.storage.commit([{ key: keyOf(login), expect: revision }]));
  }

  async *all(): AsyncGenerator<RefreshRecord> {
    const range = { start: PREFIX, end: prefixEnd(PREFIX) };
    for await (const records of pagesOf(this.storage, range, { limit: PAGE }))
      for (const record of records) {
        const login = readable(record);
        if (login !== undefined) yield { login, revision: record.revision };
      }
  }

  /** Removes all. */
  async clear(): Promise<void> {
    for await (const record of this.all()) await this.remove(record);
  }

  private async write(login: RefreshableLogin, expect: Expectation): Promise<number> {
    const value = Buffer.from(JSON.stringify(login));
    const { revisions } = await this.storage.commit([{ key: keyOf(login), value, expect }]);
    return revisions[0] ?? 0;
  }
}

/** Undefined for a record that is damaged, or encrypted with a key that is lost: its login ends with its key. */
function readable({ value }: Pick<StoredRecord, 'value'>): RefreshableLogin | undefined {
  try {
    return parseStored<RefreshableLogin>(value);
  } catch {
    return undefined;
  }
}

const keyOf = ({ key }: RefreshableLogin): string =>
  PREFIX + createHash('sha256').update(key.uid).digest('hex');
