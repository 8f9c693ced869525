import { Type } from '../../type.js';
import { bytesMap, stringMap } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';

/** The type of Secrets that hold a token, and the annotations that name the account. */
export const TOKEN_SECRET = 'kubernetes.io/service-account-token';
export const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
export const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

export const Secret = defineResource({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  selectableFields: ['type'],
  unconditionalUpdate: true,
  builtIn: true,
  description:
    'Secret holds secret data of a certain type. The total bytes of the values in the Data field must be less than MaxSecretSize bytes.',
  schema: Type.Object(
    {
      data: Type.Optional(
        bytesMap({
          'x-sensitive': true,
          description:
            "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
        }),
      ),
      immutable: Type.Optional(
        Type.Boolean({
          description:
            'Immutable, if set to true, ensures that data stored in the Secret cannot be updated (only object metadata can be modified). If not set to true, the field can be modified at any time. Defaulted to nil.',
          'x-keep-empty': true,
        }),
      ),
      stringData: Type.Optional(
        stringMap({
          'x-sensitive': true,
          description:
            'stringData allows specifying non-binary secret data in string form. It is provided as a write-only input field for convenience. All keys and values are merged into the data field on write, overwriting any existing values. The stringData field is never output when reading from the API.',
        }),
      ),
      type: Type.Optional(
        Type.String({
          description:
            'Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types',
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, data: 2, type: 3, stringData: 4, immutable: 5 } },
  ),
});

export type Secret = ObjectOf<typeof Secret>;
