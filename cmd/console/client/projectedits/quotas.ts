/** Quotas of a project as fields of a form: texts by the name of the limit. */
import { changeSpec } from '../edits/undo.js';
import { PROJECTS, type ProjectView } from '../projects.js';
import { int64 } from '../../../../api/exactjson.js';

type Quotas = ProjectView['quotas'];

/** A limit: of `instances`, of `secretBytes`, or of objects of a resource. */
export interface Limited {
  readonly field: 'instances' | 'secretBytes' | 'objects';
  /** The resource for `objects`, such as `configmaps`; otherwise empty. */
  readonly resource: string;
}

export interface QuotaChange {
  readonly limited: Limited;
  /** The limits as they are shown and typed; empty: no limit. */
  readonly before: string;
  readonly after: string;
}

const FIXED: readonly Limited[] = [
  { field: 'instances', resource: '' },
  { field: 'secretBytes', resource: '' },
];

export const keyOf = ({ field, resource }: Limited): string => `${field}/${resource}`;

export const objectsOf = (resource: string): Limited => ({ field: 'objects', resource });

/** The limits with a field in the form: those of every project, and those of the resources of this one. */
export const limitedOf = ({ objects = {} }: Quotas): Limited[] => [
  ...FIXED,
  ...Object.keys(objects).sort().map(objectsOf),
];

/** Empty: no limit. */
export function limitText(quotas: Quotas, { field, resource }: Limited): string {
  const { objects = {} } = quotas;
  if (field !== 'objects') return `${quotas[field] ?? ''}`;
  return Object.hasOwn(objects, resource) ? `${objects[resource] ?? ''}` : '';
}

/** The typed limits that differ from the current ones. If a limit was typed twice, the last one applies. */
export function changesOf(
  quotas: Quotas,
  typed: readonly (readonly [limited: Limited, text: string])[],
): QuotaChange[] {
  const last = new Map(typed.map(([limited, text]) => [keyOf(limited), { limited, after: text.trim() }]));
  return [...last.values()]
    .map(({ limited, after }) => ({ limited, before: limitText(quotas, limited), after }))
    .filter(({ before, after }) => before !== after);
}

/** A text that is no number is sent as it is: the server explains what is wrong with it. */
export const limitOf = (text: string): number | bigint | string | null => {
  if (text === '') return null;
  return (/^-?\d{1,19}$/.test(text) ? int64(BigInt(text)) : undefined) ?? text;
};

/** A merge patch of `spec.quotas`. */
export function quotaPatch(changes: readonly QuotaChange[]): object {
  const of = (wanted: boolean) => changes.filter(({ limited }) => (limited.field === 'objects') === wanted);
  const objects = of(true).map(({ limited, after }) => [limited.resource, limitOf(after)] as const);
  return {
    ...Object.fromEntries(of(false).map(({ limited, after }) => [limited.field, limitOf(after)])),
    ...(objects.length > 0 && { objects: Object.fromEntries(objects) }),
  };
}

/**
 * Sets only these limits, on the version that is shown: 409 if somebody else changed the project first. Rejects with
 * ApiError.
 */
export const setQuotas = ({ metadata }: ProjectView, changes: readonly QuotaChange[]) =>
  changeSpec(PROJECTS, metadata, { quotas: quotaPatch(changes) });

/** The name of the limit's field in errors of the server. */
export const faultField = ({ field, resource }: Limited): string =>
  `spec.quotas.${field === 'objects' ? `objects[${resource}]` : field}`;
