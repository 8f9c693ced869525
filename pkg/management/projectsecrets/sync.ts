import type { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import { fieldInvalid, fieldTooMany, findingsOf, type FieldError } from '../../apimachinery/errors.js';
import { validateLabelSelector } from '../../apimachinery/validation/labelselector.js';
import { dns1123Subdomain } from '../../apimachinery/validation/names.js';
import { validateDataKey } from '../../registry/object/datakeys.js';

const MAX_KEYS = 100;
const MAX_SPACES = 1_000;
/** The name is a label value of the Secrets (`k8s.io/apimachinery/pkg/util/validation`: LabelValueMaxLength). */
const LONGEST_NAME = 63;
const TYPE = /^[A-Za-z0-9]([-._/A-Za-z0-9]{0,251}[A-Za-z0-9])?$/;
/** Types of Secrets that authenticate to a cluster. */
const REFUSED_TYPES = ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'];

/** Validation of the Secrets that `spec.sync` requests. */
export function validateSync({ metadata, spec }: ProjectSecret): FieldError[] {
  const { sync } = spec ?? {};
  if (sync === undefined) return [];
  const { spaceSelector, spaces = [], name = '', type = '', keys = {} } = sync;
  const errors: FieldError[] = [];
  const { name: own = '' } = metadata;
  if (own.length > LONGEST_NAME)
    errors.push(
      fieldInvalid('metadata.name', own, `must be no more than ${LONGEST_NAME} characters with spec.sync`),
    );
  if (spaceSelector !== undefined)
    errors.push(...validateLabelSelector(spaceSelector, 'spec.sync.spaceSelector'));
  if (spaces.length > MAX_SPACES)
    return [...errors, fieldTooMany('spec.sync.spaces', spaces.length, MAX_SPACES)];
  errors.push(
    ...findingsOf(spaces.entries(), ([at, space]) =>
      dns1123Subdomain(space).map((text) => fieldInvalid(`spec.sync.spaces[${at}]`, space, text)),
    ),
  );
  if (name !== '')
    errors.push(...dns1123Subdomain(name).map((text) => fieldInvalid('spec.sync.name', name, text)));
  if (type !== '' && (!TYPE.test(type) || REFUSED_TYPES.includes(type)))
    errors.push(fieldInvalid('spec.sync.type', type, 'must be the type of a Secret that users may create'));
  const pairs = Object.entries(keys);
  if (pairs.length > MAX_KEYS) return [...errors, fieldTooMany('spec.sync.keys', pairs.length, MAX_KEYS)];
  const checked = findingsOf(pairs, ([to, from]) =>
    [to, from].flatMap((key) =>
      validateDataKey(key).map((text) => fieldInvalid(`spec.sync.keys[${to}]`, key, text)),
    ),
  );
  return [...errors, ...checked];
}
