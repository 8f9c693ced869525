/** CreateOptions, UpdateOptions and PatchOptions (`meta/v1` and its validation). */
import {
  fieldForbidden,
  fieldNotSupported,
  fieldRequired,
  type FieldError,
  type KindName,
} from '../errors.js';
import { validateFieldManager } from '../validation/fieldmanager.js';
import { validateDryRun } from './dryrun.js';
import { EMPTY_QUERY, optionalBoolean, textParameter, type Query } from './query.js';

export interface WriteOptions {
  /** `''`: taken from the User-Agent. */
  readonly fieldManager: string;
  /** `''` is `Warn`. */
  readonly fieldValidation: string;
  /** All values of the parameter; once validated, not empty means a dry run. */
  readonly dryRun: readonly string[];
}

export interface PatchOptions extends WriteOptions {
  /** For apply only: whether to take over fields of other managers. */
  readonly force?: boolean;
}

export const CREATE_OPTIONS_KIND: KindName = { group: 'meta.k8s.io', kind: 'CreateOptions' };
export const UPDATE_OPTIONS_KIND: KindName = { group: 'meta.k8s.io', kind: 'UpdateOptions' };
export const PATCH_OPTIONS_KIND: KindName = { group: 'meta.k8s.io', kind: 'PatchOptions' };

const DEFAULTS: WriteOptions = Object.freeze({ fieldManager: '', fieldValidation: '', dryRun: [] });

function parseWriteOptions(query: Query): WriteOptions {
  if (query === EMPTY_QUERY) return DEFAULTS;
  return {
    fieldManager: textParameter(query, 'fieldManager'),
    fieldValidation: textParameter(query, 'fieldValidation'),
    dryRun: query.getAll('dryRun'),
  };
}

export const parseCreateOptions = (query: Query): WriteOptions => parseWriteOptions(query);
export const parseUpdateOptions = (query: Query): WriteOptions => parseWriteOptions(query);

export function parsePatchOptions(query: Query): PatchOptions {
  const options = parseWriteOptions(query);
  const force = optionalBoolean(query, 'force');
  return force === undefined ? options : { ...options, force };
}

function validateWriteOptions(options: WriteOptions): FieldError[] {
  if (options === DEFAULTS) return [];
  const { fieldManager, fieldValidation, dryRun } = options;
  return [
    ...validateFieldManager(fieldManager, 'fieldManager'),
    ...validateDryRun(dryRun),
    ...validateFieldValidation(fieldValidation),
  ];
}

/** The errors of a 422 for {@link CREATE_OPTIONS_KIND}. */
export const validateCreateOptions = (options: WriteOptions): FieldError[] => validateWriteOptions(options);

/** The errors of a 422 for {@link UPDATE_OPTIONS_KIND}. */
export const validateUpdateOptions = (options: WriteOptions): FieldError[] => validateWriteOptions(options);

/** The errors of a 422 for {@link PATCH_OPTIONS_KIND}. An apply must name its manager; only apply allows `force`. */
export function validatePatchOptions(options: PatchOptions, isApply: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (isApply && options.fieldManager === '') {
    errors.push(fieldRequired('fieldManager', 'is required for apply patch'));
  }
  if (!isApply && options.force !== undefined) {
    errors.push(fieldForbidden('force', 'may not be specified for non-apply patch'));
  }
  return [...errors, ...validateWriteOptions(options)];
}

const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

function validateFieldValidation(value: string): FieldError[] {
  if (FIELD_VALIDATIONS.includes(value)) return [];
  return [fieldNotSupported('fieldValidation', value, FIELD_VALIDATIONS)];
}
