import { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { apiVersionOf, clusterScoped, type KubeObject } from '../../../api/resource.js';
import {
  fieldInvalid,
  fieldRequired,
  forbidden,
  invalid,
  notFound,
  quote,
  userCannot,
  type FieldError,
} from '../../apimachinery/errors.js';
import { timestamp } from '../../registry/object/metadata.js';
import type { StoredKind } from '../../registry/registry.js';
import { scopeOf } from '../accesskeys/scope/interface.js';
import type { ManagementAnswerContext, ManagementServices } from '../services.js';
import type { Holder } from '../standingrights/standing.js';
import { creatorOf, neededRights } from './creator.js';
import { invitationStrategy } from './strategy.js';

const DAY_SECONDS = 86_400;
const LEAST_SECONDS = 300;
const MAX_SECONDS = 7 * DAY_SECONDS;
const DEFAULT_SECONDS = 2 * DAY_SECONDS;
const MAX_KEY_SECONDS = 365 * DAY_SECONDS;
const DEFAULT_KEY_SECONDS = 30 * DAY_SECONDS;

type Spec = NonNullable<Invitation['spec']>;

/** Creates the record of an invitation, and returns its link. A dry run does neither. */
export const kind: StoredKind<typeof Invitation, ManagementServices> = {
  definition: Invitation,
  strategy: invitationStrategy,
  async answerCreate(request, context) {
    const { services, write } = context;
    const { invitations, objects } = services;
    const { name = '' } = request.metadata;
    if (invitations === undefined)
      throw forbidden(
        Invitation,
        name,
        'the server has no console, to which the link of an invitation leads',
      );
    const spec = specOf(request, invitations.hasProvider);
    const user = await userOf(name, context);
    await checkRights(name, spec, context);
    if (spec.accessKeyTTL === undefined && (user.spec?.subject ?? '') !== '')
      throw forbidden(Invitation, name, `the user has a login already: ${quote(user.spec?.subject ?? '')}`);
    const expires = Date.now() + (spec.ttl ?? DEFAULT_SECONDS) * 1000;
    const record = recordOf(user, spec, expires, invitations.creator(context.user));
    await objects.create(Invitation, '', record, write);
    if (write.dryRun) return { ...request, spec };
    const made = await objects.live(Invitation, clusterScoped(name));
    if (made === undefined) throw notFound(Invitation, name);
    const link = invitations.link({ name, uid: made.metadata.uid ?? '' }, expires - Date.now());
    return { ...made, status: { ...made.status, link } };
  },
};

/** The spec with its defaults. Throws StatusError 422. */
function specOf({ metadata, spec = {} }: Invitation, hasProvider: boolean): Spec {
  const { name = '' } = metadata;
  const { ttl = DEFAULT_SECONDS } = spec;
  const accessKeyTTL = spec.accessKeyTTL ?? (hasProvider ? undefined : DEFAULT_KEY_SECONDS);
  const errors = [
    ...(name === '' ? [fieldRequired('metadata.name', 'must be the name of the user')] : []),
    ...within('spec.ttl', ttl, MAX_SECONDS),
    ...(accessKeyTTL === undefined ? [] : within('spec.accessKeyTTL', accessKeyTTL, MAX_KEY_SECONDS)),
  ];
  if (errors.length > 0) throw invalid(Invitation, name, errors);
  return { ttl, ...(accessKeyTTL !== undefined && { accessKeyTTL }) };
}

function within(path: string, seconds: number, most: number): FieldError[] {
  if (seconds >= LEAST_SECONDS && seconds <= most) return [];
  return [fieldInvalid(path, seconds, `must be between ${LEAST_SECONDS} and ${most}, inclusive`)];
}

/** The User who is invited. Throws StatusError 404, and 403 for one who may not log in. */
async function userOf(name: string, { services }: ManagementAnswerContext): Promise<User> {
  const user = await services.objects.live(User, clusterScoped(name));
  if (user === undefined) throw notFound(User, name);
  if (user.spec?.disabled === true || user.metadata.deletionTimestamp !== undefined)
    throw forbidden(Invitation, name, 'the user is disabled or is being deleted');
  return user;
}

/** Throws StatusError 403. */
async function checkRights(
  name: string,
  { accessKeyTTL }: Spec,
  { user, services }: ManagementAnswerContext,
): Promise<void> {
  if (scopeOf(user) !== undefined)
    throw forbidden(Invitation, name, 'an access key with a scope cannot invite: a login has no scope');
  for (const right of neededRights(name, accessKeyTTL !== undefined)) {
    if ((await services.authorize(user, right)).allowed) continue;
    throw forbidden(Invitation, name, userCannot(user.name, right));
  }
}

function recordOf({ metadata }: User, spec: Spec, expires: number, creator: Holder): KubeObject {
  const { name = '', uid = '' } = metadata;
  return {
    kind: Invitation.kind,
    apiVersion: apiVersionOf(Invitation),
    metadata: { name, ownerReferences: [{ apiVersion: apiVersionOf(User), kind: User.kind, name, uid }] },
    spec: { ...spec },
    status: { expirationTimestamp: timestamp(expires), invitedBy: creatorOf(creator) },
  };
}
