/** The selectors of a request, for authorizers (`k8s.io/apiserver/pkg/endpoints/request.RequestInfo`). */
import { parseQuery } from '../apimachinery/options/query.js';
import { parseFieldSelector } from '../apimachinery/selectors/fields.js';
import { parseLabelSelector, type LabelRequirement } from '../apimachinery/selectors/labels.js';
import type { ResourceAttributes } from '../authorization/interface.js';
import type { SelectorRequirement } from '../apimachinery/attributes.js';
import type { ResourceRequest } from './requestinfo.js';

type Selectors = Pick<ResourceAttributes, 'fieldSelector' | 'labelSelector'>;

/** Of a request that is limited to nothing. */
export const NO_SELECTORS: Selectors = {};
const LIMITED: readonly string[] = ['list', 'watch', 'deletecollection'];

/** Invalid selectors are ignored here, as the request will be refused. */
export function requestSelectors({ verb, query }: Pick<ResourceRequest, 'verb' | 'query'>): Selectors {
  if (!query.includes('Selector=') || !LIMITED.includes(verb)) return NO_SELECTORS;
  const asked = parseQuery(query);
  const fields = requirementsOf(() => fieldRequirements(asked.get('fieldSelector') ?? ''));
  const labels = requirementsOf(() => labelRequirements(asked.get('labelSelector') ?? ''));
  return {
    ...(fields.length > 0 && { fieldSelector: { requirements: fields } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels } }),
  };
}

function requirementsOf(read: () => SelectorRequirement[]): SelectorRequirement[] {
  try {
    return read();
  } catch {
    return [];
  }
}

const fieldRequirements = (text: string): SelectorRequirement[] =>
  parseFieldSelector(text, () => undefined).requirements.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }));

/** Numeric comparisons have no operator there. */
const OPERATORS: Readonly<Partial<Record<LabelRequirement['operator'], string>>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

function labelRequirements(text: string): SelectorRequirement[] {
  return parseLabelSelector(text).requirements.flatMap(({ key, operator: sign, values }) => {
    const operator = OPERATORS[sign];
    if (operator === undefined) return [];
    return [{ key, operator, ...(values.length > 0 && { values }) }];
  });
}
