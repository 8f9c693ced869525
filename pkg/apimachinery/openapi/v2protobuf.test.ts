import { expect, test } from '@jest/globals';
import { KINDS } from '../../management/kinds.js';
import { openapiDocuments } from './documents.js';
import type { OpenapiV2 } from './v2.js';
import { encodeOpenapiV2 } from './v2protobuf.js';

/** A document with every construct that documents of kinds have. */
const DOCUMENT = {
  swagger: '2.0',
  info: { title: 't', version: 'v1' },
  paths: {
    '/a/{name}': {
      get: {
        tags: ['core_v1'],
        description: 'd',
        operationId: 'get',
        produces: ['application/json'],
        schemes: ['https'],
        responses: {
          '200': { description: 'OK', schema: { $ref: '#/definitions/A' } },
          '401': { description: 'Unauthorized' },
        },
        'x-kubernetes-action': 'get',
      },
      post: {
        operationId: 'post',
        consumes: ['application/json'],
        parameters: [{ name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A' } }],
        responses: { '200': { description: 'OK' } },
      },
      parameters: [
        { name: 'name', in: 'path', required: true, type: 'string', uniqueItems: true, description: 'n' },
        { name: 'pretty', in: 'query', type: 'string', uniqueItems: true },
      ],
    },
  },
  definitions: {
    A: {
      type: 'object',
      description: 'ä',
      required: ['b'],
      properties: {
        b: { type: 'integer', format: 'int64', minimum: 1.5, maximum: 3, exclusiveMaximum: true, default: 2 },
        c: {
          type: 'array',
          items: { type: 'string', enum: ['x', 'y'], maxLength: 7, minLength: 1, pattern: '^a$' },
          maxItems: 4,
          minItems: 1,
          uniqueItems: true,
        },
        d: {
          type: 'object',
          additionalProperties: { $ref: '#/definitions/A' },
          maxProperties: 3,
          minProperties: 1,
        },
        e: { type: 'object', additionalProperties: true, default: {} },
        f: { allOf: [{ $ref: '#/definitions/A' }], multipleOf: 2 },
      },
      'x-kubernetes-group-version-kind': [{ group: '', kind: 'A', version: 'v1' }],
    },
  },
  securityDefinitions: {
    BearerToken: { type: 'apiKey', name: 'authorization', in: 'header', description: 'd' },
  },
  security: [{ BearerToken: [] }],
} as object as OpenapiV2;

/** gnostic decodes these bytes to the same document as the JSON. */
const BYTES = [
  'CgMyLjASBwoBdBICdjFCtQISsgIKCS9hL3tuYW1lfRKkAhKJAQoHY29yZV92MRoBZCoDZ2V0MhBhcHBsaWNhdGlvbi9qc29uSj0K',
  'IgoDMjAwEhsKGQoCT0sSEwoRCg8jL2RlZmluaXRpb25zL0EKFwoDNDAxEhAKDgoMVW5hdXRob3JpemVkUgVodHRwc2oeChN4LWt1',
  'YmVybmV0ZXMtYWN0aW9uEgcSBSJnZXQiIlAqBHBvc3Q6EGFwcGxpY2F0aW9uL2pzb25CJQojCiESBGJvZHkaBGJvZHkgASoRCg8j',
  'L2RlZmluaXRpb25zL0FKDwoNCgMyMDASBgoECgJPS0oiCiASHiIcCAESBHBhdGgaAW4iBG5hbWUqBnN0cmluZ5gBAUogCh4SHBoa',
  'EgVxdWVyeSIGcHJldHR5MgZzdHJpbmegAQFK0wIK0AIKAUESygIiAsOkmgEBYrIBCAoGb2JqZWN0ygHjAQoxCgFiEiwSBWludDY0',
  'KgMSATI5AAAAAAAACEBAAUkAAAAAAAD4P7IBCQoHaW50ZWdlcgo/CgFjEjpwBHgBgAEBsgEHCgVhcnJheboBJgokWAdgAWoDXmEk',
  'ogEFEgMieCKiAQUSAyJ5IrIBCAoGc3RyaW5nCiwKAWQSJ4gBA5ABAaoBEwoRCg8jL2RlZmluaXRpb25zL0GyAQgKBm9iamVjdAob',
  'CgFlEhYqBBICe32qAQIQAbIBCAoGb2JqZWN0CiIKAWYSHTEAAAAAAAAAQMIBEQoPIy9kZWZpbml0aW9ucy9B+gFNCh94LWt1YmVy',
  'bmV0ZXMtZ3JvdXAtdmVyc2lvbi1raW5kEioSKFt7Imdyb3VwIjoiIiwia2luZCI6IkEiLCJ2ZXJzaW9uIjoidjEifV1iEQoPCgtC',
  'ZWFyZXJUb2tlbhIAajUKMwoLQmVhcmVyVG9rZW4SJBIiCgZhcGlLZXkSDWF1dGhvcml6YXRpb24aBmhlYWRlciIBZA==',
].join('');

test('encodes a document', () => {
  expect(encodeOpenapiV2(DOCUMENT).toString('base64')).toBe(BYTES);
});

test('encodes the document of all kinds', () => {
  const bytes = openapiDocuments(KINDS.map(({ definition }) => definition)).v2Protobuf();
  expect(bytes.indexOf('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')).toBeGreaterThan(0);
});

test('throws on a member without a field', () => {
  const definitions = { A: { title: 'x' } };
  expect(() => encodeOpenapiV2({ ...DOCUMENT, definitions })).toThrow('openapi: no field for title');
});
