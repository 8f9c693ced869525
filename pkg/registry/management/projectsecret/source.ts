/** Which SharedSecret a ProjectSecret has its data from. */
import type { KubeObject } from '../../../../api/resource.js';
import type { FieldError } from '../../../apimachinery/errors.js';
import { fieldInvalid, fieldRequired } from '../../../apimachinery/errors.js';
import { dns1123Label } from '../../../apimachinery/validation/names.js';

/** Labels that name the SharedSecret; one takes the other. */
export const SOURCE_NAME = 'management.svc.example/sharedsecret-name';
export const SOURCE_NAMESPACE = 'management.svc.example/sharedsecret-namespace';

/** A SharedSecret. */
export interface SecretSource {
  readonly namespace: string;
  readonly name: string;
}

/** Undefined: its data are its own. */
export function mirroredSecret({ metadata }: KubeObject): SecretSource | undefined {
  const { [SOURCE_NAME]: name = '', [SOURCE_NAMESPACE]: namespace = '' } = metadata.labels ?? {};
  return name === '' || namespace === '' ? undefined : { namespace, name };
}

export function sameSource(a: SecretSource | undefined, b: SecretSource | undefined): boolean {
  return a?.name === b?.name && a?.namespace === b?.namespace;
}

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
