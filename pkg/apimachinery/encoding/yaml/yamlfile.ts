import { checkYamlDepth } from './yamltokens.js';
import { yamlPackage } from './yamlpackage.js';

/**
 * The value of a text in YAML 1.2 that no request brought: a file, or an answer to a client. Throws an error whose
 * message says why it cannot be read, also for what nests too deep and for more than a
 * hundred aliases.
 */
export function parseYamlFile(text: string): unknown {
  checkYamlDepth(text);
  return yamlPackage().parse(text) as unknown;
}
