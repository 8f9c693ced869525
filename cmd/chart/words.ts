import { textIn } from '../../pkg/apimachinery/encoding/members.js';
import type { HostAnswer } from '../../pkg/hostclient/interface.js';

/** Writes a line for who looks at the Pod's log. */
export type Say = (text: string) => void;

/** With the API server's own words: not for answers that may repeat a Secret. */
export const refused = (what: string, { status, body }: HostAnswer): Error =>
  new Error(`${what}: ${status} ${textIn(body, 'message') ?? ''}`);
