/** The resources that quotas can count by name. */
import type { Quotas } from '../../../../api/management.svc.example/v1/projectusage.js';
import type { ResourceDefinition } from '../../../../api/resource.js';
import { fieldInvalid, findingsOf, groupResource, type FieldError } from '../../../apimachinery/errors.js';
import { similar } from '../../../apimachinery/similar.js';

/** Limits that are fields of `spec.quotas`, and no resources. */
const FIELDS: readonly string[] = ['instances', 'secretBytes'];

/**
 * Findings of names in `objects` that nothing counts. `definitions`: of all stored kinds; `group`: the only group whose
 * objects are counted, if there is one. Names of `previous` may stay.
 */
export function uncounted(
  { objects = {} }: Quotas,
  { objects: previous = {} }: Quotas,
  definitions: readonly ResourceDefinition[],
  group: string | undefined,
): FieldError[] {
  const counted = definitions.filter((one) => one.namespaced && (group ?? one.group) === one.group);
  const names = counted.map(groupResource).sort();
  const others = group === undefined ? '' : '; for others use a ResourceQuota of the cluster';
  return findingsOf(Object.keys(objects), (resource) => {
    if (names.includes(resource) || Object.hasOwn(previous, resource)) return [];
    const why = `not counted${instead(resource, counted)}; counted are ${names.join(', ')}, and by fields of spec.quotas ${FIELDS.join(' and ')}${others}`;
    return [fieldInvalid(`spec.quotas.objects[${resource}]`, resource, why)];
  });
}

/** `; did you mean x?`, by the plural alone: the group may be left out or another one. */
function instead(resource: string, counted: readonly ResourceDefinition[]): string {
  const [plural = ''] = resource.split('.');
  const found = similar(plural, [...counted.map((one) => one.plural), ...FIELDS]);
  if (found === undefined) return '';
  const definition = counted.find((one) => one.plural === found);
  return `; did you mean ${definition === undefined ? `spec.quotas.${found}` : groupResource(definition)}?`;
}
