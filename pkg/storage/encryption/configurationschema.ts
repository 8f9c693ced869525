/** The schema of an `EncryptionConfiguration`, for its parser and for the reference documentation. */
import type { JsonSchema } from '../../apimachinery/schema/jsonschema.js';

export const CONFIGURATION_VERSION = 'apiserver.config.k8s.io/v1';
export const CONFIGURATION_KIND = 'EncryptionConfiguration';

const KEY_SCHEMA = {
  type: 'object',
  required: ['name', 'secret'],
  properties: {
    name: {
      type: 'string',
      description:
        'Name of the key, which is stored with what it encrypts. Without colons and spaces; it may not be given to another key later.',
    },
    secret: {
      type: 'string',
      format: 'byte',
      description: 'The key: 32 random bytes; for aesgcm also 16 or 24.',
    },
  },
} as const satisfies JsonSchema;

const keysOf = (description: string) =>
  ({
    type: 'object',
    required: ['keys'],
    properties: {
      keys: {
        type: 'array',
        items: KEY_SCHEMA,
        description: 'Keys. The first encrypts if the provider is the first; all decrypt.',
      },
    },
    description,
  }) as const satisfies JsonSchema;

export const KMS_SCHEMA = {
  type: 'object',
  required: ['apiVersion', 'name', 'endpoint'],
  properties: {
    apiVersion: { type: 'string', enum: ['v2'], description: 'Version of the API of KMS plug-ins.' },
    name: { type: 'string', description: 'Name of the plug-in, without colons and spaces.' },
    endpoint: { type: 'string', description: 'The Unix socket of the plug-in: unix:// and its path.' },
    timeout: {
      type: 'string',
      default: '3s',
      description: 'Longest time for a call of the plug-in, at most 60s.',
    },
  },
  description: 'A key management service, by its plug-in.',
} as const satisfies JsonSchema;

export const PROVIDER_SCHEMA = {
  type: 'object',
  properties: {
    aesgcm: keysOf('AES-GCM with random nonces. Replace a key after 200,000 writes.'),
    secretbox: keysOf('XSalsa20 and Poly1305.'),
    kms: KMS_SCHEMA,
    identity: { type: 'object', properties: {}, description: 'No encryption: {}.' },
  },
} as const satisfies JsonSchema;

export const STATIC_KEYS = PROVIDER_SCHEMA.properties.aesgcm;

export const ENCRYPTION_RULE_SCHEMA = {
  type: 'object',
  required: ['resources', 'providers'],
  properties: {
    resources: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Resources: secrets, sharedsecrets.management.svc.example, *.GROUP for a whole group, *. for the core group, or *.* for all, which stands alone.',
    },
    providers: {
      type: 'array',
      items: PROVIDER_SCHEMA,
      description: 'Each entry has one provider. The first encrypts, all of them decrypt.',
    },
  },
} as const satisfies JsonSchema;

export const ENCRYPTION_CONFIGURATION = {
  type: 'object',
  required: ['apiVersion', 'kind', 'resources'],
  properties: {
    apiVersion: { type: 'string', enum: [CONFIGURATION_VERSION], description: 'Version of the format.' },
    kind: { type: 'string', enum: [CONFIGURATION_KIND], description: 'Kind of the file.' },
    resources: {
      type: 'array',
      items: ENCRYPTION_RULE_SCHEMA,
      description: 'The first entry that names a resource decides how its objects are encrypted.',
    },
  },
} as const satisfies JsonSchema;
