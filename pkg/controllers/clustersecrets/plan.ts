/** What is to be done to a Secret in a cluster. Pure. */
import { isObject } from '../../apimachinery/encoding/members.js';
import { contentFor, emptyData, refusedType } from './content.js';
import { FROM_OWNER, FROM_UID, FROM_VERSION, STATUS, textsOf } from './labels.js';
import type { KeyMapping } from './wish.js';

type Data = Readonly<Record<string, string>>;
/** A Secret as its cluster has it. */
export type LiveSecret = Readonly<Record<string, unknown>>;

/** The source of a Secret as it is now. */
export interface Source {
  readonly uid: string;
  readonly resourceVersion: string;
  /** A digest of its owner. */
  readonly owner: string;
  /** Values in base64. */
  readonly data: Data;
}

/** How it is with a Secret. `reason` is in CamelCase; `message` has no values. */
export interface Outcome {
  readonly reason: string;
  readonly message: string;
}

export type Wanted =
  | { readonly is: 'filled'; readonly source: Source; readonly keys: KeyMapping; readonly what: string }
  | ({ readonly is: 'empty' } & Outcome)
  /** The labels are gone. */
  | { readonly is: 'released' };

export interface Plan {
  readonly outcome: Outcome;
  /** The Secret to write, undefined: it is as it is to be. */
  readonly put?: LiveSecret;
  /** It cannot be changed, and has what it may not have. */
  readonly remove?: true;
}

export const SYNCED = 'Synced';
const REVOKED = 'Revoked';
export const FORBIDDEN = 'Forbidden';

/** `filled`: whether this server has filled it, also where its annotations do not say so any more. */
export function planFor(live: LiveSecret, wanted: Wanted, filled: boolean): Plan {
  const type = typeof live.type === 'string' ? live.type : 'Opaque';
  const metadata = isObject(live.metadata) ? live.metadata : {};
  const annotations = textsOf(metadata.annotations);
  const was = filled || annotations[FROM_UID] !== undefined;
  if (wanted.is === 'released') return release(live, type, was);
  const refused = wanted.is === 'filled' ? refusal(metadata, type, annotations, wanted) : undefined;
  if (wanted.is === 'empty' || refused !== undefined) {
    const outcome = refused ?? (wanted.is === 'empty' ? wanted : { reason: '', message: '' });
    return emptied(live, type, was, told(outcome, was));
  }
  if (wanted.is !== 'filled') return { outcome: { reason: SYNCED, message: '' } };
  const { source, keys, what } = wanted;
  const content = contentFor(type, source.data, keys);
  if ('why' in content)
    return emptied(live, type, was, { reason: 'InvalidContent', message: `${what}: ${content.why}` });
  const from = { [FROM_UID]: source.uid, [FROM_OWNER]: source.owner };
  const version = { [FROM_VERSION]: source.resourceVersion };
  if (live.immutable === true && !sameData(textsOf(live.data), content.data)) {
    const message = `the Secret is immutable and has other data than ${what}: delete it and create it again`;
    return { outcome: { reason: 'Immutable', message }, ...change(live, { [STATUS]: 'Immutable' }) };
  }
  const outcome = { reason: SYNCED, message: `has the data of ${what}` };
  return { outcome, ...change(live, { ...from, ...version, [STATUS]: SYNCED }, content.data) };
}

function refusal(
  { ownerReferences }: Readonly<Record<string, unknown>>,
  type: string,
  annotations: Data,
  { source, what }: Extract<Wanted, { is: 'filled' }>,
): Outcome | undefined {
  const controlled =
    Array.isArray(ownerReferences) &&
    ownerReferences.some((owner: unknown) => isObject(owner) && owner.controller === true);
  if (controlled)
    return { reason: 'OwnedByAnother', message: 'the Secret is controlled by another object of its cluster' };
  const type_ = refusedType(type);
  if (type_ !== undefined) return { reason: 'InvalidType', message: type_ };
  const { [FROM_UID]: uid, [FROM_OWNER]: owner } = annotations;
  if (uid === undefined || uid === source.uid || owner === source.owner) return undefined;
  return {
    reason: 'SourceReplaced',
    message: `${what} was deleted and created again by another: remove the annotation ${FROM_UID} to accept it`,
  };
}

/** What was never filled keeps what its users have put there. */
function emptied(live: LiveSecret, type: string, was: boolean, outcome: Outcome): Plan {
  if (!was) return { outcome, ...change(live, { [STATUS]: outcome.reason }) };
  const data = emptyData(type);
  if (live.immutable === true && !sameData(textsOf(live.data), data)) return { outcome, remove: true };
  return { outcome, ...change(live, { [FROM_VERSION]: undefined, [STATUS]: outcome.reason }, data) };
}

function release(live: LiveSecret, type: string, was: boolean): Plan {
  const outcome = { reason: 'Released', message: 'the labels that name a secret were removed' };
  if (!was) return { outcome };
  const none = {
    [FROM_UID]: undefined,
    [FROM_VERSION]: undefined,
    [FROM_OWNER]: undefined,
    [STATUS]: undefined,
  };
  const data = emptyData(type);
  if (live.immutable === true && !sameData(textsOf(live.data), data)) return { outcome, remove: true };
  return { outcome, ...change(live, none, data) };
}

const told = (outcome: Outcome, was: boolean): Outcome =>
  was && outcome.reason === FORBIDDEN ? { ...outcome, reason: REVOKED } : outcome;

/** `data` absent: it stays. */
function change(
  live: LiveSecret,
  changes: Readonly<Record<string, string | undefined>>,
  data?: Data,
): Pick<Plan, 'put'> {
  const metadata = isObject(live.metadata) ? live.metadata : {};
  const before = textsOf(metadata.annotations);
  const changed = Object.entries(changes).some(([key, value]) => before[key] !== value);
  if (!changed && (data === undefined || sameData(textsOf(live.data), data))) return {};
  const annotations: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(changes))
    if (value === undefined) delete annotations[key];
    else annotations[key] = value;
  return { put: { ...live, metadata: { ...metadata, annotations }, ...(data !== undefined && { data }) } };
}

function sameData(a: Data, b: Data): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
}
