/** The selectors of a review (`k8s.io/kubernetes/pkg/apis/authorization/validation.validateResourceAttributes`). */
import type { resourceAttributesSchema } from '../../../api/authorization.k8s.io/v1/resourceattributes.js';
import type { Static } from 'typebox';
import { fieldForbidden, fieldInvalid, fieldRequired, type FieldError } from '../../apimachinery/errors.js';
import { labelValue, qualifiedName } from '../../apimachinery/validation/names.js';

type Selector = NonNullable<ResourceAttributes['labelSelector'] | ResourceAttributes['fieldSelector']>;
type Requirement = NonNullable<Selector['requirements']>[number];

const PATH = 'spec.resourceAttributes';

/** Unknown operators are accepted: newer clients may have them. */
export function validateSelectors(attributes: ResourceAttributes | undefined): FieldError[] {
  return [
    ...validateSelector(attributes?.fieldSelector, `${PATH}.fieldSelector`, fieldRequirement),
    ...validateSelector(attributes?.labelSelector, `${PATH}.labelSelector`, labelRequirement),
  ];
}

function validateSelector(
  selector: Selector | undefined,
  path: string,
  validate: (requirement: Requirement, path: string) => FieldError[],
): FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = '', requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    const text = 'may not specified at the same time as requirements';
    errors.push(fieldInvalid(`${path}.rawSelector`, rawSelector, text));
  }
  if (rawSelector === '' && requirements.length === 0) {
    const text = `when ${path} is specified, requirements or rawSelector is required`;
    errors.push(fieldRequired(`${path}.requirements`, text));
  }
  requirements.forEach((each, index) => errors.push(...validate(each, `${path}.requirements[${index}]`)));
  return errors;
}

function fieldRequirement(requirement: Requirement, path: string): FieldError[] {
  const errors = validateValues(requirement, path);
  if (requirement.key === '') errors.push(fieldRequired(`${path}.key`, 'must be specified'));
  return errors;
}

function labelRequirement(requirement: Requirement, path: string): FieldError[] {
  const { key, values = [] } = requirement;
  const errors = validateValues(requirement, path);
  for (const text of qualifiedName(key)) errors.push(fieldInvalid(`${path}.key`, key, text));
  values.forEach((value, index) => {
    for (const text of labelValue(value)) errors.push(fieldInvalid(`${path}.values[${index}]`, value, text));
  });
  return errors;
}

function validateValues({ operator, values = [] }: Requirement, path: string): FieldError[] {
  const listed = operator === 'In' || operator === 'NotIn';
  const bare = operator === 'Exists' || operator === 'DoesNotExist';
  if (listed && values.length === 0) {
    return [fieldRequired(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (bare && values.length > 0) {
    const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return [fieldForbidden(`${path}.values`, text)];
  }
  return [];
}
export type ResourceAttributes = Static<typeof resourceAttributesSchema>;
