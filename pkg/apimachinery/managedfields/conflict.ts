/**
 * Fields of an applied object that other managers own (`k8s.io/apimachinery/pkg/util/managedfields/internal`,
 * conflict.go).
 */
import { failure, type StatusError } from '../errors.js';
import { compareBytes } from '../encoding/canonical.js';
import { quoteGo } from '../quote.js';
import { pathText } from './fieldpath/elementtext.js';
import { pathsOf, type FieldSet } from './fieldpath/fieldset.js';
import type { Owner } from './owners.js';

/** The conflicting fields of one manager. */
export interface Conflict {
  readonly owner: Owner;
  readonly set: FieldSet;
}

/** An apply that would change fields of other managers, by identity. */
export class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict';
  constructor(readonly conflicts: ReadonlyMap<string, Conflict>) {
    super('the applied object conflicts with other managers');
  }
}

/** `"m"`, `"m" with subresource "status" using v1`. */
function ownerText({ manager, operation, subresource, apiVersion }: Owner): string {
  const through = subresource === '' ? '' : ` with subresource ${quoteGo(subresource)}`;
  return `${quoteGo(manager)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

/** The maximum number of fields that the error names; others are only counted. kube-apiserver names all. */
const MAX_NAMED = 1_000;

/** 409 with a cause for each field. */
export function conflictStatus({ conflicts }: ApplyConflict): StatusError {
  const all = [...conflicts].sort(([a], [b]) => compareBytes(a, b)).map(([, conflict]) => groupOf(conflict));
  const count = all.reduce((sum, { paths }) => sum + paths.length, 0);
  const groups = count > MAX_NAMED ? firstOf(all, MAX_NAMED) : all;
  const causes = groups.flatMap(({ owner, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  return failure('Conflict', message(groups, count), { causes });
}

interface Group {
  readonly owner: string;
  readonly paths: readonly string[];
}

function firstOf(groups: readonly Group[], most: number): Group[] {
  let left = most;
  return groups.flatMap(({ owner, paths }) => {
    const shown = paths.slice(0, left);
    left -= shown.length;
    return shown.length === 0 ? [] : [{ owner, paths: shown }];
  });
}

const groupOf = ({ owner, set }: Conflict): Group => ({
  owner: ownerText(owner),
  paths: pathsOf(set).map(pathText),
});

function message(groups: readonly Group[], count: number): string {
  const [first] = groups;
  if (count === 1 && first !== undefined)
    return `Apply failed with 1 conflict: conflict with ${first.owner}: ${first.paths[0]!}`;
  const lines = groups.flatMap(({ owner, paths }) => [
    `conflicts with ${owner}:`,
    ...paths.map((path) => `- ${path}`),
  ]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}
