import type { ServiceAccount } from '../../../../api/core/v1/serviceaccount.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../object/columns.js';
import type { Strategy } from '../../strategy.js';

/** ServiceAccounts: identities for programs. A DELETE answers the account itself, as in Kubernetes. */
export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  generation: false,
  columns: [ageColumn(humanAge)],
  returnsDeleted: true,
  prepareForCreate: nameSecretsOnly,
  prepareForUpdate: nameSecretsOnly,
};

/** Secrets are of the account's own namespace: all but their names goes, as in Kubernetes. */
function nameSecretsOnly(account: ServiceAccount): void {
  const secrets = account.secrets;
  if (secrets !== undefined)
    account.secrets = secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
