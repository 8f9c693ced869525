import type { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import {
  sameSource,
  secretSource,
  SOURCE_NAME,
  SOURCE_NAMESPACE,
} from '../../../api/management.svc.example/secretsource.js';
import type { Condition } from '../../../api/meta/v1/condition.js';
import type { KubeObject } from '../../../api/resource.js';
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../../registry/object/columns.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { Strategy } from '../../registry/strategy.js';
import { validateRuleCount } from '../sharing/accesslimit.js';
import { descriptionColumn, displayNameColumn, textColumn } from '../columns.js';
import { giveOwner, keepOwner, ownerColumn } from '../sharing/owner.js';
import { keysColumn, secretData, validateSecretData } from '../sharing/secretdata.js';
import { mirrorEffects } from './mirrorrecord.js';
import { validateSync } from './sync.js';
import { fieldInvalid, fieldRequired, type FieldError } from '../../apimachinery/errors.js';
import { dns1123Label } from '../../apimachinery/validation/names.js';

/** Validates that the labels, if one is set, name a SharedSecret. */
function validateSourceLabels({ metadata }: KubeObject): FieldError[] {
  const { [SOURCE_NAME]: name, [SOURCE_NAMESPACE]: namespace } = metadata.labels ?? {};
  if (name === undefined && namespace === undefined) return [];
  const missing = (label: string, value = '', other = ''): FieldError[] =>
    value === '' ? [fieldRequired(pathOf(label), `must be set together with ${other}`)] : [];
  return [
    ...missing(SOURCE_NAME, name, SOURCE_NAMESPACE),
    ...missing(SOURCE_NAMESPACE, namespace, SOURCE_NAME),
    ...dns1123Label(namespace || 'x').map((text) => fieldInvalid(pathOf(SOURCE_NAMESPACE), namespace, text)),
  ];
}

const pathOf = (label: string): string => `metadata.labels[${label}]`;

/** The first sync condition that is not True, otherwise the last one, whose message says more. */
function syncCondition({ status }: ProjectSecret): Condition | undefined {
  const conditions = ['Synced', 'TargetsSynced'].flatMap(
    (type) => status?.conditions?.find((condition) => condition.type === type) ?? [],
  );
  return conditions.find((condition) => condition.status !== 'True') ?? conditions.at(-1);
}

const syncStatus = (object: ProjectSecret): string => syncCondition(object)?.status ?? '';
const syncMessage = (object: ProjectSecret): string => syncCondition(object)?.message ?? '';

/** Secrets of a project. The server sets the data of a mirror, and an update that omits them keeps them. */
export const projectSecretStrategy: Strategy<ProjectSecret> = {
  generation: true,
  columns: [
    displayNameColumn,
    keysColumn,
    ownerColumn('secret'),
    textColumn('Source', 'The SharedSecret whose data the secret has.', sourceText),
    ageColumn(humanAge),
    descriptionColumn,
    textColumn('Synced', 'Whether its data and the Secrets that it fills are current.', syncStatus, 1),
    textColumn('Sync Message', 'What the condition says of it.', syncMessage, 1),
  ],
  prepareForCreate(object, { requester }) {
    object.status = {};
    giveOwner(object, requester.name);
  },
  prepareForUpdate(next, previous) {
    keepOwner(next, previous);
    keepMirroredData(next, previous);
  },
  effects: mirrorEffects,
  validate: (object) => [
    ...validateSecretData(secretData(object)),
    ...validateRuleCount('spec.access', object.spec?.access),
    ...validateSourceLabels(object),
    ...validateSync(object),
  ],
};

function sourceText(object: KubeObject): string {
  const source = secretSource(object);
  return source === undefined ? '' : `${source.namespace}/${source.name}`;
}

/**
 * Drops mirrored data when the source changes or the labels are removed: the user who sets labels is responsible for
 * the data.
 */
function keepMirroredData(next: ProjectSecret, previous: KubeObject): void {
  const [source, before] = [secretSource(next), secretSource(previous)];
  if (before === undefined) return;
  const { data, ...rest } = next.spec ?? {};
  const had = secretData(previous);
  if (source === undefined) {
    const own = Object.entries(data ?? {}).filter(([key, value]) => had[key] !== value);
    next.spec = own.length === 0 ? rest : { ...rest, data: Object.fromEntries(own) };
  } else if (!sameSource(source, before)) {
    if (sameJson(data, had)) next.spec = rest;
  } else if (data === undefined && Object.keys(had).length > 0) {
    next.spec = { ...rest, data: structuredClone(had) };
  }
}
