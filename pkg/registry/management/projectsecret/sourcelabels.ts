import { SOURCE_NAME, SOURCE_NAMESPACE } from '../../../../api/management.svc.example/v1/secretsource.js';
import type { KubeObject } from '../../../../api/resource.js';
import { fieldInvalid, fieldRequired, type FieldError } from '../../../apimachinery/errors.js';
import { dns1123Label } from '../../../apimachinery/validation/names.js';

/** Validates that the labels, if one is set, name a SharedSecret. */
export function validateSourceLabels({ metadata }: KubeObject): FieldError[] {
  const { [SOURCE_NAME]: name, [SOURCE_NAMESPACE]: namespace } = metadata.labels ?? {};
  if (name === undefined && namespace === undefined) return [];
  const missing = (label: string, value = '', other = ''): FieldError[] =>
    value === '' ? [fieldRequired(pathOf(label), `must be set together with ${other}`)] : [];
  return [
    ...missing(SOURCE_NAME, name, SOURCE_NAMESPACE),
    ...missing(SOURCE_NAMESPACE, namespace, SOURCE_NAME),
    ...dns1123Label(namespace || 'x').map((text) => fieldInvalid(pathOf(SOURCE_NAMESPACE), namespace, text)),
  ];
}

const pathOf = (label: string): string => `metadata.labels[${label}]`;
