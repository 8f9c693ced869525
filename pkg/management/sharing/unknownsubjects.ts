/** UnknownSubjects: warns of users and teams that access rules and members newly name, and that do not exist. */
import { Team } from '../../../api/management.svc.example/v1/team.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { requestFor } from '../../apimachinery/attributes.js';
import { quote } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { Requester } from '../../registry/requester.js';
import { newSubjects, type Subject } from './accesssubjects.js';
import type { Settings } from '../settings.js';

const GROUP = 'management.svc.example';
const EVERYBODY = '*';
/** Users and service accounts of Kubernetes have no User. */
const OF_KUBERNETES = 'system:';
const MAX_WARNINGS = 10;

/** Whether there is a User or a Team of this name. */
export type IsSubject = (kind: Subject['kind'], name: string) => boolean;

/** Only those who may list users, or teams, are told whether one exists. Users of a host have no User. */
export function unknownSubjects(
  isSubject: IsSubject,
  authorizer: Pick<Authorizer, 'authorize'>,
  { rolesElsewhere }: Pick<Settings, 'rolesElsewhere'>,
): AdmissionPlugin {
  const isUnknown = ({ kind, name }: Subject): boolean =>
    name !== EVERYBODY && !name.startsWith(OF_KUBERNETES) && !isSubject(kind, name);
  const mayList = async (requester: Requester, definition: typeof User | typeof Team): Promise<boolean> =>
    (await authorizer.authorize(requester, requestFor('list', definition, {}))).allowed;
  return {
    name: 'UnknownSubjects',
    concerns: kindsOf(GROUP),
    async validate({ requester, subresource, warn }, object, previous) {
      if (warn === undefined || requester.internal || subresource !== '' || object === undefined) return;
      const unknown = newSubjects(object, previous).filter(isUnknown);
      const told = new Set<Subject['kind']>();
      for (const definition of rolesElsewhere === true ? [Team] : [User, Team])
        if (unknown.some(({ kind }) => kind === definition.kind) && (await mayList(requester, definition)))
          told.add(definition.kind);
      const texts = unknown.flatMap(({ kind, name, path }) =>
        told.has(kind) ? [`${path}: there is no ${kind} ${quote(name)}: check the name`] : [],
      );
      for (const text of texts.slice(0, MAX_WARNINGS)) warn(text);
      if (texts.length > MAX_WARNINGS)
        warn(`${texts.length - MAX_WARNINGS} more names are not those of users or teams`);
    },
  };
}
