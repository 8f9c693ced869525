/** Findings on single fields (`k8s.io/apimachinery/pkg/util/validation/field`). */
import { quoteGo as quote } from './quote.js';

/** `k8s.io/apimachinery/pkg/util/validation/field.ErrorType`. */
type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTooShort'
  | 'InternalError';

/** One finding: `path: body`. `body` is the text without the path, e.g. `Required value: …`. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly path: string;
  readonly body: string;
}

/**
 * The maximum number of findings in a response. Kubernetes lists all, so it answers 1 MB of invalid labels with 20
 * MB.
 */
export const MAX_FINDINGS = 100;
/** The maximum length of a value in a finding. */
const MAX_SHOWN = 4096;

/** Truncates a text that is too long for a response. */
export function clip(text: string, most = MAX_SHOWN): string {
  return text.length <= most ? text : `${text.slice(0, most)}…(${text.length} characters in all)`;
}

/** Formats an invalid value for errors: strings quoted, scalars plain, all else compact JSON, truncated. */
export function printValue(value: unknown): string {
  if (typeof value === 'string') return quote(clip(value));
  return value === undefined ? 'null' : clip(JSON.stringify(value));
}

/** The findings of `check` on all items, up to the limit of a response. */
export function findingsOf<T>(items: Iterable<T>, check: (item: T) => readonly FieldError[]): FieldError[] {
  const findings: FieldError[] = [];
  for (const item of items) {
    for (const finding of check(item)) findings.push(finding);
    if (findings.length > MAX_FINDINGS) break;
  }
  return findings;
}

const detailed = (head: string, detail: string): string => (detail === '' ? head : `${head}: ${detail}`);

export const fieldRequired = (path: string, detail = ''): FieldError => ({
  type: 'FieldValueRequired',
  path,
  body: detailed('Required value', detail),
});
export const fieldInvalid = (path: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  path,
  body: detailed(`Invalid value: ${printValue(value)}`, detail),
});
export const fieldTypeInvalid = (path: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  path,
  body: detailed(`Invalid value: ${printValue(value)}`, detail),
});
export const fieldDuplicate = (path: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  path,
  body: `Duplicate value: ${printValue(value)}`,
});
export const fieldNotSupported = (
  path: string,
  value: unknown,
  supported: readonly string[],
): FieldError => ({
  type: 'FieldValueNotSupported',
  path,
  body: `Unsupported value: ${printValue(value)}: supported values: ${supported.map(quote).join(', ')}`,
});
export const fieldForbidden = (path: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  path,
  body: detailed('Forbidden', detail),
});
export const fieldTooLong = (path: string, bytes: number): FieldError => ({
  type: 'FieldValueTooLong',
  path,
  body: `Too long: may not be more than ${bytes} bytes`,
});
export const fieldTooMany = (path: string, actual: number, most: number): FieldError => ({
  type: 'FieldValueTooMany',
  path,
  body: `Too many: ${actual}: must have at most ${most} items`,
});

export const textOf = ({ path, body }: FieldError): string => `${path}: ${body}`;

/** `path: body`, `[e1, e2]` for several; duplicates are left out. */
export function aggregate(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(textOf))];
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
}
