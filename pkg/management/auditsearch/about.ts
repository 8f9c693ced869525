/** What people ask of the audit log: changes, reads of secrets, and what was refused. */
import type { RecordedEvent } from '../../audit/search/filter.js';
import { SEES_NONE, WITHOUT_VALUES } from '../../audit/marks.js';
import { isSecretKind } from '../sharing/secretkinds.js';
import type { About } from './query.js';

const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const READS = ['get', 'list', 'watch'];
/** Creates that only ask, and what programs write all the time. */
const NO_CHANGES = [
  'auditsearches',
  'events',
  'grouprulereviews',
  'leases',
  'localsubjectaccessreviews',
  'resourceaccessreviews',
  'selfsubjectaccessreviews',
  'selfsubjectreviews',
  'selfsubjectrulesreviews',
  'selves',
  'subjectaccessreviews',
  'subjectobjectsreviews',
  'tokenreviews',
];

/** Undefined: everything. */
export function aboutOf(about: About): ((event: RecordedEvent) => boolean) | undefined {
  switch (about) {
    case 'Changes':
      return (event) =>
        isOf(event, WRITES) && !NO_CHANGES.includes(resourceOf(event)) && wasDone(event) && !isDryRun(event);
    case 'SecretReads':
      return (event) =>
        isOf(event, READS) && isOfSecrets(event) && wasDone(event) && !hasMark(event, WITHOUT_VALUES);
    case 'Refused':
      return (event) => (codeOf(event) === 401 || codeOf(event) === 403) && !hasMark(event, SEES_NONE);
    case undefined:
      return undefined;
  }
}

const isOf = ({ verb = '' }: RecordedEvent, verbs: readonly string[]): boolean => verbs.includes(verb);
const resourceOf = ({ objectRef }: RecordedEvent): string => objectRef?.resource ?? '';
const isOfSecrets = ({ objectRef }: RecordedEvent): boolean =>
  isSecretKind({ group: objectRef?.apiGroup ?? '', plural: objectRef?.resource ?? '' });
/** An event without a code is of a request that has begun: what came of it is another event. */
const wasDone = (event: RecordedEvent): boolean => codeOf(event) >= 200 && codeOf(event) < 400;
const hasMark = ({ annotations }: RecordedEvent, mark: string): boolean => annotations?.[mark] === 'true';
const isDryRun = ({ requestURI }: RecordedEvent): boolean =>
  typeof requestURI === 'string' && /[?&]dryRun=/.test(requestURI);
const codeOf = ({ responseStatus }: RecordedEvent): number => responseStatus?.code ?? 0;
