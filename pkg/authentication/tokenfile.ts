import { digest, type TokenLookup } from './bearer.js';
import { AUTHENTICATED } from './groups.js';
import type { User } from './interface.js';

/**
 * Reads a token file of Kubernetes: lines of `token,user,uid[,"group1,group2"]`, CSV. Throws Error with the number of
 * a bad line and never its content.
 */
export function parseTokenFile(text: string): TokenLookup {
  const users = new Map<string, User>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const fields = splitCsv(line);
    if (fields === undefined || fields.length < 3) {
      throw new Error(`line ${index + 1} is not token,user,uid or token,user,uid,"group1,group2"`);
    }
    const [token = '', name = '', uid = '', groups = ''] = fields;
    if (token === '' || name === '') throw new Error(`line ${index + 1} lacks a token or a user`);
    const key = digest(token);
    if (users.has(key)) throw new Error(`line ${index + 1} repeats a token`);
    const own = groups.split(',').map((group) => group.trim());
    users.set(key, { name, uid, groups: withAuthenticated(own), extra: {} });
  }
  return (_token, key) => users.get(key);
}

/** Every authenticated user belongs to `system:authenticated`. */
export function withAuthenticated(groups: readonly string[]): string[] {
  return [...new Set([...groups.filter((group) => group !== ''), AUTHENTICATED])];
}

/** The fields of one CSV line (RFC 4180, without line breaks in fields); undefined when quotes do not match. */
function splitCsv(line: string): string[] | undefined {
  const fields: string[] = [];
  const field = / *(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/y;
  while (field.lastIndex < line.length) {
    const match = field.exec(line);
    if (match === null) return undefined;
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2]!.trim());
  }
  return fields;
}
