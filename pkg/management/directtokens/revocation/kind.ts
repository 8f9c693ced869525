import { DirectClusterEndpointTokenRevocation } from '../../../../api/management.svc.example/v1/directclusterendpointtokenrevocation.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../../registry/object/columns.js';
import type { StoredKind } from '../../../registry/registry.js';
import { textColumn } from '../../columns.js';

type Revocation = DirectClusterEndpointTokenRevocation;

/** Revocations, which only the server writes, with the deletion of a token's record. */
export const kind: StoredKind<typeof DirectClusterEndpointTokenRevocation> = {
  definition: DirectClusterEndpointTokenRevocation,
  strategy: {
    generation: false,
    decidesAccess: true,
    // The name is the ID of the token: agents need nothing else to reject it.
    listsUnreadable: true,
    columns: [
      textColumn<Revocation>(
        'Cluster',
        'The Cluster that the token was for.',
        ({ spec }) => spec?.cluster ?? '<any>',
      ),
      textColumn<Revocation>(
        'Expires At',
        'When the token expires.',
        ({ spec }) => spec?.expirationTimestamp ?? '',
      ),
      ageColumn(humanAge),
    ],
  },
};
