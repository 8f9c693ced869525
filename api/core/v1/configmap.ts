import { Type } from '../../type.js';
import { bytesMap, stringMap } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';

export const ConfigMap = defineResource({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  namespaced: true,
  unconditionalUpdate: true,
  builtIn: true,
  description: 'ConfigMap holds configuration data for pods to consume.',
  schema: Type.Object(
    {
      immutable: Type.Optional(
        Type.Boolean({
          description:
            'Immutable, if set to true, ensures that data stored in the ConfigMap cannot be updated (only object metadata can be modified). If not set to true, the field can be modified at any time. Defaulted to nil.',
          'x-keep-empty': true,
        }),
      ),
      data: Type.Optional(
        stringMap({
          description:
            "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field.",
        }),
      ),
      binaryData: Type.Optional(
        bytesMap({
          description:
            "BinaryData contains the binary data. Each key must consist of alphanumeric characters, '-', '_' or '.'. BinaryData can contain byte sequences that are not in the UTF-8 range.",
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, data: 2, binaryData: 3, immutable: 4 } },
  ),
});

export type ConfigMap = ObjectOf<typeof ConfigMap>;
