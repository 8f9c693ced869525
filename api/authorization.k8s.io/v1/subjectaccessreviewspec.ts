import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { nonResourceAttributesSchema } from './nonresourceattributes.js';
import { resourceAttributesSchema } from './resourceattributes.js';

export const subjectAccessReviewSpecSchema = Type.Object(
  {
    extra: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Array(Type.String({ description: 'A value.' }), { description: 'The values of one key.' }),
        {
          description:
            'extra corresponds to the user.Info.GetExtra() method from the authenticator. Since that is input to the authorizer it needs a reflection here.',
        },
      ),
    ),
    groups: Type.Optional(
      Type.Array(Type.String({ description: 'A group.' }), {
        description: "groups is the groups you're testing for.",
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    nonResourceAttributes: Type.Optional(
      component(nonResourceAttributesSchema, {
        description: 'nonResourceAttributes describes information for a non-resource access request',
      }),
    ),
    resourceAttributes: Type.Optional(
      component(resourceAttributesSchema, {
        description: 'resourceAttributes describes information for a resource access request',
      }),
    ),
    uid: Type.Optional(Type.String({ description: 'uid information about the requesting user.' })),
    user: Type.Optional(
      Type.String({
        description:
          'user is the user you\'re testing for. If you specify "User" but not "Groups", then is it interpreted as "What if User were not a member of any groups',
      }),
    ),
  },
  {
    description:
      'SubjectAccessReviewSpec is a description of the access request. Exactly one of resourceAttributes and nonResourceAttributes must be set',
    'x-protobuf': { resourceAttributes: 1, nonResourceAttributes: 2, user: 3, groups: 4, extra: 5, uid: 6 },
    'x-component': 'io.k8s.api.authorization.v1.SubjectAccessReviewSpec',
  },
);
