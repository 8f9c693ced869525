/** The location of a cluster's kubeconfig. */
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { fieldInvalid, fieldRequired, type FieldError } from '../../apimachinery/errors.js';
import { dns1123Label, dns1123Subdomain } from '../../apimachinery/validation/names.js';
import { validateDataKey } from '../../registry/object/datakeys.js';
import { validateRuleCount } from '../sharing/accesslimit.js';

const SECRET_NAMESPACE = 'management-system';
const KEY = 'config';

/** Applies defaults. */
export function fillConfig({ spec }: Cluster): void {
  if (spec?.config === undefined) return;
  const { secretNamespace = '', key = '', ...rest } = spec.config;
  spec.config = { ...rest, secretNamespace: secretNamespace || SECRET_NAMESPACE, key: key || KEY };
}

export function validateCluster({ spec = {} }: Cluster): FieldError[] {
  const errors = validateRuleCount('spec.access', spec.access);
  if (spec.config === undefined) return errors;
  const { secretName = '', secretNamespace = '', key = '' } = spec.config;
  const all = (member: string, value: string, texts: readonly string[]): FieldError[] =>
    texts.map((text) => fieldInvalid(`spec.config.${member}`, value, text));
  return [
    ...(secretName === ''
      ? [fieldRequired('spec.config.secretName')]
      : all('secretName', secretName, dns1123Subdomain(secretName))),
    ...all('secretNamespace', secretNamespace, dns1123Label(secretNamespace)),
    ...all('key', key, validateDataKey(key)),
    ...errors,
  ];
}
