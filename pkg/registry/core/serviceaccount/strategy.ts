import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../columns.js';
import type { Strategy } from '../../strategy.js';

/** ServiceAccounts: identities for programs. A DELETE answers the account itself, as in Kubernetes. */
export const serviceAccountStrategy: Strategy = {
  generation: false,
  columns: [ageColumn(humanAge)],
  returnsDeleted: true,
};
