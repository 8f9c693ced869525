/** Plans the change of a Secret in a cluster. Pure functions. */
import { listOf, membersOf, textIn } from '../../apimachinery/encoding/members.js';
import { contentFor, emptyData, refusedType } from './content.js';
import { FROM_OWNER, FROM_UID, FROM_VERSION, STATUS, textsOf } from './labels.js';
import type { KeyMapping } from './secretrequest.js';

type Data = Readonly<Record<string, string>>;
/** Annotations; undefined ones are removed. */
type Changes = Readonly<Record<string, string | undefined>>;
/** A Secret in its cluster. */
export type LiveSecret = Readonly<Record<string, unknown>>;

/** The current source of a Secret. */
export interface Source {
  readonly uid: string;
  readonly resourceVersion: string;
  /** A digest of its owner. */
  readonly owner: string;
  /** Values in base64. */
  readonly data: Data;
}

/** The state of a Secret. `reason` is in CamelCase; `message` has no values. */
export interface Outcome {
  readonly reason: string;
  readonly message: string;
}

export type Wanted =
  | { readonly is: 'filled'; readonly source: Source; readonly keys: KeyMapping; readonly what: string }
  | ({ readonly is: 'empty' } & Outcome)
  /** The labels were removed. */
  | { readonly is: 'released' };

export interface Plan {
  readonly outcome: Outcome;
  /** The Secret to write; undefined: it needs no change. */
  readonly put?: LiveSecret;
  /** It is immutable, and has data that it must not have. */
  readonly remove?: true;
}

export const SYNCED = 'Synced';
const REVOKED = 'Revoked';
export const FORBIDDEN = 'Forbidden';
/** The cluster does not accept the write. */
export const REFUSED = 'Refused';

/** `filled`: whether this server has filled it, even if its annotations no longer say so. */
export function planFor(live: LiveSecret, wanted: Wanted, filled: boolean): Plan {
  const was = filled || annotationsOf(live)[FROM_UID] !== undefined;
  if (wanted.is === 'released') return release(live, was);
  if (wanted.is === 'empty') return emptied(live, was, asRevoked(wanted, was));
  const refused = refusal(live, wanted);
  if (refused !== undefined) return emptied(live, was, refused);
  const { source, keys, what } = wanted;
  const content = contentFor(typeOf(live), source.data, keys);
  if ('why' in content)
    return emptied(live, was, { reason: 'InvalidContent', message: `${what}: ${content.why}` });
  if (isFixed(live, content.data)) {
    const message = `the Secret is immutable and has other data than ${what}: delete it and create it again`;
    return { outcome: { reason: 'Immutable', message }, ...change(live, { [STATUS]: 'Immutable' }) };
  }
  const outcome = { reason: SYNCED, message: `has the data of ${what}` };
  const from = {
    [FROM_UID]: source.uid,
    [FROM_OWNER]: source.owner,
    [FROM_VERSION]: source.resourceVersion,
    [STATUS]: SYNCED,
  };
  return { outcome, ...change(live, from, content.data) };
}

function refusal(live: LiveSecret, { source, what }: Extract<Wanted, { is: 'filled' }>): Outcome | undefined {
  const owners = listOf(membersOf(live.metadata).ownerReferences);
  if (owners.some((owner) => membersOf(owner).controller === true))
    return { reason: 'OwnedByAnother', message: 'the Secret is controlled by another object of its cluster' };
  const why = refusedType(typeOf(live));
  if (why !== undefined) return { reason: 'InvalidType', message: why };
  const { [FROM_UID]: uid, [FROM_OWNER]: owner } = annotationsOf(live);
  if (uid === undefined || uid === source.uid || owner === source.owner) return undefined;
  return {
    reason: 'SourceReplaced',
    message: `${what} was deleted and created again by another: remove the annotation ${FROM_UID} to accept it`,
  };
}

/** A Secret that was never filled keeps the data of its users. */
function emptied(live: LiveSecret, was: boolean, outcome: Outcome): Plan {
  const status = { [STATUS]: outcome.reason };
  if (!was) return { outcome, ...change(live, status) };
  return cleared(live, outcome, { [FROM_VERSION]: undefined, ...status });
}

function release(live: LiveSecret, was: boolean): Plan {
  const outcome = { reason: 'Released', message: 'the labels that name a secret were removed' };
  if (!was) return { outcome };
  const none = { [FROM_UID]: undefined, [FROM_VERSION]: undefined };
  return cleared(live, outcome, { ...none, [FROM_OWNER]: undefined, [STATUS]: undefined });
}

/** Removes the data of a source. An immutable Secret is removed. */
function cleared(live: LiveSecret, outcome: Outcome, annotations: Changes): Plan {
  const data = emptyData(typeOf(live));
  return isFixed(live, data) ? { outcome, remove: true } : { outcome, ...change(live, annotations, data) };
}

const typeOf = (live: LiveSecret): string => textIn(live, 'type') ?? 'Opaque';

const annotationsOf = (live: LiveSecret): Data => textsOf(membersOf(live.metadata).annotations);

/** Whether it is immutable with other data. */
const isFixed = ({ immutable, data }: LiveSecret, wanted: Data): boolean =>
  immutable === true && !sameData(textsOf(data), wanted);

const asRevoked = (outcome: Outcome, was: boolean): Outcome =>
  was && outcome.reason === FORBIDDEN ? { ...outcome, reason: REVOKED } : outcome;

/** `data` absent: it is unchanged. */
function change(live: LiveSecret, changes: Changes, data?: Data): Pick<Plan, 'put'> {
  const before = annotationsOf(live);
  const changed = Object.entries(changes).some(([key, value]) => before[key] !== value);
  if (!changed && (data === undefined || sameData(textsOf(live.data), data))) return {};
  const annotations: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(changes))
    if (value === undefined) delete annotations[key];
    else annotations[key] = value;
  return {
    put: {
      ...live,
      metadata: { ...membersOf(live.metadata), annotations },
      ...(data !== undefined && { data }),
    },
  };
}

function sameData(a: Data, b: Data): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
}
