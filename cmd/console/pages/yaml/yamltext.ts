import { stringify } from 'yaml';

/** As everybody writes it: no anchors, and long texts on one line. */
export const yamlOf = (object: unknown): string =>
  stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 });
