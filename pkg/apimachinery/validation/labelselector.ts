/** `k8s.io/apimachinery/pkg/apis/meta/v1/validation.ValidateLabelSelector`. */
import { fieldForbidden, fieldRequired, type FieldError } from '../errors.js';
import { invalidText } from './invalid.js';
import { validateLabels } from './labels.js';
import { labelValue, qualifiedName } from './names.js';

/** A `meta/v1 LabelSelector` of a request body. */
export interface LabelSelectorValue {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
}

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export function validateLabelSelector(selector: LabelSelectorValue, path: string): FieldError[] {
  return [
    ...validateLabels(selector.matchLabels, `${path}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((requirement, index) =>
      validateRequirement(requirement, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

function validateRequirement(
  { key = '', operator = '', values = [] }: Requirement,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) break;
      errors.push(fieldRequired(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) break;
      errors.push(
        fieldForbidden(
          `${path}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      );
      break;
    default:
      errors.push(invalidText(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  for (const text of qualifiedName(key)) errors.push(invalidText(`${path}.key`, key, text));
  values.forEach((value, index) => {
    for (const text of labelValue(value)) errors.push(invalidText(`${path}.values[${index}]`, value, text));
  });
  return errors;
}
