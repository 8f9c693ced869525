import { sortedSteps, type FieldNode, type FieldSet } from '../fieldpath/fieldset.js';

/** The canonical text of a set: sorted, without spaces. */
export function printFieldsV1(set: FieldSet): string {
  return `{${members(set)}}`;
}

function members(set: FieldSet): string {
  return sortedSteps(set)
    .map((step) => `${JSON.stringify(step)}:{${nodeMembers(set.get(step)!)}}`)
    .join(',');
}

function nodeMembers({ member, children }: FieldNode): string {
  if (children === undefined) return '';
  return `${member ? '".":{},' : ''}${members(children)}`;
}
