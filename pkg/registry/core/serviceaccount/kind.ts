import { ServiceAccount } from '../../../../api/core/v1/serviceaccount.js';
import type { StoredKind } from '../../registry.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../object/columns.js';

/** ServiceAccounts. As in Kubernetes, DELETE returns the account itself. */
export const kind: StoredKind<typeof ServiceAccount> = {
  definition: ServiceAccount,
  strategy: {
    generation: false,
    columns: [ageColumn(humanAge)],
    returnsDeleted: true,
    prepareForCreate: nameSecretsOnly,
    prepareForUpdate: nameSecretsOnly,
  },
};

/** As in Kubernetes, secrets are of the account's namespace, so only their names are kept. */
function nameSecretsOnly(account: ServiceAccount): void {
  const secrets = account.secrets;
  if (secrets !== undefined)
    account.secrets = secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
