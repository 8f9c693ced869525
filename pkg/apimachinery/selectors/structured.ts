import { badRequest } from '../errors.js';
import { quoteGo } from '../quote.js';
import { labelSelector, type LabelOperator, type LabelSelector } from './labels.js';
import { labelRequirement } from './requirement.js';

/** `meta/v1 LabelSelector` of an object. */
export interface StructuredLabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** Parses the selector of an object; an empty one matches everything. Throws 400 if it is invalid. */
export function structuredLabelSelector({
  matchLabels = {},
  matchExpressions = [],
}: StructuredLabelSelector): LabelSelector {
  const requirements = Object.entries(matchLabels).map(([key, value]) => labelRequirement(key, '=', [value]));
  for (const { key, operator, values = [] } of matchExpressions) {
    const known = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (known === undefined) throw badRequest(`${quoteGo(operator)} is not a valid label selector operator`);
    requirements.push(labelRequirement(key, known, values));
  }
  return labelSelector(requirements);
}
