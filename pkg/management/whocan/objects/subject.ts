/** The user or the team that is asked about. */
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { SubjectObjectsReview } from '../../../../api/management.svc.example/v1/subjectobjectsreview.js';
import { clusterScoped } from '../../../../api/resource.js';
import { requestFor } from '../../../apimachinery/attributes.js';
import { fieldForbidden, fieldRequired, forbidden, invalid, notFound } from '../../../apimachinery/errors.js';
import type { User as Requester } from '../../../apimachinery/user.js';
import { rulesIn } from '../../grouprules/ruleset.js';
import { teamGroup } from '../../people/identities/known.js';
import type { ManagementAnswerContext } from '../../services.js';
import type { Way } from '../../subjectlocator.js';
import { isAllowed } from '../sources.js';

/**
 * Who makes the requests of this user or team. Who may get the object may read there what they are members of. Throws
 * StatusError: 422; 403, which does not say whether there is such an object; 404.
 */
export async function subjectOf(
  { user = '', team = '' }: SubjectObjectsReview['spec'],
  context: ManagementAnswerContext,
): Promise<Requester> {
  if (user !== '' && team !== '')
    throw invalid(SubjectObjectsReview, '', [
      fieldForbidden('spec.team', 'may not be set together with spec.user'),
    ]);
  const [definition, name] = user === '' ? ([Team, team] as const) : ([User, user] as const);
  if (name === '')
    throw invalid(SubjectObjectsReview, '', [fieldRequired('spec.user', 'set a user or a team')]);
  const { services } = context;
  if (!(await isAllowed(context, requestFor('get', definition, { name }))))
    throw forbidden(definition, name, 'you may not get it, so you may not ask what it can do');
  if (services.objects.known(definition, clusterScoped(name)) === undefined) throw notFound(definition, name);
  return services.person(user === '' ? 'Team' : 'User', name);
}

/** Whether a way leads from them, or from a group that they are in. */
export function leadsFrom({ name, groups }: Requester, { steps: [first] }: Way): boolean {
  switch (first?.kind) {
    case 'User':
      return first.name === name;
    case 'TeamKey':
      return teamGroup(first.name) === name;
    case 'Team':
      return groups.includes(teamGroup(first.name));
    case 'Group':
      return groups.includes(first.name);
    case 'GroupRule':
      return rulesIn(groups).includes(first.name);
    default:
      return false;
  }
}
