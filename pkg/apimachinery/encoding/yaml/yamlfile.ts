import { DecodeError } from '../json.js';
import { checkYamlDepth } from './yamltokens.js';
import { yamlPackage } from './yamlpackage.js';

/**
 * The value of a text in YAML 1.2 that no request brought: a file, or an answer to a client. Throws an error whose
 * message says where it cannot be read, and nothing of what is there: files hold keys. Also for what nests too deep and for
 * more than a hundred aliases.
 */
export function parseYamlFile(text: string): unknown {
  checkYamlDepth(text);
  try {
    // Warnings would be printed, with the line that they are about.
    const value: unknown = yamlPackage().parse(text, { logLevel: 'error' });
    return value;
  } catch (error) {
    throw new DecodeError(yamlFault(error));
  }
}

/** What the library found wrong, by its place alone. */
export function yamlFault(error: unknown): string {
  if (!(error instanceof yamlPackage().YAMLParseError))
    return 'not valid YAML: an alias has no anchor before it, or there are too many';
  const [at] = error.linePos ?? [];
  const where = at === undefined ? '' : ` at line ${at.line}, column ${at.col}`;
  return `not valid YAML${where} (${error.code.toLowerCase().replaceAll('_', ' ')})`;
}
