/**
 * The name rules of `k8s.io/apimachinery/pkg/util/validation` and `pkg/api/validation`, with their messages. Each
 * check returns a list of errors, empty for a valid value. Lengths are bytes of UTF-8.
 */
import type { NameRule } from '../../../api/resource.js';
import { byteLength } from './invalid.js';

export type NameCheck = (value: string) => string[];

const LABEL_LENGTH = 63;
const SUBDOMAIN_LENGTH = 253;

const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
  "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
  "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_NAME_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_KEY_TEXT = `a valid label key ${QUALIFIED_NAME_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

// The rules avoid backtracking on long hostile values: each is a loop over one character class, with separate checks of both ends.
const LABEL_CLASS = /^[a-z0-9-]+$/;
const SUBDOMAIN_CLASS = /^[a-z0-9.-]+$/;
const WORD_CLASS = /^[A-Za-z0-9._-]+$/;

const isLabel = (value: string): boolean =>
  LABEL_CLASS.test(value) && !value.startsWith('-') && !value.endsWith('-');
/** No label is empty, or begins or ends with a dash. */
const isSubdomain = (value: string): boolean =>
  SUBDOMAIN_CLASS.test(value) && !/^[-.]|\.[-.]|-\.|[-.]$/.test(value);
const isWord = (value: string): boolean => WORD_CLASS.test(value) && !/^[._-]|[._-]$/.test(value);

const tooLong = (most: number, unit: 'bytes' | 'characters'): string =>
  `must be no more than ${most} ${unit}`;

/** A name of at most 63 bytes, such as a namespace has. */
export function dns1123Label(value: string): string[] {
  const problems = byteLength(value) > LABEL_LENGTH ? [tooLong(LABEL_LENGTH, 'characters')] : [];
  if (isLabel(value)) return problems;
  problems.push(isSubdomain(value) ? 'must not contain dots' : LABEL_TEXT);
  return problems;
}

/** Labels joined by dots, at most 253 bytes: the usual rule for names. */
export function dns1123Subdomain(value: string): string[] {
  const problems = byteLength(value) > SUBDOMAIN_LENGTH ? [tooLong(SUBDOMAIN_LENGTH, 'characters')] : [];
  if (!isSubdomain(value)) problems.push(SUBDOMAIN_TEXT);
  return problems;
}

/**
 * A label that begins with a letter. For vectors: no kind has this rule.
 * @internal
 */
export function dns1035Label(value: string): string[] {
  const problems = byteLength(value) > LABEL_LENGTH ? [tooLong(LABEL_LENGTH, 'characters')] : [];
  if (!isLabel(value) || !/^[a-z]/.test(value)) problems.push(DNS1035_TEXT);
  return problems;
}

/** The rule for names that are one element of a URL path. */
export function pathSegment(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return pathSegmentPrefix(value);
}

/** The part of `pathSegment` that applies to the prefix of a name. */
function pathSegmentPrefix(value: string): string[] {
  return ['/', '%']
    .filter((forbidden) => value.includes(forbidden))
    .map((found) => `may not contain '${found}'`);
}

/** `[subdomain/]name`: the rule of label keys, finalizers and (in lower case) annotation keys. */
export function qualifiedName(value: string): string[] {
  const parts = value.split('/', 3);
  if (parts.length > 2) return [LABEL_KEY_TEXT];
  const name = parts[parts.length - 1]!;
  const problems: string[] = [];
  if (parts.length === 2) problems.push(...prefixProblems(parts[0]!));
  if (name === '') problems.push('name part must be non-empty');
  else if (byteLength(name) > LABEL_LENGTH) problems.push(`name part ${tooLong(LABEL_LENGTH, 'bytes')}`);
  if (!isWord(name)) problems.push(`name part ${QUALIFIED_NAME_TEXT}`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const problems =
    byteLength(prefix) > SUBDOMAIN_LENGTH ? [`prefix part ${tooLong(SUBDOMAIN_LENGTH, 'bytes')}`] : [];
  if (!isSubdomain(prefix)) problems.push(`prefix part ${SUBDOMAIN_TEXT}`);
  return problems;
}

/** The value of a label: empty, or at most 63 bytes that begin and end with an alphanumeric character. */
export function labelValue(value: string): string[] {
  const problems = byteLength(value) > LABEL_LENGTH ? [tooLong(LABEL_LENGTH, 'bytes')] : [];
  if (value !== '' && !isWord(value)) problems.push(LABEL_VALUE_TEXT);
  return problems;
}

/** A trailing dash of a generateName is tolerated, the random suffix follows it: the last two bytes become `a`. */
function maskTrailingDash(base: string): string {
  if (!base.endsWith('-') || base.length === 1) return base;
  return `${Buffer.from(base, 'utf8').subarray(0, -2).toString('utf8')}a`;
}

/** The same rule for whole names and, with `prefix`, for the base of generated ones. */
export function checkName(check: NameCheck, name: string, prefix: boolean): string[] {
  if (check === pathSegment) return prefix ? pathSegmentPrefix(name) : pathSegment(name);
  return check(prefix ? maskTrailingDash(name) : name);
}

const CHECK_OF_RULE: Readonly<Record<NameRule, NameCheck>> = {
  subdomain: dns1123Subdomain,
  label: dns1123Label,
  path: pathSegment,
};

export const nameCheckOf = (rule: NameRule): NameCheck => CHECK_OF_RULE[rule];
