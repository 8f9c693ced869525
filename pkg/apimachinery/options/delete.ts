/** DeleteOptions from a body or a query (`meta/v1` and its validation). */
import { clampToSafe } from '../strconv.js';
import { isObject } from '../encoding/members.js';
import { badRequest, fieldInvalid, fieldNotSupported, type FieldError, type KindName } from '../errors.js';
import { validateDryRun } from './dryrun.js';
import { EMPTY_QUERY, integerParameter, optionalBoolean, textParameter, type Query } from './query.js';

/** Preconditions of the delete; an empty text is one too. */
interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface DeleteOptions {
  /** Seconds; absent: the kind's default. Negative is treated as 1 where it is used. */
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  /** `Foreground`, `Background` or `Orphan` once validated. */
  readonly propagationPolicy?: string;
  /** All values; once validated, not empty means a dry run. */
  readonly dryRun: readonly string[];
  readonly preconditions?: Preconditions;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

export const DELETE_OPTIONS_KIND: KindName = { group: 'meta.k8s.io', kind: 'DeleteOptions' };

const DEFAULTS: DeleteOptions = Object.freeze({ dryRun: [] });

/**
 * The options of a query, which only apply without a body. Its `uid` and `resourceVersion` are preconditions, as in
 * Kubernetes' decoder. Throws 400 for invalid integers.
 */
export function parseDeleteOptions(query: Query): DeleteOptions {
  if (query === EMPTY_QUERY) return DEFAULTS;
  const gracePeriodSeconds = integerParameter(query, 'gracePeriodSeconds');
  const orphanDependents = optionalBoolean(query, 'orphanDependents');
  const propagationPolicy = query.get('propagationPolicy');
  const preconditions = queryPreconditions(query);
  const ignoreErrors = optionalBoolean(query, 'ignoreStoreReadErrorWithClusterBreakingPotential');
  return {
    dryRun: query.getAll('dryRun'),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== null && { propagationPolicy }),
    ...(preconditions !== undefined && { preconditions }),
    ...(ignoreErrors !== undefined && { ignoreStoreReadErrorWithClusterBreakingPotential: ignoreErrors }),
  };
}

function queryPreconditions(query: Query): Preconditions | undefined {
  const uid = textParameter(query, 'uid');
  const resourceVersion = textParameter(query, 'resourceVersion');
  if (uid === '' && resourceVersion === '') return undefined;
  return { ...(uid !== '' && { uid }), ...(resourceVersion !== '' && { resourceVersion }) };
}

interface MemberType<T> {
  readonly name: string;
  readonly fits: (value: unknown) => value is T;
}

const TEXT: MemberType<string> = { name: 'string', fits: (value) => typeof value === 'string' };
const BOOLEAN: MemberType<boolean> = { name: 'boolean', fits: (value) => typeof value === 'boolean' };
const INTEGER: MemberType<number | bigint> = {
  name: 'integer',
  fits: (value): value is number | bigint => typeof value === 'bigint' || Number.isSafeInteger(value),
};

/**
 * The options of a decoded body, whose kind and apiVersion the caller has checked. Unknown members are ignored, null
 * counts as absent. Throws 400 for members of a wrong type.
 */
export function deleteOptionsFromBody(body: Readonly<Record<string, unknown>>): DeleteOptions {
  const { preconditions: asked } = body;
  const seconds = readMember(body.gracePeriodSeconds, 'gracePeriodSeconds', INTEGER);
  const gracePeriodSeconds = seconds === undefined ? undefined : clampToSafe(seconds);
  const orphanDependents = readMember(body.orphanDependents, 'orphanDependents', BOOLEAN);
  const propagationPolicy = readMember(body.propagationPolicy, 'propagationPolicy', TEXT);
  const ignoreErrors = readMember(body[IGNORE_ERRORS], IGNORE_ERRORS, BOOLEAN);
  const preconditions = asked === undefined || asked === null ? undefined : readPreconditions(asked);
  return {
    dryRun: readDryRun(body.dryRun),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(preconditions !== undefined && { preconditions }),
    ...(ignoreErrors !== undefined && { [IGNORE_ERRORS]: ignoreErrors }),
  };
}

const IGNORE_ERRORS = 'ignoreStoreReadErrorWithClusterBreakingPotential';

function readPreconditions(value: unknown): Preconditions {
  if (!isObject(value)) throw wrongType('preconditions', 'object');
  const { uid, resourceVersion } = value;
  const wanted = {
    uid: readMember(uid, 'preconditions.uid', TEXT),
    resourceVersion: readMember(resourceVersion, 'preconditions.resourceVersion', TEXT),
  };
  return {
    ...(wanted.uid !== undefined && { uid: wanted.uid }),
    ...(wanted.resourceVersion !== undefined && { resourceVersion: wanted.resourceVersion }),
  };
}

function readDryRun(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrongType('dryRun', 'list of strings');
  return value.map((item) => readMember(item, 'dryRun', TEXT) ?? '');
}

function readMember<T>(value: unknown, path: string, { name, fits }: MemberType<T>): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (!fits(value)) throw wrongType(path, name);
  return value;
}

const wrongType = (path: string, type: string): Error =>
  badRequest(
    `DeleteOptions in version "v1" cannot be handled as a DeleteOptions: ${path} must be of type ${type}`,
  );

const POLICIES = ['Foreground', 'Background', 'Orphan'];

/** The errors of a 422 for {@link DELETE_OPTIONS_KIND}. */
export function validateDeleteOptions(options: DeleteOptions, ofCollection = false): FieldError[] {
  const errors: FieldError[] = [];
  const { propagationPolicy: policy, orphanDependents } = options;
  if (policy !== undefined && orphanDependents !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(fieldInvalid('propagationPolicy', policy, detail));
  }
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(fieldNotSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  return [...errors, ...validateDryRun(options.dryRun), ...validateIgnoreErrors(options, ofCollection)];
}

/** Ignoring read errors excludes all other options but `dryRun`, and is for one object that is named. */
function validateIgnoreErrors(options: DeleteOptions, ofCollection: boolean): FieldError[] {
  const path = IGNORE_ERRORS;
  if (options[path] !== true) return [];
  const others = ['propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const;
  const found = others
    .filter((member) => options[member] !== undefined)
    .map((member) => fieldInvalid(path, true, `cannot be set together with .${member}`));
  if (found.length > 0 || !ofCollection) return found;
  const detail = 'is not allowed with DELETECOLLECTION, try again after removing the option';
  return [fieldInvalid(path, true, detail)];
}
