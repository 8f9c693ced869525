/** Invitations: for whoever manages users, and for the person who opens a link. */
import { fetchWith } from '../../../api/client/browser.js';
import { exchange } from '../../../api/client/transport.js';
import type { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import type { ObjectMeta } from '../../../api/resource.js';
import { objects, type Form } from './forms.js';
import { createObject, deleteObject } from './one.js';
import { ApiError, errorOf, isOk, jsonOf, offline } from './status.js';

export const INVITATIONS = 'invitations';

export interface InvitationView {
  readonly metadata: ObjectMeta;
  readonly invitedBy: string;
  /** In ms since 1970; NaN: not known. */
  readonly expires: number;
  readonly byAccessKey: boolean;
}

export const invitationForm = (): Form<InvitationView> =>
  objects(({ metadata, spec = {}, status = {} }: Invitation) => ({
    metadata,
    invitedBy: status.invitedBy?.user ?? '',
    expires: Date.parse(status.expirationTimestamp ?? ''),
    byAccessKey: spec.accessKeyTTL !== undefined,
  }));

/** Creates an invitation, in place of the one before only if it is accepted; returns its link. Rejects with ApiError. */
export async function createInvitation(
  name: string,
  spec: NonNullable<Invitation['spec']>,
  before: InvitationView | undefined,
): Promise<string> {
  const create = (): Promise<Invitation> =>
    createObject(INVITATIONS, '', { kind: 'Invitation', metadata: { name }, spec });
  const made = await create().catch(async (error: unknown) => {
    const isOpen = error instanceof ApiError && error.reason === 'AlreadyExists';
    if (!isOpen || before === undefined) throw error;
    await deleteObject(INVITATIONS, before.metadata);
    return create();
  });
  return new URL(made.status?.link ?? '', window.location.origin).href;
}

/** What an invitation is, for whoever has its link. */
export interface Invited {
  readonly user: string;
  readonly displayName?: string;
  readonly invitedBy: string;
  /** RFC 3339. */
  readonly expires: string;
  readonly byLogin: boolean;
  readonly byAccessKey: boolean;
}

const ACCEPT = '/console/session/invitation';

async function ask<T>(body: object): Promise<T> {
  const here = { server: '', fetch: fetchWith({ credentials: 'same-origin' }) };
  const asked = exchange(here, { method: 'POST', path: ACCEPT, body });
  const response = await asked.catch(() => Promise.reject(offline()));
  const answer = await jsonOf(response);
  if (!isOk(response) || answer === undefined) throw errorOf(response.status, answer);
  // An endpoint of the console itself, of the same version.
  return answer as T;
}

/** Changes nothing. Rejects with ApiError. */
export const readInvitation = (invitation: string): Promise<Invited> => ask({ invitation });

/** The address of the identity provider, where the login begins. Rejects with ApiError. */
export const beginLogin = async (invitation: string): Promise<string> =>
  (await ask<{ readonly location: string }>({ invitation, accept: 'login' })).location;

/** The first access key, once. Rejects with ApiError. */
export const takeAccessKey = async (invitation: string): Promise<string> =>
  (await ask<{ readonly accessKey: string }>({ invitation, accept: 'accessKey' })).accessKey;
