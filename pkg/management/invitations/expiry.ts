import { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import { asKind } from '../../../api/resource.js';
import type { Expiry } from '../../controllers/reaper/expiry.js';

/** Records of invitations are removed when their links expire. */
export const INVITATION_EXPIRY: Expiry = {
  kind: Invitation,
  moves: false,
  endOf(_metadata, object) {
    const end = Date.parse(asKind(Invitation, object()).status?.expirationTimestamp ?? '');
    return Number.isNaN(end) ? undefined : end;
  },
};
