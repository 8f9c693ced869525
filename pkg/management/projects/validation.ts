import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { Quotas } from '../../../api/management.svc.example/v1/projectusage.js';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
  findingsOf,
  type FieldError,
} from '../../apimachinery/errors.js';
import { dns1123Label, dns1123Subdomain, pathSegment } from '../../apimachinery/validation/names.js';
import { MOST_KEY_DAYS } from './keydays.js';
import { MAX_ACCESS_NAMES, validateRuleCount } from '../sharing/accesslimit.js';
import { validateSubject } from '../people/reservednames.js';

type Spec = NonNullable<Project['spec']>;
type Member = NonNullable<Spec['members']>[number];

/** The maximum number of different ClusterRoles of members: each is a RoleBinding, and all must fit one commit. */
const MAX_MEMBER_ROLES = 12;

export function validateProject({ spec = {} }: Project): FieldError[] {
  const { members = [], allowedClusters = [], access, quotas = {}, maxKeyDays } = spec;
  const roles = new Set(members.map(({ clusterRole }) => clusterRole)).size;
  return [
    ...findingsOf(allowedClusters.entries(), ([at, { name = '' }]) =>
      validateCluster(`spec.allowedClusters[${at}].name`, name),
    ),
    ...validateMembers(members),
    ...(members.length > MAX_ACCESS_NAMES
      ? [fieldTooMany('spec.members', members.length, MAX_ACCESS_NAMES)]
      : []),
    ...(roles > MAX_MEMBER_ROLES ? [fieldTooMany('spec.members', roles, MAX_MEMBER_ROLES)] : []),
    ...validateRuleCount('spec.access', access),
    ...validateQuotas(quotas),
    ...validateKeyDays(maxKeyDays),
  ];
}

function validateCluster(path: string, name: string): FieldError[] {
  if (name === '') return [fieldRequired(path)];
  if (name === '*') return [];
  return dns1123Subdomain(name).map((text) => fieldInvalid(path, name, text));
}

function validateMembers(members: readonly Member[]): FieldError[] {
  const seen = new Set<string>();
  return findingsOf(members.entries(), ([at, { kind, name, clusterRole }]) => {
    const path = `spec.members[${at}]`;
    const key = JSON.stringify([kind, name, clusterRole]);
    const duplicate = seen.has(key) ? [fieldDuplicate(path, { kind, name, clusterRole })] : [];
    seen.add(key);
    const role =
      clusterRole === ''
        ? [fieldRequired(`${path}.clusterRole`)]
        : pathSegment(clusterRole).map((text) => fieldInvalid(`${path}.clusterRole`, clusterRole, text));
    return [...validateSubject(`${path}.name`, name), ...role, ...duplicate];
  });
}

function validateQuotas({ objects = {}, instances, secretBytes }: Quotas): FieldError[] {
  return [
    ...findingsOf(Object.entries(objects), ([resource, limit]) => [
      ...validateResource(`spec.quotas.objects[${resource}]`, resource),
      ...validateLimit(`spec.quotas.objects[${resource}]`, limit),
    ]),
    ...validateLimit('spec.quotas.instances', instances),
    ...validateLimit('spec.quotas.secretBytes', secretBytes),
  ];
}

function validateKeyDays(days = 0): FieldError[] {
  if (days >= 0 && days <= MOST_KEY_DAYS) return [];
  return [fieldInvalid('spec.maxKeyDays', days, `must be between 0 and ${MOST_KEY_DAYS}, inclusive`)];
}

/** `configmaps`, or `sharedsecrets.management.svc.example`. */
function validateResource(path: string, resource: string): FieldError[] {
  const dot = resource.indexOf('.');
  const [plural, group] =
    dot === -1 ? [resource, undefined] : [resource.slice(0, dot), resource.slice(dot + 1)];
  const texts = [...dns1123Label(plural), ...(group === undefined ? [] : dns1123Subdomain(group))];
  return texts.map((text) => fieldInvalid(path, resource, text));
}

function validateLimit(path: string, limit: number | undefined): FieldError[] {
  if (limit === undefined || limit >= 0) return [];
  return [fieldInvalid(path, limit, 'must be greater than or equal to 0')];
}
