/** Validation of data by the type of a Secret (`k8s.io/kubernetes/pkg/apis/core/validation`). */
import { ACCOUNT_NAME, TOKEN_SECRET } from '../../../../api/core/v1/secret.js';
import { explainSyntaxError } from '../../../apimachinery/encoding/jsonerror.js';
import { fieldInvalid, fieldRequired, type FieldError } from '../../../apimachinery/errors.js';
import { parseJson } from '../../../apimachinery/encoding/depth.js';

const REDACTED = '<secret contents redacted>';

type Data = Readonly<Record<string, string>>;

/** `data`: base64 by key. Types other than Kubernetes' own have no requirements. */
export function validateSecretType(
  type: string,
  data: Data,
  annotations: Readonly<Record<string, string>>,
): FieldError[] {
  switch (type) {
    case TOKEN_SECRET:
      return (annotations[ACCOUNT_NAME] ?? '') === ''
        ? [fieldRequired(`metadata.annotations[${ACCOUNT_NAME}]`)]
        : [];
    case 'kubernetes.io/dockercfg':
      return jsonEntry(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return jsonEntry(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return 'username' in data || 'password' in data ? [] : required(['username', 'password']);
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? required(['ssh-privatekey']) : [];
    case 'kubernetes.io/tls':
      return required(['tls.crt', 'tls.key'].filter((key) => !(key in data)));
    default:
      return [];
  }
}

const required = (keys: readonly string[]): FieldError[] => keys.map((key) => fieldRequired(`data[${key}]`));

/** Requires an entry with a JSON object. */
function jsonEntry(data: Data, key: string): FieldError[] {
  const value = data[key];
  if (value === undefined) return required([key]);
  const fault = jsonFault(Buffer.from(value, 'base64'));
  return fault === undefined ? [] : [fieldInvalid(`data[${key}]`, REDACTED, fault)];
}

/** The error of Go's decoder, which contains at most one character of the text. */
function jsonFault(text: Buffer): string | undefined {
  try {
    const value: unknown = parseJson(text.toString());
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
    const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
  } catch {
    return explainSyntaxError(text);
  }
}
