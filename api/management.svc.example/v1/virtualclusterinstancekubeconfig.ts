import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { MAX_DOCUMENT } from './fields.js';

/** The kubeconfig of a virtual cluster: asked for at `virtualclusterinstances/{name}/kubeconfig`, never stored. */
export const VirtualClusterInstanceKubeConfig = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'VirtualClusterInstanceKubeConfig',
  plural: 'virtualclusterinstancekubeconfigs',
  namespaced: true,
  verbs: ['create', 'get'],
  description:
    'VirtualClusterInstanceKubeConfig is the kubeconfig of a virtual cluster that is reached through an ingress, with a client certificate of the caller.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          certificateTTL: Type.Optional(
            Type.Integer({
              description:
                'How long the client certificate is good for, in seconds: at least 600; a day where it is left out.',
              format: 'int64',
            }),
          ),
        },
        { description: 'What is asked for.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        {
          kubeConfig: Type.Optional(
            Type.String({
              description: 'The kubeconfig, in YAML.',
              maxLength: MAX_DOCUMENT,
              'x-sensitive': true,
            }),
          ),
        },
        { description: 'The answer.', default: {} },
      ),
    ),
  }),
});

export type VirtualClusterInstanceKubeConfig = ObjectOf<typeof VirtualClusterInstanceKubeConfig>;
