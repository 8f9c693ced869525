import { useMemo } from 'react';
import { tableRows, type Row } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { PROJECT_SECRETS, SECRETS } from '../../client/secrets.js';
import { joined } from '../../live/joined.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';

/** The secrets that the user can see, shared and of projects. */
export function useSecretRows(): LiveState<Row> {
  const shared = useLive(pathOf(SECRETS), 'table', tableRows);
  const ofProjects = useLive(pathOf(PROJECT_SECRETS), 'table', tableRows);
  return useMemo(() => joined([shared, ofProjects]), [shared, ofProjects]);
}
