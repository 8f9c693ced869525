import type { FieldSelector } from '../apimachinery/selectors/fields.js';
import { parseFieldSelector } from '../apimachinery/selectors/fields.js';
import type { LabelSelector } from '../apimachinery/selectors/labels.js';
import { parseLabelSelector } from '../apimachinery/selectors/labels.js';
import type { ResourceDefinition } from '../../api/resource.js';
import { quote } from '../apimachinery/errors.js';
import type { Entry } from '../cache/interface.js';

/** What a list, a watch or a deletecollection asks for. */
export interface Selection {
  /** No selector: everything matches. */
  readonly all: boolean;
  /** The name that `metadata.name=` pins, if any. */
  readonly name: string | undefined;
  matches(entry: Entry): boolean;
}

const EVERYTHING: Selection = { all: true, name: undefined, matches: () => true };

/** Throws StatusError 400 with the texts of Kubernetes' parsers. */
export function parseSelection(definition: ResourceDefinition, labels: string, fields: string): Selection {
  if (labels === '' && fields === '') return EVERYTHING;
  const labelSelector = parseLabelSelector(labels);
  const fieldSelector = parseFieldSelector(fields, (field) => unsupported(definition, field));
  if (labelSelector.empty && fieldSelector.empty) return EVERYTHING;
  return {
    all: false,
    name: fieldSelector.exact('metadata.name'),
    matches: (entry) => matchesFields(fieldSelector, entry) && matchesLabels(labelSelector, entry),
  };
}

function matchesFields(selector: FieldSelector, entry: Entry): boolean {
  if (selector.empty) return true;
  return selector.matches((field) => fieldOf(entry, field));
}

function fieldOf(entry: Entry, field: string): string {
  if (field === 'metadata.name') return entry.name;
  if (field === 'metadata.namespace') return entry.namespace;
  if (field === 'status.phase') return (entry.object().status as { phase?: string } | undefined)?.phase ?? '';
  return '';
}

function matchesLabels(selector: LabelSelector, entry: Entry): boolean {
  return selector.empty || selector.matches(entry.object().metadata.labels);
}

function unsupported(definition: ResourceDefinition, field: string): string | undefined {
  if (field === 'metadata.name') return undefined;
  if (field === 'metadata.namespace' && (definition.namespaced || definition.builtIn)) return undefined;
  if (definition.kind === 'Namespace' && field === 'status.phase') return undefined;
  if (!definition.builtIn) return `field label not supported: ${field}`;
  return `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
