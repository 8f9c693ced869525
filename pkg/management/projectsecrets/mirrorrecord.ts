/** The private record of the user by whose right a ProjectSecret mirrors a SharedSecret. No client reads or writes it. */
import {
  sameSource,
  secretSource,
  type SecretSource,
} from '../../../api/management.svc.example/secretsource.js';
import type { KubeObject, ObjectKey } from '../../../api/resource.js';
import type { Holder } from '../standingrights/standing.js';
import { ownerOf, type Owner } from '../sharing/rights.js';
import type { Write } from '../../storage/interface.js';
import type { Change, TransactionObjects, Effects } from '../../registry/transaction/effects.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

const RECORDS = 'private/projectsecretright/';

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

export const mirrorRecordKey = ({ namespace, name }: ObjectKey): string => `${RECORDS}${namespace}/${name}`;

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
  const key = mirrorRecordKey({ namespace, name });
  const writes: Write[] = (await record(key)) === undefined ? [] : [{ key, expect: 'any' }];
  return { writes, guards: [] };
}

const NOTHING: Effects = { writes: [], guards: [] };
