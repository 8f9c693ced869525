/**
 * On whose right a ProjectSecret has the data of a SharedSecret: a private record beside it, which no client reads or writes.
 */
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import type { SecretSource } from '../../../../api/management.svc.example/v1/secretsource.js';
import { sameSource, secretSource } from '../../../../api/management.svc.example/v1/secretsource.js';
import type { KubeObject } from '../../../../api/resource.js';
import type { Owner } from '../../../management/access/rights.js';
import { ownerOf } from '../../../management/access/rights.js';
import type { Write } from '../../../storage/interface.js';
import type { Change, TransactionObjects, Effects } from '../../transaction/effects.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

const RECORDS = 'private/projectsecretright/';

/** Whose right it is, and what tells who that is at a later time. */
export interface Holder {
  /** The user's name, as requests have it. */
  readonly name: string;
  /** Of the User, Team or ServiceAccount of that name; `''`: there was none that this server knows. */
  readonly uid: string;
  /** Groups that the credential alone told of: no object here says whether the user is still in them. */
  readonly groups: readonly string[];
  /** When it did, in ms since 1970. */
  readonly seen: number;
  /** The name of the access key that was used. */
  readonly key?: string;
  /** What the credential was for. */
  readonly scope?: Scope;
}

/** The SharedSecret that the right was to. */
export interface KnownSource {
  readonly uid: string;
  readonly owner: Owner;
}

export interface MirrorRecord {
  /** What the labels named when it was written. */
  readonly of: SecretSource;
  readonly holder: Holder;
  /** Absent while there is no SharedSecret of the name. */
  readonly source?: KnownSource;
}

export const mirrorRecordKey = (namespace: string, name: string): string => `${RECORDS}${namespace}/${name}`;

/** Throws on a value that no release wrote. */
export const readMirrorRecord = (value: Buffer): MirrorRecord => parseStored<MirrorRecord>(value);

export const mirrorRecordValue = (record: MirrorRecord): Buffer => Buffer.from(JSON.stringify(record));

export function knownSource(source: KubeObject): KnownSource {
  return { uid: source.metadata.uid ?? '', owner: ownerOf(source) };
}

/** The record goes with the mirror, and with its labels. Who sets them is recorded as they are admitted. */
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
