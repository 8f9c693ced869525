/** Quotas of a project as fields of a form: texts by the name of what is limited. */
import { changeSpec } from '../edits/undo.js';
import type { ProjectView } from '../projects.js';
import { PROJECTS } from '../projects.js';

type Quotas = ProjectView['quotas'];

/** What is limited: `instances`, `secretBytes`, or objects of a resource. */
export interface Limited {
  readonly field: 'instances' | 'secretBytes' | 'objects';
  /** Of `objects`: such as `configmaps`; otherwise empty. */
  readonly resource: string;
}

export interface QuotaChange {
  readonly limited: Limited;
  /** As they are shown and typed; empty: not limited. */
  readonly before: string;
  readonly after: string;
}

const FIXED: readonly Limited[] = [
  { field: 'instances', resource: '' },
  { field: 'secretBytes', resource: '' },
];

export const keyOf = ({ field, resource }: Limited): string => `${field}/${resource}`;

export const objectsOf = (resource: string): Limited => ({ field: 'objects', resource });

/** Limits with a field in the form: those of every project, and the resources of this one. */
export const limitedOf = ({ objects = {} }: Quotas): Limited[] => [
  ...FIXED,
  ...Object.keys(objects).sort().map(objectsOf),
];

/** Empty: not limited. */
export function limitText(quotas: Quotas, { field, resource }: Limited): string {
  const { objects = {} } = quotas;
  if (field !== 'objects') return `${quotas[field] ?? ''}`;
  return Object.hasOwn(objects, resource) ? `${objects[resource] ?? ''}` : '';
}

/** Typed limits that differ from the current ones; the last if one was typed twice. */
export function changesOf(
  quotas: Quotas,
  typed: readonly (readonly [limited: Limited, text: string])[],
): QuotaChange[] {
  const last = new Map(typed.map(([limited, text]) => [keyOf(limited), { limited, after: text.trim() }]));
  return [...last.values()]
    .map(({ limited, after }) => ({ limited, before: limitText(quotas, limited), after }))
    .filter(({ before, after }) => before !== after);
}

/** Other text than a number is sent as it is: the server says what is wrong with it. */
const valueOf = (text: string): number | string | null => {
  if (text === '') return null;
  const value = Number(text);
  return /^-?\d+$/.test(text) && Number.isSafeInteger(value) ? value : text;
};

/** A merge patch of `spec.quotas`. */
export function quotaPatch(changes: readonly QuotaChange[]): object {
  const of = (wanted: boolean) => changes.filter(({ limited }) => (limited.field === 'objects') === wanted);
  const objects = of(true).map(({ limited, after }) => [limited.resource, valueOf(after)] as const);
  return {
    ...Object.fromEntries(of(false).map(({ limited, after }) => [limited.field, valueOf(after)])),
    ...(objects.length > 0 && { objects: Object.fromEntries(objects) }),
  };
}

/** Sets these limits alone, on the version that is shown: 409 where somebody was faster. Rejects with ApiError. */
export const setQuotas = ({ metadata }: ProjectView, changes: readonly QuotaChange[]) =>
  changeSpec(PROJECTS, metadata, { quotas: quotaPatch(changes) });

/** The field of which the server speaks. */
export const faultField = ({ field, resource }: Limited): string =>
  `spec.quotas.${field === 'objects' ? `objects[${resource}]` : field}`;
