import type { Directive, Tag } from './yamltag.js';

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

  /** The whole tag, undefined if its handle is not known. */
  resolve({ handle, suffix }: Tag): string | undefined {
    const prefix = handle === '' ? '' : (this.prefixes.get(handle) ?? DEFAULT_PREFIXES.get(handle));
    return prefix === undefined ? undefined : prefix + suffix;
  }
}

const DEFAULT_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
]);
