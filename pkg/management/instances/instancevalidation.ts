import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  findingsOf,
  type FieldError,
} from '../../apimachinery/errors.js';
import { dns1123Label, dns1123Subdomain, pathSegment } from '../../apimachinery/validation/names.js';
import { validateRuleCount } from '../sharing/accesslimit.js';
import type { Instance } from '../asinstance.js';

const REF = 'spec.clusterRef';
/** Namespaces of a cluster that instances cannot use. */
export const RESERVED_NAMESPACES: readonly string[] = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'management-system',
];

type ExtraRules = NonNullable<NonNullable<Instance['spec']>['extraAccessRules']>;

export function validateInstance({ spec = {} }: Instance): FieldError[] {
  const { clusterRef = {}, extraAccessRules = [], access, template, templateRef } = spec;
  const both = template !== undefined && templateRef !== undefined;
  return [
    ...(both ? [fieldForbidden('spec.template', 'may not be set together with spec.templateRef')] : []),
    ...validateRef(clusterRef),
    ...validateRuleCount('spec.extraAccessRules', extraAccessRules),
    ...validateExtraRules(extraAccessRules),
    ...validateRuleCount('spec.access', access),
  ];
}

function validateRef({ cluster = '', namespace = '', virtualCluster = '' }: Ref): FieldError[] {
  const errors =
    cluster === '' && namespace + virtualCluster !== ''
      ? [fieldRequired(`${REF}.cluster`, 'must be set with namespace or virtualCluster')]
      : [];
  const all = (member: string, value: string, texts: readonly string[]): void => {
    if (value !== '') errors.push(...texts.map((text) => fieldInvalid(`${REF}.${member}`, value, text)));
  };
  all('cluster', cluster, dns1123Subdomain(cluster));
  all('namespace', namespace, dns1123Label(namespace));
  if (RESERVED_NAMESPACES.includes(namespace))
    errors.push(fieldForbidden(`${REF}.namespace`, `no instance may be in ${namespace}`));
  all('virtualCluster', virtualCluster, dns1123Label(virtualCluster));
  return errors;
}

type Ref = NonNullable<NonNullable<Instance['spec']>['clusterRef']>;

function validateExtraRules(rules: ExtraRules): FieldError[] {
  return findingsOf(rules.entries(), ([at, { clusterRole = '' }]) => {
    const path = `spec.extraAccessRules[${at}].clusterRole`;
    if (clusterRole === '') return [fieldRequired(path)];
    return pathSegment(clusterRole).map((text) => fieldInvalid(path, clusterRole, text));
  });
}

/** The place of an instance is immutable. */
export function validateInstanceUpdate(next: Instance, previous: Instance): FieldError[] {
  const [ref, before]: Ref[] = [next.spec?.clusterRef ?? {}, previous.spec?.clusterRef ?? {}];
  return (['cluster', 'namespace', 'virtualCluster'] as const).flatMap((member) => {
    const was = before?.[member] ?? '';
    if (was === '' || ref?.[member] === was) return [];
    return [fieldInvalid(`${REF}.${member}`, ref?.[member] ?? '', 'field is immutable once it is set')];
  });
}
