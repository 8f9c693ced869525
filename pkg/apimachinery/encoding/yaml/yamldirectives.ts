import type { Directive, Tag } from './yamltag.js';

/** No shorter than the longest of YAML's own tags, `tag:yaml.org,2002:timestamp`. */
const MAX_KNOWN = 64;
const OTHER = '!other';

/** The directives before a document. */
export class Directives {
  private hasVersion = false;
  private readonly prefixes = new Map<string, string>();

  /** Returns what is wrong with it. */
  add(directive: Directive): string | undefined {
    if ('version' in directive) {
      if (this.hasVersion) return 'found duplicate %YAML directive';
      this.hasVersion = true;
      return directive.version === '1.1' ? undefined : 'found incompatible YAML document';
    }
    if (this.prefixes.has(directive.handle)) return 'found duplicate %TAG directive';
    this.prefixes.set(directive.handle, directive.prefix);
    return undefined;
  }

  /**
   * The whole tag, undefined if its handle is not known. A long one is none of YAML's own, and they all mean the same: it is
   * not joined, as each node would keep a copy of a prefix that the text has once.
   */
  resolve({ handle, suffix }: Tag): string | undefined {
    const prefix = handle === '' ? '' : (this.prefixes.get(handle) ?? DEFAULT_PREFIXES.get(handle));
    if (prefix === undefined) return undefined;
    return prefix.length + suffix.length > MAX_KNOWN ? OTHER : prefix + suffix;
  }
}

const DEFAULT_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
]);
