/** `/console/session/invitation`: what an invitation is, and its acceptance by a login or by a first access key. */
import type { Express } from 'express';
import { badRequest, failure, methodNotAllowed } from '../../apimachinery/errors.js';
import { annotateAcceptance } from '../login/acceptanceaudit.js';
import { createFirstKey } from '../invitations/firstkey.js';
import { INVITATION_OVER, type OpenInvitations } from '../login/invited.js';
import type { LoginFlow } from '../login/flow.js';
import { LoginFailure } from '../login/interface.js';
import { keepAttempt } from '../login/routes.js';
import { checkSite, membersIn, sendJson } from './sessionrequest.js';
import { CONSOLE_INVITATION } from './paths.js';

export interface InvitationRoutes {
  readonly invitations: OpenInvitations;
  readonly keys: Parameters<typeof createFirstKey>[1];
  /** Undefined: there is no identity provider. */
  readonly flow: Pick<LoginFlow, 'begin'> | undefined;
}

/**
 * POST `{invitation}` answers as whom it invites and changes nothing; with `accept: "login"` it answers where the login
 * begins, and with `accept: "accessKey"` the key, once.
 */
export function routeInvitations(app: Express, { invitations, keys, flow }: InvitationRoutes): void {
  app.post(CONSOLE_INVITATION, async (request, response) => {
    checkSite(request);
    const { invitation: code, accept } = await membersIn(request);
    if (typeof code !== 'string' || code === '') throw badRequest('invitation: must be the code of the link');
    if (accept === 'accessKey') {
      const accepted = await createFirstKey(invitations, keys, code);
      annotateAcceptance(request, accepted);
      const { key, name, user, expiresInSeconds } = accepted.key;
      return sendJson(response, 201, { accessKey: key, name, user, expiresInSeconds });
    }
    const invited = await invitations.open(code);
    if (invited === undefined) throw failure('Unauthorized', INVITATION_OVER);
    const { user, invitedBy, expires, keySeconds } = invited;
    if (accept === 'login') {
      if (flow === undefined) throw badRequest('accept: the server has no identity provider');
      const { location, cookie } = await flow.begin({ invitation: { code, invitedBy } }).catch(refuse);
      response.setHeader('Set-Cookie', keepAttempt(cookie));
      return sendJson(response, 200, { location });
    }
    if (accept !== undefined) throw badRequest('accept: must be login or accessKey');
    const { displayName, subject = '' } = user.spec ?? {};
    sendJson(response, 200, {
      user: user.metadata.name,
      displayName,
      invitedBy,
      expires: new Date(expires).toISOString(),
      byLogin: flow !== undefined && subject === '',
      byAccessKey: keySeconds !== undefined,
    });
  });
  app.all(CONSOLE_INVITATION, () => {
    throw methodNotAllowed();
  });
}

/** Throws StatusError 503 where the provider cannot be reached. */
function refuse(error: unknown): never {
  throw error instanceof LoginFailure ? failure('ServiceUnavailable', error.message) : error;
}
