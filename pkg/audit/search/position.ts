/** The position where a search ended: opaque to clients, and harmless if they change it. */
import { badRequest, expired } from '../../apimachinery/errors.js';

/** The part of a file before `offset` was not searched yet. */
export interface Position {
  /** {@link LogFile.id}: it stays when the file is put aside. */
  readonly file: string;
  readonly offset: number;
}

export const encodePosition = ({ file, offset }: Position): string =>
  Buffer.from(`v1 ${file} ${offset}`).toString('base64url');

/** Undefined for the empty text. Throws StatusError 400. */
export function decodePosition(text: string): Position | undefined {
  if (text === '') return undefined;
  const [, file, offset] = /^v1 (\d+-\d+) (\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (file === undefined || offset === undefined)
    throw badRequest('spec.continue is not a value of status.continue: search without it');
  return { file, offset: Number(offset) };
}

export const positionGone = (): Error =>
  expired(
    'this server does not have the part of the audit log where the search ended: it has been deleted, or another server ' +
      'answered before (status.server): search without spec.continue',
  );
