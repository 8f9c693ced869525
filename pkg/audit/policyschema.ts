/** The members of the file of `--audit-policy-file`, for its parser and for the reference of the docs. */
import type { JsonSchema } from '../apimachinery/schema/jsonschema.js';
import { LEVELS, STAGES } from './event.js';

const texts = (description: string): JsonSchema => ({
  type: 'array',
  items: { type: 'string' },
  description,
});
const stages = (description: string): JsonSchema => ({
  type: 'array',
  items: { type: 'string', enum: STAGES },
  description,
});

export const RESOURCES_SCHEMA = {
  type: 'object',
  properties: {
    group: { type: 'string', default: '', description: 'API group. Empty: the core group.' },
    resources: texts(
      'Resources: a plural such as secrets, a subresource such as pods/log, all subresources such as pods/*, one subresource of every resource such as */scale, or * for all. Not set: all resources of the group.',
    ),
    resourceNames: texts('Names of objects. Not set: all objects.'),
  },
} as const satisfies JsonSchema;

export const RULE_SCHEMA = {
  type: 'object',
  required: ['level'],
  properties: {
    level: {
      type: 'string',
      enum: LEVELS,
      description:
        'What is recorded. None: nothing. Metadata: who did what to which object, and the outcome. Request: also the request body. RequestResponse: also the response body.',
    },
    users: texts('Users. Not set: any.'),
    userGroups: texts('Groups, of which the user is in one at least. Not set: any.'),
    verbs: texts('Verbs, such as get, list, create or delete. Not set: any.'),
    resources: {
      type: 'array',
      items: RESOURCES_SCHEMA,
      description: 'Resources. Not set: any. Not together with nonResourceURLs.',
    },
    namespaces: texts('Namespaces; an empty text stands for cluster-scoped objects. Not set: any.'),
    nonResourceURLs: texts(
      'Paths that are no resources, such as /metrics. A * at the end matches any suffix.',
    ),
    omitStages: stages('Stages that are not recorded, besides those of the policy.'),
    omitManagedFields: {
      type: 'boolean',
      description: 'Leave managedFields out of recorded bodies. Not set: as the policy says.',
    },
  },
} as const satisfies JsonSchema;

export const POLICY_SCHEMA = {
  type: 'object',
  required: ['apiVersion', 'kind', 'rules'],
  properties: {
    apiVersion: { type: 'string', enum: ['audit.k8s.io/v1'], description: 'Version of the format.' },
    kind: { type: 'string', enum: ['Policy'], description: 'Kind of the file.' },
    metadata: { type: 'object', description: 'Ignored, as by kube-apiserver.' },
    omitStages: stages('Stages that are not recorded, whatever the rule.'),
    omitManagedFields: {
      type: 'boolean',
      default: false,
      description: 'Leave managedFields out of recorded bodies.',
    },
    rules: {
      type: 'array',
      items: RULE_SCHEMA,
      description:
        'The first rule that matches a request decides. A request that no rule matches is not recorded.',
    },
  },
} as const satisfies JsonSchema;
