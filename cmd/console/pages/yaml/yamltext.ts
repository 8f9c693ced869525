import { stringify } from 'yaml';

/** YAML without anchors, and with long texts on one line. */
export const yamlOf = (object: unknown): string =>
  stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 });
