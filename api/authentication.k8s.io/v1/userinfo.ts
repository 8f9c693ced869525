import { Type } from '../../type.js';

export const userInfoSchema = Type.Object(
  {
    extra: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Array(Type.String({ description: 'A value.' }), { description: 'The values of one key.' }),
        {
          description: 'extra is any additional information provided by the authenticator.',
        },
      ),
    ),
    groups: Type.Optional(
      Type.Array(Type.String({ description: 'A group.' }), {
        description: 'groups is the names of groups this user is a part of.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    uid: Type.Optional(
      Type.String({
        description:
          'uid is a unique value that identifies this user across time. If this user is deleted and another user by the same name is added, they will have different UIDs.',
      }),
    ),
    username: Type.Optional(
      Type.String({
        description: 'username is the name that uniquely identifies this user among all active users.',
      }),
    ),
  },
  {
    description: 'UserInfo holds the information about the user needed to implement the user.Info interface.',
    'x-protobuf': { username: 1, uid: 2, groups: 3, extra: 4 },
    'x-component': 'io.k8s.api.authentication.v1.UserInfo',
  },
);
