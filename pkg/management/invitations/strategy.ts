import type { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../../registry/object/columns.js';
import type { Strategy } from '../../registry/strategy.js';
import { expiresColumn, textColumn } from '../columns.js';

/** Records of invitations: their links are in no table. */
export const invitationStrategy: Strategy<Invitation> = {
  generation: false,
  columns: [
    textColumn<Invitation>(
      'Invited By',
      'The creator of the invitation, whose right it depends on.',
      ({ status }) => status?.invitedBy?.user ?? '',
    ),
    textColumn<Invitation>('Access Key', 'Whether the person may choose a first access key.', ({ spec }) =>
      String(spec?.accessKeyTTL !== undefined),
    ),
    expiresColumn<Invitation>('When the link expires.', ({ status }) => status?.expirationTimestamp),
    ageColumn(humanAge),
  ],
};
