/** What a space and a virtual cluster have in common. */
import { Type } from '../type.js';
import { conditionsSchema } from '../meta/v1/condition.js';
import { freeForm } from '../meta/v1/schema.js';
import { accessRules } from './v1/accessrule.js';
import {
  MAX_DOCUMENT,
  MAX_ITEMS,
  MAX_MESSAGE,
  MAX_TEXT,
  names,
  ownerField,
  prose,
  text,
} from './v1/fields.js';

const templateRef = Type.Object(
  { name: text('Name of the template.'), version: text('Version of the template.') },
  { description: 'Template of the instance. It is kept and not interpreted.' },
);

const extraAccessRule = Type.Object(
  {
    clusterRole: text('ClusterRole that its writer must be allowed to bind.'),
    users: names('Name of a user.', 'Users who have the ClusterRole; * stands for everyone authenticated.'),
    teams: names('Name of a team.', 'Teams that have the ClusterRole; * stands for all teams.'),
  },
  { description: 'Who has which ClusterRole for the instance.' },
);

/** `clusterRef.cluster` and `.namespace`. `noun`: what the instance is called: `space`. */
export const clusterRefFields = (noun: string) => ({
  cluster: text(`Name of the connected cluster that the ${noun} is on. Once set it does not change.`),
  namespace: text(
    `Namespace in that cluster. The server chooses it; naming one takes the right to import from the cluster. Once set it does not change.`,
  ),
});

/** Members of `spec` but clusterRef. */
export const instanceFields = (noun: string) => ({
  displayName: text('Name shown in the UI.'),
  description: prose(`Description of the ${noun}.`),
  owner: ownerField(noun),
  templateRef: Type.Optional(templateRef),
  template: Type.Optional(
    freeForm({
      description: `Template of the ${noun}, instead of templateRef. It is kept and not interpreted.`,
      'x-max-bytes': MAX_DOCUMENT,
    }),
  ),
  parameters: text('Parameters of the template, in YAML. They are kept and not interpreted.', MAX_DOCUMENT),
  extraAccessRules: Type.Optional(
    Type.Array(extraAccessRule, {
      description: `Further rights for users and teams, at most 12 rules.`,
      maxItems: MAX_ITEMS,
      'x-kubernetes-list-type': 'atomic',
    }),
  ),
  access: Type.Optional(accessRules(noun, {})),
});

const PHASES = ['Pending', 'Ready', 'Failed', 'Terminating'] as const;

/** Members of `status`. */
export const instanceStatusFields = (noun: string) => ({
  phase: Type.Optional(
    Type.String({
      description: 'Pending, Ready, Failed or Terminating.',
      maxLength: MAX_TEXT,
      'x-known-values': [...PHASES],
    }),
  ),
  reason: text(
    `Why the ${noun} is in this phase, in one word: NoProvisioner while nothing creates it, and the message says what to do; ClusterUnreachable while the cluster does not answer.`,
  ),
  message: text(`Why the ${noun} is in this phase.`, MAX_MESSAGE),
  conditions: Type.Optional(conditionsSchema),
});
