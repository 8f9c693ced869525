import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { flag, MAX_TEXT, text } from './fields.js';
import { limits, way } from './resourceaccessreview.js';

/** Objects that an answer has at most, and without `spec.limit`. */
const MAX_OBJECTS = 500;
const USUAL_OBJECTS = 100;
/** Of one object. */
export const MAX_WAYS_OF_OBJECT = 10;

const name = (description: string) => Type.String({ description, maxLength: MAX_TEXT });

const asked = Type.Object(
  {
    user: text('User who is asked about. Set this or the team.'),
    team: text('Team that is asked about: its members and its own keys.'),
    verb: Type.Optional(
      Type.String({
        description: 'What is done with the objects: get, update, delete, use, …',
        default: 'get',
        minLength: 1,
        maxLength: MAX_TEXT,
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        description: 'Maximum number of objects in the answer.',
        default: USUAL_OBJECTS,
        minimum: 1,
        maximum: MAX_OBJECTS,
      }),
    ),
    continue: text('The status.continue of the answer before: go on where it ended.'),
  },
  { description: 'Who is asked about, and what they do.' },
);

const found = Type.Object(
  {
    resource: name('Resource of the object, in the plural: sharedsecrets.'),
    namespace: text('Namespace of the object.'),
    name: name('Name of the object.'),
    ways: Type.Array(way, {
      description: `By what: the first ${MAX_WAYS_OF_OBJECT} ways.`,
      maxItems: MAX_WAYS_OF_OBJECT,
    }),
    truncated: flag('Set if there are more ways.'),
  },
  { description: 'An object.' },
);

/** With which objects can a user or a team do this, and by what? */
export const SubjectObjectsReview = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'SubjectObjectsReview',
  plural: 'subjectobjectsreviews',
  namespaced: false,
  verbs: ['create'],
  description:
    'SubjectObjectsReview tells with which projects, secrets, instances, clusters and access keys a user or a team can do something, and by what, as far as the caller may read it. The caller must be allowed to get the user or the team. It is answered and not kept.',
  schema: Type.Object({
    spec: asked,
    status: Type.Optional(
      Type.Object(
        {
          objects: Type.Optional(
            Type.Array(found, {
              description: 'Objects that the caller may get, by resource, namespace and name.',
              maxItems: MAX_OBJECTS,
            }),
          ),
          continue: text('Set if there may be more, even if this answer has none: send it as spec.continue.'),
          ...limits,
        },
        { description: 'The answer.' },
      ),
    ),
  }),
});

export type SubjectObjectsReview = ObjectOf<typeof SubjectObjectsReview>;
