import type { Row } from '../../client/forms.js';
import { PROJECT_SECRETS, SECRETS } from '../../client/secrets.js';
import type { LiveState } from '../../live/livelist.js';
import { useRowsOf } from '../../ui/lists/userowsof.js';

const RESOURCES = [SECRETS, PROJECT_SECRETS];

/** The secrets that the user can see, shared and of projects. */
export const useSecretRows = (): LiveState<Row> => useRowsOf(RESOURCES);
