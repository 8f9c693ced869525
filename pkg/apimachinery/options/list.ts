/** ListOptions of lists, watches and deletecollection (`meta/v1` and `internalversion/validation`). */
import { fieldForbidden, fieldNotSupported, type FieldError, type KindName } from '../errors.js';
import {
  EMPTY_QUERY,
  booleanParameter,
  integerParameter,
  optionalBoolean,
  textParameter,
  type Query,
} from './query.js';

export interface ListOptions {
  /** As written; {@link parseLabelSelector} reads it. */
  readonly labelSelector: string;
  /** As written; {@link parseFieldSelector} reads it. */
  readonly fieldSelector: string;
  /** As written; {@link parseShardSelector} reads it. */
  readonly shardSelector: string;
  /** Objects of a page; 0 and negative: no limit. */
  readonly limit: number;
  readonly continue: string;
  /** As written, not yet validated: {@link parseResourceVersion}. */
  readonly resourceVersion: string;
  /** `''`, `Exact` or `NotOlderThan` once validated. */
  readonly resourceVersionMatch: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

/** The kind that a 422 about these options names. */
export const LIST_OPTIONS_KIND: KindName = { group: 'meta.k8s.io', kind: 'ListOptions' };

const DEFAULTS: ListOptions = Object.freeze({
  labelSelector: '',
  fieldSelector: '',
  shardSelector: '',
  limit: 0,
  continue: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  watch: false,
  allowWatchBookmarks: false,
});

/** Throws 400 for invalid integers. Validate the result with {@link validateListOptions}. */
export function parseListOptions(query: Query): ListOptions {
  if (query === EMPTY_QUERY) return DEFAULTS;
  const timeoutSeconds = integerParameter(query, 'timeoutSeconds');
  const sendInitialEvents = optionalBoolean(query, 'sendInitialEvents');
  return {
    labelSelector: textParameter(query, 'labelSelector'),
    fieldSelector: textParameter(query, 'fieldSelector'),
    shardSelector: textParameter(query, 'shardSelector'),
    limit: integerParameter(query, 'limit') ?? 0,
    continue: textParameter(query, 'continue'),
    resourceVersion: textParameter(query, 'resourceVersion'),
    resourceVersionMatch: textParameter(query, 'resourceVersionMatch'),
    watch: booleanParameter(query, 'watch'),
    allowWatchBookmarks: booleanParameter(query, 'allowWatchBookmarks'),
    ...(sendInitialEvents !== undefined && { sendInitialEvents }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  };
}

const MATCH = 'resourceVersionMatch';
const EXACT = 'Exact';
const NOT_OLDER_THAN = 'NotOlderThan';

/** Validates combinations of options: the errors of a 422 for {@link LIST_OPTIONS_KIND}. */
export function validateListOptions(options: ListOptions, isWatch: boolean): FieldError[] {
  if (options.resourceVersionMatch === '' && options.sendInitialEvents === undefined) return [];
  return isWatch ? validateWatch(options) : validateList(options);
}

function validateList(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const { resourceVersionMatch: match, resourceVersion } = options;
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(fieldForbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    }
    errors.push(...forbidWithContinue(options));
    if (match !== EXACT && match !== NOT_OLDER_THAN) {
      errors.push(fieldNotSupported(MATCH, match, [EXACT, NOT_OLDER_THAN, '']));
    }
    if (match === EXACT && resourceVersion === '0') {
      errors.push(fieldForbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(fieldForbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function validateWatch(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  if (sendInitialEvents !== undefined && match !== NOT_OLDER_THAN) {
    errors.push(fieldForbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to ${NOT_OLDER_THAN}`));
  }
  if (match === '') return errors;
  if (sendInitialEvents === undefined) {
    errors.push(
      fieldForbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`),
    );
  }
  if (match !== NOT_OLDER_THAN) errors.push(fieldNotSupported(MATCH, match, [NOT_OLDER_THAN]));
  errors.push(...forbidWithContinue(options));
  return errors;
}

function forbidWithContinue(options: ListOptions): FieldError[] {
  if (options.continue === '') return [];
  return [fieldForbidden(MATCH, `${MATCH} is forbidden when continue is provided`)];
}
