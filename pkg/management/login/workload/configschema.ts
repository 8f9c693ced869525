/** The schema of the file of `--workload-identity-config`, for its parser and for the reference of the docs. */
import { scopeSchema } from '../../../../api/management.svc.example/v1/scope.js';
import { closedObject as object } from '../../../apimachinery/schema/configfile.js';
import { typeOfFile } from '../configschema.js';
import { jsonSchema, mapSchema, type JsonSchema } from '../../../apimachinery/schema/jsonschema.js';

export const DEFAULT_TTL = '15m';

const text: JsonSchema = { type: 'string', minLength: 1, maxLength: 1024 };
const list = (items: JsonSchema, description: string): JsonSchema => ({
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  items,
  description,
});

/** Refuses unknown members: a misspelled one would omit a restriction. */
const closed = (schema: JsonSchema): JsonSchema =>
  mapSchema(schema, (one) => (one.properties === undefined ? one : { ...one, additionalProperties: false }));

const rule = object(
  {
    name: {
      type: 'string',
      pattern: '^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$',
      description: 'Name of the rule, which the key and the audit log show. Unique in the file.',
    },
    claims: {
      type: 'object',
      minProperties: 1,
      additionalProperties: text,
      description:
        'Claims that a token must have, with exactly these values. /* at the end matches any suffix. Lists and objects never match.',
    },
    user: {
      type: 'string',
      pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$',
      description: 'The User that the key belongs to. It must exist when a token is exchanged.',
    },
    ttl: { ...text, default: DEFAULT_TTL, description: 'Lifetime of the key, 1m to 1h.' },
    scope: {
      ...closed(jsonSchema(scopeSchema)),
      description:
        'Scope of the key, with the fields of spec.scope of an access key. Not set: the key may do everything that the user may.',
    },
  },
  ['name', 'claims', 'user'],
);

const issuer = object(
  {
    issuer: {
      type: 'string',
      pattern: '^https://[^?#\\s]+$',
      description:
        'The exact claim iss, and the URL from which the keys of the issuer are fetched (/.well-known/openid-configuration).',
    },
    audience: {
      ...text,
      description: 'The only audience of a token. A token with further audiences is rejected.',
    },
    caFile: {
      ...text,
      description:
        'File with the certificate authorities of the issuer, PEM, relative to this file. Not set: the authorities that the machine trusts.',
    },
    jwksFile: {
      ...text,
      description:
        'File with the keys of the issuer, a JSON Web Key Set, relative to this file. Not set: they are fetched from the issuer.',
    },
    rules: list(rule, 'The first rule whose claims match decides. A token that matches no rule gets 403.'),
  },
  ['issuer', 'audience', 'rules'],
);

export const WORKLOAD_CONFIG = object(
  {
    ...typeOfFile('WorkloadIdentityConfiguration'),
    issuers: list(issuer, 'Issuers of tokens, each once.'),
  },
  ['apiVersion', 'kind', 'issuers'],
);
