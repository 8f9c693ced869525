import { textIn } from '../../pkg/apimachinery/encoding/members.js';
import type { HostAnswer } from '../../pkg/hostclient/interface.js';

/** Writes a line to the Pod's log. */
export type Say = (text: string) => void;

/** An error with the API server's message: not for responses that may contain data of a Secret. */
export const refused = (what: string, { status, body }: HostAnswer): Error =>
  new Error(`${what}: ${status} ${textIn(body, 'message') ?? ''}`);
