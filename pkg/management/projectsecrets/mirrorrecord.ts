/** The private record of the user by whose right a ProjectSecret mirrors a SharedSecret. No client reads or writes it. */
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import {
  sameSource,
  secretSource,
  type SecretSource,
} from '../../../api/management.svc.example/v1/secretsource.js';
import type { KubeObject } from '../../../api/resource.js';
import { ownerOf, type Owner } from '../sharing/rights.js';
import type { Write } from '../../storage/interface.js';
import type { Change, TransactionObjects, Effects } from '../../registry/transaction/effects.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

const RECORDS = 'private/projectsecretright/';

/** The user whose right it is, with what identifies them later. */
export interface Holder {
  /** The user's name, as requests have it. */
  readonly name: string;
  /** The uid of the User, Team or ServiceAccount of that name; `''`: this server knew none. */
  readonly uid: string;
  /** Groups from the credential only: no object says whether the user is still a member. */
  readonly groups: readonly string[];
  /** The time of the credential's use, in ms since 1970. */
  readonly seen: number;
  /** The name of the access key that was used. */
  readonly key?: string;
  /** The scope of the credential. */
  readonly scope?: Scope;
}

/** The SharedSecret to which the user had the right. */
export interface KnownSource {
  readonly uid: string;
  readonly owner: Owner;
}

export interface MirrorRecord {
  /** The source that the labels named when the record was written. */
  readonly of: SecretSource;
  readonly holder: Holder;
  /** Absent if no SharedSecret of the name existed. */
  readonly source?: KnownSource;
}

export const mirrorRecordKey = (namespace: string, name: string): string => `${RECORDS}${namespace}/${name}`;

/** Throws on a value that no server wrote. */
export const readMirrorRecord = (value: Buffer): MirrorRecord => parseStored<MirrorRecord>(value);

export const mirrorRecordValue = (record: MirrorRecord): Buffer => Buffer.from(JSON.stringify(record));

export function knownSource(source: KubeObject): KnownSource {
  return { uid: source.metadata.uid ?? '', owner: ownerOf(source) };
}

/** Deletes the record with the mirror, or with its labels. Admission writes the record. */
export async function mirrorEffects(
  { next, previous }: Change,
  { record }: Pick<TransactionObjects, 'record'>,
): Promise<Effects> {
  const [source, before] = [next && secretSource(next), previous && secretSource(previous)];
  if (source !== undefined || before === undefined || sameSource(source, before)) return NOTHING;
  const { namespace = '', name = '' } = previous?.metadata ?? {};
  const key = mirrorRecordKey(namespace, name);
  const writes: Write[] = (await record(key)) === undefined ? [] : [{ key, expect: 'any' }];
  return { writes, guards: [] };
}

const NOTHING: Effects = { writes: [], guards: [] };
