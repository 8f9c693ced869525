/** Fields that a request has more than once. Node keeps the first value of some and forgets the others. */

/**
 * Fields with one value (RFC 9110, 5.3), and those of which one value alone would count here. Node drops further ones of
 * most of them.
 */
const SINGLE = [
  'authorization',
  'proxy-authorization',
  'host',
  'content-type',
  'content-length',
  'content-range',
  'content-location',
  'content-md5',
  'date',
  'from',
  'referer',
  'user-agent',
  'max-forwards',
  'range',

  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'origin',
  'upgrade-insecure-requests',
  'dnt',
  'tk',

  'age',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'server',
  'x-content-type-options',
  'access-control-request-method',
  'access-control-max-age',
  'access-control-allow-credentials',
  'impersonate-user',
  'impersonate-uid',
  'audit-id',
  'traceparent',
];
/** Lists of which Node drops all lines but the first over HTTP/2. */
const LISTS = ['if-match', 'if-none-match', 'content-encoding', 'content-language'];

type Kind = 'single' | 'list' | 'other';
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...SINGLE.map((name) => [name, 'single'] as const),
  ...LISTS.map((name) => [name, 'list'] as const),
]);

/** The known names in the spelling of clients: at most this many, of at most this length. */
const MAX_SPELLINGS = 1000;
const LONGEST = 64;

interface Name {
  readonly lower: string;
  readonly kind: Kind;
  /** The scan that saw it last. */
  seen: number;
}
const names = new Map<string, Name>();
const spellings = new Map<string, Name>();
let scan = 0;

function nameOf(spelled: string): Name | undefined {
  const known = spellings.get(spelled);
  if (known !== undefined) return known;
  const lower = spelled.toLowerCase();
  const kind = KINDS.get(lower) ?? 'other';
  if (kind === 'other' && (spelled.length > LONGEST || spellings.size >= MAX_SPELLINGS)) return undefined;
  const name = names.get(lower) ?? { lower, kind, seen: 0 };
  if (kind !== 'other') names.set(lower, name);
  if (spellings.size < MAX_SPELLINGS) spellings.set(spelled, name);
  return name;
}

export interface Duplicates {
  /** A field with one value that is there twice, in lower case. */
  readonly single: string | undefined;
  /** Whether a list may have lost lines. */
  readonly lists: boolean;
}

const NONE: Duplicates = { single: undefined, lists: false };

/** `rawHeaders`: names and values in turn. */
export function duplicatesIn(rawHeaders: readonly string[]): Duplicates {
  scan += 1;
  let lists = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = nameOf(rawHeaders[at] ?? '');
    if (name === undefined || name.kind === 'other') continue;
    if (name.seen === scan) {
      if (name.kind === 'single') return { single: name.lower, lists };
      lists = true;
    }
    name.seen = scan;
  }
  return lists ? { single: undefined, lists } : NONE;
}

/** Sets the lists in `headers` to all of their lines. */
export function joinLists(
  headers: Record<string, string | string[] | undefined>,
  rawHeaders: readonly string[],
): void {
  for (const list of LISTS) {
    const lines = rawHeaders.filter(
      (_line, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === list,
    );
    if (lines.length > 1) headers[list] = lines.join(', ');
  }
}
