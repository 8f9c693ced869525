/** One clause of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  /** Without `q`; the last of several parameters with one name. */
  readonly params: ReadonlyMap<string, string>;
}

/** The maximum number of clauses; further ones are ignored. */
const MAX_CLAUSES = 64;
/** The maximum length; the rest of a header is ignored, and a longer Content-Type refused. */
const MAX_CHARACTERS = 8192;

/**
 * Parses the clauses of an Accept header in the order in which Kubernetes tries them
 * (`github.com/munnerz/goautoneg`). Invalid clauses are omitted, media types keep their case.
 */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.slice(0, MAX_CHARACTERS).split(',', MAX_CLAUSES)) {
    const clause = parseClause(part);
    if (clause !== undefined) clauses.push(clause);
  }
  return sortClauses(clauses);
}

function parseClause(part: string): AcceptClause | undefined {
  const [media = '', ...parameters] = part.split(';');
  const [type = '', ...rest] = media.split('/').map((piece) => piece.trim());
  // Like the Go library, `a/` counts as `a`, and `*` alone as `*/*`.
  const pieces = rest.length === 1 && media.endsWith('/') ? [] : rest;
  if (pieces.length > 1 && !(pieces.length === 2 && media.endsWith('/'))) return undefined;
  const subtype = pieces[0] ?? (type === '*' ? '*' : undefined);
  if (subtype === undefined) return undefined;
  let quality = 1;
  const params = new Map<string, string>();
  for (const parameter of parameters) {
    const [name = '', value = '', ...more] = parameter.split('=');
    if (value === '' || more.join('=') !== '') continue;
    if (name.trim() === 'q') quality = parseQuality(value);
    else params.set(name.trim(), value.trim());
  }
  return { type, subtype, quality, params };
}

function parseQuality(text: string): number {
  return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text) ? Number(text) : 0;
}

/**
 * Insertion sort with the library's comparison, which is no total order: a clause precedes a neighbour of lower
 * quality, and a wildcard of any quality.
 */
function sortClauses(clauses: AcceptClause[]): AcceptClause[] {
  for (let i = 1; i < clauses.length; i++) {
    for (let j = i; j > 0 && goesBefore(clauses[j]!, clauses[j - 1]!); j--) {
      [clauses[j - 1], clauses[j]] = [clauses[j]!, clauses[j - 1]!];
    }
  }
  return clauses;
}

function goesBefore(a: AcceptClause, b: AcceptClause): boolean {
  if (a.quality > b.quality) return true;
  if (a.type !== '*' && b.type === '*') return true;
  return a.subtype !== '*' && b.subtype === '*';
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PARAMETER =
  /^\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*=\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[^"\\]|\\.)*")\s*/;

/** The media type of a Content-Type in lower case, or undefined if Go's `mime.ParseMediaType` fails. */
export function parseContentType(header: string): string | undefined {
  if (header.length > MAX_CHARACTERS) return undefined;
  const end = header.indexOf(';');
  const type = (end === -1 ? header : header.slice(0, end)).trim().toLowerCase();
  const pieces = type.split('/');
  if (pieces.length > 2 || !pieces.every((piece) => TOKEN.test(piece))) return undefined;
  return end === -1 || parametersParse(header.slice(end)) ? type : undefined;
}

function parametersParse(text: string): boolean {
  const names = new Set<string>();
  let rest = text.trim();
  while (rest !== '' && rest !== ';') {
    const match = rest.startsWith(';') ? PARAMETER.exec(rest.slice(1)) : null;
    if (match === null) return false;
    const name = match[1]!.toLowerCase();
    if (names.has(name)) return false;
    names.add(name);
    rest = rest.slice(1 + match[0].length).trim();
  }
  return true;
}
