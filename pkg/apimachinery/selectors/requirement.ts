/** One condition of a label selector (`k8s.io/apimachinery/pkg/labels.Requirement`). */
import { aggregate, badRequest, fieldInvalid, type FieldError } from '../errors.js';
import { parseInt64 } from '../strconv.js';
import { invalidText } from '../validation/invalid.js';
import { labelValue, qualifiedName } from '../validation/names.js';

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted; one for `=`, `==`, `!=`, `gt` and `lt`, none for `exists` and `!`. */
  readonly values: readonly string[];
}

/** Creates a requirement with a valid key and values. Throws 400 with Kubernetes' message. */
export function labelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): LabelRequirement {
  const errors = requirementErrors(key, operator, values);
  if (errors.length > 0) throw badRequest(aggregate(errors));
  return { key, operator, values: values.toSorted() };
}

/** The errors of a requirement, in Kubernetes' order. */
export function requirementErrors(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): FieldError[] {
  const errors: FieldError[] = [...labelKeyErrors(key, 'key')];
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    errors.push(fieldInvalid('values', null, "for 'in', 'notin' operators, values set can't be empty"));
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    errors.push(fieldInvalid('values', values, 'values set must be empty for exists and does not exist'));
  }
  if (operator === 'gt' || operator === 'lt') {
    const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
    values.forEach((value, index) => {
      if (parseInt64(value) === undefined) errors.push(invalidText(`values[${index}]`, value, detail));
    });
  }
  values.forEach((value, index) => {
    const problems = labelValue(value);
    if (problems.length > 0) errors.push(invalidText(`values[${index}][${key}]`, value, problems.join('; ')));
  });
  return errors;
}

/** All problems of a label key, as one error. */
export function labelKeyErrors(key: string, path: string): FieldError[] {
  const problems = qualifiedName(key);
  return problems.length > 0 ? [invalidText(path, key, problems.join('; '))] : [];
}

type Labels = Readonly<Record<string, string>>;

/** Whether labels match the requirement. `!=` and `notin` match if the key is absent. */
export function matcherOf({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const valueIn = (labels: Labels): string | undefined =>
    Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
    case 'in': {
      const wanted = new Set(values);
      return (labels) => wanted.has(valueIn(labels) ?? ABSENT);
    }
    case '!=':
    case 'notin': {
      const refused = new Set(values);
      return (labels) => !refused.has(valueIn(labels) ?? ABSENT);
    }
    case 'exists':
      return (labels) => valueIn(labels) !== undefined;
    case '!':
      return (labels) => valueIn(labels) === undefined;
    case 'gt':
    case 'lt':
      return (labels) => compares(operator, valueIn(labels), values[0]);
  }
}

/** A value that no label has. */
const ABSENT = '\0';

function compares(operator: 'gt' | 'lt', value: string | undefined, bound: string | undefined): boolean {
  const left = value === undefined ? undefined : parseInt64(value);
  const right = bound === undefined ? undefined : parseInt64(bound);
  if (left === undefined || right === undefined) return false;
  return operator === 'gt' ? left > right : left < right;
}

/** The canonical text: `a=b`, `!a`, `a in (b,c)`, `a>5`. */
export function printRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case 'gt':
    case 'lt':
      return `${key}${operator === 'gt' ? '>' : '<'}${values.join(',')}`;
    default:
      return `${key}${operator}${values.join(',')}`;
  }
}
