import { Type } from '../../type.js';
import { component, microTime } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';

const leaseSpecSchema = Type.Object(
  {
    acquireTime: Type.Optional(
      microTime({ description: 'acquireTime is a time when the current lease was acquired.' }),
    ),
    holderIdentity: Type.Optional(
      Type.String({
        description:
          'holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.',
        'x-keep-empty': true,
      }),
    ),
    leaseDurationSeconds: Type.Optional(
      Type.Integer({
        description:
          'leaseDurationSeconds is a duration that candidates for a lease need to wait to force acquire it. This is measured against the time of last observed renewTime.',
        'x-keep-empty': true,
        format: 'int32',
      }),
    ),
    leaseTransitions: Type.Optional(
      Type.Integer({
        description: 'leaseTransitions is the number of transitions of a lease between holders.',
        'x-keep-empty': true,
        format: 'int32',
      }),
    ),
    preferredHolder: Type.Optional(
      Type.String({
        description:
          'PreferredHolder signals to a lease holder that the lease has a more optimal holder and should be given up. This field can only be set if Strategy is also set.',
        'x-keep-empty': true,
      }),
    ),
    renewTime: Type.Optional(
      microTime({
        description: 'renewTime is a time when the current holder of a lease has last updated the lease.',
      }),
    ),
    strategy: Type.Optional(
      Type.String({
        description:
          'Strategy indicates the strategy for picking the leader for coordinated leader election. If the field is not specified, there is no active coordination for this lease. (Alpha) Using this field requires the CoordinatedLeaderElection feature gate to be enabled.',
        'x-keep-empty': true,
      }),
    ),
  },
  {
    description: 'LeaseSpec is a specification of a Lease.',
    'x-protobuf': {
      holderIdentity: 1,
      leaseDurationSeconds: 2,
      acquireTime: 3,
      renewTime: 4,
      leaseTransitions: 5,
      strategy: 6,
      preferredHolder: 7,
    },
    'x-component': 'io.k8s.api.coordination.v1.LeaseSpec',
  },
);

export const Lease = defineResource({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  createOnUpdate: true,
  builtIn: true,
  description: 'Lease defines a lease concept.',
  schema: Type.Object(
    {
      spec: Type.Optional(
        component(leaseSpecSchema, {
          description:
            'spec contains the specification of the Lease. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status',
          default: {},
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, spec: 2 } },
  ),
});

export type Lease = ObjectOf<typeof Lease>;
