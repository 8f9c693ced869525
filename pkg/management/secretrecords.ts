import { SecretRecords } from '../storage/encryption/selection.js';

/**
 * The kinds with members that hold secrets (`x-sensitive`, `writeOnly`). `pkg/management/kinds.test.ts` verifies that the
 * list is complete.
 */
export const SECRET_RECORDS = new SecretRecords([
  'registry/core/secrets/',
  'registry/management.svc.example/directclusterendpointtokens/',
  'registry/management.svc.example/invitations/',
  'registry/management.svc.example/ownedaccesskeys/',
  'registry/management.svc.example/projectsecrets/',
  'registry/management.svc.example/sharedsecrets/',
]);
