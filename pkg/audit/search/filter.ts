/** Which events of the audit log a search is for. */

/** Absent and empty members: any. Times in ms since 1970. */
export interface AuditFilter {
  readonly user?: string;
  readonly verb?: string;
  /** `resource` or `resource/subresource`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** `403` or `4xx`. */
  readonly code?: string;
  readonly sourceIP?: string;
  readonly auditID?: string;
  /** Absent: any event. */
  readonly accepts?: ((event: RecordedEvent) => boolean) | undefined;
  readonly after: number | undefined;
  /** Exclusive. */
  readonly before: number | undefined;
}

/** A line of the log, as `pkg/audit/event.ts` writes it. In one that something else wrote, members may be of any type. */
export interface RecordedEvent {
  readonly [member: string]: unknown;
  readonly kind: 'Event';
  readonly auditID?: string;
  readonly verb?: string;
  readonly user?: { readonly username?: string };
  readonly impersonatedUser?: { readonly username?: string };
  readonly sourceIPs?: readonly string[] | null;
  readonly objectRef?: {
    /** Absent: the core group. */
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  } | null;
  readonly responseStatus?: { readonly code?: number };
  readonly stageTimestamp?: string;
  readonly annotations?: Readonly<Record<string, unknown>> | null;
}

/**
 * Bytes that every matching line contains: the log is written by `JSON.stringify`, so most lines need not be parsed.
 */
export function needlesOf(filter: AuditFilter): Buffer[] {
  const { user, verb, resource = '', namespace, name, code = '', sourceIP, auditID } = filter;
  const [kind = '', subresource = ''] = split(resource);
  const members: readonly (readonly [string, string | undefined])[] = [
    ['"username":', user],
    ['"verb":', verb],
    ['"resource":', kind],
    ['"subresource":', subresource],
    ['"namespace":', namespace],
    ['"name":', name],
    ['', sourceIP],
    ['"auditID":', auditID],
  ];
  const texts = members.flatMap(([member, value = '']) =>
    value === '' ? [] : [member + JSON.stringify(value)],
  );
  return [...texts, ...(/^\d+$/.test(code) ? [`"code":${code}`] : [])].map((text) => Buffer.from(text));
}

/** Whether an event matches the filter. */
export function matches(filter: AuditFilter, event: RecordedEvent): boolean {
  const { user, verb, resource = '', namespace, name, code = '', sourceIP = '', auditID } = filter;
  const objectRef = event.objectRef ?? {};
  const [kind, subresource] = split(resource);
  return (
    (is(user, event.user?.username) || is(user, event.impersonatedUser?.username)) &&
    is(verb, event.verb) &&
    is(kind, objectRef.resource) &&
    is(subresource, objectRef.subresource) &&
    is(namespace, objectRef.namespace) &&
    is(name, objectRef.name) &&
    hasCode(code, event.responseStatus?.code) &&
    (sourceIP === '' || (Array.isArray(event.sourceIPs) && event.sourceIPs.includes(sourceIP))) &&
    is(auditID, event.auditID) &&
    isWithin(filter, timeOf(event)) &&
    (filter.accepts === undefined || filter.accepts(event))
  );
}

/** When the event was recorded, in ms since 1970; NaN: it does not say. */
export const timeOf = ({ stageTimestamp = '' }: RecordedEvent): number => Date.parse(stageTimestamp);

const is = (wanted = '', value = ''): boolean => wanted === '' || wanted === value;

const split = (resource: string): readonly string[] => {
  const slash = resource.indexOf('/');
  return slash < 0 ? [resource] : [resource.slice(0, slash), resource.slice(slash + 1)];
};

const hasCode = (wanted: string, code = 0): boolean =>
  wanted === '' ||
  (wanted.endsWith('xx') ? Math.floor(code / 100) === Number(wanted[0]) : code === Number(wanted));

const isWithin = ({ after = -Infinity, before = Infinity }: AuditFilter, at: number): boolean =>
  (after === -Infinity && before === Infinity) || (at >= after && at < before);
