/** Claims: private records, written with Users, that keep a subject of the identity provider from being in two. */
import { createHash } from 'node:crypto';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { asKind, clusterScoped, type KubeObject } from '../../../../api/resource.js';
import { fieldInvalid, invalid, quote, type StatusError } from '../../../apimachinery/errors.js';
import type { Change, Effects, TransactionObjects } from '../../../registry/transaction/effects.js';
import type { Write } from '../../../storage/interface.js';

const CLAIMS = 'private/subject/';

/** Throws StatusError 422 if another User has the subject. */
export async function subjectEffects(
  { next, previous }: Change<User>,
  objects: TransactionObjects,
): Promise<Effects> {
  const { name = '' } = (next ?? previous)?.metadata ?? {};
  const [wanted, had] = [subjectOf(next), subjectOf(previous)];
  if (wanted === had) return { writes: [], guards: [] };
  const writes: Write[] = [];
  const before = had === '' ? undefined : await objects.record(claimKey(had));
  if (before?.value.toString() === name) writes.push({ key: before.key, expect: before.revision });
  if (wanted !== '') {
    const claim = await objects.record(claimKey(wanted));
    const holder = claim?.value.toString();
    if (holder !== undefined && holder !== name && (await hasSubject(objects, holder, wanted)))
      throw subjectTaken(name, wanted, holder);
    const expect = claim?.revision ?? 'absent';
    writes.push({ key: claimKey(wanted), value: Buffer.from(name), expect });
  }
  return { writes, guards: [] };
}

function subjectTaken(user: string, subject: string, holder: string): StatusError {
  const why = `is the subject of the user ${quote(holder)}: remove it there first`;
  return invalid(User, user, [fieldInvalid('spec.subject', subject, why)]);
}

/** The claim of a User that a restored backup does not have says nothing. */
async function hasSubject({ kind }: TransactionObjects, name: string, subject: string): Promise<boolean> {
  return subjectOf((await kind(User.group, User.plural).read(clusterScoped(name)))?.object()) === subject;
}

const subjectOf = (user: KubeObject | undefined): string => asKind(User, user)?.spec?.subject ?? '';

/** A subject may be longer than keys are, and have any characters. */
const claimKey = (subject: string): string => CLAIMS + createHash('sha256').update(subject).digest('hex');
