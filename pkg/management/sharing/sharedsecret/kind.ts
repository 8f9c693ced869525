import { SharedSecret } from '../../../../api/management.svc.example/v1/sharedsecret.js';
import type { StoredKind } from '../../../registry/registry.js';
import type { Strategy } from '../../../registry/strategy.js';
import { withAccess } from '../withaccess.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../../registry/object/columns.js';
import { validateRuleCount } from '../accesslimit.js';
import { descriptionColumn, displayNameColumn } from '../../columns.js';
import { giveOwner, keepOwner, ownerColumn } from '../owner.js';
import { keysColumn, secretData, validateSecretData } from '../secretdata.js';

/** Shared secrets are owned by their creator by default; values are base64 and never appear in tables and errors. */
const strategy: Strategy<SharedSecret> = {
  generation: true,
  columns: [displayNameColumn, keysColumn, ownerColumn('secret'), ageColumn(humanAge), descriptionColumn],
  prepareForCreate(object, { requester }) {
    object.status = {};
    giveOwner(object, requester.name);
  },
  prepareForUpdate: keepOwner,
  validate: (object) => [
    ...validateSecretData(secretData(object)),
    ...validateRuleCount('spec.access', object.spec?.access),
  ],
};

export const kind: StoredKind<typeof SharedSecret> = {
  definition: SharedSecret,
  strategy: withAccess(SharedSecret, strategy),
};
