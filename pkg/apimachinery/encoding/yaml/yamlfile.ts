import { DecodeError } from '../json.js';
import { checkYamlDepth } from './yamltokens.js';
import { yamlPackage } from './yamlpackage.js';

/**
 * Parses YAML 1.2 that does not come from a request: a file, or a response. The error has the position of the fault
 * and none of the text, as files contain keys. Also throws for too deep nesting and for more than a hundred aliases.
 */
export function parseYamlFile(text: string): unknown {
  checkYamlDepth(text);
  try {
    // The library would print warnings with the line of text.
    const value: unknown = yamlPackage().parse(text, { logLevel: 'error' });
    return value;
  } catch (error) {
    throw new DecodeError(yamlFault(error));
  }
}

/** The position of the library's error, without its text. */
export function yamlFault(error: unknown): string {
  if (!(error instanceof yamlPackage().YAMLParseError))
    return 'not valid YAML: an alias has no anchor before it, or there are too many';
  const [at] = error.linePos ?? [];
  const where = at === undefined ? '' : ` at line ${at.line}, column ${at.col}`;
  return `not valid YAML${where} (${error.code.toLowerCase().replaceAll('_', ' ')})`;
}
