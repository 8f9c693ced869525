import { DecodeError } from '../json.js';

const VERSION = /^%YAML[ \t]+([0-9]+)\.([0-9]+)[ \t]*(?:#.*)?$/;

/**
 * The directives before the first document, as `sigs.k8s.io/yaml` takes them: it knows `%YAML 1.1`, once, and `%TAG`.
 * Throws {@link DecodeError} for others.
 */
export function checkDirectives(source: string): void {
  if (!/^\uFEFF?(?:\s|#.*\n)*%/.test(source)) return;
  let versions = 0;
  for (const [index, line] of source
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line) || /^%TAG[ \t]/.test(line)) continue;
    if (!line.startsWith('%')) return;
    if (!/^%YAML(?![\w-])/.test(line)) throw refused('found unknown directive name', index && index + 1);
    const found = VERSION.exec(line);
    if (found === null) throw refused("did not find expected digit or '.' character", index && index + 1);
    versions += 1;
    if (versions > 1) throw refused('found duplicate %YAML directive', index);
    if (Number(found[1]) !== 1 || Number(found[2]) !== 1) {
      throw refused('found incompatible YAML document', index);
    }
  }
}

/** `line`: the library's number; 0 is omitted. */
const refused = (problem: string, line: number): DecodeError =>
  new DecodeError(`yaml: ${line === 0 ? '' : `line ${line}: `}${problem}`);
