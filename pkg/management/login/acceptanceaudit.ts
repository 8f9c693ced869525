/** What the audit log says of the acceptance of an invitation. The code is not a part of it. */
import type { Request } from 'express';
import { exchangeOf } from '../../server/routes/routes.js';
import type { Acceptance } from './invited.js';

const ANNOTATION = 'management.svc.example/invitation-';

export function annotateAcceptance(
  request: Request,
  { invited: { link, invitedBy }, key }: Acceptance,
): void {
  const { audit } = exchangeOf(request);
  const said = { user: link.name, creator: invitedBy, uid: link.uid, key: key.name };
  for (const [name, value] of Object.entries(said)) audit?.annotated(ANNOTATION + name, value);
}
