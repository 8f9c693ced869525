/**
 * ProjectKeys: who may manage the members of a project may make and change its keys, with roles that they may give to
 * members, until the project's `spec.maxKeyDays`.
 */
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import { asKind, type OwnerReference } from '../../../../api/resource.js';
import { kindsOf, type AdmissionPlugin } from '../../../admission/chain.js';
import { fieldInvalid, forbidden, invalid, quote } from '../../../apimachinery/errors.js';
import type { AdmissionAttributes } from '../../../registry/admission.js';
import type { Identities } from '../../people/identities/interface.js';
import type { DemandRole } from '../../projects/grantedroles.js';
import { grantsAnew } from '../grantedidentities/neededrights.js';
import { MADE_BY_ANNOTATION } from '../names.js';
import { preserveOwner } from '../owner.js';
import { API_VERSION, isProjectOf, referenceTo } from './identity.js';
import { maxKeyDays, maxKeySeconds } from '../../projects/keydays.js';

const GROUP = 'management.svc.example';

export interface ProjectKeyParts {
  readonly findProject: (name: string) => Project | undefined;
  readonly identities: Pick<Identities, 'user'>;
  readonly demandRole: DemandRole;
}

/** `GrantedIdentities` demands the right to update the Project. */
export function projectKeys(parts: ProjectKeyParts): AdmissionPlugin {
  return {
    name: 'ProjectKeys',
    concerns: kindsOf(GROUP, 'OwnedAccessKey'),
    async mutate(attributes, object, previous) {
      if (attributes.subresource !== '') return;
      const [key, before] = [asKind(OwnedAccessKey, object), asKind(OwnedAccessKey, previous)];
      const { project: name = '' } = preserveOwner(key.spec, before?.spec);
      if (name === '') return;
      const project = parts.findProject(name);
      if (before === undefined && project !== undefined) setEnd(attributes, key, project);
      const maker = before?.metadata.annotations?.[MADE_BY_ANNOTATION] ?? attributes.requester.name;
      key.metadata.annotations = { ...key.metadata.annotations, [MADE_BY_ANNOTATION]: maker };
      const own = before === undefined ? newOwners(parts, key, project, maker) : ownersOf(before);
      const others = key.metadata.ownerReferences?.filter((one) => !isOurs(one)) ?? [];
      key.metadata.ownerReferences = [...others, ...own];
    },
    async validate(attributes, object, previous) {
      if (attributes.subresource !== '' || object === undefined) return;
      const [key, before] = [asKind(OwnedAccessKey, object), asKind(OwnedAccessKey, previous)];
      const { project: name = '' } = key.spec ?? {};
      if (name === '' || !grantsAnew(key.spec, before?.spec, attributes.changesWriteOnlyFields)) return;
      const project = standingProject(attributes, key, parts.findProject(name));
      checkEnd(attributes, key, before, project);
      if (before === undefined && key.spec?.endsWithMaker === true) checkMaker(attributes, key);
      const { definition, name: called, requester } = attributes;
      const role = key.spec?.clusterRole ?? '';
      await parts.demandRole({ definition, name: called, requester }, project, role);
      return;
    },
  };
}

type Refused = Pick<AdmissionAttributes, 'definition' | 'name'>;

const isOurs = ({ apiVersion, kind }: OwnerReference): boolean =>
  apiVersion === API_VERSION && (kind === 'Project' || kind === 'User');

/** A key stays one of the project in which it was made, even if there is another of that name. */
const ownersOf = (key: OwnedAccessKey): OwnerReference[] =>
  [referenceTo('Project', key), referenceTo('User', key)].filter((one) => one !== undefined);

function newOwners(
  { identities }: ProjectKeyParts,
  { spec }: OwnedAccessKey,
  project: Project | undefined,
  maker: string,
): OwnerReference[] {
  const user = spec?.endsWithMaker === true ? identities.user(maker) : undefined;
  const { name = '', uid = '' } = project?.metadata ?? {};
  return [
    ...(project === undefined ? [] : [{ apiVersion: API_VERSION, kind: 'Project', name, uid }]),
    ...(user === undefined ? [] : [{ apiVersion: API_VERSION, kind: 'User', name: maker, uid: user.uid }]),
  ];
}

/** Without a time to live, a key lives as long as it may. */
function setEnd({ warn }: AdmissionAttributes, key: OwnedAccessKey, project: Project): void {
  const ttl = maxKeySeconds(project);
  if (key.spec?.ttl !== undefined || ttl === 0) return;
  key.spec = { ...key.spec, ttl };
  warn?.(`spec.ttl: set to ${ttl}: ${ruleOf(project)}`);
}

const ruleOf = (project: Project): string =>
  `keys of project ${quote(project.metadata.name ?? '')} live at most ${maxKeyDays(project)} days (its spec.maxKeyDays)`;

/** Throws StatusError 422 if there is none, 403 for a key of an earlier project of that name. */
function standingProject(
  { definition, name }: Refused,
  key: OwnedAccessKey,
  project: Project | undefined,
): Project {
  const { project: called = '' } = key.spec ?? {};
  if (project === undefined || project.metadata.deletionTimestamp !== undefined)
    throw invalid(definition, name, [fieldInvalid('spec.project', called, 'there is no such project')]);
  if (isProjectOf(key, project)) return project;
  throw forbidden(definition, name, `the key ended with an earlier project ${quote(called)}: delete it`);
}

/** Checks a new or a longer life. A shorter `maxKeyDays` shortens no key. */
function checkEnd(
  { definition, name }: Refused,
  key: OwnedAccessKey,
  before: OwnedAccessKey | undefined,
  project: Project,
): void {
  const most = maxKeySeconds(project);
  if (most === 0 && before === undefined)
    throw forbidden(
      definition,
      name,
      `project ${quote(project.metadata.name ?? '')} has no keys: its spec.maxKeyDays is 0`,
    );
  const { ttl = Infinity } = key.spec ?? {};
  if (ttl <= Math.max(most, before?.spec?.ttl ?? 0)) return;
  throw invalid(definition, name, [
    fieldInvalid('spec.ttl', key.spec?.ttl, `must be between 1 and ${most}: ${ruleOf(project)}`),
  ]);
}

function checkMaker({ definition, name, requester }: AdmissionAttributes, key: OwnedAccessKey): void {
  if (referenceTo('User', key) !== undefined) return;
  const why = `there is no User ${quote(requester.name)} whom the key could end with`;
  throw invalid(definition, name, [fieldInvalid('spec.endsWithMaker', true, why)]);
}
