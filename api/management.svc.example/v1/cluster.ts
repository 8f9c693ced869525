import { Type } from '../../type.js';
import { conditionsSchema } from '../../meta/v1/condition.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { accessRules } from './accessrule.js';
import { ClusterJoin } from './clusterjoin.js';
import { MAX_MESSAGE, MAX_TEXT, flag, ownerField, prose, text } from './fields.js';

const config = Type.Object(
  {
    secretName: text('Name of the Secret.'),
    secretNamespace: text('Namespace of the Secret; management-system where it is left out.'),
    key: text('Key of the kubeconfig in the Secret; config where it is left out.'),
  },
  {
    description:
      'Where the kubeconfig of the cluster is: a Secret, which the writer of this must be allowed to get. The kubeconfig may hold an https server, its authority, and a client certificate or a token; nothing that runs a command, reads a file, uses a proxy or skips verification.',
  },
);

const latency = (description: string) =>
  Type.Optional(
    Type.Integer({
      description: `${description}, in milliseconds. It is written again when it differs by a factor of two.`,
      format: 'int64',
    }),
  );

/** A connected cluster, on which spaces and virtual clusters are. */
export const Cluster = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: false,
  subresources: [
    { name: 'status', verbs: ['get', 'patch', 'update'] },
    { name: 'join', verbs: ['create'], object: ClusterJoin },
  ],
  description: 'Cluster is a connected Kubernetes cluster, on which spaces and virtual clusters may be.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          displayName: text('Name shown in the UI.'),
          description: prose('Description of the cluster.'),
          owner: ownerField('cluster'),
          config: Type.Optional(config),
          local: flag('Whether it is the cluster that this server itself runs in.'),
          unusable: flag('If true, nothing new is put on the cluster.'),
          access: Type.Optional(accessRules('cluster', {})),
        },
        { description: 'Desired state of the cluster.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        {
          phase: Type.Optional(
            Type.String({
              description: 'Pending, Ready or Failed.',
              maxLength: MAX_TEXT,
              'x-known-values': ['Pending', 'Ready', 'Failed'],
            }),
          ),
          reason: text('Why the cluster is in this phase, in one word.'),
          message: text('Why the cluster is in this phase.', MAX_MESSAGE),
          online: flag('Whether the cluster answered when it was asked last.'),
          version: text('Version of Kubernetes, as the cluster told it last.'),
          latencyMilliseconds: latency('Time that the cluster took to answer; absent while it does not'),
          agent: Type.Optional(
            Type.Object(
              {
                version: text('Release of the agent; the oldest where there are several.'),
                latencyMilliseconds: latency('Round-trip time of the fastest tunnel'),
              },
              { description: 'The agents that have tunnels to the server; absent while there are none.' },
            ),
          ),
          conditions: Type.Optional(conditionsSchema),
        },
        { description: 'Observed state of the cluster.', default: {} },
      ),
    ),
  }),
});

export type Cluster = ObjectOf<typeof Cluster>;
